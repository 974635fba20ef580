"""A changed cluster: what follows from a change, what cannot be, and when it is too late."""

import pytest
from cluster_bodies import (
    HOSTS,
    SECRET,
    a_cluster_with_load_balancer,
    a_day2_cluster,
    a_dual_cluster,
    a_single_node,
    an_old_cluster,
    an_unmanaged_cluster,
    networks,
    patch,
    vips,
)

from builders import NOW, a_cluster, a_host, a_machine
from muster.domain.clusters import ClusterState, DiskEncryption
from muster.domain.errors import Invalid, Refused
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.networks import FreeAddresses, Proxy, Vip, VipVerification


def test_nothing_written_leaves_the_very_same_cluster():
    cluster = a_cluster()
    assert patch(cluster) is cluster


def test_the_same_again_leaves_the_very_same_cluster():
    cluster = a_cluster()
    same = patch(cluster, hosts=(), name="lab", api_vips=vips("192.168.1.5"), ingress_vips=vips("192.168.1.6"))
    assert same is cluster


def test_what_was_written_is_changed_and_empty_texts_clear():
    cluster = a_cluster(proxy=Proxy(http_proxy="http://a", https_proxy="http://b"), tags="a")
    after = patch(
        cluster, name="new", base_dns_domain="", pull_secret="", ssh_public_key="", http_proxy="", tags="",
        hyperthreading="none", schedulable_masters=True, network_type="Calico",
    )  # fmt: skip
    assert after == cluster.but(
        name="new", base_dns_domain="", pull_secret="", ssh_public_key="", proxy=Proxy(https_proxy="http://b"), tags="",
        hyperthreading="none", schedulable_masters=True, network_type="Calico",
    )  # fmt: skip


def test_parts_of_a_setting_may_be_changed_alone():
    after = patch(
        a_cluster(disk_encryption=DiskEncryption(enable_on="all")),
        disk_encryption={"mode": "tpmv2"},
        ignition_endpoint={"url": "http://x"},
        load_balancer={},
        pull_secret=SECRET,
    )
    assert after.disk_encryption.enable_on == "all"
    assert (after.ignition_endpoint.url, after.load_balancer, after.pull_secret) == (
        "http://x",
        "cluster-managed",
        SECRET,
    )


@pytest.mark.parametrize("status", ["insufficient", "ready", "pending-for-input", "adding-hosts"])
def test_a_cluster_can_be_changed_before_its_installation(status):
    assert patch(a_cluster(status=ClusterState(status)), tags="x").tags == "x"


@pytest.mark.parametrize("status", ["installing", "installed", "error", "cancelled", "unmonitored"])
def test_a_cluster_cannot_be_changed_once_it_is_installed(status):
    with pytest.raises(Refused, match=f"is {status}"):
        patch(a_cluster(status=ClusterState(status)), tags="x")


def test_an_impossible_value_is_told_before_the_wrong_time():
    with pytest.raises(Invalid, match=r"^tags"):
        patch(a_cluster(status=ClusterState.INSTALLED), tags="a-b")


def test_the_wrong_time_is_told_before_an_impossible_platform():
    with pytest.raises(Refused):
        patch(a_cluster(status=ClusterState.INSTALLED), platform={"type": "external"}, base_dns_domain="a..b")


# Addresses


def test_addresses_are_not_judged_again_by_a_change_of_something_else():
    odd = a_cluster(machine_networks=("10.0.0.0/24",))
    assert patch(odd, tags="x").tags == "x"


def test_the_machine_network_follows_from_new_virtual_addresses():
    after = patch(a_cluster(api_vips=(), ingress_vips=(), machine_networks=()),
                  api_vips=vips("192.168.1.7"), ingress_vips=vips("192.168.1.8"))  # fmt: skip
    assert after.machine_networks == ("192.168.1.0/24",)
    assert after.api_vips == (Vip(ip="192.168.1.7"),)


def test_an_address_that_stays_keeps_what_is_known_of_it():
    known = Vip(ip="192.168.1.5", verification=VipVerification.SUCCEEDED)
    after = patch(a_cluster(api_vips=(known,)), api_vips=vips("192.168.1.5"), ingress_vips=vips("192.168.1.9"))
    assert after.api_vips == (known,)
    assert after.ingress_vips == (Vip(ip="192.168.1.9"),)


def test_without_virtual_addresses_there_is_no_machine_network():
    after = patch(a_cluster(), api_vips=[], ingress_vips=[])
    assert (after.api_vips, after.ingress_vips, after.machine_networks) == ((), (), ())


def test_turning_dhcp_on_forgets_addresses_and_machine_network():
    after = patch(an_old_cluster(), vip_dhcp_allocation=True)
    assert (after.api_vips, after.ingress_vips, after.machine_networks) == ((), (), ())
    assert after.machine_network_updated_at == NOW


def test_turning_dhcp_on_can_bring_the_machine_network_along():
    after = patch(an_old_cluster(), vip_dhcp_allocation=True, machine_networks=networks("10.0.0.0/24"))
    assert after.machine_networks == ("10.0.0.0/24",)


