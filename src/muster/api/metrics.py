"""What is counted about calls, and all figures together as they are shown under `/metrics`."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from time import perf_counter
from urllib.parse import unquote

from prometheus_client import generate_latest

from muster.domain.base_images import BaseImage
from muster.runtime.meters import Histogram, Meter, text_of
from muster.runtime.wiring import Service
from muster.wire.endpoints import ENDPOINTS

SERVICE = "assisted-installer"

CALLS = Histogram(
    "muster_http_request_seconds",
    "How long calls take to answer, by operation and status",
    ("operation", "status"),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
DURATIONS = Histogram(
    "http_request_duration_seconds",
    "How long calls take to answer",
    ("service", "handler", "method", "code"),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
SIZES = Histogram(
    "http_response_size_bytes",
    "How large answers are",
    ("service", "handler", "method", "code"),
    buckets=tuple(100 * 10**power for power in range(8)),
)
UNDER_WAY = Meter(
    "gauge", "http_requests_inflight", "Calls that are being answered now", ("service", "handler", "method")
)

IMAGE_DURATIONS = Histogram(
    "assisted_image_service_http_request_duration_seconds",
    "How long images take to be sent",
    ("service", "handler", "method", "code"),
    buckets=(0.1, 1, 10, 50, 100, 300, 600),
)
IMAGE_SIZES = Histogram(
    "assisted_image_service_http_response_size_bytes",
    "How much of an image is sent",
    ("service", "handler", "method", "code"),
    buckets=(100, 1e6, 5e8, 1e9, 1e10),
)
IMAGES_UNDER_WAY = Meter(
    "gauge",
    "assisted_image_service_http_requests_inflight",
    "Images that are being sent now",
    ("service", "handler", "method"),
)

HANDLERS = {each.name: each.path for each in ENDPOINTS}
"""The path of every operation; what has none is called by its name."""


@contextmanager
def under_way(operation: str, method: str) -> Iterator[None]:
    """Count a call for as long as it is being answered."""
    labels = (SERVICE, HANDLERS.get(operation, operation), method)
    UNDER_WAY.add(*labels)
    try:
        yield
    finally:
        UNDER_WAY.add(*labels, by=-1)


class Answered:
    """A call that has been answered, and how large the answer was."""

    __slots__ = ("_labels",)

    def __init__(self, operation: str, method: str, status: int, seconds: float) -> None:
        self._labels = (SERVICE, HANDLERS.get(operation, operation), method, str(status))
        CALLS.observe(seconds, operation, str(status))
        DURATIONS.observe(seconds, *self._labels)

    def whole(self, body: bytes) -> None:
        """An answer that is complete; its size is noted."""
        SIZES.observe(len(body), *self._labels)

    @contextmanager
    def sent(self, size: int) -> Iterator[None]:
        """A part of an image, while it is sent; it counts among the calls by its size and its time on the way."""
        began = perf_counter()
        IMAGES_UNDER_WAY.add(*self._labels[:3])
        try:
            yield
        finally:
            IMAGES_UNDER_WAY.add(*self._labels[:3], by=-1)
            IMAGE_DURATIONS.observe(perf_counter() - began, *self._labels)
            IMAGE_SIZES.observe(size, *self._labels)

    async def streamed(self, stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """An answer piece by piece; its size is noted when there is no more of it."""
        size = 0
        try:
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    size += len(piece)
                    yield piece
        finally:
            SIZES.observe(size, *self._labels)


async def metrics_text(service: Service) -> bytes:
    """Every figure there is."""
    room = await asyncio.to_thread(_room, service.settings.folder, service.settings.storage_url)
    images = (IMAGE_DURATIONS, IMAGE_SIZES, IMAGES_UNDER_WAY)
    bases = _images(service.base_images.states())
    return generate_latest() + text_of(
        (*service.measures.meters, *room, *bases, CALLS, DURATIONS, SIZES, UNDER_WAY, *images)
    )


def _room(folder: Path, storage: str) -> tuple[Meter, ...]:
    """How much room is used and left where the files are; what cannot be measured is left out."""
    used = Meter("gauge", "assisted_installer_directory_usage_bytes", "Bytes in the data folder", ("directory",))
    free = Meter("gauge", "assisted_installer_fs_free_bytes", "Bytes free where the data folder is", ("directory",))
    full = Meter(
        "gauge", "service_assisted_installer_filesystem_usage_percentage", "How full the storage is, in percent"
    )
    with suppress(OSError):
        used.set(_size(folder), str(folder))
        free.set(shutil.disk_usage(folder).free, str(folder))
    with suppress(OSError):
        # A bucket is no folder that could be found.
        disk = shutil.disk_usage(unquote(storage.removeprefix("file://")))
        full.set(100 * disk.used / disk.total)
        return used, free, full
    return used, free


def _images(images: Iterable[BaseImage]) -> tuple[Meter, ...]:
    """How far the files of system images have come."""
    labels = ("version", "architecture", "build", "type")
    states = Meter("gauge", "muster_base_image_state", "Where a system image stands", (*labels, "state"))
    come = Meter("gauge", "muster_base_image_fetched_bytes", "Bytes of a system image that are there", labels)
    size = Meter("gauge", "muster_base_image_size_bytes", "Bytes that a system image has", labels)
    for image in images:
        which = (image.openshift_version, image.cpu_architecture, image.version, image.type)
        states.set(1, *which, image.state)
        come.set(image.fetched, *which)
        if image.size is not None:
            size.set(image.size, *which)
    return states, come, size


def _size(folder: Path) -> int:
    """Bytes of all files in a folder; what vanishes meanwhile does not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).stat().st_size
    return total
