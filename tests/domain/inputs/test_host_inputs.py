"""A changed host: every field in its turn, what follows from a role, and when it is too late."""

from typing import Any

import msgspec
import pytest

from builders import a_cluster, a_host, a_machine
from muster.domain.clusters import Cluster, ClusterKind, Platform, PlatformType
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host, HostKind, HostState
from muster.domain.inputs.hosts import HostUpdate, changed_host
from muster.domain.inventory import Disk, Eligibility
from muster.domain.roles import Role

DISK = a_machine().disks[0]
OTHER = Disk(
    id="/dev/disk/by-id/wwn-0x2",
    name="sdb",
    by_path="/dev/disk/by-path/pci-2",
    installation_eligibility=Eligibility(eligible=True),
)
SMALL = Disk(
    id="/dev/disk/by-id/wwn-0x3", name="sdc", installation_eligibility=Eligibility(not_eligible_reasons=("too small",))
)
HOST = a_host("h1", inventory=a_machine(disks=(DISK, OTHER, SMALL)))


def patch(host: Host = HOST, cluster: Cluster | None = None, **written: Any) -> Host:
    """The host a body changes, decoded as it comes from the wire."""
    changes = msgspec.json.decode(msgspec.json.encode(written), type=HostUpdate)
    return changed_host(host, changes, cluster=cluster)


def test_nothing_written_leaves_the_very_same_host():
    assert patch() is HOST
    assert patch(HOST.but(status=HostState.INSTALLED)).status is HostState.INSTALLED


@pytest.mark.parametrize("status", ["discovering", "known", "pending-for-input", "known-unbound", "binding"])
def test_a_host_can_be_changed_before_its_installation(status):
    assert patch(HOST.but(status=HostState(status)), host_name="node-0").requested_hostname == "node-0"


@pytest.mark.parametrize(
    "written",
    [
        {"host_role": "worker"},
        {"host_name": "node-0"},
        {"host_name": "not a name"},
        {"disks_selected_config": [{"id": DISK.id, "role": "install"}]},
        {"machine_config_pool_name": "x"},
        {"ignition_endpoint_token": "x"},
        {"ignition_endpoint_http_headers": []},
        {"node_labels": []},
        {"disks_skip_formatting": [{"disk_id": DISK.id, "skip_formatting": True}]},
        {"fencing_credentials": {"address": "a", "username": "b", "password": "c"}},
    ],
)
def test_a_host_cannot_be_changed_once_it_is_installed(written):
    with pytest.raises(Refused, match="is installing-in-progress"):
        patch(HOST.but(status=HostState.IN_PROGRESS), **written)


def test_a_token_can_be_taken_away_at_any_time():
    host = HOST.but(status=HostState.INSTALLED, ignition_endpoint_token="secret")
    assert patch(host, ignition_endpoint_token="", disks_skip_formatting=[]).ignition_endpoint_token == ""


# Roles


@pytest.mark.parametrize("role", ["auto-assign", "master", "worker", "arbiter"])
def test_a_role_is_what_was_asked_and_suggested(role):
    host = patch(HOST.but(role=Role.BOOTSTRAP), host_role=role)
    assert (host.role, host.suggested_role) == (Role(role), Role(role))


def test_the_same_role_again_changes_nothing():
    host = HOST.but(role=Role.MASTER, suggested_role=Role.WORKER)
    assert patch(host, host_role="master") is host


def test_a_worker_is_not_the_bootstrap_host():
    host = HOST.but(role=Role.MASTER, bootstrap=True)
    assert not patch(host, host_role="worker").bootstrap
    assert patch(host, host_role="auto-assign").bootstrap


@pytest.mark.parametrize(
    ("kind", "pool", "expected"),
    [
        (HostKind.DAY2, "", "master"),
        (HostKind.DAY2, "worker", "master"),
        (HostKind.DAY2, "infra", "infra"),
        (HostKind.HOST, "", ""),
    ],
)
def test_the_pool_of_an_added_host_follows_its_role(kind, pool, expected):
    host = HOST.but(kind=kind, role=Role.WORKER, machine_config_pool_name=pool)
    assert patch(host, host_role="master").machine_config_pool_name == expected


NONE = Platform(type=PlatformType.NONE)


@pytest.mark.parametrize(
    "cluster",
    [
        None,
        a_cluster(),
        a_cluster(platform=NONE, openshift_version="4.22.0"),
        a_cluster(kind=ClusterKind.ADD_HOSTS, openshift_version="4.14.0"),
    ],
)
def test_a_fitting_cluster_can_have_an_arbiter(cluster):
    assert patch(cluster=cluster, host_role="arbiter").role is Role.ARBITER


@pytest.mark.parametrize("cluster", [a_cluster(openshift_version="4.18.1"), a_cluster(platform=NONE)])
def test_other_clusters_cannot_have_an_arbiter(cluster):
    with pytest.raises(Invalid, match=r"^host_role: arbiters need"):
        patch(cluster=cluster, host_role="arbiter")


