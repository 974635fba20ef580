"""Rules for the network settings that hosts find in their discovery image.

Turns what a user wrote for each host into the text that is kept with the image, and into the problems it
has; `infra_envs.py` calls it. Whether the settings work is for those to say who read them on the host.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from .fields import Input, Problems, given

Mac = Annotated[str, Meta(pattern=r"^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\Z")]


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


def static_network_text(hosts: tuple[HostNetworkInput, ...]) -> str:
    """The settings as they are kept: the same text whatever the order they were written in; "" for none."""
    if not hosts:
        return ""
    in_order = sorted(hosts, key=lambda each: each.order)
    return msgspec.json.encode([host.but(mac_interface_map=host.interfaces) for host in in_order]).decode()


def static_network_problems(hosts: tuple[HostNetworkInput, ...]) -> Problems:
    """Every host has settings and names for its interfaces, and every interface is one host's."""
    seen: set[str] = set()
    for index, host in enumerate(hosts):
        path = f"static_network_config[{index}]"
        if not given(host.network_yaml, "").strip():
            yield f"{path}.network_yaml: is empty; describe the network of the host in nmstate's YAML"
        if not given(host.mac_interface_map, ()):
            yield f"{path}.mac_interface_map: is empty; say which MAC address each interface of the host has"
        yield from _interface_problems(f"{path}.mac_interface_map", given(host.mac_interface_map, ()), seen)


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
