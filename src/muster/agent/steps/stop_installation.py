"""The `stop-installation` step: whatever installs on the machine is ended."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.errors import Invalid
from muster.machine import Machine

from .install import CONTAINER
from .step import Reply


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """End the installer, if there is one."""
    if args:
        raise Invalid(f"0 arguments are needed, {len(args)} were given")
    return Reply(exit_code=await machine.stop(CONTAINER))
