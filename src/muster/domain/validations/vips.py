"""Whether the virtual addresses of a cluster are there, lie where they should, and are free. `clusters` asks it."""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from muster.domain import leases
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.machine_networks import networks_of_vips
from muster.domain.networks import (
    FreeAddresses,
    Vip,
    VipVerification,
    freeness,
    host_bits,
    is_broadcast,
    lies_in,
    normal,
    plain,
)
from muster.domain.verdicts import Evidence, Verdict, failed, passed, pending
from muster.domain.views import ClusterView

from .facts import (
    FREE_ADDRESSES,
    INVENTORY,
    LEASES,
    NO_INVENTORIES,
    NO_MACHINE_NETWORK,
    USER,
    VIPS,
    asked,
    gathered,
    last_heard,
    some,
)

NOT_NEEDED = passed("The cluster needs no virtual addresses", asked("none", "none"))
USERS_OWN = passed("The machine networks are the user's to say", asked("any", "any"))


class Kind(NamedTuple):
    """What a virtual address is for: in a sentence, in the API, and to a DHCP server."""

    noun: str
    field: str
    lease: str
    of: Callable[[Cluster], tuple[Vip, ...]]


API = Kind("API", "api_vips", leases.API, attrgetter("api_vips"))
INGRESS = Kind("ingress", "ingress_vips", leases.INGRESS, attrgetter("ingress_vips"))


def _does_without(cluster: Cluster) -> bool:
    return cluster.user_managed_networking or cluster.single_node


def judge_defined(view: ClusterView, kind: Kind) -> Verdict:
    """Whether there is an address for the API or the ingress."""
    cluster, vips = view.cluster, kind.of(view.cluster)
    if _does_without(cluster):
        return NOT_NEEDED
    required = f"an {kind.noun} address"
    if vips:
        written = ", ".join(vip.ip for vip in vips)
        return passed(f"The {kind.noun} address is {written}", asked(written, required))
    if not cluster.vip_dhcp_allocation:
        return failed(f"The cluster has no {kind.noun} address", asked("none", required, f"Set {kind.field}."))
    if not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    return _judge_lease(view, kind)


def _judge_lease(view: ClusterView, kind: Kind) -> Verdict:
    """How long a DHCP server has been waited for."""
    cluster = view.cluster
    network, mac = cluster.machine_networks[0], leases.vip_mac(cluster.id, kind.lease)
    minutes = f"{view.policy.dhcp_lease.total_seconds() / 60:g} minutes"
    evidence = Evidence(
        measured=f"no lease for {mac}",
        required=f"a lease in {network} within {minutes}",
        source=LEASES,
        observed_at=cluster.awaits_leases_since,
    )
    if not cluster.vips_overdue:
        return failed(
            f"The DHCP server of {network} has not leased an {kind.noun} address yet",
            evidence.but(fix=f"Wait: the hosts ask the DHCP server for {mac}; it is given {minutes}."),
        )
    fix = (
        f"See that a DHCP server in {network} has free addresses and answers {mac},"
        f" or set vip_dhcp_allocation to false and {kind.field} to a free address."
    )
    return failed(
        f"No DHCP server of {network} has leased an {kind.noun} address within {minutes}", evidence.but(fix=fix)
    )


def judge_calculated(view: ClusterView) -> Verdict:
    """Whether the machine networks are those that the virtual addresses and the hosts' addresses point to."""
    cluster = view.cluster
    if cluster.user_managed_networking or cluster.user_managed_load_balancer:
        return USERS_OWN
    if not (cluster.api_vips or cluster.ingress_vips):
        return pending(
            "Waiting for the virtual addresses of the cluster",
            asked("none", "api_vips and ingress_vips", "Set api_vips and ingress_vips."),
        )
    if all(host.inventory is None for host in view.hosts):
        return NO_INVENTORIES
    found = networks_of_vips(cluster, view.hosts)
    words = ", ".join(cluster.machine_networks)
    evidence = gathered(view.hosts, INVENTORY, words or "none", words)
    for (vip, network), stored in zip_longest(found, cluster.machine_networks[: len(found)]):
        stated = normal(stored) if stored else "none"
        if network is None:
            fix = "Choose an address in a network that the hosts are in, or give the hosts addresses in its network."
            return failed(
                f"No host has an address in the network of {vip}",
                evidence.but(measured=f"{vip} in no network of the hosts", required="a network of the hosts", fix=fix),
            )
        if network != stated:
            fix = f"Set machine_networks to {network}, or the addresses to the machine network."
            return failed(
                f"The machine network is {stated}, but the hosts and {vip} are in {network}",
                evidence.but(measured=stated, required=network, fix=fix),
            )
    return passed("The machine network is the one of the hosts and the virtual addresses", evidence)