def test_turning_dhcp_off_forgets_addresses_and_machine_network():
    after = patch(an_old_cluster(vip_dhcp_allocation=True), vip_dhcp_allocation=False)
    assert (after.api_vips, after.ingress_vips, after.machine_networks) == ((), (), ())
    assert after.machine_network_updated_at == NOW


def test_with_dhcp_another_machine_network_forgets_the_addresses():
    cluster = an_old_cluster(vip_dhcp_allocation=True, api_vip_lease="lease {}", ingress_vip_lease="lease {}")
    assert patch(cluster, machine_networks=networks("192.168.1.0/24")) is cluster
    after = patch(cluster, machine_networks=networks("10.0.0.0/24"))
    assert (after.api_vips, after.machine_network_updated_at) == ((), NOW)
    assert (after.api_vip_lease, after.ingress_vip_lease) == ("", "")


def test_looking_after_the_network_oneself_forgets_addresses_and_machine_network():
    after = patch(an_old_cluster(vip_dhcp_allocation=True), user_managed_networking=True)
    assert (after.api_vips, after.machine_networks, after.vip_dhcp_allocation) == ((), (), False)
    assert (after.platform.type, after.user_managed_networking) == ("none", True)


def test_a_cluster_with_both_families_may_choose_its_machine_networks():
    cluster = a_dual_cluster(api_vips=(), ingress_vips=())
    after = patch(cluster, machine_networks=networks("192.168.2.0/24", "fd05::/64"))
    assert after.machine_networks == ("192.168.2.0/24", "fd05::/64")


def test_all_lists_together_may_change_the_first_family():
    after = patch(
        a_dual_cluster(),
        machine_networks=networks("fd00::/64", "192.168.1.0/24"),
        service_networks=networks("fd02::/112", "172.30.0.0/16"),
        cluster_networks=[{"cidr": "fd01::/48", "host_prefix": 64}, {"cidr": "10.128.0.0/14", "host_prefix": 23}],
        api_vips=vips("fd00::5", "192.168.1.5"),
        ingress_vips=vips("fd00::6", "192.168.1.6"),
    )
    assert after.service_networks[0] == "fd02::/112"


def test_networks_of_the_right_size_are_taken():
    small = networks("192.168.1.0/31")
    assert patch(a_single_node(), machine_networks=small).machine_networks == ("192.168.1.0/31",)
    behind = a_cluster_with_load_balancer(machine_networks=(), api_vips=(), ingress_vips=())
    assert patch(behind, machine_networks=networks("192.168.1.0/30")).machine_networks == ("192.168.1.0/30",)
    after = patch(
        a_cluster(),
        cluster_networks=[{"cidr": "10.0.0.0/16", "host_prefix": 25}],
        service_networks=networks("10.1.0.0/25"),
    )
    assert (after.cluster_networks[0].host_prefix, after.service_networks) == (25, ("10.1.0.0/25",))


def test_an_empty_list_of_machine_networks_is_no_choice():
    cluster = a_cluster(machine_networks=(), api_vips=(), ingress_vips=())
    assert patch(cluster, machine_networks=[]) is cluster


TAKEN = a_host("h3", free_addresses=(FreeAddresses(network="192.168.1.0/24", free_addresses=("192.168.1.8",)),))


def test_addresses_on_which_nothing_answers_are_taken():
    after = patch(a_cluster(), hosts=(TAKEN,), api_vips=vips("192.168.1.8"), ingress_vips=vips("192.168.1.6"))
    assert after.api_vips[0].ip == "192.168.1.8"


def test_freeness_is_not_asked_of_a_load_balancer():
    after = patch(
        a_cluster_with_load_balancer(), hosts=(TAKEN,), api_vips=vips("192.168.1.7"), ingress_vips=vips("192.168.1.7")
    )
    assert after.api_vips[0].ip == "192.168.1.7"


