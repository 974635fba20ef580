"""The tables of nmstate's fields: what may stand where, and how it is read.

`document` turns a tree into a `State`. Fields read with `later` are nmstate's too, but have no keyfile of ours.
"""

from typing import Any

from msgspec import UNSET

from . import state as is_
from .reading import (
    Reading,
    Spot,
    address,
    fields,
    flag,
    ignored,
    later,
    mac,
    many,
    name,
    plain,
    shape,
    text,
    whole,
    word,
)

BYTE, SHORT, LONG = 2**8 - 1, 2**16 - 1, 2**32 - 1


def _later(*names: str) -> dict[str, Reading]:
    return dict.fromkeys(names, later)


def _numbered(*words: str) -> Reading:
    """Words that may be written by their numbers too."""
    return word(words, {str(number): each for number, each in enumerate(words)})


# Addresses

ADDRESS = shape(
    is_.Address,
    {
        "ip": address,
        "prefix-length": whole(0, 128),
        **_later(
            "mptcp-flags",
            "valid-left",
            "valid-lft",
            "valid-life-time",
            "preferred-left",
            "preferred-lft",
            "preferred-life-time",
            "protocol",
        ),
    },
    required=("ip", "prefix-length"),
)
_IP: dict[str, Reading] = {
    "enabled": flag,
    "dhcp": flag,
    "address": many(ADDRESS),
    "auto-dns": flag,
    "auto-gateway": flag,
    "auto-routes": flag,
    "auto-route-table-id": whole(0, LONG),
    "auto-route-metric": whole(-1, LONG),
    "dhcp-client-id": plain,
    "dhcp-send-hostname": flag,
    "dhcp-custom-hostname": plain,
    "allow-extra-address": ignored,
    **_later("forwarding", "prefix-route-metric"),
}
IPV4 = shape(is_.Ip, _IP)
IPV6 = shape(
    is_.Ip,
    {
        **_IP,
        "autoconf": flag,
        "addr-gen-mode": word(("eui64", "stable-privacy")),
        "dhcp-duid": plain,
        **_later("token"),
    },
)


# Kinds of interfaces

ETHERNET = shape(
    is_.Ethernet,
    {
        "auto-negotiation": flag,
        "speed": whole(0, LONG),
        "duplex": word(("full", "half")),
        **_later("sr-iov"),
    },
)
VLAN = shape(
    is_.Vlan,
    {
        "base-iface": name,
        "id": whole(0, 4094),
        "protocol": word(("802.1q", "802.1ad")),
        "reorder-headers": flag,
        "loose-binding": flag,
        "registration-protocol": word(("none", "gvrp", "mvrp")),
        **_later("ingress-qos-map", "egress-qos-map"),
    },
    required=("base-iface", "id"),
)
BOND_OPTIONS: dict[str, Reading] = {
    "ad_actor_sys_prio": whole(0, SHORT),
    "ad_actor_system": mac,
    "ad_select": _numbered("stable", "bandwidth", "count"),
    "ad_user_port_key": whole(0, SHORT),
    "all_slaves_active": word(("0", "1"), {"dropped": "0", "delivered": "1"}),
    "arp_all_targets": _numbered("any", "all"),
    "arp_interval": whole(0, LONG),
    "arp_ip_target": plain,
    "arp_missed_max": whole(0, BYTE),
    "arp_validate": _numbered("none", "active", "backup", "all", "filter", "filter_active", "filter_backup"),
    "downdelay": whole(0, LONG),
    "fail_over_mac": _numbered("none", "active", "follow"),
    "lacp_active": flag,
    "lacp_rate": _numbered("slow", "fast"),
    "lp_interval": whole(0, LONG),
    "miimon": whole(0, LONG),
    "min_links": whole(0, LONG),
    "num_grat_arp": whole(0, BYTE),
    "num_unsol_na": whole(0, BYTE),
    "packets_per_slave": whole(0, LONG),
    "primary": name,
    "primary_reselect": _numbered("always", "better", "failure"),
    "resend_igmp": whole(0, LONG),
    "tlb_dynamic_lb": flag,
    "updelay": whole(0, LONG),
    "use_carrier": flag,
    "xmit_hash_policy": _numbered("layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"),
    **_later("balance-slb", "balance_slb", "ns_ip6_target"),
}
MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")


_options = fields(BOND_OPTIONS)


def bond_options(spot: Spot) -> Any:
    """The options of a bond, as keyfiles have them."""
    found = _options(spot)
    if found is UNSET:
        return UNSET
    return {each: str(int(value) if isinstance(value, bool) else value) for each, value in found.items()}


