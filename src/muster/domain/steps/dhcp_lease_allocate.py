"""The `dhcp-lease-allocate` step: a host leases the virtual addresses of its cluster from the DHCP server."""

from collections.abc import Iterable

from muster.domain import events
from muster.domain.clusters import Cluster
from muster.domain.errors import Refused
from muster.domain.leases import API, INGRESS, is_lease, vip_mac, without_end
from muster.domain.networks import Vip, lies_in, plain
from muster.domain.record import Record
from muster.domain.states.clusters import BEFORE_INSTALL
from muster.domain.views import HostView

from .step import Args, Step


class LeaseRequest(Record):
    """On which interface and under which MAC addresses to ask, and what was leased before."""

    interface: str
    api_vip_mac: str
    ingress_vip_mac: str
    api_vip_lease: str = ""
    ingress_vip_lease: str = ""


class LeaseReply(Record):
    """What the DHCP server has leased."""

    api_vip_address: str = ""
    ingress_vip_address: str = ""
    api_vip_lease: str = ""
    ingress_vip_lease: str = ""


def _ask(view: HostView) -> Args | None:
    cluster, inventory = view.cluster, view.host.inventory
    if cluster is None or inventory is None or not cluster.vip_dhcp_allocation or not cluster.machine_networks:
        return None
    network = cluster.machine_networks[0]
    nics = (nic for nic in inventory.interfaces or () if any(lies_in(each, network) for each in nic.addresses))
    nic = next(nics, None)
    if nic is None:
        return None
    return (
        LeaseRequest(
            interface=nic.name,
            api_vip_mac=vip_mac(cluster.id, API),
            ingress_vip_mac=vip_mac(cluster.id, INGRESS),
            api_vip_lease=cluster.api_vip_lease,
            ingress_vip_lease=cluster.ingress_vip_lease,
        ),
    )


def _learn_cluster(cluster: Cluster, reply: LeaseReply) -> Cluster:
    """The cluster with the leased addresses; `Refused` if they do not fit, or come too late to be changed."""
    leased = {"api_vips": reply.api_vip_address, "ingress_vips": reply.ingress_vip_address}
    for field, address in leased.items():
        _check_address(cluster, field, address)
    for field, lease in (("api_vip_lease", reply.api_vip_lease), ("ingress_vip_lease", reply.ingress_vip_lease)):
        if not is_lease(lease):
            raise Refused(f"{field}: what the DHCP client has written down is no lease")
    if cluster.status in BEFORE_INSTALL:
        return cluster.but(
            api_vips=_with(cluster.api_vips, reply.api_vip_address),
            ingress_vips=_with(cluster.ingress_vips, reply.ingress_vip_address),
            api_vip_lease=without_end(reply.api_vip_lease),
            ingress_vip_lease=without_end(reply.ingress_vip_lease),
        )
    for field, address in leased.items():
        _check_same(cluster, field, address)
    return cluster


def _check_address(cluster: Cluster, field: str, address: str) -> None:
    if not cluster.vip_dhcp_allocation or not cluster.machine_networks:
        raise Refused(
            f"{field}: {address} was leased, but cluster {cluster.name} takes no addresses from DHCP; "
            "set vip_dhcp_allocation and a machine network if it should"
        )
    network = cluster.machine_networks[0]
    if not lies_in(address, network):
        raise Refused(
            f"{field}: the DHCP server has leased {address!r}, which is not in the machine network {network}; "
            "look at its ranges"
        )


def _check_same(cluster: Cluster, field: str, address: str) -> None:
    known = [vip.ip for vip in getattr(cluster, field)[:1]]
    if plain(address) not in known:
        raise Refused(
            f"{field}: the DHCP server has leased {address}, but cluster {cluster.name} is {cluster.status} with "
            f"{', '.join(known) or 'no address'}; reserve that address for the MAC address of the lease"
        )


def _with(vips: tuple[Vip, ...], address: str) -> tuple[Vip, ...]:
    """The leased address as the only virtual one; what was found out about it before still holds."""
    return next(((vip,) for vip in vips[:1] if vip.ip == plain(address)), (Vip(ip=plain(address)),))


def _tells(before: HostView, after: HostView, _: LeaseReply) -> Iterable[events.Event]:
    assert before.cluster is not None
    assert after.cluster is not None
    was, now = ([vip.ip for vip in (*each.api_vips, *each.ingress_vips)] for each in (before.cluster, after.cluster))
    return [events.api_ingress_vip_updated(after.cluster)] if was != now else []


STEP = Step(kind="dhcp-lease-allocate", ask=_ask, reads=LeaseReply, learn_cluster=_learn_cluster, tells=_tells)
