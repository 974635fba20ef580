"""Many machines at once: starts them, and holds them for as long as the lab is up."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from muster.adapters.machine.profile import Profile
from muster.adapters.machine.simulated import Boot, SimulatedMachine
from muster.adapters.machine.world import World
from muster.agent import loop as agent
from muster.agent.steps.install import PROGRAM
from muster.client import Client
from muster.domain.errors import NotFound
from muster.domain.record import Record
from muster.installer import run as installer
from muster.wire.endpoints.versions import COMPONENT_VERSIONS

from .controller import Controller
from .faults import mend, strike
from .node import Body, come_up, live


class Fleet:
    """Machines that are up."""

    def __init__(self, machines: Iterable[SimulatedMachine]) -> None:
        self.machines = {machine.profile.hostname: machine for machine in machines}

    def machine(self, name: str) -> SimulatedMachine:
        """A machine by its name."""
        if name not in self.machines:
            raise NotFound(f"There is no machine {name!r} in this lab; there are {', '.join(self.machines)}")
        return self.machines[name]

    def strike(self, name: str, fault: str) -> None:
        """Let a fault happen to a machine."""
        strike(self.machine(name), fault)

    def mend(self, name: str, fault: str) -> None:
        """Put a fault of a machine right."""
        mend(self.machine(name), fault)


class Place(Record):
    """Where machines belong: the image they are started from and the cluster they become, if any."""

    infra_env_id: str
    cluster_id: str = ""


@asynccontextmanager
async def up(client: Client, place: Place, profiles: Sequence[Profile], speed: float) -> AsyncIterator[Fleet]:
    """Machines, switched on one after the other, and the controller of their cluster; off again in the end."""
    world = World(speed)
    versions = await client.call(COMPONENT_VERSIONS)
    image = versions["versions"]["discovery-agent"]
    fleet = Fleet(SimulatedMachine(profile, world) for profile in profiles)
    lives = [
        _live(machine, _bodies(machine, client, place.infra_env_id, image), delay)
        for machine, delay in zip(fleet.machines.values(), _delays(profiles), strict=True)
    ]
    if place.cluster_id and profiles:
        lives.append(Controller(client, place.cluster_id, world, profiles[0].timings).run())
    async with _together(lives):
        yield fleet


@asynccontextmanager
async def _together(works: Sequence[Coroutine[None, None, None]]) -> AsyncIterator[None]:
    """Work that goes on beside what is done here, and ends with it. A fault in it comes up here, as it is."""
    here = asyncio.current_task()
    assert here is not None
    tasks = [asyncio.create_task(work) for work in works]
    for task in tasks:
        task.add_done_callback(lambda task: here.cancel() if _failed(task) else None)
    try:
        yield
    except asyncio.CancelledError:
        if not any(map(_failed, tasks)):
            raise
        here.uncancel()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in filter(_failed, tasks):
        task.result()


def _failed(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is not None


def _delays(profiles: Sequence[Profile]) -> list[float]:
    return [profile.timings.spread * index / len(profiles) for index, profile in enumerate(profiles)]


def _bodies(machine: SimulatedMachine, client: Client, infra_env_id: str, image: str) -> dict[Boot, Body]:
    """What runs on a machine: the agent of a discovery image, or the system on its disk."""
    machine.programs[PROGRAM] = partial(installer.run, machine, client)
    return {
        Boot.IMAGE: partial(agent.run, machine, client, infra_env_id, image),
        Boot.DISK: partial(come_up, machine),
    }


async def _live(machine: SimulatedMachine, bodies: Mapping[Boot, Body], delay: float) -> None:
    await machine.sleep(delay)
    await live(machine, bodies)
