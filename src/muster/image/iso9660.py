"""Turns an ISO 9660 image into the names in it and where their bytes are. `live.py` and `cut.py` ask for it.

Only descriptors and directories are read, so that an image may as well be at the other end of a network.
"""

import struct
from collections.abc import Iterator

from muster.domain.errors import Broken
from muster.domain.record import Record

from .regions import Extent
from .source import Source

SECTOR = 2048
FIRST_DESCRIPTOR = 16 * SECTOR
"""What comes before belongs to the boot loaders."""

BOOT_RECORD, PRIMARY, SUPPLEMENTARY, LAST = 0, 1, 2, 255
JOLIET = (b"%/@", b"%/C", b"%/E")
DIRECTORY, CONTINUED = 0x02, 0x80
HEAD = 33
"""Bytes of a directory record before the name."""

MOST_DESCRIPTORS, MOST_ENTRIES, LARGEST_DIRECTORY, MOST_CONTINUATIONS = 64, 20_000, 4 * 1024 * 1024, 32
LARGEST_NOTES = 64 * 1024
WAY_OUT = "the file is damaged or is no ISO image; download it again and compare its checksum"


class Descriptor(Record):
    """One of the sectors that say what the image is."""

    at: int
    content: bytes

    @property
    def kind(self) -> int:
        """What it describes."""
        return self.content[0]

    @property
    def joliet(self) -> bool:
        """Whether it leads to the names that Windows reads."""
        return self.kind == SUPPLEMENTARY and self.content[88:91] in JOLIET

    @property
    def root(self) -> Extent:
        """The directory that has all others."""
        return _extent(self.content, 156)


class Item(Record):
    """One record of a directory, as it is written there."""

    at: int
    name: bytes
    flags: int
    extent: Extent
    notes: bytes
    """What other standards have added: Rock Ridge, for one."""

    @property
    def directory(self) -> bool:
        """Whether it names a directory."""
        return bool(self.flags & DIRECTORY)

    @property
    def itself(self) -> bool:
        """Whether it stands for the directory that it is in, or for the one above."""
        return self.name in {b"\0", b"\1"}


class Entry(Record):
    """A file or a directory. `plain` is its path as spelled without Rock Ridge: /IMAGES/IGNITION.IMG."""

    path: str
    plain: str
    item: Item


class Volume(Record):
    """What an image says of itself, and all that is in it."""

    id: str
    size: int
    """Bytes that it says it has; more may follow."""
    descriptors: tuple[Descriptor, ...]
    folders: frozenset[str]
    files: dict[str, Extent]
    plain: dict[str, Extent]
    """The files once more, by their paths without Rock Ridge."""

    def find(self, path: str) -> Extent | None:
        """A file by its path; one that the image spells only in the plain way is found as well."""
        return self.files.get(path) or self.plain.get(spelled_plainly(path))


def read_volume(source: Source) -> Volume:
    """The volume of an image; `Broken` if it is none, or if the end of it is missing."""
    descriptors = tuple(_descriptors(source))
    primary = next((each for each in descriptors if each.kind == PRIMARY), None)
    if primary is None:
        raise Broken(f"There is no primary volume descriptor at byte {FIRST_DESCRIPTOR}: {WAY_OUT}")
    size = struct.unpack_from("<I", primary.content, 80)[0] * SECTOR
    if size > source.size:
        raise Broken(
            f"The image says it has {size} bytes, but there are only {source.size}: it is cut off; download it again"
        )
    name = primary.content[40:72].decode("ascii", "replace").rstrip()
    entries = tuple(_tree(source, primary.root))
    files = [each for each in entries if not each.item.directory]
    return Volume(
        id=name,
        size=size,
        descriptors=descriptors,
        folders=frozenset(each.path for each in entries if each.item.directory),
        files=_merged((each.path, each.item) for each in files),
        plain=_merged((spelled_plainly(each.plain), each.item) for each in files),
    )


def items(source: Source, directory: Extent) -> Iterator[Item]:
    """The records of a directory, in their order, with those for itself and for the one above it."""
    if directory.length > LARGEST_DIRECTORY or directory.end > source.size:
        raise Broken(
            f"A directory is said to have {directory.length} bytes from byte {directory.offset} on, "
            f"of {source.size} in all: {WAY_OUT}"
        )
    content = source.read(directory.offset, directory.length)
    at = 0
    while at < len(content):
        length = content[at]
        if length:
            yield _item(content[at : at + length], directory.offset + at)
            at += length
        else:
            at += SECTOR - at % SECTOR


