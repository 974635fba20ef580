"""Turns the partition tables of an image that boots from a disk, too, into those of an image with its end moved.

`cut.py` asks for it. MBR and GPT count in blocks of 512 bytes.
"""

import struct
import zlib

from muster.domain.errors import Broken
from muster.domain.record import Record

from .draft import Draft
from .iso9660 import FIRST_DESCRIPTOR, SECTOR
from .moving import Move
from .source import Source

BLOCK = 512
ALIGNED = 1024 * 1024
"""Disks end where a cylinder ends, to a BIOS; this is one."""

SIGNED, SIGNATURE = 510, b"\x55\xaa"
LOADER_AT = 432
"""Where the first block of a disk says where isolinux is."""

ENTRIES, ENTRY = (446, 462, 478, 494), 16
FAR = b"\xfe\xff\xff"
"""Says that a place is beyond what can be said with cylinders, heads and sectors."""

HEADS, SECTORS, CYLINDERS = 64, 32, 1024
GPT, GPT_AT = b"EFI PART", 512
APPLE = ((512, b"PM"), (1024, b"PM"), (2048, b"PM"), (1024, b"H+"), (1024, b"HX"))
"""Marks of tables and file systems for computers of Apple, and of IBM, where they stand."""


class Ends(Record):
    """Where the file system will end, and where the whole file will."""

    volume: int
    total: int


class Guide(Record):
    """A GPT: its header, its entries, and where its copy begins."""

    header: bytes
    entries: bytes
    entry_size: int
    copy_begins: int
    """What is before that is not the table's."""

    @property
    def blocks(self) -> int:
        """Blocks of the entries."""
        return -(-len(self.entries) // BLOCK)


def unknown_tables(source: Source) -> str:
    """The reason why nobody here could make the tables of an image right, as a sentence; empty if that can be done."""
    if not any(source.read(at, len(mark)) == mark for at, mark in APPLE):
        return ""
    return (
        "No minimal image can be made of this one: it has a partition table for computers of Apple or IBM, which would "
        "be wrong afterwards; take a newer image, which brings the recipe of its minimal one, or the full one"
    )


def starts_from_disk(source: Source) -> bool:
    """Whether there is a partition table at all."""
    return source.read(SIGNED, 2) == SIGNATURE


def read_guide(source: Source) -> Guide | None:
    """The GPT of an image, if it has one."""
    header = source.read(GPT_AT, BLOCK)
    if not header.startswith(GPT):
        return None
    copy_at = struct.unpack_from("<Q", header, 32)[0] * BLOCK
    entries_at, count, size = struct.unpack_from("<QII", header, 72)
    if not 0 < count * size <= ALIGNED or entries_at * BLOCK + count * size > source.size:
        raise Broken(f"The partition table says it has {count} entries of {size} bytes each; download the image again")
    copy = source.read(copy_at, BLOCK) if copy_at + BLOCK <= source.size else b""
    copied = struct.unpack_from("<Q", copy, 72)[0] * BLOCK if copy.startswith(GPT) else source.size
    return Guide(
        header=header,
        entries=source.read(entries_at * BLOCK, count * size),
        entry_size=size,
        copy_begins=min(copied, source.size // SECTOR * SECTOR),
    )


def move_partitions(source: Source, draft: Draft, move: Move, ends: Ends) -> None:
    """Make the first block right: its partitions, and where it finds isolinux."""
    (loader,) = struct.unpack("<Q", source.read(LOADER_AT, 8))
    if loader * BLOCK < source.size:
        draft.put(LOADER_AT, struct.pack("<Q", move.to(loader * BLOCK) // BLOCK))
    for at in ENTRIES:
        entry = source.read(at, ENTRY)
        if any(entry):
            draft.put(at, _moved_entry(entry, move, ends))


def move_guide(draft: Draft, guide: Guide, move: Move, ends: Ends) -> bytes:
    """Make the GPT right; the copy of it, which stands at the very end, is the answer."""
    last = ends.total // BLOCK - 1
    usable = last - guide.blocks - 1
    entries = b"".join(
        _moved_guide_entry(guide.entries[at : at + guide.entry_size], move, ends, usable)
        for at in range(0, len(guide.entries), guide.entry_size)
    )
    entries_at = struct.unpack_from("<Q", guide.header, 72)[0]
    checksum = zlib.crc32(entries)
    draft.put(entries_at * BLOCK, entries)
    first = struct.unpack_from("<Q", guide.header, 40)[0]
    places = struct.pack("<QQQQ", 1, last, first, usable)
    draft.put(GPT_AT, _header(guide.header, places, entries_at, checksum))
    places = struct.pack("<QQQQ", last, 1, first, usable)
    return entries.ljust(guide.blocks * BLOCK, b"\0") + _header(guide.header, places, usable + 1, checksum)


def _header(header: bytes, places: bytes, entries_at: int, checksum: int) -> bytes:
    """A header with other places. It is proven by a checksum over itself, in which that counts as nothing."""
    size = struct.unpack_from("<I", header, 12)[0]
    changed = bytearray(header)
    changed[16:20] = bytes(4)
    changed[24:56] = places
    changed[72:80] = struct.pack("<Q", entries_at)
    changed[88:92] = struct.pack("<I", checksum)
    changed[16:20] = struct.pack("<I", zlib.crc32(changed[:size]))
    return bytes(changed)


def _moved_entry(entry: bytes, move: Move, ends: Ends) -> bytes:
    start, count = struct.unpack("<II", entry[8:])
    begins = move.to(start * BLOCK)
    stops = ends.total if _is_all(start) else move.to((start + count) * BLOCK)
    first, blocks = begins // BLOCK, (stops - begins) // BLOCK
    from_, to = entry[1:4], entry[5:8]
    return (
        entry[:1]
        + (from_ if from_ == FAR else _cylinders(first))
        + entry[4:5]
        + (to if to == FAR else _cylinders(first + blocks - 1))
        + struct.pack("<II", first, blocks)
    )


def _moved_guide_entry(entry: bytes, move: Move, ends: Ends, usable: int) -> bytes:
    if not any(entry[:16]):
        return entry
    first, last = struct.unpack_from("<QQ", entry, 32)
    stops = ends.volume if _is_all(first) else move.to((last + 1) * BLOCK)
    places = struct.pack("<QQ", move.to(first * BLOCK) // BLOCK, min(stops // BLOCK - 1, usable))
    return entry[:32] + places + entry[48:]


def _is_all(block: int) -> bool:
    """Whether a partition that begins there is the whole image: no file is before the descriptors."""
    return block * BLOCK < FIRST_DESCRIPTOR


def _cylinders(block: int) -> bytes:
    cylinder, within = divmod(block, HEADS * SECTORS)
    if cylinder >= CYLINDERS:
        return FAR
    head, sector = divmod(within, SECTORS)
    return bytes((head, sector + 1 | cylinder >> 8 << 6, cylinder & 0xFF))
