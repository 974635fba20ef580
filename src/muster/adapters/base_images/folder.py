"""The folder of system images: brings each of them there, one after the other, and hands out what is ready.

`runtime/wiring.py` runs it; the API asks it for files and for how they stand.
"""

import asyncio
import os
import random
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import structlog

from muster.domain.base_images import (
    BaseImage,
    State,
    base_image,
    distinct,
    file_name,
    missing_room,
    not_there,
    shown,
    unused,
    wait_before,
)
from muster.domain.errors import Broken, MusterError, NotFound, Unavailable
from muster.domain.record import Record
from muster.domain.releases import OsImage
from muster.ports import BaseFile, Clock

from .checking import checked, found
from .fetching import Asking, Fetcher
from .files import Stamp, locked, note_for, settle, stamp_of
from .minimals import made, origin
from .parts import Part
from .wanted import Wanted

AT_ONCE = 2
"""Images that are fetched at the same time."""

SELDOM = timedelta(hours=1)
"""How long to wait where nothing will change unless somebody does something about it."""

A_MOMENT = timedelta(seconds=2)
"""How long to leave an image to another process that fetches it."""

MOST_DOUBTS = 2
"""How often what comes may be something else than it should be."""

NO_URL = "OS_IMAGES does not say where it is to be had; give it a url there (only machines of the lab need none)"

log = structlog.get_logger()


def _patience(failures: int) -> timedelta:
    return wait_before(failures, random.random())  # noqa: S311 - keeps many replicas apart, hides nothing


class Keeping(Record):
    """How images are kept."""

    eager: bool = True
    """Whether they are fetched before anybody asks for them."""
    tidy: bool = False
    """Whether files of images are deleted that are not among them."""
    patience: Callable[[int], timedelta] = _patience
    """How long to wait after so many failures."""


