"""What cannot be right about the network of a host as a whole, and what of it has no keyfile of ours.

`network.py` calls it once a document could be read.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from muster.domain.record import Record

from .families import BY_NAME, FAMILIES, V6, Family, family_of, rule_family, server_family
from .placing import dns_places, rule_place
from .state import Bond, Interface, Ip, Route, Rule, State
from .tree import At, Problem

Problems = Iterator[Problem]
LONGEST = 15
"""The characters that the name of an interface may have in Linux."""

SMALLEST = 1280
"""The bytes that a packet may have at least where IPv6 is spoken."""

LACP = "802.3ad"
NO_ARP = frozenset({LACP, "balance-tlb", "balance-alb"})
ONLY_LACP = frozenset({"lacp_rate", "lacp_active"})
"""What of a bond goes with which of its modes."""

SECTIONS = {"ethernet": "ethernet", "vlan": "vlan", "link_aggregation": "bond", "bridge": "linux-bridge"}
"""The parts of an interface that only one type has, and which."""


def problems(state: State) -> Problems:
    """What is wrong with interfaces by themselves, in the order of the document."""
    for interface in state.interfaces:
        yield from _of_interface(interface)
    if not state.standing:
        text = "no interface of this document is to be up or down; describe at least one of the host"
        yield Problem(at=At(path="interfaces"), text=text)


def problems_together(state: State) -> Problems:
    """What does not go together, once everything in a document could be read."""
    yield from _twice(state)
    yield from _of_parents(state)
    yield from _of_ports(state)
    for route in state.wanted_routes:
        yield from _of_route(route, state)
    for rule in state.wanted_rules:
        yield from _of_rule(rule, state)
    yield from _of_dns(state)


def unsupported(state: State) -> Problems:
    """What nmstate could do with a document that is in order, and this service cannot."""
    for interface in state.standing:
        if interface.identifier == "pci-address":
            yield Problem(at=interface.at, text="is known by its PCI address, which this service has no keyfile for")
    for rule in state.wanted_rules:
        if rule_place(rule, state) is None:
            family = rule_family(rule).name
            yield Problem(at=rule.at, text=f"no interface of this document has {family}, so the rule has no place")
    if any("%" in each for each in state.dns.server):
        yield Problem(at=state.dns.at, text="servers with the name of an interface are not converted by this service")


# Interfaces


class Part(Record):
    """A part of an interface, and the place of it."""

    at: At
    family: Family
    ip: Ip


def _of_interface(interface: Interface) -> Problems:
    at, kind = interface.at, interface.type
    for section, only in SECTIONS.items():
        if getattr(interface, section) is not None and kind != only:
            name = section.replace("_", "-")
            yield Problem(at=at, text=f"{name} is for interfaces of type {only}, and {interface.name} is of {kind}")
    if not interface.is_there:
        return
    yield from _incomplete(interface)
    if interface.identifier == "mac-address" and not interface.mac_address:
        yield Problem(at=at, text="identifier is mac-address, and mac-address is missing; write it")
    if interface.ipv6.enabled and interface.mtu is not None and interface.mtu < SMALLEST:
        text = f"mtu is {interface.mtu}, and IPv6 needs at least {SMALLEST}; raise it, or disable ipv6"
        yield Problem(at=at, text=text)
    if len(interface.name) > LONGEST and _is_made_here(interface):
        yield Problem(at=at, text=f"the name {interface.name} has more than {LONGEST} characters; shorten it")
    for family in FAMILIES:
        yield from _of_ip(Part(at=family.of(interface).at, family=family, ip=family.of(interface)))


def _incomplete(interface: Interface) -> Problems:
    """What a type cannot be without."""
    if interface.type == "vlan" and interface.vlan is None:
        yield Problem(at=interface.at, text="vlan is missing; say vlan: {base-iface: eth0, id: 100}")
    if interface.type == "bond" and interface.link_aggregation is None:
        yield Problem(at=interface.at, text="link-aggregation is missing; say its mode and its ports")


def _is_made_here(interface: Interface) -> bool:
    """Whether the interface comes to be under this very name, instead of that of the machine."""
    if interface.vlan is not None:
        return not interface.name.startswith(f"{interface.vlan.base_iface}.")
    return interface.type in {"bond", "linux-bridge"}


def _of_ip(part: Part) -> Problems:
    ip, family = part.ip, part.family
    for address in ip.address:
        if server_family(address.ip) is not family:
            yield Problem(at=address.at, text=f"{address.ip} is no address of {family.name}; move it to the other one")
        elif address.prefix_length > family.longest:
            text = f"prefix-length is {address.prefix_length}; it is at most {family.longest} in {family.name}"
            yield Problem(at=address.at, text=text)
    if ip.enabled and ip.autoconf and not ip.dhcp:
        yield Problem(at=ip.at, text="autoconf without dhcp is not supported by nmstate; set dhcp: true too")


def _twice(state: State) -> Problems:
    seen: dict[str, At] = {}
    for interface in state.interfaces:
        if interface.name in seen:
            first = seen[interface.name]
            yield Problem(at=interface.at, text=f"{interface.name} is described in line {first.line} already")
        seen.setdefault(interface.name, interface.at)


def _of_parents(state: State) -> Problems:
    gone = {each.name for each in state.interfaces if each.state == "absent" and each.type != "ethernet"}
    for interface in state.standing:
        if interface.vlan is not None and interface.vlan.base_iface in gone:
            text = f"{interface.name} is a part of {interface.vlan.base_iface}, which is to be absent; keep that too"
            yield Problem(at=interface.at, text=text)


def _of_ports(state: State) -> Problems:
    """Every port belongs to one interface, and leaves addresses to it."""
    by_name = {each.name: each for each in state.standing}
    owners: dict[str, str] = {}
    for controller in state.interfaces:
        for port, times in Counter(controller.ports).items():
            at = controller.at
            if times > 1 or port in owners:
                other = owners.get(port, controller.name)
                yield Problem(at=at, text=f"port {port} of {controller.name} is a port of {other} already")
            owners.setdefault(port, controller.name)
            if port in by_name and any(family.of(by_name[port]).enabled for family in FAMILIES):
                text = f"{port} is a port of {controller.name}, so it has no addresses of its own; give them to that"
                yield Problem(at=by_name[port].at, text=text)
        if controller.link_aggregation is not None and controller.is_there:
            yield from _of_bond(controller.link_aggregation)


def _of_bond(bond: Bond) -> Problems:
    asked = {each: bond.options.get(each, "0") != "0" for each in ("miimon", "arp_interval")}
    if all(asked.values()):
        yield Problem(at=bond.at, text="miimon and arp_interval exclude each other; use one of them")
    elif asked["arp_interval"] and bond.mode in NO_ARP:
        yield Problem(at=bond.at, text=f"arp_interval does not work with mode {bond.mode}; use miimon")
    for option in sorted(bond.options.keys() & ONLY_LACP):
        if bond.mode != LACP:
            yield Problem(at=bond.at, text=f"{option} is for mode {LACP}, and the mode is {bond.mode}; leave it out")
    listed = {*bond.ports} if bond.ports_config is None else {each.name for each in bond.ports_config}
    for name in sorted(listed ^ {*bond.ports}):
        yield Problem(
            at=bond.at, text=f"{name} is in one of port and ports-config only; write it in both, or leave one out"
        )


# Routes, rules and names


def _of_route(route: Route, state: State) -> Problems:
    by_name = {each.name: each for each in state.standing if each.state == "up"}
    missing = [each for each in ("destination", "next_hop_interface") if not getattr(route, each)]
    yield from (Problem(at=route.at, text=f"{each.replace('_', '-')} is missing; write it") for each in missing)
    if missing:
        return
    family = _read(family_of, route.destination)
    if family is None:
        yield Problem(at=route.at, text=f"destination is {route.destination!r}; write a network as 10.0.0.0/8")
        return
    interface = by_name.get(route.next_hop_interface)
    if interface is None:
        text = f"next-hop-interface is {route.next_hop_interface}, which this document does not bring up"
        yield Problem(at=route.at, text=text)
    elif not family.is_for(interface, state):
        yield Problem(at=route.at, text=f"{interface.name} has {family.name} disabled, so it has no routes; enable it")
    if route.weight is not None and family is V6:
        yield Problem(at=route.at, text="weight is for IPv4 only; nmstate does not set it for IPv6")
    if any(server_family(each) is not family for each in (route.next_hop_address, route.source) if each):
        yield Problem(at=route.at, text="destination, next-hop-address and source must be of the same family")


def _of_rule(rule: Rule, state: State) -> Problems:
    written = {"ip-from": rule.ip_from, "ip-to": rule.ip_to}
    families = {each: _read(family_of, value) for each, value in written.items() if value}
    for each, family in families.items():
        if family is None:
            yield Problem(at=rule.at, text=f"{each} is {written[each]!r}; write a network as 10.0.0.0/8")
    known = {*filter(None, families.values()), *([BY_NAME[rule.family]] if rule.family else [])}
    if len(known) > 1:
        yield Problem(at=rule.at, text="family, ip-from and ip-to must be of the same family")
    if not families and not rule.family:
        yield Problem(at=rule.at, text="says of no packets that it is for them; write ip-from, ip-to or family")
    if rule.fwmask is not None and not rule.fwmark:
        yield Problem(at=rule.at, text="fwmask is written without fwmark; write both")
    if rule.iif and rule.iif not in {each.name for each in state.standing}:
        yield Problem(at=rule.at, text=f"iif is {rule.iif}, and this document describes no such interface")


def _of_dns(state: State) -> Problems:
    dns = state.dns
    families = [_read(server_family, each.partition("%")[0]) for each in dns.server]
    bad = [server for server, family in zip(dns.server, families, strict=True) if family is None]
    yield from (Problem(at=dns.at, text=f"server {each!r} is no IP address") for each in bad)
    if bad:
        return
    if len([*groupby(families)]) > len({*families}):
        yield Problem(at=dns.at, text="nmstate wants all servers of one family together: first these, then those")
        return
    for place in dns_places(state):
        if place.interface is None:
            text = f"no interface has addresses of {place.family.name}, or gets them, so that {place.what} has no place"
            yield Problem(at=dns.at, text=text)


def _read(reading: Callable[[str], Family], written: str) -> Family | None:
    try:
        return reading(written)
    except ValueError:
        return None
