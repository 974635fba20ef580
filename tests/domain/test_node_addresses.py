"""Each node gets one of its addresses, such that no host looks for another in the wrong network."""

import pytest

from builders import a_cluster, a_host, a_machine, a_nic
from muster.domain import node_addresses as chosen_from
from muster.domain.connectivity import MajorityGroups
from muster.domain.inventory import Route
from muster.domain.networks import ClusterNetwork
from muster.domain.node_addresses import node_addresses

V4, V6 = "0.0.0.0/0", "::/0"


def machine(number, *nics, routes):
    """A host with interfaces (addresses each) and ways out of them (destination, metric)."""
    interfaces = tuple(a_nic(f"eth{index}", *addresses) for index, addresses in enumerate(nics))
    ways = tuple(Route(interface=f"eth{index}", destination=to, metric=metric) for index, to, metric in routes)
    return a_host(f"h{number}", inventory=a_machine().but(interfaces=interfaces, routes=ways))


def cluster(hosts, lost=(), **changes):
    reached = {
        host.id: tuple(each.partition("/")[0] for each in host.inventory.addresses if each not in lost)
        for host in hosts
    }
    groups = MajorityGroups(majority_groups={}, l3_connected_addresses=reached)
    return a_cluster(majority_groups=groups, machine_networks=(), service_networks=("172.30.0.0/16",)).but(**changes)


def chosen(hosts, lost=(), **changes):
    return {host_id: str(each) for host_id, each in node_addresses(cluster(hosts, lost, **changes), hosts).items()}


def two_nets(number):
    nics = ([f"10.0.0.{number}/24"], [f"10.1.0.{number}/24"])
    return machine(number, *nics, routes=[(0, V4, 200), (1, V4, 100)])


def test_the_address_with_the_best_way_out_is_taken():
    hosts = [two_nets(1), two_nets(2), two_nets(3)]
    assert chosen(hosts) == {"h1": "10.1.0.1/24", "h2": "10.1.0.2/24", "h3": "10.1.0.3/24"}


def test_all_take_the_network_that_fits_all():
    hosts = [two_nets(1), two_nets(2), machine(3, ["10.0.0.3/24"], ["10.1.0.3/24"], routes=[(0, V4, 100)])]
    assert chosen(hosts) == {"h1": "10.0.0.1/24", "h2": "10.0.0.2/24", "h3": "10.0.0.3/24"}


def test_an_address_that_not_everybody_reaches_is_not_taken():
    hosts = [two_nets(1), two_nets(2)]
    assert chosen(hosts, lost={"10.1.0.2/24"}) == {"h1": "10.0.0.1/24", "h2": "10.0.0.2/24"}


def test_there_may_be_no_set_that_fits():
    hosts = [
        machine(1, ["10.0.0.1/24"], ["10.1.0.1/24"], routes=[(0, V4, 1)]),
        machine(2, ["10.0.0.2/24"], ["10.1.0.2/24"], routes=[(1, V4, 1)]),
    ]
    assert chosen(hosts) == {}


def test_hosts_of_different_networks_get_on_if_they_share_none():
    hosts = [machine(1, ["10.0.0.1/24"], routes=[(0, V4, 1)]), machine(2, ["10.1.0.2/24"], routes=[(0, V4, 1)])]
    assert chosen(hosts) == {"h1": "10.0.0.1/24", "h2": "10.1.0.2/24"}


@pytest.mark.parametrize("routes", [[], [(0, "192.168.0.0/16", 1)], [(0, V6, 1)], [(5, V4, 1)]])
def test_a_host_without_a_way_out_leaves_nothing_to_choose(routes):
    assert chosen([two_nets(1), machine(2, ["10.1.0.2/24"], routes=routes)]) == {}


def test_a_host_of_which_nothing_is_known_leaves_nothing_to_choose():
    hosts = [two_nets(1), a_host("h2", inventory=None)]
    assert node_addresses(cluster(hosts[:1]), hosts) == {}


def test_a_cluster_of_ipv6_alone_takes_addresses_of_ipv6():
    hosts = [
        machine(n, [f"10.0.0.{n}/24", f"fd00::{n}/64", f"fe80::{n}/64"], routes=[(0, V4, 1), (0, V6, 1)])
        for n in (1, 2)
    ]
    pods = (ClusterNetwork(cidr="fd01::/48", host_prefix=64),)
    assert chosen(hosts, service_networks=("fd02::/112",), cluster_networks=pods) == {
        "h1": "fd00::1/64",
        "h2": "fd00::2/64",
    }
    assert chosen(hosts) == {"h1": "10.0.0.1/24", "h2": "10.0.0.2/24"}


def test_it_is_given_up_before_the_night_is_over(monkeypatch):
    monkeypatch.setattr(chosen_from, "PATIENCE", 2)
    assert chosen([two_nets(1), two_nets(2), two_nets(3)]) == {}


def test_hundreds_of_hosts_are_placed_at_once():
    hosts = [
        machine(n, [f"10.0.{n // 200}.{n % 200 + 1}/16"], [f"10.1.{n // 200}.{n % 200 + 1}/16"], routes=[(0, V4, 1)])
        for n in range(300)
    ]
    assert len(chosen(hosts)) == 300
