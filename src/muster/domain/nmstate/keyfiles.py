"""Turns the network of a host into the keyfiles with which NetworkManager configures it.

They are those that `nmstatectl gc` makes; a test compares them. `network.py` calls it for documents in order.
"""

from collections.abc import Iterator
from hashlib import sha1

from muster.domain.record import Record

from .addressing import Section, ip_sections
from .state import BondPort, Interface, State, Vlan

TYPES = {"ethernet": "802-3-ethernet", "vlan": "vlan", "bond": "bond", "linux-bridge": "bridge"}
"""What NetworkManager calls nmstate's types."""

URLS = bytes.fromhex("6ba7b8119dad11d180b400c04fd430c8")
"""The namespace of names that are URLs (RFC 9562)."""

REGISTRATION = {"none": 0, "gvrp": 2, "mvrp": 8}


class Keyfile(Record):
    """A connection as NetworkManager keeps it."""

    name: str
    text: str


def keyfiles(state: State) -> tuple[Keyfile, ...]:
    """One file for every interface that is to be there, ports that nothing else is said of among them."""
    described = {each.name for each in state.interfaces}
    unnamed = [Interface(name=port) for port in state.controllers if port not in described]
    return tuple(
        Keyfile(name=f"{each.name}.nmconnection", text=preferred(_text(each, state)))
        for each in (*state.standing, *unnamed)
    )


def preferred(text: str) -> str:
    """A keyfile that comes before those which the system makes by itself."""
    return text.replace("[connection]\n", "[connection]\nautoconnect-priority=1\n", 1)


def _text(interface: Interface, state: State) -> str:
    """Sections with their keys in order; what has no value is left out."""
    parts = (
        "\n".join([f"[{name}]", *(f"{key}={section[key]}" for key in sorted(section) if section[key] != "")])
        for name, section in _sections(interface, state)
    )
    return "\n\n".join(parts) + "\n"


def _sections(interface: Interface, state: State) -> Iterator[tuple[str, Section]]:
    yield "connection", _connection(interface, state)
    if interface.link_aggregation is not None:
        yield "bond", {"mode": interface.link_aggregation.mode, **interface.link_aggregation.options}
    if interface.type == "linux-bridge":
        yield "bridge", _bridge(interface)
    if interface.name in state.controllers:
        yield from _port(interface.name, state.controllers[interface.name])
    else:
        yield from ip_sections(interface, state).items()
    if hardware := _hardware(interface):
        yield "ethernet", hardware
    if interface.vlan is not None:
        yield "vlan", _vlan(interface.vlan, state)
    if interface.description:
        yield "user", {"nmstate.interface.description": interface.description}


def _connection(interface: Interface, state: State) -> Section:
    controller = state.controllers.get(interface.name)
    is_controller = interface.type in {"bond", "linux-bridge"}
    return {
        "autoconnect": str(interface.state == "up").lower(),
        "autoconnect-slaves": "1" if is_controller else "-1",
        "id": interface.name,
        "interface-name": interface.name if interface.identifier == "name" else "",
        "lldp": "" if interface.lldp is None else str(int(interface.lldp.enabled)),
        "master": "" if controller is None else controller.name,
        "slave-type": "" if controller is None else TYPES[controller.type],
        "type": TYPES[interface.type],
        "uuid": _uuid(interface),
    }


def _uuid(interface: Interface) -> str:
    """The same for the same interface: a UUID made from its type and name (version 5)."""
    digest = bytearray(
        sha1(URLS + f"{interface.type}://{interface.name}".encode(), usedforsecurity=False).digest()[:16]
    )
    digest[6], digest[8] = digest[6] & 0x0F | 0x50, digest[8] & 0x3F | 0x80
    made = digest.hex()
    return "-".join((made[:8], made[8:12], made[12:16], made[16:20], made[20:]))


def _hardware(interface: Interface) -> Section:
    """What is said of the link itself, whatever kind of interface it is."""
    mac, ethernet = interface.mac_address, interface.ethernet
    found: dict[str, object] = {"mtu": interface.mtu}
    if not _takes_mac_of_port(interface):
        found["cloned-mac-address" if interface.identifier == "name" else "mac-address"] = mac
    if interface.accept_all_mac_addresses is not None:
        found["accept-all-mac-addresses"] = int(interface.accept_all_mac_addresses)
    if ethernet is not None and ethernet.auto_negotiation is not None:
        found["auto-negotiate"] = str(ethernet.auto_negotiation).lower()
        if not ethernet.auto_negotiation:
            found |= {"speed": ethernet.speed, "duplex": ethernet.duplex}
    return {key: str(value) for key, value in found.items() if value not in ("", None)}


def _takes_mac_of_port(interface: Interface) -> bool:
    bond = interface.link_aggregation
    return bond is not None and bond.mode == "active-backup" and bond.options.get("fail_over_mac") == "active"


def _vlan(vlan: Vlan, state: State) -> Section:
    """A parent that is known by its MAC address has no name yet, and is named by its connection."""
    parent = next((each for each in state.standing if each.name == vlan.base_iface), None)
    flags = int(vlan.reorder_headers) | REGISTRATION[vlan.registration_protocol] | int(vlan.loose_binding) << 2
    return {
        "flags": str(flags),
        "id": str(vlan.id),
        "parent": vlan.base_iface if parent is None or parent.identifier == "name" else _uuid(parent),
        "protocol": vlan.protocol.replace("q", "Q"),
    }


def _bridge(interface: Interface) -> Section:
    if interface.bridge is None:
        return {}
    options, stp = interface.bridge.options, interface.bridge.options.stp
    found = {
        "ageing-time": options.mac_ageing_time,
        "forward-delay": stp.forward_delay,
        "group-forward-mask": options.group_forward_mask,
        "hello-time": stp.hello_time,
        "max-age": stp.max_age,
        "multicast-snooping": options.multicast_snooping,
        "priority": stp.priority,
        "stp": stp.enabled,
        "vlan-filtering": None if interface.bridge.port is None else False,
    }
    return {key: str(value).lower() for key, value in found.items() if value is not None}


def _port(name: str, controller: Interface) -> Iterator[tuple[str, Section]]:
    if controller.link_aggregation is not None:
        listed = controller.link_aggregation.ports_config or ()
        bonded = next((each for each in listed if each.name == name), BondPort(name=name))
        section = {"prio": bonded.priority, "queue-id": bonded.queue_id}
        if any(section.values()):
            yield "bond-port", _numbers(section)
        return
    ports = (controller.bridge and controller.bridge.port) or ()
    bridged = next(each for each in ports if each.name == name)
    hairpin = {} if bridged.stp_hairpin_mode is None else {"hairpin-mode": str(bridged.stp_hairpin_mode).lower()}
    yield "bridge-port", hairpin | _numbers({"path-cost": bridged.stp_path_cost, "priority": bridged.stp_priority})


def _numbers(section: dict[str, int | None]) -> Section:
    return {key: str(value) for key, value in section.items() if value is not None}