def notes_of(source: Source, item: Item) -> Iterator[tuple[int, bytes]]:
    """What other standards have noted on a record, with where each note stands: in the record or further on."""
    begins = item.at + HEAD + len(item.name) + (len(item.name) + 1) % 2
    content = item.notes
    for _ in range(MOST_CONTINUATIONS):
        further = None
        for at, note in _notes(content):
            further = note if note[:2] == b"CE" else further
            yield begins + at, note
        if further is None:
            return
        block, offset, length = struct.unpack("<I4xI4xI4x", further[4:28])
        begins = block * SECTOR + offset
        if length > LARGEST_NOTES or begins + length > source.size:
            raise Broken(f"The notes on the directory record at byte {item.at} lead nowhere: {WAY_OUT}")
        content = source.read(begins, length)
    raise Broken(f"The notes on the directory record at byte {item.at} never end: {WAY_OUT}")


def spelled_plainly(path: str) -> str:
    """A path as it is spelled without Rock Ridge: capitals, eight and three."""
    return "/".join(_spelled_plainly(part) for part in path.upper().split("/"))


def _spelled_plainly(name: str) -> str:
    stem, _, ending = name.partition(".")
    return f"{stem[:8]}.{ending[:3]}" if ending else stem[:8]


def _descriptors(source: Source) -> Iterator[Descriptor]:
    if source.size < FIRST_DESCRIPTOR + SECTOR:
        raise Broken(f"The file has {source.size} bytes, too few for an ISO image: {WAY_OUT}")
    for number in range(MOST_DESCRIPTORS):
        at = FIRST_DESCRIPTOR + number * SECTOR
        content = source.read(at, SECTOR) if at + SECTOR <= source.size else b""
        if content[1:6] != b"CD001":
            raise Broken(f"There is no volume descriptor at byte {at}: {WAY_OUT}")
        if content[0] == LAST:
            return
        yield Descriptor(at=at, content=content)
    raise Broken(f"There are more than {MOST_DESCRIPTORS} volume descriptors: {WAY_OUT}")


def _tree(source: Source, root: Extent) -> Iterator[Entry]:
    waiting = [Entry(path="", plain="", item=Item(at=0, name=b"", flags=DIRECTORY, extent=root, notes=b""))]
    seen: set[int] = set()
    while waiting:
        folder = waiting.pop()
        if folder.item.extent.offset in seen:
            raise Broken(f"Directory {folder.path} is in itself: {WAY_OUT}")
        seen.add(folder.item.extent.offset)
        found = [_entry(source, folder, item) for item in items(source, folder.item.extent) if not item.itself]
        waiting += (each for each in found if each.item.directory)
        if len(seen) + len(found) > MOST_ENTRIES:
            raise Broken(f"Directory {folder.path or '/'} has {len(found)} entries: {WAY_OUT}")
        yield from found


def _entry(source: Source, folder: Entry, item: Item) -> Entry:
    plain = item.name.decode("ascii", "replace").partition(";")[0].rstrip(".")
    name = b"".join(note[5:] for _, note in notes_of(source, item) if note[:2] == b"NM").decode(errors="replace")
    return Entry(path=f"{folder.path}/{name or plain.lower()}", plain=f"{folder.plain}/{plain.upper()}", item=item)


def _item(record: bytes, at: int) -> Item:
    if len(record) <= HEAD or len(record) != record[0] or len(record) < HEAD + record[32]:
        raise Broken(f"The directory record at byte {at} is too short: {WAY_OUT}")
    ends = HEAD + record[32]
    return Item(
        at=at,
        name=record[HEAD:ends],
        flags=record[25],
        extent=_extent(record, 0),
        notes=record[ends + (record[32] + 1) % 2 :],
    )


def _notes(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Each begins with two letters and its length; what is shorter than that is the end."""
    shortest, at = {b"CE": 28, b"NM": 5}, 0
    while at + 4 <= len(content):
        note = content[at : at + content[at + 2]]
        if len(note) < shortest.get(note[:2], 4):
            return
        yield at, note
        at += len(note)


def _extent(content: bytes, at: int) -> Extent:
    sector, length = struct.unpack_from("<2xI4xI", content, at)
    return Extent(offset=sector * SECTOR, length=length)


def _merged(named: Iterator[tuple[str, Item]]) -> dict[str, Extent]:
    """A file of more than 4 GiB has several records, all but the last with a mark, and its parts follow each other."""
    found: dict[str, Extent] = {}
    open_ended: set[str] = set()
    for path, item in named:
        before = found[path] if path in open_ended else Extent(offset=item.extent.offset, length=0)
        if before.end != item.extent.offset:
            raise Broken(f"The parts of {path} are apart: {WAY_OUT}")
        found[path] = Extent(offset=before.offset, length=before.length + item.extent.length)
        if item.flags & CONTINUED:
            open_ended.add(path)
        else:
            open_ended.discard(path)
    return found
