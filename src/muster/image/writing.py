"""Writes an image to a file that is there whole or not at all. `minimal.py` and `muster image` write with it."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from .regions import Region
from .source import Source

PIECE = 4 * 1024 * 1024
READABLE = 0o644


@contextmanager
def whole(target: Path) -> Iterator[BinaryIO]:
    """A file to write to, readable too. It gets its name when all of it is on disk; if something fails it is gone."""
    number, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(number)
    unfinished = Path(name)
    try:
        with unfinished.open("w+b") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), READABLE)
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def copied(source: Source, regions: Iterable[Region], put: Callable[[bytes], object]) -> None:
    """Hand over the bytes of regions, in their order and in pieces that fit into memory."""
    for region in regions:
        for piece in _pieces(source, region):
            put(piece)


def _pieces(source: Source, region: Region) -> Iterator[bytes]:
    for start in range(0, region.length, PIECE):
        offset, length = region.offset + start, min(PIECE, region.length - start)
        yield source.read(offset, length) if region.content is None else region.content[offset : offset + length]
