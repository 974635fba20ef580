"""The program that installs a release, taken from the release when it is first wanted and kept for the next time.

The runtime runs it for a cluster. It is extracted by `oc` where there is one, and by ourselves where there is none or
where it fails. However many want it, in however many processes, it is fetched once.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO

import structlog

from muster.adapters.registry import Blob, Registry
from muster.adapters.registry.manifests import no_image_for, ours
from muster.adapters.registry.steady import in_thread
from muster.domain.errors import Broken, Unavailable
from muster.domain.record import Record

from .extraction import origin, tool_name, write_release
from .oc import Oc
from .payload import Payload, Payloads, own_architecture
from .room import disk_words
from .tool_folder import ToolFolder, Use

A_MOMENT = 0.2
"""Seconds after which to look again whether somebody else has brought a tool."""

PIECE = 4 * 1024 * 1024
FIPS = Path("/proc/sys/crypto/fips_enabled")

log = structlog.get_logger()


def keeps_to_fips() -> bool:
    """Whether this machine does."""
    try:
        return FIPS.read_text().strip() == "1"
    except OSError:
        return False


class Keeping(Record):
    """How tools are kept."""

    folder: Path
    capacity: int = 0
    """Bytes that they may have together; 0 for as many as they like."""
    oc: str = ""
    """The program `oc`; "" if there is none."""
    fips: bool = False
    """Whether this machine keeps to FIPS."""


class Coming(Record):
    """How far a part of a tool has come."""

    release: str
    tool: str
    part: str
    come: int
    size: int


class _Wanted(Record):
    """A tool of a release, and who wants it."""

    payload: Payload
    name: str
    architecture: str
    pull_secret: str

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.payload.digest.replace(':', '-')}-{self.architecture}-{self.name}"

    def __repr__(self) -> str:
        return f"_Wanted({self.key})"


class Tools:
    """Installers of releases, in a folder that other processes may share."""

    def __init__(self, registry: Registry, payloads: Payloads, keeping: Keeping) -> None:
        self._registry = registry
        self._payloads = payloads
        self._keeping = keeping
        self._folder = ToolFolder(keeping.folder, keeping.capacity)
        self._oc = Oc(keeping.oc, registry.reaching) if keeping.oc else None
        self.on_progress: list[Callable[[Coming], None]] = []
        """Who is told whenever more of a tool has come."""

    def tidy(self) -> None:
        """Remove what was left behind by those who were killed."""
        self._folder.tidy()

    @asynccontextmanager
    async def binary(self, release: str, pull_secret: str, architecture: str = "") -> AsyncIterator[Path]:
        """The program that installs a release, for machines like this one unless others are named.

        It may be run by many at once, and nobody takes it away meanwhile.
        """
        machine = ours(architecture) or own_architecture()
        payload = await self._payloads.read(release, pull_secret, machine)
        name = tool_name(payload.version, fips=self._keeping.fips)
        wanted = _Wanted(payload=payload, name=name, architecture=machine, pull_secret=pull_secret)
        try:
            use = await self._had(wanted)
        except OSError as error:
            raise Unavailable(f"getting {name} of {release}: {disk_words(error, self._keeping.folder)}") from error
        try:
            yield use.path
        finally:
            use.end()

    async def _had(self, wanted: _Wanted) -> Use:
        """A use of a tool, which is made if nobody has made it and nobody is about to."""
        while (use := self._folder.use(wanted.key, wanted.name)) is None:
            with self._folder.making(wanted.key) as work:
                # Whoever has the lock looks again: somebody may have ended just before.
                if work and not self._folder.has(wanted.key):
                    await self._make(wanted, work)
            if not work:
                await asyncio.sleep(A_MOMENT)
        return use

    async def _make(self, wanted: _Wanted, work: Path) -> None:
        await in_thread(self._folder.tidy)
        log.info("taking a tool from a release", tool=wanted.name, release=wanted.payload.release)
        program = await self._by_oc(wanted, work) or await self._by_ourselves(wanted, work)
        await in_thread(self._folder.settle, program, wanted.key)

    async def _by_oc(self, wanted: _Wanted, work: Path) -> Path | None:
        """The tool as `oc` extracts it; None if there is no `oc` or it fails: we can do without."""
        native = wanted.architecture == own_architecture() and wanted.architecture in wanted.payload.architectures
        if self._oc is None or not native:
            return None
        try:
            return await self._oc.extract(wanted.name, wanted.payload, wanted.pull_secret, work)
        except Unavailable as error:
            log.warning("oc did not bring a tool; it is taken from the release without it", error=str(error))
            return None

    async def _by_ourselves(self, wanted: _Wanted, work: Path) -> Path:
        found = origin(wanted.payload, wanted.name, wanted.architecture)
        name = wanted.payload.image(found.image)
        image = await self._registry.image(name, wanted.pull_secret, wanted.architecture)
        if not found.runs_elsewhere and image.architecture != wanted.architecture:
            raise no_image_for(wanted.architecture, name, image.architectures)
        program = work / f"{wanted.name}.new"
        missing = await self._registry.take(
            image, [found.path], partial(self._write, program), partial(self._part, work), partial(self._tell, wanted)
        )
        if missing:
            raise Broken(f"{name}, the {found.image} of release {wanted.payload.version}, has no /{found.path}")
        await in_thread(write_release, program, wanted.payload)
        return program

    def _write(self, program: Path, _path: str, size: int, content: IO[bytes]) -> None:
        self._folder.admit(size)
        with program.open("wb") as file:
            shutil.copyfileobj(content, file, PIECE)

    @contextmanager
    def _part(self, work: Path, layer: Blob) -> Iterator[BinaryIO]:
        """The file for a layer; it is left there if it is not whole, for whoever goes on."""
        path = work / f"{layer.digest.replace(':', '-')}.part"
        with path.open("a+b") as file:
            self._folder.make_room(layer.size - path.stat().st_size, "a layer of the installer's image")
            yield file
        with suppress(FileNotFoundError):
            path.unlink()

    def _tell(self, wanted: _Wanted, layer: Blob, come: int) -> None:
        news = Coming(release=wanted.payload.release, tool=wanted.name, part=layer.digest, come=come, size=layer.size)
        for hear in self.on_progress:
            hear(news)
