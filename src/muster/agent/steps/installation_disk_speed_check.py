"""The `installation-disk-speed-check` step: how long the installation disk takes to write safely."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.errors import Broken, Invalid
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply, DiskSpeedRequest
from muster.machine import Machine

from .step import Reply, first, replied

FAILED = 255


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """The duration in milliseconds; the second argument limits the seconds that may be spent on it."""
    request = first(args, DiskSpeedRequest, count=2)
    try:
        limit = float(args[1])
    except ValueError as error:
        raise Invalid(f"{args[1]!r} is not a number of seconds") from error
    try:
        duration = await machine.sync_duration(request.path, limit)
    except Broken as error:
        return replied(DiskSpeedReply(path=request.path)).but(exit_code=FAILED, error=str(error))
    return replied(DiskSpeedReply(io_sync_duration=duration, path=request.path))
