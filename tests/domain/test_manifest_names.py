"""What manifests may be called, and when they may be added, changed and taken back."""

import pytest

from builders import CLUSTER_ID, a_cluster, a_ready_view
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import BadName, Invalid, NotFound
from muster.domain.inputs.manifests import ManifestCreate, ManifestUpdate
from muster.domain.manifests import Folder, ManifestName
from muster.domain.states.clusters import BEFORE_INSTALL
from muster.domain.triggers import AddManifest, ChangeManifest, ManifestsStored, RemoveManifest
from muster.domain.views import View, cluster_scope


def named(file_name, folder=Folder.MANIFESTS):
    return ManifestName(folder=folder, file_name=file_name)


MINE = named("50-mine.yaml")


def outcome(trigger, status=ClusterState.READY):
    view = a_ready_view()
    decision = decide(view.with_cluster(view.cluster.but(status=status)), trigger)
    assert not decision.changes or status is not ClusterState.READY
    return decision.outcomes[0]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("a.yaml", None),
        ("a.json", None),
        ("a.yaml.patch", "a.yaml"),
        ("a.yml.patch_first", "a.yml"),
        ("a.b.yaml.patch1", "a.b.yaml"),
    ],
)
def test_a_patch_says_by_its_name_what_it_changes(name, target):
    assert named(name).target == target


@pytest.mark.parametrize(
    ("file_name", "words"),
    [
        (".yaml", "before its first dot"),
        (".hidden.yaml", "before its first dot"),
        (" .yaml", "before its first dot"),
        ("my file.yaml", "blank"),
        ("line\nend.yaml", "blank"),
        ("bell\a.yaml", "blank"),
        ("a/b.yaml", "slash"),
        ("../b.yaml", "slash"),
        ("ä" * 98 + ".yaml", "200 bytes"),
    ],
)
def test_a_name_that_no_file_should_have_is_refused(file_name, words):
    name = named(file_name)
    for trigger in (
        AddManifest(name=name),
        RemoveManifest(name=name),
        ChangeManifest(name=name, target=MINE),
        ChangeManifest(name=MINE, target=name),
    ):
        refused = outcome(trigger)
        assert isinstance(refused, BadName)
        assert words in str(refused)
        assert str(refused).startswith("file_name: ")


def test_a_name_may_be_in_one_folder_only():
    stored = frozenset({MINE})
    other = named(MINE.file_name, Folder.OPENSHIFT)
    refused = outcome(AddManifest(name=other, stored=stored))
    assert isinstance(refused, Invalid)
    assert "folder manifests" in str(refused)
    assert outcome(AddManifest(name=MINE, stored=stored)) is None
    assert outcome(ChangeManifest(name=MINE, target=other, stored=stored)) is None
    assert isinstance(outcome(ChangeManifest(name=named("b.yaml"), target=other, stored=stored)), Invalid)


@pytest.mark.parametrize("status", sorted(ClusterState))
def test_manifests_are_changed_only_before_the_installation_and_added_at_any_time(status):
    assert outcome(AddManifest(name=MINE), status) is None
    for trigger in (ChangeManifest(name=MINE, target=MINE), RemoveManifest(name=MINE)):
        assert (outcome(trigger, status) is None) == (status in BEFORE_INSTALL)


@pytest.mark.parametrize(
    "trigger", [AddManifest(name=MINE), ChangeManifest(name=MINE, target=MINE), RemoveManifest(name=MINE)]
)
def test_a_cluster_that_is_not_there_has_no_manifests(trigger):
    ready = a_ready_view()
    nothing = View(scope=cluster_scope(CLUSTER_ID), now=ready.now, policy=ready.policy)
    gone = nothing.with_cluster(a_cluster(deleted_at=ready.now))
    for view in (nothing, gone):
        assert isinstance(decide(view, trigger).outcomes[0], NotFound)


def test_a_cluster_knows_whether_it_has_manifests_of_the_user():
    there = decide(a_ready_view(), ManifestsStored(custom=True))
    assert there.cluster.custom_manifests
    gone = decide(there.view, ManifestsStored(custom=False))
    assert not gone.cluster.custom_manifests
    assert not decide(gone.view, ManifestsStored(custom=False)).changes


def test_what_was_written_says_which_manifest_is_meant():
    written = ManifestCreate(file_name="a.yaml", content="")
    assert written.name == named("a.yaml")
    update = ManifestUpdate(folder=Folder.OPENSHIFT, file_name="a.yaml")
    assert update.name == update.target == named("a.yaml", Folder.OPENSHIFT)
    moved = update.but(updated_folder=Folder.MANIFESTS, updated_file_name="b.yaml")
    assert moved.target == named("b.yaml")
    assert moved.target.path == "manifests/b.yaml"
