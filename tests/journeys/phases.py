"""The phases of an installation, each held still for journeys that turn back there.

Every phase is held by something that may happen to machines, and let go by mending that.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from installing import press_install

from muster.domain.clusters import ClusterState
from muster.domain.errors import Refused
from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.states.hosts import HostState
from muster.wire.endpoints.events import LIST_EVENTS
from parts.labs import Lab
from watching import LOOKS_AGAIN, host_of, in_state, until

SUFFERER, OTHER = "master-0", "master-1"
PATIENCE = 60.0

Holds = Callable[[dict[str, Any]], bool]


async def seen(it: Lab, holds: Holds) -> dict[str, Any]:
    """The cluster of a lab, once something is so."""
    return await until(it.client, it.place.cluster_id, holds, PATIENCE)


async def act(it: Lab, endpoint: Any, **what: Any) -> Any:
    """What the service answers to something that is asked of the cluster of a lab."""
    return await it.client.call(endpoint, cluster_id=it.place.cluster_id, **what)


async def names_told(it: Lab) -> list[str]:
    """The names of the events of a cluster and its hosts, in order."""
    events = await it.client.call(LIST_EVENTS, query={"cluster_id": it.place.cluster_id})
    return [event["name"] for event in events]


async def until_told(it: Lab, name: str) -> None:
    """Return once an event of a name was told of the cluster or of a host."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if name in await names_told(it):
                return
            await asyncio.sleep(LOOKS_AGAIN)


def start_images(it: Lab) -> None:
    """What the user is asked for after a reset: every machine is started from the discovery image."""
    for name in it.fleet.machines:
        it.fleet.start_image(name)


@contextmanager
def refused() -> Iterator[None]:
    """What is asked is answered with 409."""
    with pytest.raises(Refused):
        yield


def is_at(name: str, stage: Stage) -> Holds:
    """A host has come to a stage."""
    return lambda cluster: host_of(cluster, name)["progress"].get("current_stage") == stage


def is_in(name: str, *states: HostState) -> Holds:
    """A host has come into a state."""
    return lambda cluster: host_of(cluster, name)["status"] in states


async def _held_preparing(it: Lab) -> None:
    """A host whose agent has died is not tried out, and everyone waits for it."""
    await seen(it, in_state("ready"))
    it.fleet.strike(SUFFERER, "agent-crash")
    await press_install(it)
    await seen(it, is_in(OTHER, HostState.PREPARED))


async def _held_told(it: Lab) -> None:
    """An agent dies when its host is prepared, so that the host is told to install and never hears of it."""
    await _held_preparing(it)
    it.fleet.strike(OTHER, "agent-crash")
    it.fleet.mend(SUFFERER, "agent-crash")
    await seen(it, is_in(SUFFERER, HostState.IN_PROGRESS))


def held_by(fault: str, holds: Holds) -> Callable[[Lab], Awaitable[None]]:
    """A fault of one machine holds everyone up."""

    async def hold(it: Lab) -> None:
        it.fleet.strike(SUFFERER, fault)
        await press_install(it)
        await seen(it, holds)

    return hold


async def _held_bootstrapping(it: Lab) -> None:
    """The temporary control plane hangs, whichever host it runs on."""
    for name in it.fleet.machines:
        it.fleet.strike(name, "bootstrap-hangs")
    await press_install(it)
    await seen(it, lambda cluster: any(is_at(name, Stage.BOOTKUBE)(cluster) for name in it.fleet.machines))


async def _held_finalizing(it: Lab) -> None:
    """The console does not come up."""
    it.fleet.break_operator("console")
    await press_install(it)
    await seen(it, lambda cluster: cluster["progress"].get("finalizing_stage") == "Waiting for cluster operators")


class Phase(Record):
    """A phase of an installation."""

    state: ClusterState
    """Where the cluster stands meanwhile."""
    hold: Callable[[Lab], Awaitable[None]]
    """Goes there from a lab that has just been brought up, and stays."""
    faults: tuple[tuple[str, str], ...] = ()
    """What has to be mended before another attempt."""

    def let_go(self, it: Lab) -> None:
        """Put right what held the installation up."""
        for name, fault in self.faults:
            it.fleet.mend(name, fault)
        it.fleet.mend_operator("console")


CRASHED, SLOW, UNPLUGGED, ASTRAY, BROKEN = (
    "agent-crash", "slow-writes", "power-loss:rebooting", "boots-iso-again", "disk-write-failure",
)  # fmt: skip

PHASES = {
    "preparing": Phase(state=ClusterState.PREPARING, hold=_held_preparing, faults=((SUFFERER, CRASHED),)),
    "before writing": Phase(state=ClusterState.INSTALLING, hold=_held_told, faults=((OTHER, CRASHED),)),
    "writing": Phase(
        state=ClusterState.INSTALLING,
        hold=held_by(SLOW, is_at(SUFFERER, Stage.WRITING)),
        faults=((SUFFERER, SLOW),),
    ),
    "bootstrapping": Phase(
        state=ClusterState.INSTALLING,
        hold=_held_bootstrapping,
        faults=tuple((f"master-{number}", "bootstrap-hangs") for number in range(3)),
    ),
    "rebooting": Phase(
        state=ClusterState.INSTALLING,
        hold=held_by(UNPLUGGED, is_at(SUFFERER, Stage.REBOOTING)),
        faults=((SUFFERER, UNPLUGGED),),
    ),
    "waiting for the user": Phase(
        state=ClusterState.PENDING_USER_ACTION,
        hold=held_by(ASTRAY, in_state("installing-pending-user-action")),
        faults=((SUFFERER, ASTRAY),),
    ),
    "finalizing": Phase(state=ClusterState.FINALIZING, hold=_held_finalizing),
    "failed": Phase(state=ClusterState.ERROR, hold=held_by(BROKEN, in_state("error")), faults=((SUFFERER, BROKEN),)),
}
"""Every phase between install and the end, in order."""
