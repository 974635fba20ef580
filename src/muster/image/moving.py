"""Turns every pointer of an ISO 9660 image whose end is moved into one that is right again. `cut.py` asks for it.

Files, directories, path tables, notes of Rock Ridge and the catalog of El Torito say where something is.
"""

import struct
from collections.abc import Callable, Iterator

from muster.domain.errors import Broken
from muster.domain.record import Record

from .draft import Draft
from .iso9660 import BOOT_RECORD, PRIMARY, SECTOR, Descriptor, Item, Volume, items, notes_of
from .regions import Extent
from .source import Source

CATALOG_AT = 71
"""Where a boot record says where the catalog is."""

TABLES = ((140, "<"), (144, "<"), (148, ">"), (152, ">"))
"""Where a descriptor says where a path table is, and which end of its numbers comes first."""

LINKS = frozenset({b"CE", b"CL", b"PL"})
"""Notes that begin with where something is."""

HEADER, LAST_HEADER, BOOTABLE, ENTRY = 0x90, 0x91, 0x88, 32
BOOT_TABLE, GRUB_TABLE = 8, 2548
"""Where isolinux, and GRUB, are told where they are themselves."""


class Move(Record):
    """What happens to an image: sectors from one on are moved, and some files get new places or other sizes."""

    begins: int
    """What is from here on is moved..."""
    by: int
    """...so far."""
    placed: dict[Extent, Extent] = {}

    def to(self, offset: int) -> int:
        """Where a byte will be."""
        return offset + self.by if offset >= self.begins else offset

    def extent(self, extent: Extent) -> Extent:
        """Where a file will be, and how long."""
        return self.placed.get(extent) or extent.but(offset=self.to(extent.offset))


def move_volume(source: Source, draft: Draft, volume: Volume, move: Move, size: int) -> None:
    """Make all that the descriptors lead to right: the trees, their tables, the catalog; and the size of it all."""
    for descriptor in volume.descriptors:
        if descriptor.kind == BOOT_RECORD:
            _move_catalog(source, draft, descriptor, move)
        elif descriptor.kind == PRIMARY or descriptor.joliet:
            draft.put(descriptor.at + 80, _both(size // SECTOR))
            _move_tables(source, draft, descriptor, move)
            draft.put(descriptor.at + 158, _both(move.extent(descriptor.root).offset // SECTOR))
            for item in tree_items(source, descriptor.root):
                _move_item(source, draft, item, move)
        else:
            raise Broken(
                f"The volume descriptor at byte {descriptor.at} is of a kind that is not known; take a newer image"
            )


def tree_items(source: Source, root: Extent) -> Iterator[Item]:
    """Every record of every directory."""
    waiting = [root]
    while waiting:
        for item in items(source, waiting.pop()):
            if item.directory and not item.itself:
                waiting.append(item.extent)
            yield item


def _move_item(source: Source, draft: Draft, item: Item, move: Move) -> None:
    extent = move.extent(item.extent)
    draft.put(item.at + 2, _both(extent.offset // SECTOR) + _both(extent.length))
    for at, note in notes_of(source, item):
        if note[:2] in LINKS:
            draft.put(at + 4, _both(move.to(int.from_bytes(note[4:8], "little") * SECTOR) // SECTOR))


def _move_tables(source: Source, draft: Draft, descriptor: Descriptor, move: Move) -> None:
    length = struct.unpack_from("<I", descriptor.content, 132)[0]
    for at, order in TABLES:
        (sector,) = struct.unpack_from(f"{order}I", descriptor.content, at)
        if sector:
            _move_table(source, draft, Extent(offset=sector * SECTOR, length=length), _sector_move(order, move))
            draft.put(descriptor.at + at, _sector_move(order, move)(descriptor.content[at : at + 4]))


def _move_table(source: Source, draft: Draft, table: Extent, moved: Callable[[bytes], bytes]) -> None:
    content, at = source.read(table.offset, table.length), 0
    while at < len(content):
        draft.put(table.offset + at + 2, moved(content[at + 2 : at + 6]))
        at += 8 + content[at] + content[at] % 2


def _sector_move(order: str, move: Move) -> Callable[[bytes], bytes]:
    """Turns a written sector into the one that it will be."""

    def moved(written: bytes) -> bytes:
        (sector,) = struct.unpack(f"{order}I", written)
        return struct.pack(f"{order}I", move.to(sector * SECTOR) // SECTOR)

    return moved


def _move_catalog(source: Source, draft: Draft, descriptor: Descriptor, move: Move) -> None:
    moved = _sector_move("<", move)
    written = descriptor.content[CATALOG_AT : CATALOG_AT + 4]
    catalog = int.from_bytes(written, "little") * SECTOR
    draft.put(descriptor.at + CATALOG_AT, moved(written))
    for at, entry in boot_entries(source, catalog):
        draft.put(at + 8, moved(entry[8:12]))
        _move_boot_image(source, draft, int.from_bytes(entry[8:12], "little"), move)


def boot_entries(source: Source, catalog: int) -> Iterator[tuple[int, bytes]]:
    """The entries of a catalog that lead to something, with where they are."""
    content = source.read(catalog, SECTOR)
    at = ENTRY
    while at < SECTOR and content[at] in {BOOTABLE, 0, HEADER, LAST_HEADER}:
        entry = content[at : at + ENTRY]
        if entry[0] == 0 and at != ENTRY and not any(entry):
            return
        if entry[0] not in {HEADER, LAST_HEADER}:
            yield catalog + at, entry
        at += ENTRY


def _move_boot_image(source: Source, draft: Draft, sector: int, move: Move) -> None:
    """A boot loader that was told where it is when the image was made is told again."""
    moved = move.to(sector * SECTOR) // SECTOR
    offset = sector * SECTOR
    if source.read(offset + BOOT_TABLE, 8) == struct.pack("<II", 16, sector):
        draft.put(offset + BOOT_TABLE + 4, struct.pack("<I", moved))
    if offset + GRUB_TABLE + 8 <= source.size and source.read(offset + GRUB_TABLE, 8) == struct.pack(
        "<Q", sector * 4 + 5
    ):
        draft.put(offset + GRUB_TABLE, struct.pack("<Q", moved * 4 + 5))


def _both(number: int) -> bytes:
    return struct.pack("<I", number) + struct.pack(">I", number)
