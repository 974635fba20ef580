"""Checks that the user wants to go on in spite of, and outcomes that are to be found out again."""

import json
from pathlib import Path

import msgspec
import pytest
import yaml

from builders import NOW, a_cluster, a_ready_host, a_ready_view, a_view
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import DiskSpeed, HostState, ImageStatus
from muster.domain.inputs.ignored import (
    CLUSTER_IDS,
    HOST_IDS,
    NEVER_MADE,
    IgnoredValidations,
    with_ignored,
    with_reset,
)
from muster.domain.triggers import IgnoreValidations, Install, ResetValidation
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.verdicts import Status

C = ClusterState
SWAGGER = Path(__file__).parents[4] / "shared" / "reference" / "swagger.yaml"


def written(hosts: object = None, clusters: object = None) -> IgnoredValidations:
    """What a user sends: lists as JSON text, inside JSON."""
    lists = {HOST_IDS: hosts, CLUSTER_IDS: clusters}
    body = {name: ids if isinstance(ids, str) else json.dumps(ids) for name, ids in lists.items() if ids is not None}
    return msgspec.json.decode(json.dumps(body), type=IgnoredValidations)


def ignored(hosts: object = None, clusters: object = None, **changes):
    cluster = with_ignored(a_cluster(**changes), written(hosts, clusters))
    return cluster.ignored_host_validations, cluster.ignored_cluster_validations


@pytest.mark.parametrize(
    ("hosts", "clusters", "expected"),
    [
        (["has-min-memory"], None, (("has-min-memory",), ())),
        (None, ["dns-domain-defined", "network-type-valid"], ((), ("dns-domain-defined", "network-type-valid"))),
        (["all"], ["all"], (("all",), ("all",))),
        (["ALL"], ["All"], (("all",), ("all",))),
        (["all", "connected"], ["pull-secret-set", "all"], (("all", "connected"), ("pull-secret-set", "all"))),
        (["ntp-synced", "ntp-synced"], [], (("ntp-synced",), ())),
        (["ocs-requirements-satisfied"], ["ocs-requirements-satisfied"], (("ocs-requirements-satisfied",),) * 2),
        (["release-domain-name-resolved-correctly"], None, (("release-domain-name-resolved-correctly",), ())),
        ("", "", ((), ())),
        (None, None, ((), ())),
    ],
)
def test_what_is_listed_is_ignored_and_nothing_else(hosts, clusters, expected):
    before = {"ignored_host_validations": ("has-min-cpu-cores",), "ignored_cluster_validations": ("all",)}
    assert ignored(hosts, clusters, **before) == expected


@pytest.mark.parametrize("text", ["has-min-memory", "{}", "[1]", "[", '"all"', "null"])
@pytest.mark.parametrize("name", [HOST_IDS, CLUSTER_IDS])
def test_what_is_no_list_of_names_is_refused(name, text):
    with pytest.raises(Invalid, match=f"^{name}: must be a list of checks as JSON text"):
        ignored(**{"hosts" if name == HOST_IDS else "clusters": text})


@pytest.mark.parametrize(
    ("hosts", "clusters", "words"),
    [
        (["no-such-check"], None, "host-validation-ids: there is no check 'no-such-check'"),
        (["no-such-check", "all"], None, "host-validation-ids: there is no check 'no-such-check'"),
        (["dns-domain-defined"], None, "host-validation-ids: there is no check"),
        (None, ["has-min-memory"], "cluster-validation-ids: there is no check"),
        (["connected"], None, "host-validation-ids: 'connected' cannot be ignored"),
        (None, ["pull-secret-set"], "cluster-validation-ids: 'pull-secret-set' cannot be ignored"),
    ],
)
def test_a_check_that_is_not_known_or_cannot_be_ignored_is_refused(hosts, clusters, words):
    with pytest.raises(Invalid) as error:
        ignored(hosts, clusters)
    assert str(error.value).startswith(words)


