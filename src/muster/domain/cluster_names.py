"""A cluster in a domain that the service manages turned into the names by which it is found.

`runtime.names` asks for them when the cluster is about to be installed, and when a user calls it otherwise.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Literal

from .clusters import Cluster
from .errors import Broken, Refused
from .hosts import Host
from .inputs.clusters import ClusterUpdate
from .managed_domains import ManagedDomain
from .names import DnsName
from .networks import Vip

IPV6 = 6
KINDS: tuple[Literal["A", "AAAA"], ...] = ("A", "AAAA")
TOGETHER = ("api", "*.apps")
"""How clusters are found: their API, and whatever runs on them."""
ALONE = ("api", "api-int", "*.apps")
"""How a single node is found, by itself too."""


def names_of(cluster: Cluster, hosts: Iterable[Host], domains: Iterable[ManagedDomain]) -> tuple[DnsName, ...]:
    """The names by which a cluster is to be found, where each leads; none if its domain is not ours to change.

    Whoever has no virtual addresses of its own, and is not alone, brings names of its own too.
    """
    domain = _managed(cluster, domains)
    if domain is None:
        return ()
    if cluster.single_node:
        leads = dict.fromkeys(ALONE, _node_address(cluster, hosts))
    else:
        leads = dict(zip(TOGETHER, map(_first, (cluster.api_vips, cluster.ingress_vips)), strict=True))
    return tuple(
        DnsName(
            zone_id=domain.zone_id,
            name=f"{label}.{cluster.domain}",
            kind="AAAA" if ip_address(address).version == IPV6 else "A",
            address=address,
        )
        for label, address in leads.items()
        if address
    )


def _managed(cluster: Cluster, domains: Iterable[ManagedDomain]) -> ManagedDomain | None:
    return next((each for each in domains if each.domain == cluster.base_dns_domain), None)


def _first(vips: tuple[Vip, ...]) -> str:
    return vips[0].ip if vips else ""


def _node_address(cluster: Cluster, hosts: Iterable[Host]) -> str:
    networks = cluster.machine_networks
    return next((host.address_in(networks[0]) for host in hosts), "") if networks else ""


def unwanted_names(cluster: Cluster, wanted: tuple[DnsName, ...]) -> tuple[DnsName, ...]:
    """The names that were created for a cluster and are not to be there any more."""
    kept = {each.place for each in wanted}
    return tuple(each for each in cluster.dns_names if each.place not in kept)


def names_to_look_for(
    cluster: Cluster, changes: ClusterUpdate, domains: Iterable[ManagedDomain]
) -> tuple[DnsName, ...]:
    """The names that a cluster would have if it were called as a user wants; none if that is not in our hands.

    Where they would lead is not known yet.
    """
    called = {field: getattr(changes, field) for field in ("name", "base_dns_domain") if field in changes.written}
    wanted = cluster.but(**called)
    domain = _managed(wanted, domains)
    if domain is None or cluster.day2 or wanted.domain == cluster.domain:
        return ()
    return tuple(
        DnsName(zone_id=domain.zone_id, name=f"{label}.{wanted.domain}", kind=kind, address="")
        for label in (ALONE if cluster.single_node else TOGETHER)
        for kind in KINDS
    )


def check_free(cluster: Cluster, wanted: tuple[DnsName, ...], found: tuple[DnsName, ...]) -> None:
    """`Broken` if a name that the cluster is to have is somebody else's: it leads where the service never led it."""
    said = _taken(cluster, tuple(each for each in found if each not in wanted))
    if said:
        raise Broken(f"{said}; then install again")


def check_unused(cluster: Cluster, found: tuple[DnsName, ...]) -> None:
    """`Refused` if a name that a user wants for a cluster leads somewhere already, and not because of it."""
    said = _taken(cluster, found)
    if said:
        raise Refused(f"base_dns_domain: {said}")


def _taken(cluster: Cluster, found: tuple[DnsName, ...]) -> str:
    """What is to be said of names that are others'; "" if there are none."""
    foreign = [each for each in found if each not in cluster.dns_names]
    if not foreign:
        return ""
    said = ", ".join(f"{each.name} leads to {each.address or 'another name'}" for each in foreign)
    return (
        f"The names of cluster {cluster.name} are taken in {cluster.base_dns_domain}: {said}. Remove them from the zone"
        " if nobody needs them, or give the cluster another name or base_dns_domain"
    )
