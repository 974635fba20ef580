"""Many machines at once: starts them, and holds them for as long as the lab is up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from muster.adapters.machine.profile import Profile
from muster.adapters.machine.simulated import Boot, SimulatedMachine
from muster.adapters.machine.world import World
from muster.agent import loop as agent
from muster.agent.steps.install import PROGRAM
from muster.client import Client, as_agent
from muster.domain.errors import NotFound
from muster.domain.record import Record
from muster.installer import run as installer
from muster.wire.endpoints.clusters import GET_CLUSTER
from muster.wire.endpoints.versions import COMPONENT_VERSIONS

from .controller import Controller
from .faults import mend, strike
from .node import Body, come_up, live
from .running import names_of

Begin = Callable[[SimulatedMachine, float], None]
"""Lets the life of a machine begin, after so many seconds of its time."""


class Fleet:
    """Machines of one room that are up, and those that come to them later."""

    def __init__(self, world: World, begin: Begin) -> None:
        self.machines: dict[str, SimulatedMachine] = {}
        self._world = world
        self._begin = begin

    def add(self, profile: Profile, delay: float = 0.0) -> SimulatedMachine:
        """Put another machine into the room and switch it on."""
        machine = SimulatedMachine(profile, self._world)
        self.machines[profile.hostname] = machine
        self._begin(machine, delay)
        return machine

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

    def start_image(self, name: str) -> None:
        """Start the discovery image on a machine, as its user does after a reset."""
        self.machine(name).start_image()

    def break_operator(self, name: str) -> None:
        """Let an operator of the new cluster fail for as long as it is not mended."""
        self._world.broken_operators.add(name)

    def mend_operator(self, name: str) -> None:
        """Let an operator of the new cluster come up after all."""
        self._world.broken_operators.discard(name)


class Place(Record):
    """Where machines belong: the image they are started from and the cluster they become, if any."""

    infra_env_id: str
    cluster_id: str = ""
    token: str = ""
    """What the image gives its machines to show; "" if nobody asks them."""


@asynccontextmanager
async def up(client: Client, place: Place, profiles: Sequence[Profile], speed: float) -> AsyncIterator[Fleet]:
    """Machines, switched on one after the other, and the controller of their cluster; off again in the end."""
    world = World(speed)
    versions = await client.call(COMPONENT_VERSIONS)
    image = versions["versions"]["discovery-agent"]
    if place.cluster_id:
        world.names |= names_of(await client.call(GET_CLUSTER, cluster_id=place.cluster_id))
    client = client.bearing(as_agent(place.token))
    async with _together() as start:
        fleet = Fleet(
            world,
            lambda machine, delay: start(_live(machine, _bodies(machine, client, place.infra_env_id, image), delay)),
        )
        for profile, delay in zip(profiles, _delays(profiles), strict=True):
            fleet.add(profile, delay)
        if place.cluster_id and profiles:
            start(Controller(client, place.cluster_id, world, profiles[0].timings).run())
        yield fleet


@asynccontextmanager
async def _together() -> AsyncIterator[Callable[[Coroutine[None, None, None]], None]]:
    """A way to let work go on beside what is done here. It ends with that; a fault in it comes up here, as it is."""
    here = asyncio.current_task()
    assert here is not None
    tasks: list[asyncio.Task[None]] = []

    def start(work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        task.add_done_callback(lambda task: here.cancel() if _failed(task) else None)
        tasks.append(task)

    try:
        yield start
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
