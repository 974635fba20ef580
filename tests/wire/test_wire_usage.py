"""Which features a cluster uses, as clients read it."""

import json
from typing import Any

import pytest

from builders import a_cluster, a_disk, a_host, a_machine, a_view, an_infra_env
from muster.domain.clusters import DiskEncryption, Platform, PlatformType
from muster.domain.hosts import HostKind
from muster.domain.inventory import SystemVendor
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.networks import Proxy, Vip
from muster.wire import usage as wire_usage
from muster.wire.clusters import cluster_out
from muster.wire.usage import USAGES, feature_usage

LOCAL = MonitoredOperator(name="lso", operator_type=OperatorType.OLM)
DUAL = ("172.30.0.0/16", "fd02::/112")
USED: list[tuple[str, dict[str, Any], Any]] = [
    ("Additional NTP Source", {"additional_ntp_source": "a,b"}, {"source_count": 2}),
    ("Proxy", {"proxy": Proxy(http_proxy="http://a", no_proxy="b")}, {"http_proxy": 1, "no_proxy": 1}),
    ("SNO", {"control_plane_count": 1}, None),
    ("VIP auto alloc.", {"vip_dhcp_allocation": True}, None),
    ("SDN network type", {"network_type": "OpenShiftSDN"}, None),
    ("Dual-stack", {"service_networks": DUAL}, None),
    ("Dual-stack", {"machine_networks": ("192.168.1.0/24", "fd00::/64")}, None),
    ("Dual-stack VIPs", {"api_vips": (Vip(ip="1.2.3.4"), Vip(ip="fd00::1"))}, None),
    ("Platform selection", {"platform": Platform(type=PlatformType.NUTANIX)}, {"platform_type": "nutanix"}),
    ("Nutanix integration", {"platform": Platform(type=PlatformType.NUTANIX)}, None),
    (
        "Install Config Overrides",
        {"install_config_overrides": '{"fips":false,"networking":{"networkType":"OVN"}}'},
        {"fips": True, "networking": True, "networking.networkType": True},
    ),
    ("FIPS", {"install_config_overrides": '{"fips":true}'}, None),
    ("FIPS", {"install_config_overrides": '{"FIPS":true}'}, None),
    ("Schedulable masters", {"schedulable_masters": True}, None),
    ("Custom manifest", {"custom_manifests": True}, None),
    ("Disk encryption", {"disk_encryption": DiskEncryption(enable_on="all")}, {"enable_on": "all", "mode": "tpmv2"}),
    ("arm64 architecture", {"cpu_architecture": "arm64"}, None),
    ("Cluster Tags", {"tags": "a"}, None),
    ("User Managed Networking With Multi Node", {"user_managed_networking": True}, None),
    ("Validations have been ignored for this cluster", {"ignored_cluster_validations": ("all",)}, None),
    ("LSO", {"operators": (CONSOLE, LOCAL)}, None),
]


def used(cluster: Any, *hosts: Any, infra_envs: Any = ()) -> dict[str, Any]:
    return json.loads(feature_usage(cluster, hosts, infra_envs))


@pytest.mark.parametrize(("name", "changes", "data"), USED)
def test_a_feature_is_told_when_it_is_used(name, changes, data):
    assert name not in used(a_cluster())
    told = used(a_cluster(**changes))[name]
    assert (told["name"], told.get("data")) == (name, data)
    assert told["id"] == name.upper().replace(" ", "_").replace(".", "")


def test_a_plain_cluster_uses_what_every_cluster_uses():
    assert set(used(a_cluster())) == {"Hyperthreading", "OVN network type"}
    assert "Hyperthreading" not in used(a_cluster(hyperthreading="none"))


def test_names_that_were_given_and_virtual_machines_are_counted():
    virtual = a_machine(system_vendor=SystemVendor(virtual=True))
    hosts = (a_host("h1", inventory=virtual), a_host("h2", requested_hostname=""), a_host("h3", inventory=None))
    told = used(a_cluster(), *hosts)
    assert told["Requested hostname"]["data"] == {"host_count": 2}
    assert told["Cluster managed networking with VMs"]["data"] == {"VM Hosts": ["h1"]}
    assert "Cluster managed networking with VMs" not in used(a_cluster(user_managed_networking=True), *hosts)


def test_no_feature_is_listed_twice():
    assert len({usage.id for usage in USAGES}) == len(USAGES)


@pytest.mark.parametrize("written", ["", "nonsense", "[]"])
def test_overrides_that_cannot_be_read_are_not_told(written):
    assert set(used(a_cluster(install_config_overrides=written))) == set(used(a_cluster()))


def test_hosts_that_join_a_running_cluster_are_told():
    joining = a_host("h1", kind=HostKind.DAY2)
    assert "Day2 hosts" not in used(a_cluster(), a_host("h1"))
    assert "Single Node Expansion" not in used(a_cluster(), joining)
    assert {"Day2 hosts", "Single Node Expansion"} <= set(used(a_cluster(control_plane_count=1), joining))


def test_a_disk_that_is_not_the_likeliest_was_selected():
    machine = a_machine(disks=(a_disk("sda"), a_disk("sdb", size_bytes=2**40)))
    first, other = (disk.id for disk in machine.disks)
    assert "Disk Selection" not in used(a_cluster(), a_host("h1", inventory=machine, installation_disk_id=first))
    assert "Disk Selection" not in used(a_cluster(), a_host("h1", inventory=machine), a_host("h2", inventory=None))
    assert "Disk Selection" in used(a_cluster(), a_host("h1", inventory=machine, installation_disk_id=other))


@pytest.mark.parametrize(
    ("name", "changes", "data"),
    [
        ("Static Network Config", {"static_network_config": "[]"}, None),
        ("discovery kernel arguments", {"kernel_arguments": "[]"}, None),
        ("Ignition Config Override", {"ignition_config_override": "{}"}, {"infra-env": True}),
    ],
)
def test_what_goes_into_discovery_images_is_told(name, changes, data):
    image = an_infra_env(**changes)
    assert used(a_cluster(), infra_envs=[image])[name].get("data") == data
    assert name not in used(a_cluster(), infra_envs=[image.but(deleted=True), an_infra_env()])
    assert name in json.loads(cluster_out(a_view(infra_envs={image.id: image}))["feature_usage"])


def test_what_is_added_to_the_ignition_of_one_host_is_told():
    told = used(a_cluster(), a_host("h1", ignition_config_overrides="{}"))
    assert told["Ignition Config Override"]["data"] == {"host": True}


def test_the_text_is_kept_while_nothing_changes(monkeypatch):
    monkeypatch.setattr(wire_usage, "MOST_TEXTS", 1)
    cluster, hosts, infra_envs = a_cluster(), (a_host("h1"), a_host("h2")), (an_infra_env(),)
    first = feature_usage(cluster, hosts, infra_envs)
    assert feature_usage(cluster, tuple(hosts), tuple(infra_envs)) is first
    for other in (
        feature_usage(cluster, hosts[:1], infra_envs),
        feature_usage(cluster, hosts, ()),
        feature_usage(cluster, (hosts[0], a_host("h2")), infra_envs),
        feature_usage(cluster, hosts, (an_infra_env(),)),
        feature_usage(a_cluster(), hosts, infra_envs),
    ):
        assert other is not first
        assert feature_usage(cluster, hosts, infra_envs) == first


def test_what_is_not_known_of_a_cluster_is_not_taken_for_used():
    assert used(a_cluster(hyperthreading="", network_type="")) == {}
