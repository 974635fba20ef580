"""Whether the virtual addresses of a cluster are there, lie where they should, and are free. `clusters` asks it."""

from itertools import zip_longest

from muster.domain.clusters import Cluster
from muster.domain.networks import (
    FreeAddresses,
    Vip,
    VipVerification,
    freeness,
    host_bits,
    is_broadcast,
    lies_in,
    machine_network_of,
    normal,
    plain,
)
from muster.domain.verdicts import Evidence, Verdict, failed, passed, pending
from muster.domain.views import ClusterView

from .facts import INVENTORY, NO_INVENTORIES, NO_MACHINE_NETWORK, VIPS, asked

NOT_NEEDED = passed("The cluster needs no virtual addresses", asked("none", "none"))


def _does_without(cluster: Cluster) -> bool:
    return cluster.user_managed_networking or cluster.single_node


def judge_defined(cluster: Cluster, noun: str, field: str, vips: tuple[Vip, ...]) -> Verdict:
    """Whether there is an address for the API or the ingress."""
    if _does_without(cluster):
        return NOT_NEEDED
    required = f"an {noun} address"
    if vips:
        written = ", ".join(vip.ip for vip in vips)
        return passed(f"The {noun} address is {written}", asked(written, required))
    if not cluster.vip_dhcp_allocation:
        return failed(f"The cluster has no {noun} address", asked("none", required, f"Set {field}."))
    if not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    fix = "Wait for the DHCP server of the machine network, or set the addresses yourself."
    return failed(f"The DHCP server has not leased an {noun} address yet", asked("none", required, fix))


def judge_calculated(view: ClusterView) -> Verdict:
    """Whether the machine networks are those that the virtual addresses and the hosts' addresses point to."""
    cluster = view.cluster
    if cluster.user_managed_networking or cluster.user_managed_load_balancer:
        return passed("The machine networks are the user's to say", asked("any", "any"))
    vips = cluster.api_vips or cluster.ingress_vips
    if not vips:
        return pending(
            "Waiting for the virtual addresses of the cluster",
            asked("none", "api_vips and ingress_vips", "Set api_vips and ingress_vips."),
        )
    addresses = [address for host in view.hosts if host.inventory for address in host.inventory.addresses]
    if not addresses:
        return NO_INVENTORIES
    calculated = [machine_network_of(vip.ip, addresses) for vip in vips]
    for vip, found, stored in zip_longest(vips, calculated, cluster.machine_networks[: len(vips)]):
        stated = normal(stored) if stored else "none"
        evidence = Evidence(measured=stated, required=found or "a network of the hosts", source=INVENTORY)
        if found is None:
            fix = "Choose an address in a network that the hosts are in, or give the hosts addresses in its network."
            return failed(f"No host has an address in the network of {vip.ip}", evidence.but(fix=fix))
        if found != stated:
            fix = f"Set machine_networks to {found}, or the addresses to the machine network."
            return failed(
                f"The machine network is {stated}, but the hosts and {vip.ip} are in {found}", evidence.but(fix=fix)
            )
    found_words = ", ".join(cluster.machine_networks)
    return passed(
        "The machine network is the one of the hosts and the virtual addresses",
        Evidence(measured=found_words, required=found_words, source=INVENTORY),
    )


def judge_valid(view: ClusterView, noun: str, field: str, vips: tuple[Vip, ...]) -> Verdict:
    """Whether the addresses for the API or the ingress lie in the machine networks and are free."""
    cluster = view.cluster
    if _does_without(cluster):
        return NOT_NEEDED
    if not vips:
        return pending(f"Waiting for the {noun} address", asked("none", f"an {noun} address", f"Set {field}."))
    if all(host.inventory is None for host in view.hosts):
        return NO_INVENTORIES
    if not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    written, networks = ", ".join(vip.ip for vip in vips), ", ".join(cluster.machine_networks)
    evidence = Evidence(measured=written, required=f"free, in {networks}", source=VIPS)
    if cluster.user_managed_load_balancer:
        inside = any(lies_in(vips[0].ip, network) for network in cluster.machine_networks)
        problem = "" if inside else f"it does not lie in {networks}"
    else:
        problems = (_problem(view, vip, index) for index, vip in enumerate(vips))
        problem = next(filter(None, problems), "")
    if not problem:
        return passed(f"The {noun} address can be used", evidence)
    return failed(
        f"The {noun} address {written} cannot be used: {problem}",
        evidence.but(fix=f"Set {field} to a free address in {networks}, outside the range that DHCP hands out."),
    )


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
    holder = _holder(view, vip)
    if holder:
        return f"{vip.ip} is the address of host {holder}"
    lists: list[FreeAddresses] = [each for host in view.hosts for each in host.free_addresses or ()]
    found = freeness(vip, network, lists)
    if found is VipVerification.SUCCEEDED:
        return ""
    what = "has not been found to be free yet" if found is VipVerification.UNVERIFIED else "is already in use"
    return f"{vip.ip} {what}{_crowded(view, network)}"


def _holder(view: ClusterView, vip: Vip) -> str:
    """The host that has a virtual address for its own; "" if none has."""
    wanted = plain(vip.ip)
    return next(
        (host.name for host in view.hosts if host.inventory and wanted in map(plain, host.inventory.addresses)), ""
    )


_TAKEN_ANYWAY = 4
"""Network, broadcast and the two virtual addresses."""


def _crowded(view: ClusterView, network: str) -> str:
    """A hint where the network is too small to have a free address."""
    room, hosts = 2 ** host_bits(network), len(view.hosts)
    if room - hosts - _TAKEN_ANYWAY >= 0:
        return ""
    return f"; {network} has {room} addresses, too few for {hosts} hosts and the virtual addresses"
