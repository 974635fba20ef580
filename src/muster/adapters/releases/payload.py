"""A release image turned into what it says of itself: its version, and the images that it is made of.

`tools.py` asks which image has the installer; the runtime asks for the images that hosts need.
"""

import asyncio
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import msgspec

from muster.adapters.registry import Blob, Image, Registry
from muster.adapters.registry.manifests import ours
from muster.domain.errors import Broken, NotFound, Unavailable
from muster.domain.record import Record
from muster.domain.releases import ReleaseImages

from .room import check_room, disk_words

REFERENCES = "release-manifests/image-references"
METADATA = "release-manifests/release-metadata"
LARGEST = 16 * 1024 * 1024
"""Bytes that each of them may have."""

REMEMBERED = 64
"""Releases that are kept in mind."""

SYSTEMS = ("rhel-coreos", "stream-coreos", "rhel-coreos-8", "fedora-coreos", "machine-os-content")
"""What the image of the hosts' system is called, by the time and the maker of the release."""


def own_architecture() -> str:
    """What this machine is."""
    return ours(platform.machine())


class Payload(Record):
    """What a release image says of itself."""

    release: str
    """Exactly this release, by its digest."""
    digest: str
    version: str
    architecture: str
    """What the image is for that all this was read from."""
    architectures: tuple[str, ...]
    images: dict[str, str]
    """What it is made of: by name, where each is."""
    previous: tuple[str, ...] = ()
    """The versions that can be updated to it."""
    metadata: dict[str, str] = {}
    """What else is said of it."""

    def image(self, *names: str) -> str:
        """Where an image of the release is, by the first of several names that it has."""
        found = next((self.images[name] for name in names if name in self.images), None)
        if found is None:
            raise NotFound(f"release {self.version} ({self.release}) has no image {' or '.join(names)}")
        return found

    @property
    def system(self) -> str:
        """Where the image of the hosts' system is."""
        return self.image(*SYSTEMS)

    @property
    def for_hosts(self) -> ReleaseImages:
        """The images that hosts are told of."""
        return ReleaseImages(
            mco=self.image("machine-config-operator"),
            must_gather=self.images.get("must-gather", ""),
            coreos=next((self.images[name] for name in SYSTEMS if name in self.images), ""),
        )

    @property
    def is_okd(self) -> bool:
        """Whether its hosts need packages besides their system."""
        return "okd-rpms" in self.images


class _From(Record):
    name: str = ""


class _Tag(Record, rename={"source": "from"}):
    name: str
    source: _From = _From()


class _Tags(Record):
    tags: tuple[_Tag, ...] = ()


class _Named(Record):
    name: str = ""


class _References(Record):
    metadata: _Named = _Named()
    spec: _Tags = _Tags()


class _Metadata(Record):
    version: str = ""
    previous: tuple[str, ...] | None = None
    metadata: dict[str, Any] | None = None


class Payloads:
    """Reads releases. One that was read is remembered, but every reader has to be let in by the registry."""

    def __init__(self, registry: Registry, folder: Path) -> None:
        self._registry = registry
        self._folder = folder
        self._known: dict[tuple[str, str], Payload] = {}

    async def read(self, release: str, pull_secret: str, architecture: str = "") -> Payload:
        """What a release says of itself, as it is for machines of an architecture (this one's if none is named)."""
        image = await self._registry.image(release, pull_secret, architecture or own_architecture())
        key = image.reference.name + image.reference.digest, image.architecture
        payload = self._known.pop(key, None) or await self._read(image)
        self._known[key] = payload
        for oldest in list(self._known)[:-REMEMBERED]:
            del self._known[oldest]
        return payload

    async def close(self) -> None:
        """Let go of every connection."""
        await self._registry.close()

    async def _read(self, image: Image) -> Payload:
        files: dict[str, bytes] = {}

        def take(path: str, size: int, content: IO[bytes]) -> None:
            if size > LARGEST:
                raise Broken(f"{path} in {image.reference} has {size} bytes; no release has more than {LARGEST}")
            files[path] = content.read()

        try:
            missing = await self._registry.take(image, (REFERENCES, METADATA), take, self._nameless)
        except OSError as error:
            raise Unavailable(f"reading {image.reference}: {disk_words(error, self._folder)}") from error
        if missing:
            raise Broken(
                f"{image.reference} is no release image: it has no /{' and no /'.join(sorted(missing))}; name one in"
                " RELEASE_IMAGES"
            )
        return await asyncio.to_thread(_payload, image, files)

    @contextmanager
    def _nameless(self, layer: Blob) -> Iterator[BinaryIO]:
        """A file that goes with us, however we go."""
        self._folder.mkdir(parents=True, exist_ok=True)
        check_room(self._folder, layer.size, "a layer of the release image")
        with tempfile.TemporaryFile(dir=self._folder) as file:
            yield file


def _payload(image: Image, files: dict[str, bytes]) -> Payload:
    references = _decoded(files[REFERENCES], _References, image)
    said = _decoded(files[METADATA], _Metadata, image)
    return Payload(
        release=str(image.reference),
        digest=image.reference.digest,
        version=said.version or references.metadata.name,
        architecture=image.architecture,
        architectures=image.architectures,
        images={tag.name: tag.source.name for tag in references.spec.tags if tag.source.name},
        previous=said.previous or (),
        metadata={name: str(value) for name, value in (said.metadata or {}).items()},
    )


def _decoded(body: bytes, kind: Any, image: Image) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise Broken(f"what {image.reference} says of itself cannot be read: {error}") from error