def judge_valid(view: ClusterView, kind: Kind) -> Verdict:
    """Whether the addresses for the API or the ingress lie in the machine networks and are free."""
    cluster, noun, vips = view.cluster, kind.noun, kind.of(view.cluster)
    if _does_without(cluster):
        return NOT_NEEDED
    if not vips:
        return pending(f"Waiting for the {noun} address", asked("none", f"an {noun} address", f"Set {kind.field}."))
    if all(host.inventory is None for host in view.hosts):
        return NO_INVENTORIES
    if not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    problem = _outside(cluster, vips[0]) if cluster.user_managed_load_balancer else _first_problem(view, vips)
    proof = partial(_evidence, view, kind, problem)
    if not problem:
        return passed(f"The {noun} address can be used", proof)
    return failed(f"The {noun} address {_written(vips)} cannot be used: {problem}", proof)


def _written(vips: tuple[Vip, ...]) -> str:
    return ", ".join([vip.ip for vip in vips])


def _evidence(view: ClusterView, kind: Kind, problem: str) -> Evidence:
    """What is known of the addresses, and who vouches for it."""
    networks, (source, at) = ", ".join(view.cluster.machine_networks), _voucher(view)
    fix = f"Set {kind.field} to a free address in {networks}, outside the range that DHCP hands out."
    return Evidence(
        measured=problem or _written(kind.of(view.cluster)),
        required=f"free, in {networks}",
        source=source,
        observed_at=at,
        fix=fix if problem else "",
    )


def _voucher(view: ClusterView) -> tuple[str, datetime | None]:
    """Who vouches for the virtual addresses being free, and since when."""
    if view.cluster.user_managed_load_balancer:
        return USER, None
    if view.cluster.vip_dhcp_allocation:
        return LEASES, last_heard(view.hosts, LEASES)
    tried, listed = last_heard(view.hosts, VIPS), last_heard(view.hosts, FREE_ADDRESSES)
    return (FREE_ADDRESSES, listed) if tried is None and listed is not None else (VIPS, tried)


def _outside(cluster: Cluster, vip: Vip) -> str:
    """What speaks against an address of the user's load balancer; "" if nothing does."""
    inside = any(lies_in(vip.ip, network) for network in cluster.machine_networks)
    return "" if inside else f"{vip.ip} does not lie in {', '.join(cluster.machine_networks)}"


def _first_problem(view: ClusterView, vips: tuple[Vip, ...]) -> str:
    """What speaks against the first address that something speaks against; "" if nothing does."""
    problems = (_problem(view, vip, index) for index, vip in enumerate(vips))
    return next(filter(None, problems), "")


def _problem(view: ClusterView, vip: Vip, index: int) -> str:
    """What speaks against one virtual address; "" if nothing does."""
    networks = view.cluster.machine_networks
    if index >= len(networks):
        return f"there is no machine network for {vip.ip}"
    network = networks[index]
    if not lies_in(vip.ip, network):
        return f"{vip.ip} does not lie in {network}"
    if is_broadcast(vip.ip, network):
        return f"{vip.ip} is the broadcast address of {network}"
    holder = _holder(view.hosts, vip)
    if holder:
        return f"{vip.ip} is the address of {holder}"
    # What a DHCP server has leased is the cluster's own, and may well answer.
    return "" if view.cluster.vip_dhcp_allocation else _taken(view, vip, network)


def _taken(view: ClusterView, vip: Vip, network: str) -> str:
    """Who found something on a virtual address, or that nobody has looked yet; "" if it is free."""
    lists: list[FreeAddresses] = [each for host in view.hosts for each in host.free_addresses or ()]
    found = freeness(vip, network, lists)
    if found is VipVerification.SUCCEEDED:
        return ""
    if found is VipVerification.UNVERIFIED:
        return f"{vip.ip} has not been found to be free yet{_crowded(view, network)}"
    finders = [host.name for host in view.hosts if _finds_taken(host, vip)]
    return f"{vip.ip} is already in use{f', as {some(finders)} found' if finders else ''}{_crowded(view, network)}"


def _finds_taken(host: Host, vip: Vip) -> bool:
    """Whether a host has found something on an address."""
    return any(check.vip == vip.ip and check.verification == VipVerification.FAILED for check in host.vip_checks)


def _holder(hosts: Iterable[Host], vip: Vip) -> str:
    """The interface and host that have a virtual address for their own; "" if none has."""
    wanted = plain(vip.ip)
    for host in hosts:
        for nic in (host.inventory.interfaces if host.inventory else None) or ():
            if wanted in map(plain, nic.addresses):
                return f"{nic.name} of host {host.name}"
    return ""


_TAKEN_ANYWAY = 4
"""Network, broadcast and the two virtual addresses."""


def _crowded(view: ClusterView, network: str) -> str:
    """A hint where the network is too small to have a free address."""
    room, hosts = 2 ** host_bits(network), len(view.hosts)
    if room - hosts - _TAKEN_ANYWAY >= 0:
        return ""
    return f"; {network} has {room} addresses, too few for {hosts} hosts and the virtual addresses"
