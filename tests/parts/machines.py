"""Simulated machines for tests: ordinary ones, in one room, whose time runs as fast as it can."""

from typing import Any

from muster.adapters.machine.profile import NicProfile, Profile
from muster.adapters.machine.simulated import SimulatedMachine
from muster.adapters.machine.world import World

FAST = 1e6


def a_room(**names: tuple[str, ...]) -> World:
    """A room without anyone in it; `names` is what its name server knows, with _ for each dot."""
    return World(FAST, {name.replace("_", "."): addresses for name, addresses in names.items()})


def a_profile(name: str = "one", number: int = 10, **changes: Any) -> Profile:
    """A machine good enough for any role; `number` makes its address and its MAC address."""
    nic = NicProfile(mac=f"52:54:00:00:00:{number:02x}", addresses=(f"192.168.1.{number}/24",))
    profile = Profile(hostname=name, serial=f"serial-{name}", nics=(nic,), gateway="192.168.1.1")
    return profile.but(**changes)


def a_running_machine(world: World, name: str = "one", number: int = 10, **changes: Any) -> SimulatedMachine:
    """A machine that was started from the discovery image."""
    machine = SimulatedMachine(a_profile(name, number, **changes), world)
    machine.switch_on()
    return machine
