"""The profiles of a room full of machines: made by number, and changed by what a file says of them."""

from collections.abc import Mapping
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from typing import Any

import msgspec
import yaml

from muster.adapters.machine.profile import NicProfile, Profile
from muster.domain.errors import Invalid
from muster.domain.record import Record

FIRST_HOST = 10
"""Where in their network the addresses of machines begin; those before are for the gateway and the like."""

GATEWAY, API, INGRESS = 1, 2, 3
MEMORY_GIB = {"master": 16, "arbiter": 8, "worker": 32}
"""The service gives the smallest machines that will do to the control plane; an arbiter's is too small for a master."""

SECOND_NETWORK = "fd2e:6f44:5dd8::/64"
"""Where machines have their second addresses, if they have any."""

NETWORKS = {240: "192.168.126.0/24", 1000: "192.168.124.0/22"}
"""For how many machines each network is large enough."""

EVERYONE = "default"
"""The name under which a file says what holds for every machine."""

Said = Mapping[str, dict[str, Any]]
"""What a file says of machines, by their names."""


class Room(Record):
    """How many machines, in which network, and what tells them from those of other rooms."""

    network: str = "192.168.126.0/24"
    seed: str = "lab"
    masters: int = 3
    workers: int = 2
    arbiters: int = 0
    """Machines that have a vote beside two masters, and not much else."""
    second_network: str = ""
    """An IPv6 network that every machine is in besides; "" if there is none."""
    user_managed: bool = False
    """Whether names and load balancing are the user's affair."""
    static: bool = False
    """Whether the image tells every machine its addresses."""
    reserved: tuple[str, ...] = ()
    """Addresses that no machine may have."""

    @property
    def networks(self) -> tuple[str, ...]:
        """Every network that the machines are in."""
        return tuple(filter(None, (self.network, self.second_network)))

    def addresses(self, number: int) -> tuple[str, ...]:
        """The addresses with a number, one of each network."""
        return tuple(str(ip_network(network)[number]) for network in self.networks)

    def address(self, number: int) -> str:
        """The address of the first network with a number."""
        return self.addresses(number)[0]

    @property
    def api_vips(self) -> tuple[str, ...]:
        """Free addresses for the API of the cluster."""
        return self.addresses(API)

    @property
    def ingress_vips(self) -> tuple[str, ...]:
        """Free addresses for the ingress of the cluster."""
        return self.addresses(INGRESS)

    @property
    def names(self) -> list[str]:
        """The names of the machines."""
        counts = (("master", self.masters), ("arbiter", self.arbiters), ("worker", self.workers))
        return [f"{kind}-{index}" for kind, count in counts for index in range(count)]


def network_for(machines: int) -> str:
    """A network with addresses for so many machines."""
    found = next((network for most, network in NETWORKS.items() if machines <= most), None)
    if found is None:
        raise Invalid(f"{machines} machines are more than the {max(NETWORKS)} that fit into one room")
    return found


def profiles_of(room: Room, said: Said | None = None) -> list[Profile]:
    """The machines of a room, each good enough for its role unless a file says otherwise."""
    said = said or {}
    unknown = [name for name in said if name not in (EVERYONE, *room.names)]
    if unknown:
        raise Invalid(f"profile: there is no machine {unknown[0]!r}; there are {', '.join(room.names)}")
    return [
        _changed(_profile(room, name, number), said.get(EVERYONE, {}) | said.get(name, {}))
        for name, number in zip(room.names, _numbers(room), strict=True)
    ]


def _numbers(room: Room) -> list[int]:
    """The numbers of the addresses that the machines get."""
    network = ip_network(room.network)
    wanted = len(room.names)
    room_for = min(network.num_addresses - 1, FIRST_HOST + wanted + len(room.reserved))
    numbers = [number for number in range(FIRST_HOST, room_for) if room.address(number) not in room.reserved]
    if not isinstance(network, IPv4Network) or len(numbers) < wanted:
        raise Invalid(f"network: {room.network} is no IPv4 network with addresses for {wanted} machines")
    return numbers[:wanted]


def _profile(room: Room, name: str, number: int) -> Profile:
    last = ":".join(f"{byte:02x}" for byte in number.to_bytes(3))
    prefixes = (ip_network(network).prefixlen for network in room.networks)
    addresses = zip(room.addresses(number), prefixes, strict=True)
    nic = NicProfile(mac=f"52:54:00:{last}", addresses=tuple(f"{each}/{prefix}" for each, prefix in addresses))
    return Profile(
        hostname=name,
        serial=f"{room.seed}/{name}",
        memory_gib=MEMORY_GIB[name.partition("-")[0]],
        nics=(nic,),
        gateway=room.address(GATEWAY),
        second_gateway=next(iter(room.addresses(GATEWAY)[1:]), ""),
    )


def _changed(profile: Profile, said: dict[str, Any]) -> Profile:
    if not said:
        return profile
    try:
        return msgspec.convert(msgspec.to_builtins(profile) | said, Profile)
    except msgspec.ValidationError as error:
        raise Invalid(f"profile of {profile.hostname}: {error}") from error


def read_profiles(path: Path) -> Said:
    """What a YAML or JSON file says: by the name of a machine, or `default` for all, the fields that differ."""
    try:
        return msgspec.convert(yaml.safe_load(path.read_text()) or {}, dict[str, dict[str, Any]])
    except (OSError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise Invalid(f"profile: {path} cannot be read as machines by name: {error}") from error
