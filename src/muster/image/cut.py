"""Turns a full image that has no recipe into a minimal one: the system is cut out, and what follows it moves up.

Nothing is authored anew, so it starts wherever the full one does. In the system's place there is room for an archive
that is loaded after all others. `minimal.py` asks for it.
"""

import struct
from typing import BinaryIO

from muster.domain.errors import Broken
from muster.domain.record import Record

from .boot_configs import HASHES, Config, read_configs, with_extra, with_room
from .draft import Draft
from .iso9660 import PRIMARY, SECTOR, Volume, notes_of, read_volume
from .kargs import LEGACY_HEADER, LEGACY_MAGIC, Area, Kargs, Listing
from .live import EXTRA, ROOTFS, Live
from .live import LEGACY_HEADER as IGNITION_HEADER
from .live import LEGACY_MAGIC as IGNITION_MAGIC
from .moving import Move, move_volume, tree_items
from .partitions import (
    ALIGNED,
    BLOCK,
    Ends,
    Guide,
    move_guide,
    move_partitions,
    read_guide,
    starts_from_disk,
)
from .regions import Extent, composed, given
from .source import Source
from .writing import copied

ROOM = 1024 * 1024
"""Bytes for the archive."""

LARGEST_SYSTEM = 4 * 1024**3 - SECTOR
"""A larger file has several entries in its directory."""

OTHER_FILE_SYSTEM = b"BEA01"


class Plan(Record):
    """What becomes of the image: where things move, and what is written behind all that was there."""

    move: Move
    kept: int
    """Bytes of the full image that are looked at; what follows is the copy of a partition table."""
    configs: tuple[Config, ...]
    files: dict[Extent, bytes]
    """New contents, by where the old ones are."""
    behind: bytes = b""


def write_cut(source: Source, live: Live, file: BinaryIO) -> None:
    """Write the minimal image of a full one; `Broken` if something in it could not be made right."""
    volume = read_volume(source)
    _refuse(source, live, volume)
    guide = read_guide(source)
    plan = _plan(source, live, volume, guide)
    draft = Draft(source)
    ends = _ends(volume, plan, guide, disk=starts_from_disk(source))
    for place, content in plan.files.items():
        if plan.move.extent(place).offset == plan.move.to(place.offset):
            draft.put(place.offset, content.ljust(_rounded(place.length), b"\0"))
    _write_headers(source, draft, live, plan)
    move_volume(source, draft, volume, plan.move, ends.volume)
    _rename(source, draft, volume, live)
    tail = plan.behind
    if starts_from_disk(source):
        move_partitions(source, draft, plan.move, ends)
    if guide:
        draft.put(guide.copy_begins, bytes(plan.kept - guide.copy_begins))
        # The table may reach as far as the headers, and is proven by a checksum over them as well.
        copy = move_guide(draft, read_guide(draft) or guide, plan.move, ends)
        tail = tail.ljust(ends.total - plan.move.to(plan.kept) - len(copy), b"\0") + copy
    _write(source, draft, live, plan, file)
    file.write(tail.ljust(ends.total - plan.move.to(plan.kept), b"\0"))


def _refuse(source: Source, live: Live, volume: Volume) -> None:
    after = volume.descriptors[-1].at + 2 * SECTOR
    if source.read(after + 1, len(OTHER_FILE_SYSTEM)) == OTHER_FILE_SYSTEM:
        raise Broken("No minimal image can be made of this one: it has a second file system (UDF); take the full one")
    if live.rootfs.length > LARGEST_SYSTEM:
        raise Broken(
            f"No minimal image can be made of this one: {ROOTFS} has {live.rootfs.length} bytes; take the full one"
        )
    if any(source.read(live.ignition.offset, live.ignition.length)):
        raise Broken(f"Image {live.volume_id} was customised; take it as it was published to make a minimal one of it")
    for path, extent in volume.files.items():
        if path != ROOTFS and extent.length and live.rootfs.offset <= extent.offset < live.rootfs.end:
            raise Broken(f"No minimal image can be made of this one: {path} is within {ROOTFS}; take the full one")


def _plan(source: Source, live: Live, volume: Volume, guide: Guide | None) -> Plan:
    ends = live.rootfs.offset + _rounded(live.rootfs.length)
    move = Move(begins=ends, by=ROOM - _rounded(live.rootfs.length))
    kept = _rounded(guide.copy_begins) if guide else source.size // SECTOR * SECTOR
    found = read_configs(source, volume.files, live.kargs.areas if live.kargs else ())
    configs = tuple(with_extra(each if live.kargs else with_room(each)) for each in found)
    if not configs:
        raise Broken(f"No minimal image can be made of {live.volume_id}: no boot loader's configuration is in it")
    files = {each.place: each.content for each in configs}
    if live.kargs and live.kargs.listing and live.kargs.listed_at:
        length = live.kargs.listed_at.length
        files[live.kargs.listed_at] = _relisted(live.kargs, live.kargs.listing, configs, length)
    placed = {live.rootfs: Extent(offset=live.rootfs.offset, length=ROOM)}
    behind = b""
    for place, content in files.items():
        fits = len(content) <= _rounded(place.length)
        at = move.to(place.offset) if fits else move.to(kept) + len(behind)
        placed[place] = Extent(offset=at, length=len(content))
        behind += b"" if fits else content.ljust(_rounded(len(content)), b"\0")
    plan = Plan(move=move.but(placed=placed), kept=kept, configs=configs, files=files, behind=behind)
    return plan if live.kargs else plan.but(behind=behind + _default(configs).ljust(SECTOR, b"\0"))


