"""Turns the installer's config of a role into one that fits the room: who is trusted, and how addresses are had."""

from collections.abc import Iterator

from muster.domain.artifacts.assets import Order
from muster.domain.artifacts.ignition import Config, config, file, merged
from muster.domain.hosts import Host
from muster.domain.leases import API, INGRESS, vip_mac
from muster.domain.networks import IPV6
from muster.domain.releases import at_least
from muster.domain.roles import Role

SERVICE_CA = "/etc/assisted-service/service-ca-cert.crt"
IPV6_SETTINGS = "/etc/NetworkManager/conf.d/01-ipv6.conf"
STEADY = "[connection]\nipv6.dhcp-iaid=mac\nipv6.dhcp-duid=ll\n"
"""A DHCP server knows the host again by its MAC address, whichever system runs on it."""
KEYFILES = "[keyfile]\npath=/etc/NetworkManager/system-connections-merged\n"
OWN_KEYFILES = "4.10"
"""The version from which on the system finds its network settings by itself."""


def role_config(order: Order, role: str, below: Config) -> Config:
    """What the hosts of a role start with."""
    added = list(_files(order, role))
    return merged(below, config(added, version=below["ignition"]["version"])) if added else below


def _files(order: Order, role: str) -> Iterator[Config]:
    if order.trust.service_ca:
        yield file(SERVICE_CA, order.trust.service_ca)
    if order.hosts and all(map(_has_ipv6, order.hosts)):
        newer = at_least(order.cluster.openshift_version, OWN_KEYFILES)
        yield file(IPV6_SETTINGS, STEADY if newer else STEADY + KEYFILES)
    if role == Role.MASTER and order.cluster.vip_dhcp_allocation:
        yield from _leases(order)


def _has_ipv6(host: Host) -> bool:
    addresses = host.inventory.networks if host.inventory else ()
    return any(each.version == IPV6 and not each.ip.is_link_local for each in addresses)


def _leases(order: Order) -> Iterator[Config]:
    """The virtual addresses as the DHCP server has leased them, for the nodes to go on with."""
    cluster = order.cluster
    leased = (
        (API, cluster.api_vips, cluster.api_vip_lease),
        (INGRESS, cluster.ingress_vips, cluster.ingress_vip_lease),
    )
    watched = [
        f"{name}-vip:\n  name: {name}\n  mac-address: {vip_mac(cluster.id, name)}\n  ip-address: {vip.ip}\n"
        for name, vips, _ in leased
        for vip in vips[:1]
    ]
    yield file("/etc/keepalived/unsupported-monitor.conf", "".join(watched))
    for name, _, lease in leased:
        if lease:
            yield file(f"/etc/keepalived/lease-{name}", lease)
