"""The `install` step: the installer is started on the machine and waited for."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.steps.install import InstallRequest
from muster.ports import Machine

from .step import Reply, first

CONTAINER = "assisted-installer"
"""The name of the container. It stays when it has ended, so that a machine is not installed twice."""

PROGRAM = "installer"
TRIES = 3
PULL_SECONDS = 600
NO_IMAGE = 2


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Run the installer to its end. If it runs or ran already, the exit code is 125 and the error says so."""
    request = first(args, InstallRequest)
    if not await _fetch(machine, request.installer_image):
        return Reply(exit_code=NO_IMAGE, error=f"the image {request.installer_image} cannot be fetched")
    ended = await machine.run(CONTAINER, request.installer_image, (PROGRAM, args[0]))
    return Reply(exit_code=ended.code, output=ended.output, error=ended.error)


async def _fetch(machine: Machine, image: str) -> bool:
    for _ in range(TRIES):
        pull = await machine.pull(image, PULL_SECONDS)
        if pull.fetched:
            return True
    return False
