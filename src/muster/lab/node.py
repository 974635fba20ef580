"""The life of a machine: from the discovery image to its disk, and what becomes of it there.

`fleet.py` starts one `live` for each machine. A machine that runs from its disk is a node: it comes up by
itself, and the room's record of nodes, which stands for the new cluster's own API, says how far it has come.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from muster.adapters.machine.simulated import Boot, SimulatedMachine
from muster.domain.progress import Stage

Body = Callable[[], Awaitable[None]]
"""What runs on a machine once it has started."""


async def live(machine: SimulatedMachine, bodies: Mapping[Boot, Body]) -> None:
    """Start the machine whenever it is off and has power, and run on it what it was started from."""
    while True:
        await machine.until(lambda: machine.powered)
        await _one_run(machine, bodies[machine.switch_on()])
        await machine.sleep(machine.profile.timings.reboot)


async def _one_run(machine: SimulatedMachine, body: Body) -> None:
    """From switching on to switching off. The body ends with the machine, or earlier."""
    task = asyncio.ensure_future(body())
    task.add_done_callback(lambda _: machine.nudge())
    try:
        await machine.until(lambda: not machine.on or task.done() or _agent_died(machine))
        if task.done():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await machine.until(lambda: not machine.on)


def _agent_died(machine: SimulatedMachine) -> bool:
    return machine.booted is Boot.IMAGE and machine.profile.agent_dead


async def come_up(machine: SimulatedMachine) -> None:
    """Become a node, stage by stage."""
    timings = machine.profile.timings
    for stage, seconds in (
        (Stage.IGNITION, timings.ignition),
        (Stage.CONFIGURING, timings.configuring),
        (Stage.JOINED, timings.joining),
        (Stage.DONE, timings.ready),
    ):
        await machine.sleep(seconds)
        machine.world.nodes[machine.identity()] = stage
        machine.journal(f"stage {stage}")