# Names


@pytest.mark.parametrize("name", ["node-0", "0", "node.lab.local", "a" * 63])
def test_a_name_that_a_node_can_have_is_taken(name):
    assert patch(host_name=name).requested_hostname == name


@pytest.mark.parametrize("name", ["", "Node", "-a", "a_b", "a" * 64, "localhost", "localhost4.localdomain4", "node\n"])
def test_a_name_that_no_node_can_have_is_refused(name):
    with pytest.raises(Invalid, match=r"^host_name: "):
        patch(host_name=name)


# Disks


@pytest.mark.parametrize("name", [OTHER.id, OTHER.by_path, "/dev/sdb"])
def test_the_disk_to_install_to_is_found_by_any_of_its_names(name):
    host = patch(
        disks_selected_config=[{"id": DISK.id, "role": "none"}, {"id": DISK.id}, {"id": name, "role": "install"}]
    )
    assert (host.installation_disk_id, host.installation_disk_path) == (OTHER.id, "/dev/sdb")


@pytest.mark.parametrize(
    "disks",
    [
        [],
        [{"id": DISK.id, "role": "none"}],
        [{"id": DISK.id, "role": "install"}, {"id": OTHER.id, "role": "install"}],
        [{"id": "/dev/nosuch", "role": "install"}],
        [{"id": SMALL.id, "role": "install"}],
    ],
)
def test_a_disk_that_cannot_be_installed_to_is_refused(disks):
    with pytest.raises(Refused, match=r"^disks_selected_config: "):
        patch(disks_selected_config=disks)


def test_a_host_that_has_told_nothing_has_no_disk_to_choose():
    with pytest.raises(Refused, match=r"^disks_selected_config: "):
        patch(HOST.but(inventory=None), disks_selected_config=[{"id": DISK.id, "role": "install"}])


def test_disks_are_added_to_and_taken_from_those_that_stay_as_they_are():
    one = patch(disks_skip_formatting=[{"disk_id": DISK.id, "skip_formatting": True}])
    two = patch(one, disks_skip_formatting=[{"disk_id": OTHER.id, "skip_formatting": True}])
    assert two.skip_formatting_disks == (DISK.id, OTHER.id)
    left = patch(two, disks_skip_formatting=[{"disk_id": DISK.id, "skip_formatting": False}])
    assert left.skip_formatting_disks == (OTHER.id,)
    assert patch(two, disks_skip_formatting=[]) is two
    assert patch(two, disks_skip_formatting=[{"disk_id": "/dev/gone", "skip_formatting": False}]) is two


def test_a_disk_that_is_not_there_cannot_stay_as_it_is():
    with pytest.raises(Invalid, match=r"^disks_skip_formatting\[0\].disk_id: "):
        patch(disks_skip_formatting=[{"disk_id": "/dev/nosuch", "skip_formatting": True}])
    with pytest.raises(Invalid, match="its disks are none"):
        patch(
            a_host("h1", inventory=a_machine(disks=None)),
            disks_skip_formatting=[{"disk_id": "x", "skip_formatting": True}],
        )


def test_disks_cannot_be_named_before_the_host_has_told_them():
    with pytest.raises(Refused, match=r"^disks_skip_formatting: "):
        patch(HOST.but(inventory=None), disks_skip_formatting=[{"disk_id": DISK.id, "skip_formatting": True}])


# The rest


def test_pool_token_and_headers_are_kept():
    host = patch(
        machine_config_pool_name="infra",
        ignition_endpoint_token="secret",
        ignition_endpoint_http_headers=[{"key": "X-A", "value": "1"}],
    )
    assert (host.machine_config_pool_name, host.ignition_endpoint_token) == ("infra", "secret")
    assert host.ignition_endpoint_http_headers == {"X-A": "1"}


def test_labels_replace_all_labels():
    host = patch(node_labels=[{"key": "lab.example.com/rack", "value": "A1"}, {"key": "n", "value": ""}])
    assert host.node_labels == {"lab.example.com/rack": "A1", "n": ""}
    assert patch(host, node_labels=[]).node_labels == {}


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("", "a", "key"),
        ("-a", "a", "key"),
        ("a" * 64, "a", "key"),
        ("/a", "a", "key"),
        ("Lab/a", "a", "key"),
        ("a." * 127 + "aa/b", "a", "key"),
        ("a", "-", "value"),
        ("a", "a" * 64, "value"),
        ("a", "a b", "value"),
    ],
)
def test_labels_that_kubernetes_does_not_take_are_refused(key, value, part):
    with pytest.raises(Invalid, match=rf"^node_labels\[0\].{part}: "):
        patch(node_labels=[{"key": key, "value": value}])


def test_fencing_is_not_offered_and_its_password_not_repeated():
    with pytest.raises(Invalid, match=r"^fencing_credentials: ") as error:
        patch(fencing_credentials={"address": "redfish", "username": "root", "password": "hunter2"})
    assert "hunter2" not in str(error.value)