@pytest.mark.parametrize(
    ("path", "cluster", "hosts", "written"),
    [
        ("api_vips[0].ip", a_cluster(), (), {"api_vips": vips("192.168.1.7"), "ingress_vips": vips("192.168.1.8")}),
        (
            "api_vips[0].ip",
            a_cluster(),
            (a_host("h", inventory=None), a_host("i", inventory=a_machine(interfaces=None))),
            {"api_vips": vips("192.168.1.7"), "ingress_vips": vips("192.168.1.8")},
        ),
        ("api_vips[0].ip", a_cluster(), HOSTS, {"api_vips": vips("10.0.0.7"), "ingress_vips": vips("10.0.0.8")}),
        ("ingress_vips[0].ip", a_cluster(), HOSTS, {"api_vips": vips("192.168.1.7"), "ingress_vips": vips("10.0.0.8")}),
        (
            "api_vips[0].ip",
            a_cluster(),
            (TAKEN,),
            {"api_vips": vips("192.168.1.9"), "ingress_vips": vips("192.168.1.6")},
        ),
        ("ingress_vips", a_cluster(), HOSTS, {"api_vips": []}),
        ("machine_networks", a_cluster(), HOSTS, {"machine_networks": networks("192.168.1.0/24")}),
        ("machine_networks", a_cluster(), HOSTS, {"machine_networks": []}),
        ("machine_networks[0].cidr", a_single_node(), HOSTS, {"machine_networks": networks("192.168.1.0/32")}),
        (
            "machine_networks[0].cidr",
            an_old_cluster(vip_dhcp_allocation=True),
            HOSTS,
            {"machine_networks": networks("192.168.1.0/29")},
        ),
        (
            "machine_networks[0].cidr",
            a_cluster_with_load_balancer(),
            HOSTS,
            {"machine_networks": networks("192.168.1.4/31")},
        ),
        ("service_networks[0].cidr", a_cluster(), HOSTS, {"service_networks": networks("172.30.0.1/16")}),
        ("service_networks[0].cidr", a_cluster(), HOSTS, {"service_networks": networks("0.0.0.0/16")}),
        ("service_networks[0].cidr", a_cluster(), HOSTS, {"service_networks": networks("172.30.0.0/26")}),
        ("service_networks[0].cidr", a_cluster(), HOSTS, {"service_networks": networks("1.2.3.400/8")}),
        ("cluster_networks[0].host_prefix", a_cluster(), HOSTS, {"cluster_networks": networks("10.0.0.0/14")}),
        (
            "cluster_networks[0].host_prefix",
            a_cluster(),
            HOSTS,
            {"cluster_networks": [{"cidr": "10.0.0.0/22", "host_prefix": 23}]},
        ),
        ("service_networks", a_cluster(), HOSTS, {"service_networks": networks("10.128.0.0/16")}),
        (
            "machine_networks",
            an_old_cluster(vip_dhcp_allocation=True),
            HOSTS,
            {"machine_networks": networks("10.129.0.0/16")},
        ),
        ("service_networks[0]", a_dual_cluster(), HOSTS, {"service_networks": networks("fd02::/112", "172.30.0.0/16")}),
        ("service_networks", a_dual_cluster(), HOSTS, {"service_networks": networks("172.31.0.0/16")}),
        (
            "api_vips",
            an_unmanaged_cluster(),
            HOSTS,
            {"api_vips": vips("192.168.1.7"), "ingress_vips": vips("192.168.1.8")},
        ),
        ("vip_dhcp_allocation", an_unmanaged_cluster(), HOSTS, {"vip_dhcp_allocation": True}),
        (
            "api_vips",
            an_old_cluster(vip_dhcp_allocation=True),
            HOSTS,
            {"api_vips": vips("192.168.1.7"), "ingress_vips": vips("192.168.1.8")},
        ),
    ],
)
def test_addresses_that_cannot_be_are_refused(path, cluster, hosts, written):
    with pytest.raises(Invalid) as error:
        patch(cluster, hosts, **written)
    assert str(error.value).startswith(f"{path}: ")


# The rest


def test_a_running_cluster_may_be_reached_by_another_name():
    assert patch(a_day2_cluster(), api_vip_dns_name="api.lab").api_vip_dns_name == "api.lab"


def test_the_choice_of_operators_is_replaced_as_a_whole():
    odf = MonitoredOperator(name="odf", operator_type=OperatorType.OLM)
    cluster = a_cluster(operators=(CONSOLE, odf))
    assert [each.name for each in patch(cluster, olm_operators=[{"name": "lvm"}]).operators] == ["console", "lvm"]
    assert patch(cluster, olm_operators=[]).operators == (CONSOLE,)
    assert patch(cluster, tags="x").operators == (CONSOLE, odf)


@pytest.mark.parametrize(
    ("path", "cluster", "written"),
    [
        ("api_vip_dns_name", a_cluster(), {"api_vip_dns_name": "api.lab"}),
        ("disk_encryption", a_day2_cluster(imported=True), {"disk_encryption": {"enable_on": "all"}}),
        ("disk_encryption.tang_servers", a_cluster(), {"disk_encryption": {"mode": "tang"}}),
        ("pull_secret", a_cluster(), {"pull_secret": "nojson"}),
        ("name", a_cluster(), {"name": "Bad"}),
        ("base_dns_domain", a_cluster(), {"base_dns_domain": "a..b"}),
        ("ssh_public_key", a_cluster(), {"ssh_public_key": "nokey"}),
        ("http_proxy", a_cluster(), {"http_proxy": "ftp://x"}),
        ("ntp_sources", a_cluster(additional_ntp_source="10.0.0.1"), {"ntp_sources": "10.0.0.2"}),
        ("ignition_endpoint.url", a_cluster(), {"ignition_endpoint": {"url": "ftp://x"}}),
        ("olm_operators[0].name", a_cluster(), {"olm_operators": [{"name": "nosuch"}]}),
    ],
)
def test_what_cannot_be_is_refused_with_the_path_of_its_field(path, cluster, written):
    with pytest.raises(Invalid) as error:
        patch(cluster, **written)
    assert str(error.value).startswith(f"{path}: ")
