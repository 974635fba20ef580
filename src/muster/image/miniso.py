"""Turns `miniso.dat`, the recipe of a minimal image that a full one carries, into that image. `minimal.py` asks for it.

The result has the very bytes that the builders of CoreOS saw, which its digest proves.
"""

import hashlib
import lzma
from collections.abc import Iterator
from typing import BinaryIO

from muster.domain.errors import Broken
from muster.domain.record import Record

from .iso9660 import SECTOR
from .live import Live
from .regions import Extent, Region
from .source import Source
from .writing import PIECE, copied

MAGIC = b"MINISO\0\0"
VERSION = 1
LARGEST = 16 * 1024 * 1024
WIDE = {251: 2, 252: 4, 253: 8}
"""A number is one byte, or one of these and then so many bytes."""

WAY_OUT = "download the full image again"


class Recipe(Record):
    """What a minimal image is made of: files of the full one, and packed what lies between them."""

    files: tuple[tuple[int, Extent], ...]
    """Where in the minimal image, and where in the full one."""
    digest: bytes
    packed: bytes


class _Reader:
    """Reads what is in the recipe from front to back."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def take(self, length: int) -> bytes:
        taken = self.content[self.at : self.at + length]
        if len(taken) != length:
            raise Broken(f"The recipe of the minimal image ends too early; {WAY_OUT}")
        self.at += length
        return taken

    def number(self) -> int:
        first = self.take(1)[0]
        return int.from_bytes(self.take(WIDE[first]), "little") if first in WIDE else first


def read_recipe(source: Source, place: Extent) -> Recipe:
    """The recipe; `Broken` if it cannot be read."""
    if place.length > LARGEST:
        raise Broken(f"The recipe of the minimal image has {place.length} bytes, far more than one has; {WAY_OUT}")
    reader = _Reader(source.read(place.offset, place.length))
    if reader.take(len(MAGIC)) != MAGIC:
        raise Broken(f"What is in the place of the recipe of the minimal image is none; {WAY_OUT}")
    version, maker = reader.number(), reader.take(reader.number()).decode(errors="replace")
    if version != VERSION:
        raise Broken(
            f"The recipe of the minimal image was made by coreos-installer {maker} in version {version} of the format, "
            f"and only version {VERSION} is known; take an image that was built with another coreos-installer"
        )
    files = tuple(_file(reader) for _ in range(reader.number()))
    return Recipe(files=files, digest=reader.take(32), packed=reader.take(reader.number()))


def write_miniso(source: Source, live: Live, place: Extent, file: BinaryIO) -> None:
    """Write the minimal image; `Broken` if it is not the one that it should have become."""
    recipe = read_recipe(source, place)
    digest = hashlib.sha256()

    def put(piece: bytes) -> None:
        digest.update(piece)
        file.write(piece)

    between = _Between(recipe.packed)
    at = 0
    for begins, extent in recipe.files:
        if begins < at or extent.end > source.size:
            raise Broken(f"The recipe of the minimal image takes what the full one does not have; {WAY_OUT}")
        for piece in between.pieces(begins - at):
            put(piece)
        copied(source, [Region(offset=extent.offset, length=extent.length)], put)
        at = begins + extent.length
    for piece in between.pieces():
        put(piece)
    if digest.digest() != recipe.digest:
        raise Broken(
            f"The minimal image of {live.volume_id} has not become the one that its makers had: the full image is "
            "damaged, or was customised; take it as it was published"
        )


class _Between:
    """Unpacks what lies between the files, as much as is asked for."""

    def __init__(self, packed: bytes) -> None:
        self._packed, self._unpacking = packed, lzma.LZMADecompressor(lzma.FORMAT_XZ)

    def pieces(self, length: int | None = None) -> Iterator[bytes]:
        """So many bytes, or all that are left."""
        missing = length
        while missing != 0 and not self._unpacking.eof:
            piece = self._piece(PIECE if missing is None else min(PIECE, missing))
            missing = missing if missing is None else missing - len(piece)
            yield piece
        if missing:
            raise Broken(f"The recipe of the minimal image lacks {missing} bytes; {WAY_OUT}")

    def _piece(self, most: int) -> bytes:
        given, self._packed = self._packed, b""
        try:
            piece = self._unpacking.decompress(given, most)
        except lzma.LZMAError as error:
            raise Broken(f"The recipe of the minimal image cannot be unpacked: {error}; {WAY_OUT}") from error
        if not piece and self._unpacking.needs_input:
            raise Broken(f"The recipe of the minimal image ends too early; {WAY_OUT}")
        return piece


def _file(reader: _Reader) -> tuple[int, Extent]:
    minimal, full, length = reader.number(), reader.number(), reader.number()
    return minimal * SECTOR, Extent(offset=full * SECTOR, length=length)
