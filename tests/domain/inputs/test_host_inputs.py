"""A changed host: every field in its turn, what follows from a role, and when it is too late."""

from typing import Any

import msgspec
import pytest

from builders import a_cluster, a_host, a_machine
from muster.domain.clusters import Cluster, ClusterKind, Platform, PlatformType
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import FencingCredentials, Host, HostKind, HostState
from muster.domain.inputs.hosts import HostUpdate, changed_host, unfit_problems
from muster.domain.inventory import Disk, Eligibility
from muster.domain.policy import Policy
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


POLICY = Policy(fencing=True)


def patch(host: Host = HOST, cluster: Cluster | None = None, policy: Policy = POLICY, **written: Any) -> Host:
    """The host a body changes, decoded as it comes from the wire."""
    changes = msgspec.json.decode(msgspec.json.encode(written), type=HostUpdate)
    return changed_host(host, changes, cluster=cluster, policy=policy)


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


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        (a_cluster(openshift_version="4.18.1"), "needs OpenShift 4.19 or newer, and the version is '4.18.1'"),
        (a_cluster(platform=NONE), "is not possible on platform none before OpenShift 4.22"),
        (a_cluster(platform=Platform(type=PlatformType.VSPHERE)), "is not possible on platform vsphere$"),
    ],
)
def test_other_clusters_cannot_have_an_arbiter(cluster, words):
    with pytest.raises(Invalid, match=rf"^host_role: an arbiter {words}"):
        patch(cluster=cluster, host_role="arbiter")


def test_a_service_without_arbiters_takes_none():
    with pytest.raises(Invalid, match=r"^host_role: .*TNA_CLUSTERS_SUPPORT"):
        patch(policy=Policy(arbiters=False), host_role="arbiter")


@pytest.mark.parametrize("role", ["bootstrap", "boss", ""])
def test_a_role_that_nobody_can_ask_for_is_not_even_read(role):
    with pytest.raises(msgspec.ValidationError):
        patch(host_role=role)


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


# Fencing

BMC = {"address": "redfish+https://bmc1/redfish/v1/Systems/1", "username": "root", "password": "hunter2"}
CREDENTIALS = FencingCredentials(**BMC, certificate_verification="Enabled")


def test_how_to_switch_a_host_off_is_kept():
    assert patch(fencing_credentials=BMC).fencing_credentials == CREDENTIALS
    unverified = patch(fencing_credentials={**BMC, "certificate_verification": "Disabled", "mac_address": "52:54:00:1"})
    assert unverified.fencing_credentials == CREDENTIALS.but(
        certificate_verification="Disabled", mac_address="52:54:00:1"
    )


def test_with_nothing_in_it_it_is_forgotten():
    host = HOST.but(fencing_credentials=CREDENTIALS)
    assert patch(host, fencing_credentials=dict.fromkeys(BMC, "")).fencing_credentials is None


@pytest.mark.parametrize("field", BMC)
def test_it_is_all_or_nothing(field):
    with pytest.raises(Invalid, match=rf"^fencing_credentials.{field}: is empty") as error:
        patch(fencing_credentials={**BMC, field: ""})
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("cluster", "policy", "words"),
    [
        (None, Policy(), "this service installs no clusters of two hosts"),
        (a_cluster(openshift_version="4.19.9"), POLICY, "switching hosts off needs OpenShift 4.20 or newer"),
        (a_cluster(platform=Platform(type=PlatformType.NUTANIX)), POLICY, "switching hosts off is not possible on"),
    ],
)
def test_fencing_that_is_not_offered_is_refused_and_its_password_not_repeated(cluster, policy, words):
    with pytest.raises(Invalid, match=rf"^fencing_credentials: {words}") as error:
        patch(cluster=cluster, policy=policy, fencing_credentials=BMC)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("cluster", [None, a_cluster(), a_cluster(platform=NONE)])
def test_fencing_is_for_clusters_on_bare_metal_or_on_no_platform(cluster):
    assert patch(cluster=cluster, fencing_credentials=BMC).fencing_credentials == CREDENTIALS


# Another cluster


@pytest.mark.parametrize(
    ("host", "cluster", "fields"),
    [
        (HOST, a_cluster(openshift_version="4.14.0"), []),
        (HOST.but(role=Role.ARBITER), a_cluster(), []),
        (HOST.but(role=Role.ARBITER), a_cluster(openshift_version="4.14.0"), ["host_role"]),
        (HOST.but(fencing_credentials=CREDENTIALS), a_cluster(), []),
        (
            HOST.but(role=Role.ARBITER, fencing_credentials=CREDENTIALS),
            a_cluster(openshift_version="4.14.0"),
            ["host_role", "fencing_credentials"],
        ),
    ],
)
def test_a_host_that_is_given_to_a_cluster_must_be_what_the_cluster_can_use(host, cluster, fields):
    assert [problem.partition(":")[0] for problem in unfit_problems(host, cluster, POLICY)] == fields


# In order


def test_fields_are_taken_in_the_order_that_clients_know():
    with pytest.raises(Invalid, match=r"^host_name: "):
        patch(host_name="Not A Name", node_labels=[{"key": "-", "value": ""}])
    with pytest.raises(Invalid, match=r"^host_role: "):
        patch(cluster=a_cluster(openshift_version="4.14.0"), host_role="arbiter", host_name="Not A Name")