def _relisted(kargs: Kargs, listing: Listing, configs: tuple[Config, ...], length: int) -> bytes:
    """The list of places for kernel arguments, as long as before or longer, with where they have moved to."""
    pairs = zip(listing.files, kargs.areas, strict=True)
    files = tuple(listed.but(offset=_config_of(area, configs).at) for listed, area in pairs)
    return listing.but(files=files).text(length).ljust(length)


def _config_of(area: Area, configs: tuple[Config, ...]) -> Config:
    for config in configs:
        if config.place.offset <= area.offset < config.place.end:
            return config
    raise Broken(
        f"No minimal image can be made of this one: the kernel arguments in {area.path} are in no boot loader's "
        "configuration that is known; take the full one"
    )


def _default(configs: tuple[Config, ...]) -> bytes:
    """The kernel arguments of an image that had no room for any, as those that have keep them besides."""
    arguments = {each.arguments for each in configs}
    if len(arguments) > 1:
        raise Broken("No minimal image can be made of this one: its boot loaders tell the kernel different things")
    return arguments.pop().encode() + b"\n" + b"#" * (HASHES - 1)


def _ends(volume: Volume, plan: Plan, guide: Guide | None, *, disk: bool) -> Ends:
    stops = plan.move.to(plan.kept) + len(plan.behind)
    total = stops + ((guide.blocks + 1) * BLOCK if guide else 0)
    total += -total % ALIGNED if disk else 0
    new_volume = stops if plan.behind else min(plan.move.to(volume.size), total)
    return Ends(volume=new_volume, total=total)


def _write_headers(source: Source, draft: Draft, live: Live, plan: Plan) -> None:
    """Older images say among the bytes before the file system where the places are that may be written over."""
    if source.read(IGNITION_HEADER.offset, 8) == IGNITION_MAGIC:
        draft.put(IGNITION_HEADER.offset + 8, struct.pack("<Q", plan.move.to(live.ignition.offset)))
    if live.kargs and live.kargs.listing:
        return
    if live.kargs and live.kargs.default_at is not None:
        size, default_at = live.kargs.size, plan.move.to(live.kargs.default_at)
        configs = tuple(_config_of(each, plan.configs) for each in live.kargs.areas)
    else:
        size, default_at = len(_default(plan.configs)), plan.move.to(plan.kept) + len(plan.behind) - SECTOR
        configs = plan.configs
    places = [plan.move.extent(each.place).offset + each.at for each in configs]
    header = LEGACY_MAGIC + struct.pack(f"<{2 + len(places)}Q", size, default_at, *places)
    draft.put(LEGACY_HEADER.offset, header.ljust(LEGACY_HEADER.length, b"\0"))


def _rename(source: Source, draft: Draft, volume: Volume, live: Live) -> None:
    """Call the place of the system by its new name, which is as long and comes in the same order."""
    old, new = (each.rpartition("/")[2] for each in (ROOTFS, EXTRA))
    for descriptor in volume.descriptors:
        coding = "utf-16-be" if descriptor.joliet else "ascii"
        if descriptor.kind != PRIMARY and not descriptor.joliet:
            continue
        for item in tree_items(source, descriptor.root):
            if item.extent != live.rootfs or item.directory:
                continue
            name = item.name.replace(old.encode(coding), new.encode(coding))
            draft.put(item.at + 33, name.replace(old.upper().encode(coding), new.upper().encode(coding)))
            for at, note in notes_of(source, item):
                if note[:2] == b"NM":
                    draft.put(at, note.replace(old.encode(), new.encode()))


def _write(source: Source, draft: Draft, live: Live, plan: Plan, file: BinaryIO) -> None:
    """What is before the system, the room in its place, what is behind it."""
    before = Extent(offset=0, length=live.rootfs.offset)
    after = Extent(offset=plan.move.begins, length=plan.kept - plan.move.begins)
    patches = [each for each in draft.patches() if each.offset < plan.kept]
    front = composed(before, (each for each in patches if each.offset < before.end))
    back = composed(after, (each for each in patches if each.offset >= after.offset))
    copied(source, (*front.regions, given(bytes(ROOM)), *back.regions), file.write)


def _rounded(length: int) -> int:
    return length + -length % SECTOR
