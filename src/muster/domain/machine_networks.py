"""In which networks the machines of a cluster live, where that follows from their addresses.

Turns the inventories of the hosts, and the virtual addresses if there are any, into machine networks. `derive`
asks for them while the cluster is described; the checks of virtual addresses compare them with the stored ones;
the install-config asks for those of the first host where the user has named none.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from .clusters import Cluster
from .hosts import Host
from .inventory import Inventory, Route
from .networks import IPV4, LINK_LOCAL, families, family, is_unspecified, lies_in, machine_network_of, normal


def machine_networks_of(cluster: Cluster, hosts: Iterable[Host]) -> tuple[str, ...]:
    """The machine networks that follow from the hosts; the present ones where none follow.

    With a load balancer or a network of the user's own they are the user's to say, except for a single
    node, which has no virtual addresses and lies where its default route begins.
    """
    inventories = [host.inventory for host in hosts if host.inventory is not None]
    present = cluster.machine_networks
    if not inventories:
        return present
    if cluster.single_node:
        return present or _of_single_node(cluster, inventories)
    if cluster.user_managed_networking or cluster.user_managed_load_balancer:
        return present
    if cluster.vip_dhcp_allocation:
        only = _networks(inventories, IPV4)
        return tuple(only) if len(only) == 1 else present
    return _around_vips(cluster, inventories)


def networks_of_vips(cluster: Cluster, hosts: Iterable[Host]) -> list[tuple[str, str | None]]:
    """Each virtual address, one of a pair, with the network of the hosts that it lies in; None if it lies in none."""
    addresses = _addresses([host.inventory for host in hosts if host.inventory is not None])
    return [(vip, machine_network_of(vip, addresses)) for vip in _one_of_each_pair(cluster)]


def _one_of_each_pair(cluster: Cluster) -> Iterator[str]:
    """The address of the API, or of the ingress where the API has none; both lie in the same network."""
    for api, ingress in zip_longest(cluster.api_vips, cluster.ingress_vips):
        yield (api or ingress).ip


def _around_vips(cluster: Cluster, inventories: Sequence[Inventory]) -> tuple[str, ...]:
    """The network of each pair of virtual addresses; networks beyond that are kept as they are."""
    addresses, present = _addresses(inventories), cluster.machine_networks
    found: list[str] = []
    for index, vip in enumerate(_one_of_each_pair(cluster)):
        network = machine_network_of(vip, addresses) or next(iter(present[index:]), "")
        if not network:
            break
        found.append(network)
    return (*found, *present[len(found) :])


def _of_single_node(cluster: Cluster, inventories: Sequence[Inventory]) -> tuple[str, ...]:
    """One network for each family of the cluster's own networks; none before there is one for each."""
    pods = [network.cidr for network in cluster.cluster_networks]
    if families(pods) != families(cluster.service_networks):
        return ()
    found = [_home(inventories, version) for version in dict.fromkeys(map(family, pods))]
    return tuple(found) if all(found) else ()


def home_networks(cluster: Cluster, inventory: Inventory) -> tuple[str, ...]:
    """The networks that a machine is at home in, one for each family of the cluster's services, in their order.

    What leads to the world comes before what does not. Of another family there is none: an installer takes machine
    networks for those of a cluster of two families, which this one is not.
    """
    found = (
        _home([inventory], version) or next(iter(_networks([inventory], version)), "")
        for version in dict.fromkeys(map(family, cluster.service_networks))
    )
    return tuple(filter(None, found))


def _home(inventories: Sequence[Inventory], version: int | None) -> str:
    """The only network of a family, or the one that the preferred default route leaves by; "" if there is none."""
    networks = _networks(inventories, version)
    if len(networks) == 1:
        return networks[0]
    routes = sorted(_default_routes(inventories, version), key=lambda each: each[1].metric)
    return next((network for each in routes for network in _left_by(*each, networks)), "")


def _default_routes(inventories: Sequence[Inventory], version: int | None) -> Iterator[tuple[Inventory, Route]]:
    for inventory in inventories:
        for route in inventory.routes or ():
            if is_unspecified(route.destination) and family(route.destination) == version:
                yield inventory, route


def _left_by(inventory: Inventory, route: Route, networks: Sequence[str]) -> list[str]:
    """The networks that hold the gateway of a route; where none does, those of the interface that it leaves by."""
    holding = [network for network in networks if lies_in(route.gateway, network)]
    if holding:
        return holding
    own = {normal(each) for nic in inventory.interfaces or () if nic.name == route.interface for each in nic.addresses}
    return [network for network in networks if network in own]


def _addresses(inventories: Sequence[Inventory]) -> list[str]:
    return [address for inventory in inventories for address in inventory.addresses]


def _networks(inventories: Sequence[Inventory], version: int | None) -> list[str]:
    """The networks of a family that hosts have addresses in; what every link has does not count."""
    found = {
        normal(address)
        for address in _addresses(inventories)
        if family(address) == version and not lies_in(address, LINK_LOCAL)
    }
    return sorted(found)
