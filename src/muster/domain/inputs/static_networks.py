"""Rules for the network settings that hosts find in their discovery image.

Turns what a user wrote for each host, and what was read in it, into the text and the files that are kept with the
image, and into the problems it has; `infra_envs.py` calls it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from muster.domain.nmstate.network import HostNetwork, ReadNetwork
from muster.domain.nmstate.policy import policy_text
from muster.domain.nmstate.state import Interface, State
from muster.domain.record import Record

from .fields import Input, Problems, given

Mac = Annotated[str, Meta(pattern=r"^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\Z")]
WHOLE_MAC = re.compile(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
PREDICTABLE = re.compile(r"en[PsvxXbucaipod]")
"""How the names begin that a system gives to interfaces by the place where they are plugged in."""


class MacInterfaceInput(Input, kw_only=True):
    """What an interface of one host is called in its settings, as written."""

    logical_nic_name: str | UnsetType = UNSET
    mac_address: Mac

    @property
    def order(self) -> tuple[str, str]:
        """By name, then by address."""
        return given(self.logical_nic_name, ""), self.mac_address


class HostNetworkInput(Input):
    """The network settings of one host, as written."""

    mac_interface_map: tuple[MacInterfaceInput, ...] | UnsetType = UNSET
    network_yaml: str | UnsetType = UNSET

    @property
    def interfaces(self) -> tuple[MacInterfaceInput, ...]:
        """The interfaces in their order."""
        return tuple(sorted(given(self.mac_interface_map, ()), key=lambda each: each.order))

    @property
    def order(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """By settings, then by interfaces."""
        return given(self.network_yaml, ""), tuple(each.order for each in self.interfaces)


class Described(Record):
    """The settings of one host: what was written, and what was read in it."""

    host: HostNetworkInput
    read: ReadNetwork

    @property
    def macs(self) -> Mapping[str, str]:
        """The addresses by the names of interfaces."""
        return {given(each.logical_nic_name, ""): each.mac_address for each in self.host.interfaces}

    @property
    def unsupported(self) -> tuple[str, ...]:
        """What keeps them from being turned into keyfiles, in sentences."""
        return tuple(map(str, self.read.unsupported))


def described(hosts: Iterable[HostNetworkInput], reads: Iterable[ReadNetwork]) -> tuple[Described, ...]:
    """The settings of all hosts, as they were written; a map that was left out follows from the settings."""
    return tuple(
        Described(host=host if given(host.mac_interface_map, ()) else _mapped(host, read.state), read=read)
        for host, read in zip(hosts, reads, strict=True)
    )


def _mapped(host: HostNetworkInput, state: State) -> HostNetworkInput:
    """The settings with the addresses that they have for interfaces."""
    known = {each.name: each.mac_address.replace("-", ":") for each in state.standing if each.type == "ethernet"}
    found = tuple(
        MacInterfaceInput(logical_nic_name=name, mac_address=mac)
        for name, mac in known.items()
        if WHOLE_MAC.fullmatch(mac)
    )
    return host.but(mac_interface_map=found) if found else host


# What is kept


def static_network_text(hosts: Iterable[Described]) -> str:
    """The settings as they are kept: the same text whatever the order they were written in; "" for none."""
    in_order = [each.host.but(mac_interface_map=each.host.interfaces) for each in _in_order(hosts)]
    return msgspec.json.encode(in_order).decode() if in_order else ""


def host_networks(hosts: Iterable[Described]) -> tuple[HostNetwork, ...]:
    """The settings as files, in the order in which they are kept."""
    return tuple(
        HostNetwork(
            names="\n".join(
                sorted(f"{each.mac_address}={given(each.logical_nic_name, '')}" for each in it.host.interfaces)
            ),
            policy="" if it.read.problems else policy_text(it.read.values, it.macs),
            keyfiles=it.read.keyfiles,
            unsupported=it.unsupported,
        )
        for it in _in_order(hosts)
    )


def _in_order(hosts: Iterable[Described]) -> list[Described]:
    return sorted(hosts, key=lambda each: each.host.order)


# What is wrong


def static_network_problems(hosts: Iterable[Described]) -> Problems:
    """Every host has settings that can be read and addresses for its interfaces, and every address is one host's."""
    seen: set[str] = set()
    for index, each in enumerate(hosts):
        path = f"static_network_config[{index}]"
        if not given(each.host.network_yaml, "").strip():
            yield f"{path}.network_yaml: is empty; describe the network of the host in nmstate's YAML"
        else:
            yield from (f"{path}.network_yaml: {problem}" for problem in each.read.problems)
        if not given(each.host.mac_interface_map, ()):
            yield (
                f"{path}.mac_interface_map: is empty; say which MAC address each interface of the host has, here "
                "or by mac-address in network_yaml"
            )
        else:
            yield from _interface_problems(f"{path}.mac_interface_map", given(each.host.mac_interface_map, ()), seen)
            yield from _nameless_problems(f"{path}.mac_interface_map", each)


def _interface_problems(path: str, interfaces: tuple[MacInterfaceInput, ...], seen: set[str]) -> Problems:
    """`seen` gathers the addresses of all hosts."""
    names: set[str] = set()
    for index, interface in enumerate(interfaces):
        name, mac = given(interface.logical_nic_name, ""), interface.mac_address.lower()
        if not name:
            yield f"{path}[{index}].logical_nic_name: is empty; use the interface's name in network_yaml"
        elif name in names:
            yield f"{path}[{index}].logical_nic_name: {name!r} is listed twice for this host"
        if mac in seen:
            yield f"{path}[{index}].mac_address: {mac} is listed twice; it belongs to one interface of one host"
        names.add(name)
        seen.add(mac)


def _nameless_problems(path: str, it: Described) -> Problems:
    """Every interface that has to be found on the machine can be."""
    if it.read.problems:
        return
    lines = _to_be_found(it.read.state)
    for name in lines:
        if name not in it.macs and not PREDICTABLE.match(name):
            yield (
                f"{path}: {name} (line {lines[name]} of network_yaml) has no MAC address here; add it, or write "
                "identifier: mac-address and mac-address for it in network_yaml"
            )


def _to_be_found(state: State) -> dict[str, int]:
    """The interfaces that a machine has by itself and that are not known by their address, with their lines."""
    by_name: dict[str, Interface] = {each.name: each for each in state.standing}
    ports = {
        port: by_name.get(port, Interface(name=port, at=each.at))
        for each in state.interfaces
        if each.type == "bond"
        for port in each.ports
    }
    return {
        name: each.at.line
        for name, each in {**by_name, **ports}.items()
        if each.type == "ethernet" and each.identifier == "name"
    }


def unconverted_problems(unsupported: Iterable[tuple[str, ...]], why: str) -> Problems:
    """No host has settings that this service cannot turn into keyfiles; `why` they are needed."""
    for index, sentences in enumerate(unsupported):
        for sentence in sentences:
            yield (
                f"static_network_config[{index}].network_yaml: {sentence}; {why} needs keyfiles: leave it out, use a "
                "full-iso of a version whose system has nmstate, or install nmstatectl beside the service"
            )
