"""Rules for virtual addresses, and the networks that follow from them.

Turns what a user wrote about addresses into the cluster's lists (`addressed`, `with_derived_network`) and
into the problems they have (`vip_problems`, `changed_vip_problems`); `clusters.py` calls it.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from muster.domain.address_families import dual_stack
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.networks import (
    IPV6,
    Vip,
    VipVerification,
    families,
    family,
    freeness,
    is_broadcast,
    lies_in,
    machine_network_of,
    plain,
)

from .fields import Input, Problems, Uuid, given
from .networks import IP_FAMILIES, V4, V6, ClusterNetworkInput, NetworkInput

Ip = Annotated[str, Meta(pattern=rf"^(?:{V4}|{V6})?\Z")]

_MOST_VIPS = 2
_LISTS = ("api_vips", "ingress_vips")
_NO_VIPS: dict[str, Any] = {"api_vips": (), "ingress_vips": (), "api_vip_lease": "", "ingress_vip_lease": ""}


class VipInput(Input):
    """A virtual address, as written; whether it is free is not for the user to say."""

    ip: Ip | UnsetType = UNSET
    cluster_id: Uuid | UnsetType = UNSET
    verification: VipVerification | UnsetType = UNSET


class AddressFields(Input):
    """What may be written about addresses and networks."""

    IN_PAIRS: ClassVar[bool] = True
    """Whether the addresses of API and ingress are given together, as many of each; old clients give one at a time."""

    api_vips: tuple[VipInput, ...] | UnsetType = UNSET
    ingress_vips: tuple[VipInput, ...] | UnsetType = UNSET
    vip_dhcp_allocation: bool | UnsetType = UNSET
    cluster_networks: tuple[ClusterNetworkInput, ...] | UnsetType = UNSET
    service_networks: tuple[NetworkInput, ...] | UnsetType = UNSET
    machine_networks: tuple[NetworkInput, ...] | UnsetType = UNSET


def addressed(cluster: Cluster, inputs: AddressFields, *, user_managed: bool) -> Cluster:
    """The cluster with the addresses and networks that were written, and without those that lose their meaning."""
    by_dhcp = given(inputs.vip_dhcp_allocation, cluster.vip_dhcp_allocation) and not user_managed
    before = cluster
    if by_dhcp != cluster.vip_dhcp_allocation:
        before = before.but(**_NO_VIPS, machine_networks=())
    if user_managed != cluster.user_managed_networking:
        before = before.but(machine_networks=())
    machine_networks = _cidrs(inputs.machine_networks, before.machine_networks)
    if user_managed or (by_dhcp and machine_networks[:1] != before.machine_networks[:1]):
        before = before.but(**_NO_VIPS)
    pods = inputs.cluster_networks
    return before.but(
        vip_dhcp_allocation=by_dhcp,
        user_managed_networking=user_managed,
        machine_networks=machine_networks,
        service_networks=_cidrs(inputs.service_networks, before.service_networks),
        cluster_networks=before.cluster_networks if pods is UNSET else tuple(each.network for each in pods),
        api_vips=before.api_vips if user_managed else _vips(inputs.api_vips, before.api_vips),
        ingress_vips=before.ingress_vips if user_managed else _vips(inputs.ingress_vips, before.ingress_vips),
    )


def _cidrs(written: tuple[NetworkInput, ...] | UnsetType, before: tuple[str, ...]) -> tuple[str, ...]:
    return before if written is UNSET else tuple(given(network.cidr, "") for network in written)


def _vips(written: tuple[VipInput, ...] | UnsetType, before: tuple[Vip, ...]) -> tuple[Vip, ...]:
    """The written addresses in canonical form; those that stay keep what is known of them."""
    if written is UNSET:
        return before
    known = {vip.ip: vip for vip in before}
    texts = (given(vip.ip, "") for vip in written)
    return tuple(known.get(plain(text)) or Vip(ip=plain(text) or text) for text in texts)


def follows(cluster: Cluster) -> bool:
    """Whether the machine network follows from the virtual addresses, so that users cannot choose it."""
    return not (
        cluster.user_managed_networking
        or cluster.vip_dhcp_allocation
        or cluster.user_managed_load_balancer
        or dual_stack(cluster)
    )


def with_derived_network(wanted: Cluster, stored: Cluster, hosts: Iterable[Host]) -> Cluster:
    """The cluster with the network its hosts have around the virtual addresses, if these have changed."""
    if not follows(wanted) or not _changed(wanted, stored):
        return wanted
    vips = wanted.api_vips or wanted.ingress_vips
    network = machine_network_of(vips[0].ip, _addresses(hosts)) if vips else None
    return wanted.but(machine_networks=() if network is None else (network,))


def _changed(wanted: Cluster, stored: Cluster) -> bool:
    return (wanted.api_vips, wanted.ingress_vips) != (stored.api_vips, stored.ingress_vips)


def _addresses(hosts: Iterable[Host]) -> Iterator[str]:
    for host in hosts:
        for nic in (host.inventory.interfaces if host.inventory else None) or ():
            yield from nic.addresses


def vip_problems(wanted: Cluster, inputs: AddressFields) -> Problems:
    """The virtual addresses go together, and with the way the cluster is reached."""
    asked = given(inputs.api_vips, ()) + given(inputs.ingress_vips, ())
    if wanted.user_managed_networking:
        if asked:
            yield "api_vips: with user-managed networking the cluster has no virtual addresses; leave the lists empty"
        if given(inputs.vip_dhcp_allocation, False):
            yield "vip_dhcp_allocation: with user-managed networking the cluster has no virtual addresses; leave it off"
        return
    yield from _count_problems(wanted, in_pairs=inputs.IN_PAIRS)
    if wanted.vip_dhcp_allocation:
        yield from _dhcp_problems(wanted, asked)
    elif wanted.user_managed_load_balancer:
        yield from _load_balancer_problems(wanted)
    else:
        yield from _place_problems(wanted)


def _count_problems(wanted: Cluster, *, in_pairs: bool) -> Problems:
    lists = {"api_vips": [vip.ip for vip in wanted.api_vips], "ingress_vips": [vip.ip for vip in wanted.ingress_vips]}
    for field, addresses in lists.items():
        if len(addresses) > _MOST_VIPS:
            yield f"{field}: there are {len(addresses)} addresses; at most {_MOST_VIPS} are possible, one of a family"
        elif len(set(addresses)) < len(addresses):
            yield f"{field}: {addresses[0]} is listed twice"
        elif len(addresses) == _MOST_VIPS:
            yield from _pair_problems(field, addresses)
    api, ingress = lists["api_vips"], lists["ingress_vips"]
    if len(api) != len(ingress) and (in_pairs or (api and ingress)):
        yield f"ingress_vips: there are {len(ingress)} addresses, but {len(api)} api_vips; give as many of each"
    shared = [address for address in api if address in ingress]
    if shared and not wanted.user_managed_load_balancer:
        yield f"ingress_vips: {shared[0]} is an API address too; only a user-managed load balancer can share it"


def _pair_problems(field: str, addresses: list[str]) -> Problems:
    if families(addresses) != IP_FAMILIES:
        yield f"{field}: {' and '.join(addresses)} are of the same family; two addresses must be one IPv4 and one IPv6"


def _dhcp_problems(wanted: Cluster, asked: tuple[VipInput, ...]) -> Problems:
    if asked:
        yield "api_vips: the addresses come from DHCP, so none can be given; set vip_dhcp_allocation to false first"
    for index, cidr in enumerate(wanted.machine_networks):
        if family(cidr) == IPV6:
            yield f"machine_networks[{index}].cidr: {cidr} is IPv6, and addresses by DHCP are IPv4 only"


def _load_balancer_problems(wanted: Cluster) -> Problems:
    for field, vips in ((name, getattr(wanted, name)) for name in _LISTS):
        if vips and not any(lies_in(vips[0].ip, cidr) for cidr in wanted.machine_networks):
            networks = ", ".join(wanted.machine_networks) or "there is none"
            yield f"{field}[0].ip: {vips[0].ip} must lie in a machine network ({networks})"


def _place_problems(wanted: Cluster) -> Problems:
    """Each address lies in the machine network of its own place in the list."""
    if wanted.api_vips and not wanted.machine_networks and dual_stack(wanted):
        yield "machine_networks: a cluster with both address families and virtual addresses needs one of each family"
    for field in _LISTS:
        pairs = zip(getattr(wanted, field), wanted.machine_networks, strict=False)
        for index, (vip, cidr) in enumerate(pairs):
            yield from _inside_problems(f"{field}[{index}].ip", vip.ip, cidr)


def _inside_problems(path: str, address: str, cidr: str) -> Problems:
    if not lies_in(address, cidr):
        yield f"{path}: {address} does not lie in the machine network {cidr}"
    elif is_broadcast(address, cidr):
        yield f"{path}: {address} is the broadcast address of {cidr}; choose another"


def changed_vip_problems(wanted: Cluster, stored: Cluster, hosts: tuple[Host, ...]) -> Problems:
    """New virtual addresses lie in a network that the hosts have, and nothing answers on them."""
    if follows(wanted) and wanted.api_vips and _changed(wanted, stored) and not wanted.machine_networks:
        yield (
            f"api_vips[0].ip: {wanted.api_vips[0].ip} lies in no network of a host of this cluster;"
            " choose an address of a network that the hosts have, and wait until a host has reported its addresses"
        )
    if wanted.user_managed_load_balancer:
        return
    for field in _LISTS:
        before = {vip.ip for vip in getattr(stored, field)}
        added = [(index, vip) for index, vip in enumerate(getattr(wanted, field)) if vip.ip not in before]
        yield from (
            f"{field}[{index}].ip: {vip.ip} is in use by something else; choose a free address"
            for index, vip in added
            if _taken(vip, hosts)
        )


def _taken(vip: Vip, hosts: Iterable[Host]) -> bool:
    """Whether any host that looked found something on the address."""
    lists = tuple(found for host in hosts for found in host.free_addresses or () if lies_in(vip.ip, found.network))
    return any(freeness(vip, found.network, (found,)) is VipVerification.FAILED for found in lists)


def chosen_network_problems(wanted: Cluster, stored: Cluster, inputs: AddressFields) -> Problems:
    """Users leave the machine network alone where it follows from the virtual addresses."""
    if inputs.machine_networks is UNSET or not follows(wanted):
        return
    if inputs.machine_networks or stored.machine_networks:
        yield (
            "machine_networks: follows from the virtual addresses and the networks of the hosts; set api_vips and"
            " ingress_vips, or use DHCP, both address families, or a user-managed load balancer"
        )
