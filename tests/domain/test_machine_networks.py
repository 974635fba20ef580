"""In which networks the machines of a cluster live."""

import pytest

from builders import NOW, a_cluster, a_host, a_machine, a_nic, a_policy, a_ready_host, a_view, later, some_ready_hosts
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.inventory import Route
from muster.domain.machine_networks import machine_networks_of, networks_of_vips
from muster.domain.networks import ClusterNetwork, Vip
from muster.domain.triggers import Ticked

C = ClusterState
DAY_ONE = a_cluster(machine_networks=(), status=C.INSUFFICIENT)
STORED = ("10.5.0.0/16",)
HERE = a_host("h1", inventory=a_machine(address="192.168.1.11/24"))
THERE = a_host("h2", inventory=a_machine(address="10.0.0.11/24"))
SILENT = a_host("h3", inventory=None)
BOTH = a_host("h4", inventory=a_machine(interfaces=(a_nic("eth0", "192.168.1.12/24", "fd00::12/64", "fe80::1/64"),)))


def vips(*addresses: str) -> dict[str, tuple[Vip, ...]]:
    return {"api_vips": tuple(Vip(ip=ip) for ip in addresses), "ingress_vips": ()}


DUAL = DAY_ONE.but(**vips("192.168.1.5", "fd00::5"))


@pytest.mark.parametrize(
    ("cluster", "hosts", "expected"),
    [
        (DAY_ONE, [HERE, SILENT], ("192.168.1.0/24",)),
        (DAY_ONE, [SILENT], ()),
        (DAY_ONE, [], ()),
        (DAY_ONE, [THERE], ()),
        (DAY_ONE.but(machine_networks=STORED), [HERE], ("192.168.1.0/24",)),
        (DAY_ONE.but(machine_networks=STORED), [SILENT], STORED),
        (DAY_ONE.but(**vips("172.16.0.5"), machine_networks=STORED), [HERE], STORED),
        (DAY_ONE.but(**vips(), machine_networks=STORED), [HERE], STORED),
        (DAY_ONE.but(api_vips=()), [HERE], ("192.168.1.0/24",)),
        (DAY_ONE.but(**vips("fd00::5")), [BOTH], ("fd00::/64",)),
    ],
)
def test_the_machine_network_is_where_hosts_and_virtual_addresses_meet(cluster, hosts, expected):
    assert machine_networks_of(cluster, hosts) == expected


@pytest.mark.parametrize(
    ("cluster", "hosts", "expected"),
    [
        (DUAL, [BOTH], ("192.168.1.0/24", "fd00::/64")),
        (DUAL.but(**vips("fd00::5", "192.168.1.5")), [BOTH], ("fd00::/64", "192.168.1.0/24")),
        (DUAL, [HERE], ("192.168.1.0/24",)),
        (DUAL.but(machine_networks=("192.168.0.0/16", "fd09::/64")), [HERE], ("192.168.1.0/24", "fd09::/64")),
        (DUAL.but(machine_networks=("192.168.0.0/16", "fd09::/64")), [BOTH], ("192.168.1.0/24", "fd00::/64")),
        (DAY_ONE.but(machine_networks=("10.0.0.0/8", "fd00::/64")), [HERE], ("192.168.1.0/24", "fd00::/64")),
        (DUAL.but(**vips("172.16.0.5", "fd00::5")), [BOTH], ()),
        (DUAL.but(**vips("172.16.0.5", "fd00::5"), machine_networks=STORED), [BOTH], (*STORED, "fd00::/64")),
    ],
)
def test_each_pair_of_virtual_addresses_has_a_network_and_one_set_by_hand_is_kept(cluster, hosts, expected):
    assert machine_networks_of(cluster, hosts) == expected


@pytest.mark.parametrize(
    "changes",
    [{"load_balancer": "user-managed"}, {"user_managed_networking": True, **vips()}],
    ids=["load balancer", "networking"],
)
@pytest.mark.parametrize("present", [(), STORED])
def test_what_the_user_manages_is_the_users_to_say(changes, present):
    assert machine_networks_of(DAY_ONE.but(machine_networks=present, **changes), [HERE]) == present


