"""A folder of base images that is at work, for tests that fetch from a server of their own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from muster.adapters.base_images import Asking, BaseImageFolder, Keeping
from muster.adapters.clock import SystemClock
from muster.domain.base_images import BaseImage, State
from muster.domain.releases import OsImage

Hear = Callable[[BaseImage], None]

PATIENCE = 20.0
"""Seconds after which a folder that gets nowhere counts as stuck."""


def an_image(url: str, **said: Any) -> OsImage:
    """A system image from somewhere."""
    return OsImage(**({"openshift_version": "4.18", "version": "418.1", "url": url} | said))


def a_folder(
    path: Path, *images: OsImage, asking: Asking | None = None, hear: Hear | None = None, **keeping: Any
) -> BaseImageFolder:
    """A folder that never waits before it tries again."""
    ways = Keeping(**({"patience": lambda _: timedelta()} | keeping))
    folder = BaseImageFolder(path, images, clock=SystemClock(), asking=asking or Asking(), keeping=ways)
    folder.on_change += [hear] if hear else []
    return folder


@asynccontextmanager
async def running(folder: BaseImageFolder) -> AsyncIterator[BaseImageFolder]:
    """The folder at work."""
    work = asyncio.create_task(folder.run())
    try:
        yield folder
    finally:
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work


async def until(folder: BaseImageFolder, state: State, number: int = 0) -> BaseImage:
    """How an image stands as soon as it is in a state to which it is on its way."""
    changed = asyncio.Event()
    folder.on_change.append(lambda _: changed.set())
    async with asyncio.timeout(PATIENCE):
        while folder.states()[number].state is not state:
            changed.clear()
            await changed.wait()
    folder.on_change.pop()
    return folder.states()[number]


async def brought(path: Path, *images: OsImage, **ways: Any) -> BaseImage:
    """How the first image stands when it is ready or has been given up."""
    folder = a_folder(path, *images, **ways)
    async with running(folder):
        return await settled(folder)


async def settled(folder: BaseImageFolder) -> BaseImage:
    """How the first image stands when it is ready or has been given up for the time being."""
    changed = asyncio.Event()
    folder.on_change.append(lambda _: changed.set())
    async with asyncio.timeout(PATIENCE):
        while not _settled(folder.states()[0]):
            changed.clear()
            await changed.wait()
    folder.on_change.pop()
    return folder.states()[0]


def _settled(image: BaseImage) -> bool:
    soon = image.retry_at is not None and image.retry_at - SystemClock().now() < timedelta(minutes=1)
    return image.state is State.READY or (image.state is State.FAILED and not soon)
