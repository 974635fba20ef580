"""The `install` step: the installer is started on the machine and waited for."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.inputs.host_overrides import FLAGS
from muster.domain.steps.install import InstallRequest, ProxyRequest
from muster.machine import Machine

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
    _check(request)
    if not await _fetch(machine, request.installer_image):
        return Reply(exit_code=NO_IMAGE, error=f"the image {request.installer_image} cannot be fetched")
    ended = await machine.run(CONTAINER, request.installer_image, (PROGRAM, args[0]))
    return Reply(exit_code=ended.code, output=ended.output, error=ended.error)


def _check(request: InstallRequest) -> None:
    """Refuse what would be passed on to programs that run as root and does not look as it should."""
    for disk in (request.boot_device, *request.disks_to_format):
        if not disk.startswith("/dev/"):
            raise Invalid(f"{disk!r} is not a disk")
    proxy = request.proxy or ProxyRequest()
    for url in (proxy.http_proxy, proxy.https_proxy):
        if url and not url.startswith("http://"):
            raise Invalid("a proxy must be given as a URL that begins with http://")
    for arg in first([request.installer_args or "[]"], tuple[str, ...]):
        if arg.startswith("-") and arg not in FLAGS:
            raise Invalid(f"{arg.partition('=')[0]!r} is not an option that the program that writes the disk may have")


async def _fetch(machine: Machine, image: str) -> bool:
    for _ in range(TRIES):
        pull = await machine.pull(image, PULL_SECONDS)
        if pull.fetched:
            return True
    return False