DHCP = DAY_ONE.but(vip_dhcp_allocation=True, network_type="OpenShiftSDN", **vips())


@pytest.mark.parametrize(
    ("present", "hosts", "expected"),
    [
        ((), [HERE], ("192.168.1.0/24",)),
        ((), [HERE, BOTH], ("192.168.1.0/24",)),
        ((), [HERE, THERE], ()),
        (STORED, [HERE], ("192.168.1.0/24",)),
        (STORED, [HERE, THERE], STORED),
        (STORED, [SILENT], STORED),
    ],
)
def test_addresses_are_leased_in_the_only_network_there_is(present, hosts, expected):
    assert machine_networks_of(DHCP.but(machine_networks=present), hosts) == expected


# A single node

SINGLE = DAY_ONE.but(control_plane_count=1, user_managed_networking=True, **vips())
SINGLE_DUAL = SINGLE.but(
    cluster_networks=(ClusterNetwork(cidr="fd01::/48", host_prefix=64), *SINGLE.cluster_networks),
    service_networks=("fd02::/112", *SINGLE.service_networks),
)
EVERYWHERE = "0.0.0.0"


def a_node(*routes: Route, nics=("192.168.1.12/24", "10.0.0.12/24")):
    interfaces = tuple(a_nic(f"eth{number}", address) for number, address in enumerate(nics))
    return a_host("h1", inventory=a_machine(interfaces=interfaces, routes=routes or None))


SLOW = Route(destination=EVERYWHERE, gateway="192.168.1.1", interface="eth0", metric=200)
FAST = Route(destination=EVERYWHERE, gateway="10.0.0.1", interface="eth1", metric=100)
NARROW = Route(destination="10.9.0.0", gateway="192.168.1.9", interface="eth0")
ON_LINK = Route(destination="::", gateway="fe80::1", interface="eth1", metric=1)
TWO_OF_SIX = ("fd00::12/64", "fd09::12/64")


@pytest.mark.parametrize(
    ("cluster", "host", "expected"),
    [
        (SINGLE, HERE, ("192.168.1.0/24",)),
        (SINGLE, SILENT, ()),
        (SINGLE, a_node(), ()),
        (SINGLE, a_node(SLOW, FAST, NARROW), ("10.0.0.0/24",)),
        (SINGLE, a_node(NARROW, SLOW), ("192.168.1.0/24",)),
        (SINGLE, a_node(SLOW.but(gateway="172.16.0.1")), ("192.168.1.0/24",)),
        (SINGLE, a_node(SLOW.but(gateway="172.16.0.1", interface="eth9")), ()),
        (SINGLE, a_node(ON_LINK), ()),
        (SINGLE.but(machine_networks=STORED), HERE, STORED),
        (SINGLE.but(service_networks=("fd01::/112",)), HERE, ()),
        (SINGLE_DUAL, BOTH, ("fd00::/64", "192.168.1.0/24")),
        (SINGLE_DUAL, HERE, ()),
        (SINGLE_DUAL, a_node(ON_LINK, nics=("192.168.1.12/24", *TWO_OF_SIX)), ("fd00::/64", "192.168.1.0/24")),
    ],
    ids=[
        "one network",
        "no inventory",
        "no default route",
        "lowest metric",
        "only default routes count",
        "gateway elsewhere",
        "gateway nowhere",
        "route of another family",
        "set by hand",
        "families differ",
        "both families",
        "one family missing",
        "gateway of the link",
    ],
)
def test_a_single_node_lies_where_its_default_route_begins(cluster, host, expected):
    assert machine_networks_of(cluster, [host]) == expected


def test_each_virtual_address_has_a_network_of_the_hosts_or_none():
    cluster = DUAL.but(ingress_vips=(Vip(ip="192.168.1.6"),))
    assert networks_of_vips(cluster, [HERE, SILENT]) == [("192.168.1.5", "192.168.1.0/24"), ("fd00::5", None)]
    assert networks_of_vips(cluster.but(api_vips=()), [HERE]) == [("192.168.1.6", "192.168.1.0/24")]
    assert networks_of_vips(cluster, []) == [("192.168.1.5", None), ("fd00::5", None)]


