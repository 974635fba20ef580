"""What an installer writes is read once, at the door; what cannot be right is told without quoting any of it."""

import json

import pytest

from muster.domain.artifacts.assets import CLUSTER_VERSION, ROOT
from muster.domain.artifacts.ignition import config, file
from muster.domain.errors import Broken
from muster.domain.roles import Role
from muster.wire.assets import read_assets, read_config

BESIDE = {"metadata.json": b"{}", "auth/kubeconfig": b"k", "auth/kubeadmin-password": b"p"}
VERSION = file(CLUSTER_VERSION, "kind: ClusterVersion\nspec:\n  clusterID: its-own\n")


def read(*files, beside=BESIDE):
    return read_assets(config([VERSION, *files]), {Role.MASTER: config()}, beside)


def manifest(text, path=f"{ROOT}/openshift/a.yaml"):
    return file(path, text)


def test_the_manifests_that_matter_are_read_and_no_others():
    assets = read(
        manifest("# mine\nkind: MachineConfigPool\nmetadata: {name: infra}\n"),
        manifest('{"kind":"BareMetalHost","metadata":{"name":"m"}}', f"{ROOT}/openshift/b.yaml"),
        manifest("kind: Pod", f"{ROOT}/openshift/c.yaml"),
        manifest("kind: MachineConfigPool", "/etc/elsewhere.yaml"),
        {"path": f"{ROOT}/openshift/d.yaml", "contents": {"source": "https://example.com"}},
        {"path": f"{ROOT}/openshift/e.yaml"},
    )
    assert assets.manifests.keys() == {CLUSTER_VERSION, f"{ROOT}/openshift/a.yaml", f"{ROOT}/openshift/b.yaml"}
    assert assets.openshift_cluster_id == "its-own"
    assert assets.roles == {"master": config()}


@pytest.mark.parametrize("text", ["kind: BareMetalHost\n---\nkind: BareMetalHost\n", "- kind: BareMetalHost\n"])
def test_what_is_not_one_object_is_left_as_it_is(text):
    assert read(manifest(text)).manifests.keys() == {CLUSTER_VERSION}


def test_a_manifest_that_cannot_be_read_is_named():
    with pytest.raises(Broken, match=r"cannot be read: /opt/openshift/openshift/a.yaml"):
        read(manifest("kind: BareMetalHost\n\t: {"))


def test_a_cluster_without_a_name_for_itself_is_told():
    with pytest.raises(Broken, match=r"no cvo-overrides\.yaml with a clusterID"):
        read_assets(config(), {}, BESIDE)


def test_what_is_missing_is_named():
    with pytest.raises(Broken, match="The installer has written no auth/kubeconfig and no auth/kubeadmin-password"):
        read(beside={"metadata.json": b""})


@pytest.mark.parametrize("version", ["3.1.0", "3.2.0", "3.5.0"])
def test_a_config_is_read_in_any_version_that_is_like_ours(version):
    assert read_config("a.ign", json.dumps({"ignition": {"version": version}}).encode()) == config(version=version)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "a.ign, which the installer has written, is not JSON"),
        (b"[]", "is not JSON"),
        (b"{}", "it says None"),
        (b'{"ignition": []}', "it says None"),
        (b'{"ignition": {"version": "2.2.0"}}', "it says '2.2.0'"),
    ],
)
def test_what_is_no_config_is_told(content, words):
    with pytest.raises(Broken) as failed:
        read_config("a.ign", content)
    assert words in str(failed.value)