BOND_PORT = shape(
    is_.BondPort,
    {"name": name, "priority": whole(-(2**31), 2**31 - 1), "queue-id": whole(0, SHORT)},
    required=("name",),
)
BOND = shape(
    is_.Bond,
    {
        "mode": word(MODES, {"lacp": "802.3ad", **{str(number): each for number, each in enumerate(MODES)}}),
        "options": bond_options,
        "port": many(name),
        "ports": many(name),
        "ports-config": many(BOND_PORT),
    },
    required=("mode",),
    alias={"ports": "port"},
)
BRIDGE_PORT = shape(
    is_.BridgePort,
    {
        "name": name,
        "stp-hairpin-mode": flag,
        "stp-path-cost": whole(0, LONG),
        "stp-priority": whole(0, SHORT),
        **_later("vlan"),
    },
    required=("name",),
)
STP = shape(
    is_.SpanningTree,
    {
        "enabled": flag,
        "forward-delay": whole(2, 30),
        "hello-time": whole(1, 10),
        "max-age": whole(6, 40),
        "priority": whole(0, SHORT),
    },
)
BRIDGE_OPTIONS = shape(
    is_.BridgeOptions,
    {
        "stp": STP,
        "mac-ageing-time": whole(0, LONG),
        "group-forward-mask": whole(0, SHORT),
        "group-fwd-mask": whole(0, SHORT),
        "multicast-snooping": flag,
        **dict.fromkeys(("gc-timer", "hello-timer"), ignored),
        **_later(
            "group-addr", "hash-max", "multicast-last-member-count", "multicast-last-member-interval",
            "multicast-membership-interval", "multicast-querier", "multicast-querier-interval",
            "multicast-query-interval", "multicast-query-response-interval", "multicast-query-use-ifaddr",
            "multicast-router", "multicast-startup-query-count", "multicast-startup-query-interval", "vlan-protocol",
            "vlan-default-pvid",
        ),
    },
    alias={"group-fwd-mask": "group-forward-mask"},
)  # fmt: skip
BRIDGE = shape(
    is_.Bridge,
    {
        "port": many(BRIDGE_PORT),
        "ports": many(BRIDGE_PORT),
        "options": BRIDGE_OPTIONS,
        "allow-extra-ports": ignored,
    },
    alias={"ports": "port"},
)


# Interfaces

KINDS = ("ethernet", "vlan", "bond", "linux-bridge")
"""The types that are converted."""

OTHERS = frozenset({
    "dummy", "hsr", "infiniband", "ipsec", "ipvlan", "loopback", "mac-vlan", "mac-vtap", "macsec", "ovs-bridge",
    "ovs-interface", "tun", "unknown", "veth", "vrf", "vxlan", "wifi", "xfrm",
})  # fmt: skip
"""The types that nmstate has besides."""

WHO: dict[str, Reading] = {
    "name": name,
    "type": word((*KINDS, *OTHERS), {"eth": "ethernet"}),
    "state": word(("up", "down", "absent", "ignore")),
    "identifier": word(("name", "mac-address", "pci-address")),
    "mac-address": mac,
}
"""What interfaces of all types have, and what tells them apart."""

INTERFACE = shape(
    is_.Interface,
    {
        **WHO,
        "mtu": whole(0, LONG),
        "description": text,
        "wait-ip": word(("any", "ipv4", "ipv6", "ipv4+ipv6")),
        "lldp": shape(is_.Lldp, {"enabled": flag}),
        "accept-all-mac-addresses": flag,
        "ipv4": IPV4,
        "ipv6": IPV6,
        "ethernet": ETHERNET,
        "vlan": VLAN,
        "link-aggregation": BOND,
        "bridge": BRIDGE,
        **dict.fromkeys(("min-mtu", "max-mtu", "permanent-mac-address", "driver"), ignored),
        **_later(
            "802.1x", "alt-names", "controller", "copy-mac-from", "dispatch", "ethtool", "mptcp", "ovs-db",
            "pci-address", "profile-name",
        ),
    },
    required=("name",),
)  # fmt: skip
_known = shape(is_.Interface, WHO, required=("name",))


def interface(spot: Spot) -> Any:
    """One interface; of a type that is not converted, only who it is."""
    values = spot.node.value
    kind = values["type"].value if isinstance(values, dict) and "type" in values else None
    if not isinstance(values, dict) or not isinstance(kind, str) or kind not in OTHERS:
        return INTERFACE(spot)
    spot.below("type", values["type"]).unknown(
        f"is {kind}; this service makes NetworkManager's keyfiles for {', '.join(KINDS)} only"
    )
    return _known(spot.but(node=spot.node.but(value={each: node for each, node in values.items() if each in WHO})))


# The whole

ROUTE = shape(
    is_.Route,
    {
        "destination": plain,
        "next-hop-interface": name,
        "next-hop-address": address,
        "state": word(("absent",)),
        "metric": whole(-1, LONG),
        "table-id": whole(0, LONG),
        "weight": whole(1, 256),
        "source": address,
        **_later("route-type", "cwnd", "initcwnd", "initrwnd", "mtu", "quickack", "advmss", "lock-mtu", "vrf-name"),
    },
)
RULE = shape(
    is_.Rule,
    {
        "ip-from": text,
        "ip-to": text,
        "family": word(("ipv4", "ipv6")),
        "state": word(("absent",)),
        "priority": whole(-1, LONG),
        "route-table": whole(0, LONG),
        "fwmark": whole(0, LONG),
        "fwmask": whole(0, LONG),
        "action": word(("blackhole", "unreachable", "prohibit")),
        "iif": name,
        "suppress-prefix-length": whole(0, LONG),
        "suppress_prefixlength": whole(0, LONG),
    },
    alias={"suppress_prefixlength": "suppress-prefix-length"},
)
DNS = shape(is_.Dns, {"server": many(plain), "search": many(plain), "options": many(plain)})
document = shape(
    is_.State,
    {
        "interfaces": many(interface),
        "dns-resolver": shape(is_.DnsResolver, {"config": DNS, "running": ignored}),
        "routes": shape(is_.Routes, {"config": many(ROUTE), "running": ignored}),
        "route-rules": shape(is_.Rules, {"config": many(RULE), "running": ignored}),
        **dict.fromkeys(("description", "hostname"), ignored),
        **_later("ovs-db", "ovn"),
    },
)
"""The network of a host."""