# As time goes on


def decided(cluster, hosts, **changes):
    return decide(a_view(cluster, hosts, policy=a_policy(), **changes), Ticked())


@pytest.mark.parametrize("status", [C.PENDING_FOR_INPUT, C.INSUFFICIENT])
def test_a_new_machine_network_is_dated(status):
    cluster = decided(DAY_ONE.but(status=status), some_ready_hosts()).cluster
    assert (cluster.machine_networks, cluster.machine_network_updated_at) == (("192.168.1.0/24",), NOW)


def test_a_machine_network_that_stays_keeps_its_date():
    long_ago = NOW.replace(year=2020)
    cluster = DAY_ONE.but(machine_networks=("192.168.1.0/24",), machine_network_updated_at=long_ago)
    assert decided(cluster, some_ready_hosts()).cluster.machine_network_updated_at == long_ago


@pytest.mark.parametrize("status", [C.INSTALLING, C.INSTALLED, C.ADDING_HOSTS, C.PREPARING])
def test_later_on_the_machine_network_stays_as_it_is(status):
    cluster = DAY_ONE.but(status=status, machine_networks=STORED)
    assert decided(cluster, [a_ready_host("h1")]).cluster.machine_networks == STORED


def test_addresses_leased_in_another_network_are_given_up():
    leased = DHCP.but(
        machine_networks=STORED,
        api_vips=(Vip(ip="10.5.0.5"),),
        ingress_vips=(Vip(ip="10.5.0.6"),),
        api_vip_lease="lease { }",
        ingress_vip_lease="lease { }",
    )
    cluster = decided(leased, some_ready_hosts()).cluster
    assert (cluster.machine_networks, cluster.api_vips, cluster.ingress_vips) == (("192.168.1.0/24",), (), ())
    assert (cluster.api_vip_lease, cluster.ingress_vip_lease) == ("", "")


def names(decision) -> list[str]:
    return [event.name for event in decision.events]


def test_leases_are_waited_for_two_minutes_and_that_is_told_once():
    first = decided(DHCP, some_ready_hosts())
    waiting = first.cluster.verdicts["api-vips-defined"].message
    assert waiting == "The DHCP server of 192.168.1.0/24 has not leased an API address yet"
    assert first.deadline == NOW.replace(minute=NOW.minute + 2, microsecond=1000)
    view = later(first.view, minutes=2)
    assert "api_ingress_vip_timed_out" not in names(decide(view, Ticked()))
    late = decide(later(view, milliseconds=1), Ticked())
    assert names(late).count("api_ingress_vip_timed_out") == 1
    assert late.cluster.vips_overdue
    assert late.cluster.verdicts["api-vips-defined"].message == (
        "No DHCP server of 192.168.1.0/24 has leased an API address within 2 minutes"
    )
    assert "api_ingress_vip_timed_out" not in names(decide(later(late.view, minutes=1), Ticked()))


def overdue():
    return decide(later(decided(DHCP, some_ready_hosts()).view, minutes=3), Ticked()).view


def test_a_lease_that_comes_late_ends_the_waiting():
    view = overdue()
    leased = view.cluster.but(api_vips=(Vip(ip="192.168.1.5"),), ingress_vips=(Vip(ip="192.168.1.6"),))
    assert not decide(view.but(cluster=leased), Ticked()).cluster.vips_overdue


def test_in_another_network_the_waiting_starts_anew():
    view = overdue()
    moved = decide(view.but(cluster=view.cluster.but(machine_network_updated_at=view.now)), Ticked())
    assert not moved.cluster.vips_overdue
    assert "api_ingress_vip_timed_out" in names(decide(later(moved.view, minutes=3), Ticked()))


def test_a_network_given_from_the_start_is_waited_for_from_the_start():
    given = DHCP.but(machine_networks=("192.168.1.0/24",))
    assert decided(given, some_ready_hosts(), now=NOW.replace(hour=5)).cluster.vips_overdue
