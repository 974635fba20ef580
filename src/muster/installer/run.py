"""Goes through the sequence of an installation, telling the service each stage, and why it stopped if it did."""

from collections.abc import Sequence

import msgspec

from muster.client import Client
from muster.domain.errors import MusterError
from muster.domain.progress import Stage
from muster.machine import Ended, Machine

from .sequence import install_sequence
from .work import Plan, Work

FAILED = 1


async def run(machine: Machine, client: Client, args: Sequence[str]) -> Ended:
    """Install a machine as the plan in the arguments says. On success this does not return: the machine restarts."""
    try:
        (text,) = args
        plan = msgspec.json.decode(text, type=Plan)
    except (ValueError, msgspec.DecodeError) as error:
        return Ended(code=FAILED, error=f"the plan cannot be read: {error}")
    return await install(Work(plan, machine, client))


async def install(work: Work) -> Ended:
    """Go through every phase. A task that fails ends the installation, and the service is told so."""
    try:
        for phase in install_sequence(work.plan):
            await work.enter(phase.stage, phase.info)
            for task in phase.tasks:
                await task(work)
    except MusterError as error:
        said = f"at stage {work.stage}: {error}"
        await work.enter(Stage.FAILED, said)
        return Ended(code=FAILED, error=said)
    return Ended(code=0)
