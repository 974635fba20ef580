"""Turns the place for an Ignition config in a live image into the files that are in it. `muster image show` asks."""

import lzma
import zlib
from collections.abc import Iterator

from muster.domain.artifacts.cpio import ALIGNED, END
from muster.domain.errors import Broken

from .live import Live
from .source import Source

HEAD = 110
"""Bytes of an entry before its name."""

SIZE_AT, NAME_SIZE_AT = 54, 94
MAGICS = (b"070701", b"070702")
NO_ARCHIVE = "What is in the place for the Ignition config is no archive; write another config there"
LARGEST = 64 * 1024 * 1024
"""Bytes that are unpacked at most: what is larger is no config."""


def embedded_files(source: Source, live: Live) -> dict[str, bytes]:
    """The files that the system finds besides its own, by path; none if the image was not customised."""
    if live.ignition.length > LARGEST:
        raise Broken(f"The place for the Ignition config has {live.ignition.length} bytes, far more than it should")
    found: dict[str, bytes] = {}
    for place in filter(None, (live.ignition, live.extra)):
        found |= unpacked_files(source.read(place.offset, place.length))
    return found


def unpacked_files(content: bytes) -> dict[str, bytes]:
    """The files of archives that follow each other, packed or not, as the kernel would unpack them."""
    found: dict[str, bytes] = {}
    left = content.lstrip(b"\0")
    while left:
        archive, after = _unpacked(left)
        *files, (_, _, ends) = _files(archive)
        found |= {name: file for name, file, _ in files}
        left = (archive[ends:] + after).lstrip(b"\0")
    return found


def _unpacked(content: bytes) -> tuple[bytes, bytes]:
    """The first archive, and what follows it."""
    if content.startswith(MAGICS):
        return content, b""
    try:
        if content.startswith(b"\x1f\x8b"):
            stream = zlib.decompressobj(wbits=31)
            return stream.decompress(content, LARGEST), _rest(stream.unused_data, ended=stream.eof)
        if content.startswith(b"\xfd7zXZ"):
            unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ)
            return unpacking.decompress(content, LARGEST), _rest(unpacking.unused_data, ended=unpacking.eof)
    except (zlib.error, lzma.LZMAError) as error:
        raise Broken(f"What is in the place for the Ignition config cannot be unpacked: {error}") from error
    raise Broken(
        "What is in the place for the Ignition config is packed in a way that is not known: it begins with the bytes "
        f"{content[:6].hex(' ')}"
    )


def _rest(rest: bytes, *, ended: bool) -> bytes:
    if not ended:
        raise Broken("What is in the place for the Ignition config has no end")
    return rest


def _files(archive: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Every entry: its name, its content, where it ends. The last one is a mark."""
    name, at = "", 0
    while name != END:
        if archive[at : at + 6] not in MAGICS:
            raise Broken(NO_ARCHIVE)
        size, name_size = _number(archive, at + SIZE_AT), _number(archive, at + NAME_SIZE_AT)
        begins = _aligned(at + HEAD + name_size)
        name = archive[at + HEAD : at + HEAD + name_size].rstrip(b"\0").decode(errors="replace")
        at = _aligned(begins + size)
        yield name, archive[begins : begins + size], at


def _number(archive: bytes, at: int) -> int:
    try:
        return int(archive[at : at + 8], 16)
    except ValueError as error:
        raise Broken(NO_ARCHIVE) from error


def _aligned(at: int) -> int:
    return at + -at % ALIGNED
