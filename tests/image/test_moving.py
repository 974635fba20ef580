"""When everything behind the descriptors of an image is moved, everything is still found."""

import struct
import subprocess

import pytest

from muster.image.draft import Draft
from muster.image.iso9660 import SECTOR, read_volume
from muster.image.moving import Move, boot_entries, move_volume
from muster.image.partitions import Ends, move_partitions
from parts.published import NAMES, InMemory, laid_over, live, published

BEGINS, BY = 21 * SECTOR, 7 * SECTOR


def moved(content: bytes) -> bytes:
    """The image with seven empty sectors before its path tables."""
    source = InMemory(content)
    draft = Draft(source)
    volume = read_volume(source)
    move_volume(source, draft, volume, Move(begins=BEGINS, by=BY), volume.size + BY)
    changed = laid_over(content, tuple(draft.patches()))
    return changed[:BEGINS] + bytes(BY) + changed[BEGINS:]


def path_tables(content: bytes):
    """Every directory that a path table leads to, with which end of the number comes first."""
    for descriptor in (each for each in read_volume(InMemory(content)).descriptors if each.kind in {1, 2}):
        (length,) = struct.unpack_from("<I", descriptor.content, 132)
        for at, order in ((140, "<"), (148, ">")):
            (sector,) = struct.unpack_from(f"{order}I", descriptor.content, at)
            table, place = content[sector * SECTOR :][:length], 0
            while place < length:
                yield struct.unpack_from(f"{order}I", table, place + 2)[0]
                place += 8 + table[place] + table[place] % 2


@pytest.mark.parametrize("name", [each for each in NAMES if "s390x" not in each])
def test_every_name_leads_to_its_content(name, tmp_path):
    before, after = tmp_path / "before.iso", tmp_path / "after.iso"
    before.write_bytes(published(name))
    after.write_bytes(moved(published(name)))
    for names in ("-R", "-J"):
        listed = [
            subprocess.run(["isoinfo", names, "-f", "-i", each], capture_output=True, text=True, check=True).stdout
            for each in (before, after)
        ]
        assert listed[0] == listed[1]
        for path in listed[0].splitlines():
            found = [
                subprocess.run(["isoinfo", names, "-x", path, "-i", each], capture_output=True, check=False).stdout
                for each in (before, after)
            ]
            assert found[0] == found[1] or "boot.cat" in path or "isolinux.bin" in path


@pytest.mark.parametrize("name", NAMES)
def test_the_path_tables_lead_to_directories(name):
    content = moved(published(name))
    sectors = list(path_tables(content))
    assert len(sectors) > 10
    for sector in sectors:
        record = content[sector * SECTOR :][:34]
        assert record[33:34] == b"\0", "a directory begins with itself"
        assert struct.unpack_from("<I", record, 2)[0] == struct.unpack_from(">I", record, 6)[0] == sector


@pytest.mark.parametrize("name", NAMES)
def test_the_catalog_leads_to_what_is_started(name):
    content = moved(published(name))
    (before,), (after,) = (
        [each for each in read_volume(InMemory(image)).descriptors if each.kind == 0]
        for image in (published(name), content)
    )
    catalogs = [int.from_bytes(each.content[71:75], "little") * SECTOR for each in (before, after)]
    assert catalogs[1] == catalogs[0] + BY
    places = [
        [int.from_bytes(entry[8:12], "little") for _, entry in boot_entries(InMemory(image), catalog)]
        for image, catalog in zip((published(name), content), catalogs, strict=True)
    ]
    assert places[1] == [each + BY // SECTOR for each in places[0]]


def test_grub_is_told_where_it_is_as_well():
    content = bytearray(published("2023-07.x86_64"))
    at = live("2023-07.x86_64").files["/isolinux/isolinux.bin"].offset
    content[at + 2548 : at + 2556] = struct.pack("<Q", at // 512 + 5)
    after = moved(bytes(content))
    assert struct.unpack_from("<Q", after, at + BY + 2548)[0] == (at + BY) // 512 + 5


def test_partitions_beyond_what_cylinders_can_say_are_marked_as_such():
    content = bytearray(published("2023-07.x86_64"))
    draft = Draft(InMemory(bytes(content)))
    move_partitions(draft, draft, Move(begins=BEGINS, by=BY), Ends(volume=2**31, total=2**31))
    status, _, _, _, _, *ends = draft.read(446, 8)
    assert (status, bytes(ends)) == (0x80, b"\xfe\xff\xff")
    assert struct.unpack("<II", draft.read(454, 8)) == (0, 2**31 // 512)


def test_a_first_block_of_another_kind_is_left_alone():
    content = bytearray(published("2023-07.x86_64"))
    content[432:440] = b"anycode!"
    draft = Draft(InMemory(bytes(content)))
    move_partitions(draft, draft, Move(begins=BEGINS, by=BY), Ends(volume=2**20, total=2**20))
    assert draft.read(432, 8) == b"anycode!"