def test_every_problem_is_told_at_once():
    with pytest.raises(Invalid) as error:
        ignored(["x", "hostname-unique"], ["y"])
    assert len(str(error.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("checks", "fixed"),
    [
        (
            HOST_VALIDATIONS,
            {
                "connected", "has-inventory", "inventory-not-fully-truncated", "machine-cidr-defined",
                "hostname-unique", "hostname-valid",
            },
        ),
        (
            CLUSTER_VALIDATIONS,
            {
                "api-vips-defined", "ingress-vips-defined", "all-hosts-are-ready-to-install",
                "sufficient-masters-count", "pull-secret-set",
            },
        ),
    ],
)  # fmt: skip
def test_which_checks_cannot_be_ignored(checks, fixed):
    assert {check.id for check in checks if not check.ignorable} == fixed


def test_clients_can_name_every_check_of_the_contract():
    if not SWAGGER.exists():
        pytest.skip("the reference swagger is not at hand")
    contract = yaml.load(SWAGGER.read_text(), Loader=yaml.CSafeLoader)["definitions"]
    for name, definition, checks in (
        (HOST_IDS, "host-validation-id", HOST_VALIDATIONS),
        (CLUSTER_IDS, "cluster-validation-id", CLUSTER_VALIDATIONS),
    ):
        assert {check.id for check in checks} | set(NEVER_MADE[name]) == set(contract[definition]["enum"])


@pytest.mark.parametrize("status", ClusterState, ids=str)
def test_checks_can_be_ignored_only_before_the_installation(status):
    early = status in {C.INSUFFICIENT, C.READY, C.PENDING_FOR_INPUT, C.ADDING_HOSTS}
    if early:
        assert ignored(["all"], status=status) == (("all",), ())
        return
    with pytest.raises(Invalid, match=f"is {status}; checks can be ignored only while"):
        ignored(["all"], status=status)


def test_the_same_again_changes_nothing():
    cluster = a_cluster(ignored_host_validations=("all",))
    assert with_ignored(cluster, written(["all"])) is cluster


def test_what_is_ignored_holds_nothing_back_but_is_still_said_and_told_at_the_installation():
    view = a_ready_view()
    small = view.hosts["m1"].inventory.but(cpu=view.hosts["m1"].inventory.cpu.but(count=2))
    stuck = decide(view.with_host(view.hosts["m1"].but(inventory=small)), IgnoreValidations(changes=written([])))
    assert stuck.cluster.status is C.INSUFFICIENT
    freed = decide(stuck.view, IgnoreValidations(changes=written(["has-cpu-cores-for-role"])))
    assert freed.cluster.status is C.READY
    assert freed.host("m1").verdicts["has-cpu-cores-for-role"].status is Status.FAILURE
    told = [event for event in decide(freed.view, Install()).events if event.name == "validations_ignored"]
    assert "has-cpu-cores-for-role" in told[0].message
    assert "validations_ignored" not in [event.name for event in decide(view, Install()).events]


def test_checks_of_a_cluster_that_is_not_there_cannot_be_ignored():
    view = a_view(a_cluster(deleted_at=NOW))
    assert isinstance(decide(view, IgnoreValidations(changes=written(["all"]))).outcomes[0], NotFound)


# Outcomes to be found out again

DISK, PATH = "/dev/disk/by-id/wwn-0x1", "/dev/sda"
FAILED = DiskSpeed(tested=True, exit_code=1)
OTHER = {"/dev/other": DiskSpeed(tested=True)}
HEARD = {"inventory": NOW, "installation-disk-speed-check": NOW, "container-image-availability": NOW}
TRIED = a_ready_host("h1", disk_speeds={DISK: FAILED, **OTHER}, images={"a": ImageStatus(name="a")}, heard_at=HEARD)


@pytest.mark.parametrize("known_as", [DISK, PATH])
def test_the_speed_of_the_installation_disk_is_forgotten_and_that_of_no_other(known_as):
    host = with_reset(TRIED.but(disk_speeds={known_as: FAILED, **OTHER}), "sufficient-installation-disk-speed")
    assert host.disk_speeds == OTHER
    assert host.images == TRIED.images
    assert host.heard_at.keys() == {"inventory", "container-image-availability"}


def test_a_disk_is_also_found_by_its_path_alone():
    host = TRIED.but(installation_disk_id="", disk_speeds={PATH: FAILED})
    assert with_reset(host, "sufficient-installation-disk-speed").disk_speeds == {}


def test_the_images_are_forgotten():
    host = with_reset(TRIED, "container-images-available")
    assert host.images == {}
    assert host.disk_speeds == TRIED.disk_speeds
    assert host.heard_at.keys() == {"inventory", "installation-disk-speed-check"}


def test_other_outcomes_cannot_be_reset():
    with pytest.raises(Invalid, match=r"^validation_id: .*sufficient-installation-disk-speed or container-images"):
        with_reset(TRIED, "has-min-memory")


@pytest.mark.parametrize(
    "host", [TRIED.but(cluster_id=None), TRIED.but(installation_disk_id="", installation_disk_path="")]
)
def test_where_nothing_can_have_been_tried_nothing_is_reset(host):
    with pytest.raises(Refused):
        with_reset(host, "sufficient-installation-disk-speed")


def test_a_host_that_failed_to_try_its_disk_is_fine_again_once_that_is_forgotten():
    view = a_ready_view()
    tried = view.with_host(view.hosts["m1"].but(disk_speeds={DISK: FAILED}))
    stuck = decide(tried, ResetValidation(host_id="m1", validation="container-images-available"))
    assert stuck.host("m1").status is HostState.INSUFFICIENT
    freed = decide(stuck.view, ResetValidation(host_id="m1", validation="sufficient-installation-disk-speed"))
    assert freed.outcomes == (None,)
    assert freed.host("m1").status is HostState.KNOWN
