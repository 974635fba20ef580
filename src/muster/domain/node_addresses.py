"""Which of its addresses each host is to have as a node, where no virtual address of the cluster's says so.

Turns the inventories and what the hosts reach of each other into one address for each. `artifacts` asks, for clusters
on no platform and those whose load balancer is the user's.
"""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network

from .clusters import Cluster, PlatformType
from .connectivity import MajorityGroups, majority_groups
from .hosts import Host
from .inventory import Inventory, Route
from .networks import IPV4, IPV6, families, is_unspecified, plain
from .record import Record

Address = IPv4Interface | IPv6Interface
NodeAddresses = dict[str, Address]
"""The address of each host, with its network, by the host's id."""

PATIENCE = 20_000
"""How many choices are looked at before it is given up; in nearly all rooms there is one for each host."""


class _Choice(Record):
    """A host with one of its addresses taken for its node."""

    address: Address
    others: frozenset[IPv4Network | IPv6Network]
    """The networks that the host is in besides."""

    def gets_on_with(self, other: "_Choice") -> bool:
        """Whether neither host would look for the other in the wrong network."""
        pairs = ((self.address, other.others), (other.address, self.others))
        return not any(address.ip in network for address, others in pairs for network in others)


def nodes_are_told(cluster: Cluster) -> bool:
    """Whether each node has to be told which address is its own, since no virtual address shows it."""
    elsewhere = cluster.user_managed_load_balancer or cluster.platform.type is PlatformType.NONE
    return elsewhere and not cluster.single_node


def node_addresses(cluster: Cluster, hosts: Sequence[Host]) -> NodeAddresses:
    """One address for each host, all of which fit together; {} if there is no such set, or a host has none to offer."""
    wanted = _family(cluster)
    groups = cluster.majority_groups or MajorityGroups()
    reached = groups.l3_connected_addresses or majority_groups(hosts).l3_connected_addresses
    ordered = sorted(hosts, key=lambda host: host.id)
    offers = [_offers(host, wanted, reached) for host in ordered]
    chosen = _fitting(offers)
    return {host.id: choice.address for host, choice in zip(ordered, chosen, strict=False)}


def _family(cluster: Cluster) -> int:
    """The family of the nodes' addresses: IPv4 wherever the cluster has any."""
    pods = [network.cidr for network in cluster.cluster_networks]
    return IPV6 if families([*cluster.machine_networks, *cluster.service_networks, *pods]) == {IPV6} else IPV4


def _offers(host: Host, wanted: int, reached: Mapping[str, tuple[str, ...]]) -> list[_Choice]:
    """The addresses that a host can be a node with, those of the best route first."""
    inventory = host.inventory or Inventory()
    everywhere = {plain(address) for address in reached.get(host.id, ())}
    networks = frozenset(each.network for each in inventory.networks if not each.ip.is_link_local)
    found: list[tuple[int, _Choice]] = []
    for nic in inventory.interfaces or ():
        metric = _metric(inventory, nic.name, wanted)
        if metric is not None:
            own = (each for each in Inventory(interfaces=(nic,)).networks if each.version == wanted)
            fits = (each for each in own if str(each.ip) in everywhere)
            found += [(metric, _Choice(address=each, others=networks - {each.network})) for each in fits]
    return [choice for _, choice in sorted(found, key=lambda each: each[0])]


def _metric(inventory: Inventory, nic: str, wanted: int) -> int | None:
    """How good the way to the world is from an interface, less being better; None if there is none."""
    ways = (route for route in inventory.routes or () if route.interface == nic and _leads_out(route, wanted))
    return min((route.metric for route in ways), default=None)


def _leads_out(route: Route, wanted: int) -> bool:
    version = IPV6 if ":" in route.destination else IPV4
    return is_unspecified(route.destination) and version == wanted


def _fitting(offers: Sequence[Sequence[_Choice]]) -> list[_Choice]:
    """One choice of each list, such that all get on with each other, the first ones preferred; [] if there are none."""
    chosen: list[_Choice] = []
    turns = [0] * len(offers)
    for _ in range(PATIENCE):
        place = len(chosen)
        if place == len(offers):
            return chosen
        left = offers[place][turns[place] :]
        step = next((number for number, each in enumerate(left) if all(map(each.gets_on_with, chosen))), None)
        if step is not None:
            turns[place] += step + 1
            chosen.append(left[step])
        elif chosen:
            turns[place] = 0
            chosen.pop()
        else:
            break
    return []
