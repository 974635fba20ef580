"""The `container-image-availability` step: whether the images of the installation can be had, and how fast."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.hosts import ImageStatus
from muster.domain.steps.container_image_availability import ImagesReply, ImagesRequest
from muster.machine import Machine, Pull

from .step import Reply, first, replied

SOME_FAILED = 2
NOT_TRIED = Pull(fetched=False)


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Fetch one image after the other within the time given for all; the reply is complete even if some failed."""
    request = first(args, ImagesRequest)
    left = float(request.timeout)
    statuses: list[ImageStatus] = []
    for image in request.images:
        pull = await machine.pull(image, left) if left > 0 else NOT_TRIED
        left -= pull.seconds
        statuses.append(_status(image, pull))
    failed = [status.name for status in statuses if status.result == "failure"]
    reply = replied(ImagesReply(images=tuple(statuses)))
    return reply.but(exit_code=SOME_FAILED, error=f"cannot fetch {', '.join(failed)}") if failed else reply


def _status(image: str, pull: Pull) -> ImageStatus:
    status = ImageStatus(name=image, result="success" if pull.fetched else "failure")
    if not pull.fetched or not pull.size_bytes:
        return status
    rate = pull.size_bytes / 10**6 / pull.seconds if pull.seconds else 0.0
    return status.but(size_bytes=pull.size_bytes, time=pull.seconds, download_rate=rate)
