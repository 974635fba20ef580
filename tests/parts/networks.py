"""Network settings of hosts: documents that they may have, and what is in the keyfiles that are made of them."""

from typing import Any

from hypothesis import strategies as st

from muster.domain.inputs.static_networks import (
    HostNetworkInput,
    MacInterfaceInput,
    described,
    host_networks,
    static_network_text,
)
from muster.domain.nmstate.keyfiles import Keyfile
from muster.wire.nmstate import read_network

STATIC = """\
interfaces:
- name: eth0
  type: ethernet
  state: up
  ipv4:
    enabled: true
    address:
    - ip: 192.168.1.10
      prefix-length: 24
dns-resolver:
  config:
    server: [192.168.1.1]
routes:
  config:
  - destination: 0.0.0.0/0
    next-hop-address: 192.168.1.1
    next-hop-interface: eth0
"""
"""The settings of a host with one interface."""


def a_host(text: str = STATIC, **macs: str) -> HostNetworkInput:
    """The settings of a host, and the MAC addresses of its interfaces."""
    listed = (macs or {"eth0": "52:54:00:aa:00:01"}).items()
    interfaces = tuple(MacInterfaceInput(logical_nic_name=name, mac_address=mac) for name, mac in listed)
    return HostNetworkInput(network_yaml=text, mac_interface_map=interfaces)


def kept(*hosts: HostNetworkInput) -> dict[str, Any]:
    """The fields of an infra-env that keep the settings of hosts."""
    told = described(hosts, [read_network(str(each.network_yaml)) for each in hosts])
    return {"static_network_config": static_network_text(told), "networks": host_networks(told)}


def sections(text: str) -> dict[str, dict[str, str]]:
    """A keyfile as its keys by section."""
    found: dict[str, dict[str, str]] = {}
    here: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("["):
            here = found.setdefault(line.strip("[]"), {})
        elif line:
            key, _, value = line.partition("=")
            assert key not in here
            here[key] = value
    return found


def comparable(keyfiles: tuple[Keyfile, ...]) -> dict[str, Any]:
    """What keyfiles say, without what may differ between our converter and nmstate's. That is, all of it:

    - the order of routes and of rules;
    - which interface keeps a rule that any could keep (nmstate's choice is by chance, and it may lose the rule);
    - how addresses would be made where none are made.
    """
    files = {each.name: sections(each.text) for each in keyfiles}
    rules = set()
    for found in files.values():
        if found.get("ipv6", {}).get("method") == "disabled":
            found["ipv6"].pop("addr-gen-mode", None)
        for family in ("ipv4", "ipv6"):
            keys = found.get(family, {})
            rules |= {keys.pop(key) for key in list(keys) if key.startswith("routing-rule")}
            numbers = {key.removesuffix("_options") for key in keys if key.startswith("route") and key[5].isdigit()}
            ways = {(keys.pop(each), keys.pop(f"{each}_options", "")) for each in numbers}
            if ways:
                keys["routes"] = str(sorted(ways))
    return {"files": files, "rules": rules}


# Documents of any kind that is converted


def _perhaps(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name.replace("_", "-"): each for name, each in fields.items()})


def _ip(version: int) -> st.SearchStrategy[dict[str, Any]]:
    numbers = st.integers(1, 250)
    ips = numbers.map(lambda n: f"10.0.{n}.{n}") if version == 4 else numbers.map(lambda n: f"FD00::{n:x}:1")
    address = {"ip": ips | st.just("fe80::5") if version == 6 else ips, "prefix-length": st.integers(8, 32)}
    only_v6 = {
        "autoconf": st.booleans(),
        "dhcp_duid": st.sampled_from(["ll", "llt"]),
        "addr_gen_mode": st.sampled_from(["eui64", "stable-privacy"]),
    }
    return _perhaps(
        enabled=st.sampled_from([True, "on", "yes", 1, False]),
        dhcp=st.booleans(),
        address=st.lists(st.fixed_dictionaries(address), max_size=2),
        auto_dns=st.booleans(),
        auto_gateway=st.booleans(),
        auto_routes=st.booleans(),
        auto_route_table_id=st.integers(0, 300),
        auto_route_metric=st.integers(0, 300),
        dhcp_send_hostname=st.booleans(),
        dhcp_custom_hostname=st.just("foo"),
        dhcp_client_id=st.sampled_from(["ll", "iaid+duid", "01:02"]),
        **(only_v6 if version == 6 else {}),
    )


