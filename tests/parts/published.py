"""Live images as their makers published them, each cut down to a megabyte by the authors of coreos-installer."""

import lzma
from contextlib import closing
from functools import cache
from pathlib import Path

from muster.domain.errors import Broken
from muster.image.live import Live, read_live
from muster.image.regions import Composed, Extent, Patch, composed
from muster.image.source import FileSource, Source
from muster.image.writing import copied

ISOS = Path(__file__).parent / "isos"
NAMES = tuple(sorted(each.name.removeprefix("embed-areas-").removesuffix(".iso.xz") for each in ISOS.glob("*.xz")))


class InMemory:
    """A source that is not a file."""

    def __init__(self, content: bytes) -> None:
        self.content, self.size, self.reads = content, len(content), 0

    def read(self, offset: int, length: int) -> bytes:
        self.reads += 1
        if offset + length > self.size:
            raise Broken(f"there are {self.size} bytes, not {offset + length}")
        return self.content[offset : offset + length]


@cache
def published(name: str) -> bytes:
    """The image of a build, such as 2023-07.x86_64."""
    return lzma.decompress((ISOS / f"embed-areas-{name}.iso.xz").read_bytes())


def live(name: str) -> Live:
    """What is known of such an image."""
    return read_live(InMemory(published(name)))


def live_file(path: Path) -> Live:
    """What is known of an image in a file."""
    with closing(FileSource(path)) as source:
        return read_live(source)


def streamed(source: Source, image: Composed, start: int = 0, stop: int | None = None) -> bytes:
    """The bytes of an image that nobody has written."""
    content = bytearray()
    copied(source, image.part(start, image.length if stop is None else stop), content.extend)
    return bytes(content)


def laid_over(content: bytes, patches: tuple[Patch, ...]) -> bytes:
    """The same in the way that is easy to see through."""
    changed = bytearray(content)
    for patch in patches:
        changed[patch.offset : patch.offset + len(patch.content)] = patch.content
    return bytes(changed)


def whole_of(content: bytes, patches: tuple[Patch, ...] = ()) -> Composed:
    """All of an image, with patches over it."""
    return composed(Extent(offset=0, length=len(content)), patches)