class BaseImageFolder:
    """System images as files in a folder that other processes may share."""

    def __init__(
        self, folder: Path, images: Iterable[OsImage], *, clock: Clock, asking: Asking, keeping: Keeping
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._keeping = keeping
        self._fetcher = Fetcher(asking)
        given = tuple(images)
        fetched = distinct(each for each in given if each.url)
        self._images = (*fetched, *(each for each in given if not each.url))
        self._wanted = {file_name(each): Wanted(each, folder, clock, eager=keeping.eager) for each in fetched}
        self._turns = count()
        self._work: dict[str, asyncio.Task[None]] = {}
        self._fetching: set[str] = set()
        self._made: dict[str, tuple[str, Stamp | None, BaseFile]] = {}
        self._making: dict[str, asyncio.Task[BaseFile]] = {}
        self._wake = asyncio.Event()
        self._last: dict[str, State] = {}
        self.on_change: list[Callable[[BaseImage], None]] = []
        """Who is told whenever an image has come further."""

    def states(self) -> tuple[BaseImage, ...]:
        """How far each of them has come."""
        return tuple(map(self._standing, self._images))

    def unused(self) -> tuple[str, ...]:
        """The files beside them that belong to none, by name."""
        try:
            return unused((each.name for each in self._folder.iterdir()), self._images)
        except OSError:
            return ()

    async def full(self, image: OsImage) -> BaseFile:
        """The image as it was published. Not there yet: `Unavailable`, `NotFound` or `Broken`, with how it stands."""
        name = file_name(image)
        wanted = self._wanted.get(name)
        if wanted is None:
            raise not_there(self._standing(image), self._clock.now())
        if wanted.file is None and wanted.there and name not in self._fetching:
            await asyncio.wait([self._work.get(name) or self._begin(wanted, self._look(wanted))])
        file = wanted.file
        if file is None:
            wanted.ask(next(self._turns))
            self._wake.set()
            raise not_there(wanted.standing, self._clock.now())
        return file

    async def minimal(self, image: OsImage) -> BaseFile:
        """The image without its system, made when first wanted; `Invalid` if it has none. Else as for the full one."""
        full = await self.full(image)
        name, path = file_name(image), self._wanted[file_name(image)].places.minimal
        *made_from, file = self._made.get(name, ("", None, full))
        if made_from == [origin(full), stamp_of(path)]:
            return file
        making = self._making.get(name)
        if making is None:
            making = self._making[name] = asyncio.create_task(asyncio.to_thread(made, full, path))
            making.add_done_callback(lambda _: self._making.pop(name))
        try:
            # Whoever hangs up does not stop the work: others wait for it too.
            file = await asyncio.shield(making)
        except OSError as error:
            raise Unavailable(f"The minimal image cannot be written: {_words(error, path)}") from error
        self._made[name] = origin(full), stamp_of(path), file
        return file

    async def run(self) -> None:
        """Fetch and check them for as long as the service runs."""
        try:
            await asyncio.to_thread(self._tidy)
            while True:
                self._wake.clear()
                self._begin_what_is_due()
                await self._pause()
        finally:
            for task in self._work.values():
                task.cancel()
            await asyncio.gather(*self._work.values(), *self._making.values(), return_exceptions=True)
            await self._fetcher.close()

    def _standing(self, image: OsImage) -> BaseImage:
        wanted = self._wanted.get(file_name(image))
        return wanted.standing if wanted else base_image(image).but(state=State.ABSENT, reason=NO_URL)

    def _tidy(self) -> None:
        """Tell of files that belong to no image, or delete them."""
        names = self.unused()
        if names:
            log.info("files of images that OS_IMAGES does not name", files=names, deleted=self._keeping.tidy)
        for name in names if self._keeping.tidy else ():
            with suppress(OSError):
                (self._folder / name).unlink()

    def _begin_what_is_due(self) -> None:
        """Look at every file that is there, and fetch what is not, a few at a time, first what was asked for first."""
        for wanted in sorted(self._wanted.values(), key=lambda each: each.turn):
            wait = wanted.wait()
            if wait is None or wait > timedelta() or wanted.name in self._work:
                continue
            if wanted.places.in_place or wanted.there:
                self._begin(wanted, self._look(wanted))
            elif len(self._fetching) < AT_ONCE:
                self._fetching.add(wanted.name)
                self._begin(wanted, self._fetch(wanted))

    async def _pause(self) -> None:
        """Wait until something is due, or until there is news."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._until_due()):
                await self._wake.wait()

    def _until_due(self) -> float | None:
        """Seconds until something else is due; what is due and has to wait for others is begun when they end."""
        waits = [wait for each in self._wanted.values() if (wait := each.wait()) is not None and wait > timedelta()]
        return min(waits).total_seconds() if waits else None

    def _begin(self, wanted: Wanted, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._work[wanted.name] = asyncio.create_task(self._tend(wanted, work))
        return task

    async def _tend(self, wanted: Wanted, work: Coroutine[Any, Any, None]) -> None:
        """Do something about an image and put down what came of it."""
        try:
            await work
        except BlockingIOError:
            wanted.elsewhere(A_MOMENT)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one image, the others go on
            wanted.failed(*self._failure(wanted, error))
        finally:
            self._fetching.discard(wanted.name)
            del self._work[wanted.name]
            self._wake.set()
            self._tell(wanted)

    def _failure(self, wanted: Wanted, error: Exception) -> tuple[str, timedelta | None]:
        """What went wrong, and how long to wait before it is tried again; None if it is not."""
        if isinstance(error, Broken) and not wanted.places.in_place:
            return str(error), None
        if isinstance(error, Broken | NotFound):
            return str(error), SELDOM
        if isinstance(error, MusterError):
            return str(error), self._keeping.patience(wanted.failures + 1)
        if isinstance(error, OSError):
            return _words(error, wanted.places.full), self._keeping.patience(wanted.failures + 1)
        log.error("an image could not be looked after", image=wanted.name, exc_info=error)
        return "something unforeseen went wrong; the service's log has it", SELDOM

    async def _look(self, wanted: Wanted) -> None:
        """See whether the file that is there is the image."""
        wanted.checking()
        self._tell(wanted)
        stamp = stamp_of(wanted.places.full)
        try:
            file = await asyncio.to_thread(found, wanted.image, wanted.places)
        except Broken as error:
            wanted.useless(stamp)
            if wanted.places.in_place:
                raise
            log.warning("a file is not the image that it is called; it is fetched", image=wanted.name, error=str(error))
        else:
            wanted.ready(file, stamp)

    async def _fetch(self, wanted: Wanted) -> None:
        """Bring an image here, unless another process does or has done so meanwhile."""
        with locked(wanted.places.own, patient=False):
            if wanted.there:
                await self._look(wanted)
                return
            part = Part(wanted.part)
            try:
                await self._bring(wanted, part)
            finally:
                await asyncio.to_thread(part.close)

    async def _bring(self, wanted: Wanted, part: Part) -> None:
        url = wanted.image.url
        await asyncio.to_thread(part.open, shown(url))
        wanted.fetching(part.come, part.said.size)
        self._tell(wanted)
        if not part.whole:
            expect, tell = partial(self._expect, wanted, part), partial(self._come, wanted)
            await self._fetcher.fetch(url, part, expect, tell)
        wanted.checking()
        self._tell(wanted)
        await self._accept(wanted, part)

    def _expect(self, wanted: Wanted, part: Part, size: int | None) -> None:
        """An image of a size is about to come: see that there is room for it beside the others that come."""
        wanted.fetching(part.come, size)
        if size is None:
            return
        disk = os.statvfs(self._folder)
        spoken_for = sum(
            (each.standing.size or 0) - each.standing.fetched
            for each in self._wanted.values()
            if each is not wanted and each.name in self._fetching and each.standing.size
        )
        lacking = missing_room(size - part.come, size, disk.f_bavail * disk.f_frsize - spoken_for)
        if lacking:
            raise Unavailable(f"{lacking} in {self._folder}, or name another folder in DATA_DIR")

    async def _accept(self, wanted: Wanted, part: Part) -> None:
        """Take what has come for the image, if it is that; what is wrong twice is not asked for again."""
        try:
            file = await asyncio.to_thread(_settled, wanted, part)
        except Broken as error:
            await asyncio.to_thread(part.discard)
            wanted.doubts += 1
            if wanted.doubts < MOST_DOUBTS:
                raise Unavailable(f"{error}; it is fetched once more") from error
            raise
        wanted.ready(file, stamp_of(wanted.places.full))

    def _tell(self, wanted: Wanted) -> None:
        if self._last.get(wanted.name) is not wanted.standing.state:
            self._last[wanted.name] = wanted.standing.state
            _log(wanted.standing)
        for hear in self.on_change:
            hear(wanted.standing)

    def _come(self, wanted: Wanted, size: int) -> None:
        wanted.tell(size)
        self._tell(wanted)


def _settled(wanted: Wanted, part: Part) -> BaseFile:
    """What has come, looked at and under its own name."""
    part.close()
    file = checked(part.path, wanted.image, part.sha256)
    settle(part.path, wanted.places.own, note_for(part.path, sha256=part.sha256))
    part.discard()
    return file.but(path=wanted.places.own)


def _words(error: OSError, path: Path) -> str:
    return f"{error.filename or path}: {error.strerror or type(error).__name__}"


def _log(image: BaseImage) -> None:
    say = log.warning if image.state is State.FAILED else log.info
    say(
        "system image",
        version=image.openshift_version,
        architecture=image.cpu_architecture,
        build=image.version,
        state=image.state,
        reason=image.reason,
        retry_at=image.retry_at and image.retry_at.isoformat(),
    )