_COMMON = {
    "state": st.sampled_from(["up", "up", "up", "down", "absent"]),
    "mtu": st.integers(1280, 9000),
    "mac-address": st.integers(0, 255).map(lambda n: f"52:54:00:00:aa:{n:02x}"),
    "ipv4": _ip(4),
    "ipv6": _ip(6),
    "description": st.just("x y"),
    "wait-ip": st.sampled_from(["any", "ipv4", "ipv6", "ipv4+ipv6"]),
    "lldp": st.fixed_dictionaries({"enabled": st.booleans()}),
    "accept-all-mac-addresses": st.booleans(),
}


def _interface(name: str, kind: str, part: dict[str, Any], **perhaps: Any) -> st.SearchStrategy[dict[str, Any]]:
    must = {"name": st.just(name), "type": st.just(kind), **part}
    return st.fixed_dictionaries(must, optional={**_COMMON, **perhaps})


def _ethernet(name: str) -> st.SearchStrategy[dict[str, Any]]:
    link = _perhaps(
        auto_negotiation=st.booleans(), speed=st.sampled_from([10, 1000]), duplex=st.sampled_from(["full", "half"])
    )
    return _interface(name, "ethernet", {}, ethernet=link)


_BOND = st.fixed_dictionaries(
    {"mode": st.sampled_from(["active-backup", "802.3ad", 0, "1"])},
    optional={
        "port": st.lists(st.sampled_from(["eth1", "eth2", "eth7"]), unique=True),
        "options": st.fixed_dictionaries(
            {},
            optional={
                "miimon": st.integers(0, 200),
                "xmit_hash_policy": st.sampled_from([0, 5, "layer2+3"]),
                "fail_over_mac": st.sampled_from(["none", "active", "follow"]),
                "use_carrier": st.booleans(),
                "all_slaves_active": st.sampled_from([0, "delivered"]),
                "ad_actor_system": st.just("00:11:22:33:44:aa"),
            },
        ),
    },
)
_BRIDGE = _perhaps(
    port=st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(["eth2", "eth8"])},
            optional={"stp-hairpin-mode": st.booleans(), "stp-path-cost": st.integers(1, 100)},
        ),
        max_size=1,
    ),
    options=_perhaps(
        stp=_perhaps(enabled=st.booleans(), priority=st.integers(0, 60000), forward_delay=st.integers(2, 30)),
        mac_ageing_time=st.integers(0, 300),
        multicast_snooping=st.booleans(),
    ),
)
_VLAN = st.fixed_dictionaries(
    {"base-iface": st.sampled_from(["eth0", "bond0", "eth9"]), "id": st.integers(0, 4094)},
    optional={
        "protocol": st.sampled_from(["802.1q", "802.1ad"]),
        "reorder-headers": st.booleans(),
        "registration-protocol": st.sampled_from(["none", "gvrp", "mvrp"]),
    },
)
_INTERFACES = (
    _ethernet("eth0"),
    _ethernet("eth1"),
    _ethernet("eth2"),
    _interface("bond0", "bond", {"link-aggregation": _BOND}),
    _interface("br0", "linux-bridge", {}, bridge=_BRIDGE),
    _interface("eth0.5", "vlan", {"vlan": _VLAN}),
)
_ROUTES = st.builds(
    lambda way, rest: {**way, **rest},
    st.sampled_from(
        [
            {"destination": "10.9.0.0/16", "next-hop-address": "10.0.0.1"},
            {"destination": "10.7.7.7", "source": "10.0.0.7"},
            {"destination": "::/0", "next-hop-address": "fd00::1"},
        ]
    ),
    st.fixed_dictionaries(
        {"next-hop-interface": st.sampled_from(["eth0", "bond0", "eth0.5"])},
        optional={"metric": st.integers(-1, 9), "table-id": st.integers(0, 9)},
    ),
)
_DNS = _perhaps(
    server=st.sampled_from([[], ["1.1.1.1"], ["FD00::53", "1.1.1.1", "8.8.8.8"], ["1.1.1.1", "fd00::53", "8.8.8.8"]]),
    search=st.sampled_from([[], ["a.com", "b.com"]]),
    options=st.sampled_from([[], ["rotate"]]),
)


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """A document that may be in order."""
    chosen = draw(st.lists(st.sampled_from(_INTERFACES), min_size=1, max_size=4, unique_by=id))
    interfaces = [draw(each) for each in chosen]
    dns = draw(_DNS)
    if dns:
        # nmstate leaves names to some interfaces that are down, and not to others.
        interfaces = [{**each, "state": "up"} for each in interfaces]
    return {
        "interfaces": interfaces,
        "routes": {"config": draw(st.lists(_ROUTES, max_size=2))},
        "dns-resolver": {"config": dns},
    }
