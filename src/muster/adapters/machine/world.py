"""The room that the machines of one lab stand in: the wire between them, the servers on it, and its time.

Machines ask it who answers at an address, so that what one of them sees fits what the others are. Its time
runs faster than ours by `speed`.
"""

import asyncio
from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import Protocol

from muster.domain.networks import lies_in, normal, plain
from muster.domain.progress import Stage

from .profile import NicProfile, Profile

FINEST = 0.02
"""The shortest real wait, so that nothing spins however fast the room's time runs."""

REGISTRY_ADDRESS = "203.0.113.10"
TIME_SERVER = "time.lab.local"


NEVER_ENDING = """lease {{
  interface "{name}";
  fixed-address {address};
  option dhcp-lease-time 4294967295;
  renew never;
  rebind never;
  expire never;
}}
"""
"""What a DHCP client writes down of a lease without an end."""


class Occupant(Protocol):
    """A machine, as the others notice it."""

    profile: Profile
    on: bool


class World:
    """One room."""

    def __init__(self, speed: float = 1.0, names: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.speed = speed
        self.names: dict[str, tuple[str, ...]] = {"lab.muster.local": (REGISTRY_ADDRESS,), **(names or {})}
        """What the name server knows."""
        self.nodes: dict[str, Stage] = {}
        """By host id, how far the machines that run their installed system have come."""
        self.broken_operators: set[str] = set()
        """Operators of the new cluster that do not come up."""
        self.pages: dict[str, bytes] = {}
        """What web servers in the room say, by URL; for any other URL a machine asks the world outside."""
        self._leases: dict[tuple[str, str], str] = {}
        self._occupants: list[Occupant] = []
        self._places: dict[str, list[tuple[Occupant, NicProfile]]] = {}
        self._occupied: dict[str, tuple[str, ...]] = {}

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the room's time."""
        await asyncio.sleep(max(seconds / self.speed, FINEST) if seconds > 0 else 0)

    def elapsed(self) -> float:
        """A count of the room's seconds."""
        return monotonic() * self.speed

    def enter(self, machine: Occupant) -> None:
        """A machine is put into the room."""
        self._occupants.append(machine)
        self.rewire()

    def rewire(self) -> None:
        """Something about a machine's place on the wire, or its power, has changed."""
        self._occupied.clear()
        self._places.clear()
        for machine in self._occupants:
            for nic in machine.profile.nics if machine.on else ():
                for address in nic.addresses:
                    self._places.setdefault(plain(address), []).append((machine, nic))

    def at(self, address: str) -> list[tuple[Occupant, NicProfile]]:
        """The machines that are switched on and have an address, with the interface that has it."""
        return self._places.get(plain(address), [])

    def occupied(self, network: str) -> tuple[str, ...]:
        """The addresses of a network that something in the room answers at, in order."""
        known = self._occupied.get(network)
        if known is None:
            wanted = ip_network(network)
            found = {ip_address(each) for each in self._answering()}
            known = tuple(str(each) for each in sorted(each for each in found if each in wanted))
            self._occupied[network] = known
        return known

    def lease(self, network: str, mac: str) -> str:
        """What the room's DHCP server leases to a MAC address: the last that is free, and always the same one."""
        known = self._leases.get((network, mac))
        if known is None:
            span = ip_network(network)
            taken = {*self.occupied(network), *self._leases.values()}
            candidates = (span[index] for index in range(span.num_addresses - 2, 0, -1))
            known = next((str(each) for each in candidates if str(each) not in taken), "")
            self._leases[network, mac] = known
        return known

    def _answering(self) -> Iterator[str]:
        yield from self._places
        yield from {way for machine in self._occupants for way in machine.profile.gateways}


def reaches(one: Profile, other: Profile) -> bool:
    """Whether packets find their way between two machines."""
    return other.hostname not in one.unreachable and one.hostname not in other.unreachable


def on_wire(nic: NicProfile, address: str) -> bool:
    """Whether an address lies in a network of an interface."""
    return any(lies_in(address, normal(each)) for each in nic.addresses)


def noted_lease(name: str, address: str, before: str) -> str:
    """What a DHCP client has written down of an address: the same as before if it is the same address."""
    return before if f"fixed-address {address};" in before else NEVER_ENDING.format(name=name, address=address)
