"""Who reaches whom, and whose addresses collide."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_host, a_machine, a_mesh, a_nic, a_ready_host, a_report
from muster.domain.cliques import largest_clique
from muster.domain.connectivity import (
    L2,
    L3,
    ConnectivityReport,
    MajorityGroups,
    RemoteHost,
    found_in,
    ip_collisions,
    least_group,
    majority_groups,
)

NETWORK = "192.168.1.0/24"


def hosts_of(count: int):
    return [a_ready_host(f"h{number}", 10 + number) for number in range(count)]


def blinded(hosts, *broken: tuple[str, str]):
    """The hosts, where the first of each pair does not reach the second."""
    return [
        host.but(connectivity=a_report(host, [other for other in hosts if (host.id, other.id) not in broken]))
        for host in hosts
    ]


def group(hosts, key=NETWORK, **options):
    return majority_groups(hosts, **options).majority_groups[key]


def test_hosts_that_all_reach_each_other_are_one_group():
    found = majority_groups(a_mesh(*hosts_of(5)))
    everyone = ("h0", "h1", "h2", "h3", "h4")
    assert found == MajorityGroups(
        majority_groups={NETWORK: everyone, "IPv4": everyone, "IPv6": ()},
        l3_connected_addresses={f"h{number}": (f"192.168.1.{10 + number}",) for number in range(5)},
    )


def test_a_host_that_one_way_does_not_pass_is_left_out():
    hosts = blinded(hosts_of(4), ("h1", "h2"))
    assert group(hosts) == ("h0", "h1", "h3")
    assert group(hosts, "IPv4") == ("h0", "h1", "h3")
    assert "h2" not in majority_groups(hosts).l3_connected_addresses


def test_hosts_without_a_report_reach_nobody():
    hosts = a_mesh(*hosts_of(4))
    hosts[3] = hosts[3].but(connectivity=None)
    assert group(hosts) == ("h0", "h1", "h2")
    assert majority_groups(hosts).l3_connected_addresses == {"h3": ("192.168.1.13",)}


def test_hosts_without_an_inventory_are_nowhere():
    hosts = a_mesh(*hosts_of(3), a_host("h9", inventory=None))
    assert group(hosts) == ("h0", "h1", "h2")


@pytest.mark.parametrize(("minimum", "expected"), [(3, ()), (2, ("h0", "h1"))])
def test_a_group_has_a_least_size(minimum, expected):
    assert group(a_mesh(*hosts_of(2)), minimum=minimum) == expected


def test_a_host_alone_is_no_group():
    assert majority_groups(hosts_of(1)) == MajorityGroups(majority_groups={NETWORK: (), "IPv4": (), "IPv6": ()})
    assert majority_groups([]) == MajorityGroups(majority_groups={"IPv4": (), "IPv6": ()})


def test_of_two_groups_of_a_size_the_first_counts():
    hosts = hosts_of(6)
    apart = [(a, b) for a in ("h0", "h2", "h4") for b in ("h1", "h3", "h5")]
    assert group(blinded(hosts, *apart)) == ("h0", "h2", "h4")


def test_on_a_wire_one_address_is_enough_but_by_routing_all_must_be_reached():
    machines = [
        a_machine().but(interfaces=(a_nic("eth0", f"192.168.1.{number}/24", f"192.168.1.1{number}/24"),))
        for number in (1, 2, 3)
    ]
    hosts = [a_host(f"h{number}", inventory=machine) for number, machine in enumerate(machines)]
    reports = [
        ConnectivityReport(
            remote_hosts=tuple(
                RemoteHost(
                    host_id=other.id,
                    l2_connectivity=(L2(remote_ip_address=other.inventory.addresses[0][:-3], successful=True),),
                    l3_connectivity=(L3(remote_ip_address=other.inventory.addresses[0][:-3], successful=True),),
                )
                for other in hosts
                if other is not host
            )
        )
        for host in hosts
    ]
    hosts = [host.but(connectivity=report) for host, report in zip(hosts, reports, strict=True)]
    assert group(hosts) == ("h0", "h1", "h2")
    assert group(hosts, "IPv4") == ()
    assert majority_groups(hosts).l3_connected_addresses["h0"] == ("192.168.1.1",)


def test_in_ipv6_networks_routing_counts_as_well():
    hosts = [
        a_host(f"h{number}", inventory=a_machine().but(interfaces=(a_nic("eth0", f"FD00::{number}/64"),)))
        for number in (1, 2, 3)
    ]
    routed = [
        host.but(
            connectivity=ConnectivityReport(
                remote_hosts=tuple(each.but(l2_connectivity=None) for each in a_report(host, hosts).remote_hosts)
            )
        )
        for host in hosts
    ]
    assert group(routed, "fd00::/64") == group(routed, "IPv6") == ("h1", "h2", "h3")


def test_the_same_facts_give_the_very_same_groups():
    one, other = a_mesh(*hosts_of(4)), a_mesh(*hosts_of(4))
    assert majority_groups(one) is majority_groups(reversed(other))


def test_what_a_report_found_on_a_wire_can_be_asked():
    (host, *_) = a_mesh(*hosts_of(3))
    assert found_in(host.connectivity, NETWORK) == {"h1", "h2"}
    assert found_in(host.connectivity, "10.0.0.0/8") == frozenset()


def test_in_ipv6_a_report_finds_on_a_wire_whom_it_reaches_by_routing():
    report = reporting(L3(remote_ip_address="fd00::2", successful=True), L3(remote_ip_address="fd00::3"))
    assert found_in(report, "fd00::/64") == {"x"}
    assert found_in(reporting(L3(remote_ip_address="10.0.0.2", successful=True)), "10.0.0.0/24") == frozenset()


def reporting(*entries: L3) -> ConnectivityReport:
    return ConnectivityReport(remote_hosts=(RemoteHost(host_id="x", l3_connectivity=entries),))


@pytest.mark.parametrize(
    ("entries", "reached"),
    [((), set()), ((L3(successful=True),), {"x"}), ((L3(successful=True), L3()), set())],
    ids=["not tried", "all", "not all"],
)
def test_a_host_is_reached_if_every_try_was_a_success(entries, reached):
    assert reporting(*entries).reached == reached


def test_what_is_said_of_a_host_is_found_by_its_id():
    report = reporting(L3(remote_ip_address="10.0.0.2"))
    assert report.about == {"x": report.remote_hosts[0]}


@pytest.mark.parametrize(("fenced", "fewest"), [(False, 3), (True, 2)])
def test_two_hosts_are_enough_to_tell_if_they_can_switch_each_other_off(fenced, fewest):
    assert least_group(fenced_pair=fenced) == fewest


def test_addresses_that_no_longer_belong_to_a_host_do_not_count():
    hosts = a_mesh(*hosts_of(3))
    moved = [hosts[0].but(inventory=a_machine(address="192.168.1.99/24")), *hosts[1:]]
    found = majority_groups(moved)
    assert found.majority_groups[NETWORK] == ()
    assert found.l3_connected_addresses == {"h1": ("192.168.1.11",), "h2": ("192.168.1.12",)}


def test_addresses_reached_by_everyone_are_told_in_order():
    machines = [
        a_machine(interfaces=(a_nic("eth0", f"192.168.1.{n}/24", f"10.0.0.{n}/24", f"fd00::{n}/64"),)) for n in (2, 3)
    ]
    hosts = a_mesh(*(a_host(f"h{n}", inventory=machine) for n, machine in enumerate(machines)))
    assert majority_groups(hosts).l3_connected_addresses == {
        "h0": ("10.0.0.2", "192.168.1.2", "fd00::2"),
        "h1": ("10.0.0.3", "192.168.1.3", "fd00::3"),
    }


def test_networks_of_different_size_are_groups_of_their_own():
    hosts = [a_ready_host(f"h{n}", 10 + n, inventory=a_machine(address=f"192.168.1.{10 + n}/24")) for n in range(3)]
    hosts.append(a_ready_host("h3", inventory=a_machine(address="192.168.1.13/25")))
    found = majority_groups(a_mesh(*hosts)).majority_groups
    assert found["192.168.1.0/24"] == found["192.168.1.0/25"] == ("h0", "h1", "h2", "h3")


# Collisions


def answering(*answers: tuple[str, str, str]):
    entries = tuple(
        L2(outgoing_nic=nic, remote_ip_address=ip, remote_mac=mac, successful=True) for nic, ip, mac in answers
    )
    return a_host(
        "h", connectivity=ConnectivityReport(remote_hosts=(RemoteHost(host_id="x", l2_connectivity=entries),))
    )


def test_an_address_that_two_machines_answer_for_collides():
    host = answering(("eth0", "10.0.0.1", "BB"), ("eth0", "10.0.0.1", "aa"), ("eth0", "10.0.0.2", "cc"))
    assert ip_collisions([host]) == {"10.0.0.1": ("aa", "bb")}


def test_one_machine_seen_over_two_interfaces_does_not_collide():
    assert ip_collisions([answering(("eth0", "10.0.0.1", "aa"), ("eth1", "10.0.0.1", "bb"))]) == {}


def test_an_address_may_collide_on_two_interfaces():
    host = answering(
        ("eth0", "10.0.0.1", "aa"), ("eth0", "10.0.0.1", "bb"), ("eth1", "10.0.0.1", "cc"), ("eth1", "10.0.0.1", "dd")
    )
    assert ip_collisions([host]) == {"10.0.0.1": ("aa", "bb", "cc", "dd")}


def test_an_answer_without_a_mac_address_says_nothing():
    assert ip_collisions([answering(("eth0", "10.0.0.1", ""), ("eth0", "10.0.0.1", "bb"))]) == {}


def test_the_collisions_of_all_reports_count():
    first = answering(("eth0", "10.0.0.1", "aa"), ("eth0", "10.0.0.1", "bb"))
    second = answering(("eth0", "10.0.0.1", "aa"), ("eth0", "10.0.0.1", "cc"))
    last = answering(("eth0", "10.0.0.9", "aa"), ("eth0", "10.0.0.9", "bb"))
    assert ip_collisions([first, second, last, a_host("silent")]) == {
        "10.0.0.1": ("aa", "bb", "cc"),
        "10.0.0.9": ("aa", "bb"),
    }


# The largest group, in general


def brute_force(neighbours: list[int]) -> tuple[int, ...]:
    nodes = range(len(neighbours))
    for size in range(len(neighbours), 0, -1):
        for some in combinations(nodes, size):
            if all(neighbours[a] >> b & 1 for a, b in combinations(some, 2)):
                return some
    return ()


def joined(count: int, links) -> list[int]:
    neighbours = [0] * count
    for a, b in links:
        neighbours[a] |= 1 << b
        neighbours[b] |= 1 << a
    return neighbours


@given(
    st.integers(0, 8).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2))) if n > 1 else st.nothing())
        )
    )
)
def test_the_largest_group_is_the_first_of_the_largest(graph):
    neighbours = joined(*graph)
    assert largest_clique(neighbours) == brute_force(neighbours)


def test_a_search_without_end_ends_with_a_group():
    dice = Random(7)
    neighbours = joined(60, [link for link in combinations(range(60), 2) if dice.random() < 0.8])
    found = largest_clique(neighbours, patience=500)
    assert len(found) > 1
    assert all(neighbours[a] >> b & 1 for a, b in combinations(found, 2))
