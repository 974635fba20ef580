"""What is read from a live image: facts of real ones from 2020 to 2023, and a sentence for everything else."""

import json
import struct
from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.domain.errors import Broken
from muster.image.iso9660 import SECTOR, read_volume
from muster.image.live import read_live
from muster.image.regions import Extent
from muster.image.source import FileSource
from parts.published import NAMES, InMemory, live, live_file, published

X86, S390X = "2023-07.x86_64", "2023-07.s390x"
PLAIN_ONLY = (b"NM", b"XX")
ROOT = 29 * SECTOR


def changed(name: str, old: bytes, new: bytes) -> InMemory:
    """An image in which some bytes are others, wherever they are."""
    assert len(old) == len(new)
    assert old in published(name)
    return InMemory(published(name).replace(old, new))


@pytest.mark.parametrize(
    ("name", "volume", "area"),
    [
        ("2020-09", "rhcos-46.82.202112161843-0", 92160),
        ("2021-01", "rhcos-47.84.202112162337-0", 96256),
        ("2021-09", "fedora-coreos-34.20210921.dev.0", 102400),
        ("2021-12", "fedora-coreos-35.20211216.dev.0", 161792),
        ("2022-02", "fedora-coreos-35.20220217.dev.0", 159744),
        ("2022-09", "fedora-coreos-36.20220909.dev.0", 159744),
        ("2023-03.s390x", "fedora-coreos-37.20230307.dev.0", 71680 + 132096),
        ("2023-03.x86_64", "fedora-coreos-37.20230306.dev.0", 157696),
        ("2023-07.s390x", "fedora-coreos-38.20230718.dev.0", 71680 + 132096),
        ("2023-07.x86_64", "fedora-coreos-38.20230718.dev.0", 139264),
    ],
)
def test_every_image_says_what_it_is_and_where_its_config_goes(name, volume, area):
    found = live(name)
    assert found.volume_id == volume
    assert found.ignition == Extent(offset=area, length=262144)
    assert found.architecture == ("s390x" if "s390x" in name else "x86_64")
    assert (found.size, found.minimal) == (len(published(name)), False)
    assert found.volume_id.endswith(found.build)


@pytest.mark.parametrize(
    ("name", "places", "size"),
    [
        ("2021-01", [94026, 365415], 1131),
        ("2021-09", [371658, 98126], 1139),
        ("2023-07.x86_64", [407552 + 970, 135168 + 1869], 1139),
        ("2023-07.s390x", [71680 + 66688], 896),
    ],
)
def test_the_places_for_kernel_arguments_are_found_by_list_and_by_header(name, places, size):
    kargs = live(name).kargs
    assert kargs is not None
    assert ([each.offset for each in kargs.areas], kargs.size) == (places, size)
    assert kargs.now == kargs.default
    assert kargs.from_medium


@pytest.mark.parametrize("name", ["2020-09", "2023-03.s390x"])
def test_some_images_have_no_place_for_kernel_arguments(name):
    assert live(name).kargs is None


def test_the_parts_of_an_image_are_found():
    found = live(X86)
    assert found.files["/EFI/fedora/grub.cfg"] == Extent(offset=407552, length=2192)
    assert found.files["/isolinux/isolinux.cfg"] == Extent(offset=135168, length=3082)
    assert published(X86)[found.kernel.offset :][: found.kernel.length] == b"the kernel\n"
    assert published(X86)[found.initrd.offset :][: found.initrd.length] == b"initrd data\n"
    assert published(X86)[found.rootfs.offset :][: found.rootfs.length] == b"rootfs data\n"
    assert found.features == ("installer-config", "live-initrd-network")
    assert found.miniso is not None


def test_a_mainframe_is_told_where_its_initrd_is_loaded():
    assert live(S390X).load_address.hex() == "0000000002000000"
    assert live(S390X).files["/images/cdboot.img"] == Extent(offset=71680, length=394240)


def test_few_reads_are_enough():
    source = InMemory(published(X86))
    read_live(source)
    assert source.reads < 30


@pytest.mark.parametrize("name", NAMES)
def test_an_image_without_rock_ridge_names_is_read_as_well(name):
    with_names, without = live(name), read_live(changed(name, *PLAIN_ONLY))
    assert without.kargs == with_names.kargs or without.kargs.but(areas=()) == with_names.kargs.but(areas=())
    assert without.but(files={}, kargs=None) == with_names.but(files={}, kargs=None)
    assert "/images/pxeboot/rootfs.img" in without.files


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64", "ppc64le", "s390x"])
def test_the_architecture_is_told_by_what_is_in_the_image(live_isos, architecture):
    assert live_file(live_isos(architecture=architecture)).architecture == architecture


@pytest.mark.parametrize(
    ("kernel", "architecture"),
    [
        (b"\0" * 0x202 + b"HdrS", "x86_64"),
        (b"\0" * 56 + b"ARM\x64", "aarch64"),
        (b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0\x64\xaa", "aarch64"),
        (b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0\x64\x86", "x86_64"),
        (b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0\x99\x99", "x86_64"),
        (b"MZ", "x86_64"),
    ],
)
def test_a_kernel_tells_what_it_runs_on(kernel, architecture):
    content = bytearray(published(X86))
    place = live(X86).kernel
    at = published(X86).index(struct.pack("<I", place.offset // SECTOR), ROOT)
    content[at + 8 : at + 16] = struct.pack("<I", 4096) + struct.pack(">I", 4096)
    content[place.offset : place.offset + 4096] = kernel.ljust(4096, b"\0")
    assert read_live(InMemory(bytes(content))).architecture == architecture


def test_a_place_may_be_a_part_of_a_file():
    whole = json.loads('{"file": "images/ignition.img"}')
    for said, wanted in (
        ({"offset": 1}, Extent(offset=139265, length=262143)),
        ({"length": 9}, Extent(offset=139264, length=9)),
    ):
        written = json.dumps(whole | said).encode().ljust(60)
        content = bytearray(published(X86))
        place = live(X86).files["/coreos/igninfo.json"]
        content[place.offset : place.offset + 60] = written
        at = published(X86).index(b"IGNINFO.JSO") - 33
        content[at + 10 : at + 18] = struct.pack("<I", 60) + struct.pack(">I", 60)
        assert read_live(InMemory(bytes(content))).ignition == wanted


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b"fedora-coreos-38", b"debian-13-amd-64", "This is not a CoreOS live image: its volume is called 'debian-13"),
        (b"CD001", b"XD001", "There is no volume descriptor at byte 32768"),
        (b'"file": "images/ignition.img"', b'"file": "images/elsewhere.img', "igninfo.json in the image cannot be"),
        (b"images/ignition.img", b"images/ignitiom.img", "/images/ignitiom.img is not in it"),
        (b'"size": 1139', b'"size": 9999', "places of 9999 bytes for kernel arguments"),
        (b'"size": 1139', b'"size": 0000', "kargs.json in the image cannot be understood"),
        (b'"size": 1139', b'"size":   50', "places of 50 bytes for kernel arguments, and 115 characters"),
        (b'"offset": 1869', b'"offset": 9999', "names byte 9999 of /isolinux/isolinux.cfg"),
        (b'"path": "EFI', b'"path": "XFI', "of /XFI/fedora/grub.cfg, which is not in the image"),
        (b'"pad": "#"', b'"pad": "\xc3\xa4', "kargs.json in the image cannot be understood"),
        (b'"installer-config": true', b'"installer-config": trve', "features.json in the image cannot be understood"),
    ],
)
def test_what_is_wrong_with_an_image_is_said(old, new, sentence):
    with pytest.raises(Broken, match=sentence):
        read_live(changed(X86, old, new))


def test_an_image_that_lacks_a_part_is_not_whole():
    for name in (b"initrd.img", b"vmlinuz"):
        source = InMemory(published(X86).replace(name, name[::-1]).replace(name.upper(), name.upper()[::-1]))
        with pytest.raises(Broken, match=f"/images/pxeboot/{name.decode()} is not in it; download it again"):
            read_live(source)


def test_an_image_without_a_place_for_a_config_is_refused():
    spelled = {b"ignition.img": b"ignotion.img", b"IGNITION.IMG": b"IGNOTION.IMG", b"coreiso+": b"isocore+"}
    content = published("2020-09")
    for old, new in spelled.items():
        content = content.replace(old, new)
    with pytest.raises(Broken, match=r"has no place for an Ignition config: there is no /images/ignition.img"):
        read_live(InMemory(content))


def test_the_oldest_images_tell_their_place_by_a_header():
    content = published("2020-09").replace(b"ignition.img", b"ignotion.img").replace(b"IGNITION.IMG", b"IGNOTION.IMG")
    assert read_live(InMemory(content)).ignition == Extent(offset=92160, length=262144)


def test_a_header_for_kernel_arguments_that_leads_nowhere_is_refused():
    content = bytearray(published("2021-09"))
    content[32680:32688] = struct.pack("<Q", 5000)
    spelled = bytes(content).replace(b"kargs.json", b"sgrak.json").replace(b"KARGS.JSO", b"SGRAK.JSO")
    with pytest.raises(Broken, match="header for kernel arguments leads nowhere"):
        read_live(InMemory(spelled))


def test_an_image_that_is_cut_off_says_how_much_is_missing():
    with pytest.raises(Broken, match="says it has 741376 bytes, but there are only 700000: it is cut off"):
        read_live(InMemory(published(X86)[:700000]))


def test_what_is_no_image_at_all_is_refused():
    for content in (b"", b"hello", bytes(100_000)):
        with pytest.raises(Broken, match="download it again and compare its checksum"):
            read_live(InMemory(content))


def test_a_minimal_image_has_no_system():
    gone = published(X86).replace(b"rootfs.img", b"netcfg.img").replace(b"ROOTFS.IMG", b"NETCFG.IMG")
    found = read_live(InMemory(gone))
    assert found.minimal
    assert found.extra == live(X86).rootfs
    with pytest.raises(Broken, match=r"is a minimal one and has no /images/pxeboot/rootfs.img; take the full one"):
        _ = found.rootfs


def test_a_file_of_several_parts_is_one_file():
    """Files of more than 4 GiB are written so; here it is a small one, whose second part follows the first."""
    content = bytearray(published(X86))
    first, second = (published(X86).index(each, ROOT) - 33 for each in (b"INITRD.IMG;1", b"ROOTFS.IMG;1"))
    content[first + 25] |= 0x80
    content[first + 10 : first + 18] = struct.pack("<I", SECTOR) + struct.pack(">I", SECTOR)
    content[second + 33 : second + 45] = b"INITRD.IMG;1"
    merged = read_volume(InMemory(bytes(content).replace(b"rootfs.img", b"initrd.img")))
    place = live(X86).initrd
    assert merged.files["/images/pxeboot/initrd.img"] == Extent(offset=place.offset, length=SECTOR + 12)
    content[first + 10 : first + 18] = struct.pack("<I", 5) + struct.pack(">I", 5)
    with pytest.raises(Broken, match=r"The parts of /images/pxeboot/initrd.img are apart"):
        read_volume(InMemory(bytes(content).replace(b"rootfs.img", b"initrd.img")))


def test_a_directory_within_itself_is_refused():
    content = bytearray(published(X86))
    at = published(X86).index(b"PXEBOOT", ROOT) - 33
    content[at + 2 : at + 6] = struct.pack("<I", 31)
    with pytest.raises(Broken, match="Directory /images/pxeboot is in itself"):
        read_live(InMemory(bytes(content)))


@given(st.integers(min_value=0, max_value=741375))
@settings(max_examples=60, deadline=None)
def test_an_image_cut_off_anywhere_is_refused(length):
    with pytest.raises(Broken):
        read_live(InMemory(published(X86)[:length]))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_damage_is_refused_or_harmless_and_never_a_surprise(data):
    name = data.draw(st.sampled_from((X86, "2021-01", S390X)))
    content = bytearray(published(name))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(32600, 160_000) | st.integers(401_408, 480_000))
        content[at : at + 4] = data.draw(st.binary(min_size=4, max_size=4))
    with suppress(Broken):
        read_live(InMemory(bytes(content)))


def record_of(content: bytes, name: bytes) -> int:
    """Where the directory record of a plain name begins."""
    return content.index(name, ROOT) - 33


def both(number: int) -> bytes:
    return struct.pack("<I", number) + struct.pack(">I", number)


def damaged(at: int, *damage: bytes) -> InMemory:
    content = bytearray(published(X86))
    content[at : at + len(b"".join(damage))] = b"".join(damage)
    return InMemory(bytes(content))


PRIMARY = 16 * SECTOR
GRUB, FEATURES, IGNITION_INFO, IMAGES = (
    record_of(published(X86), name) for name in (b"GRUB.CFG;1", b"FEATURES.JSO;1", b"IGNINFO.JSO;1", b"PXEBOOT")
)
FIRST_NOTE = published(X86).index(b"RR", GRUB)


@pytest.mark.parametrize(
    ("at", "damage", "sentence"),
    [
        (PRIMARY, b"\x03", "There is no primary volume descriptor"),
        (PRIMARY + 166, both(2**31), "A directory is said to have 2147483648 bytes from byte"),
        (IMAGES + 2, both(2**30), "A directory is said to have"),
        (IMAGES, b"\x21", "The directory record at byte .* is too short"),
        (GRUB + 10, both(2**30), "/EFI/fedora/grub.cfg ends at byte 1074149376 of 1048576: the image is cut off"),
        (GRUB + 2, both(511) + both(2048), "kernel arguments in /EFI/fedora/grub.cfg are beyond the end"),
        (FEATURES + 10, both(500_000), "/coreos/features.json in the image has 500000 bytes, far more"),
        (IGNITION_INFO + 2, both(418), "igninfo.json in the image cannot be understood"),
    ],
)
def test_damage_is_told_with_its_place(at, damage, sentence):
    with pytest.raises(Broken, match=sentence):
        read_live(damaged(at, damage))


@pytest.mark.parametrize(
    ("place", "sentence"), [((2**20, 0, 64), "lead nowhere"), ((29, 0, 10**6), "lead nowhere"), (None, "never end")]
)
def test_notes_that_lead_nowhere_are_told(place, sentence):
    sector, offset, length = place or (FIRST_NOTE // SECTOR, FIRST_NOTE % SECTOR, 28)
    note = b"CE\x1c\x01" + both(sector) + both(offset) + both(length)
    content = bytearray(published(X86))
    content[FIRST_NOTE : FIRST_NOTE + 28] = note
    with pytest.raises(Broken, match=f"The notes on the directory record at byte .* {sentence}"):
        read_live(InMemory(bytes(content)))


def test_descriptors_without_end_are_told():
    content = bytearray(published(X86))
    for sector in range(16, 100):
        content[sector * SECTOR : (sector + 1) * SECTOR] = published(X86)[PRIMARY : PRIMARY + SECTOR]
    with pytest.raises(Broken, match="There are more than 64 volume descriptors"):
        read_live(InMemory(bytes(content)))


def test_a_directory_of_absurd_size_is_told():
    record = bytearray(published(X86)[GRUB : GRUB + 44])
    record[0], record[32] = 44, 10
    full = (bytes(record) * 46).ljust(SECTOR, b"\0")
    content = published(X86) + full * 480
    at = record_of(published(X86), b"FEDORA")
    changed_place = both(len(published(X86)) // SECTOR) + both(480 * SECTOR)
    with pytest.raises(Broken, match="Directory /EFI/fedora has 22080 entries"):
        read_live(InMemory(content[: at + 2] + changed_place + content[at + 18 :]))


@pytest.mark.parametrize("told", [{"offset": -1}, {"length": 0}, {"offset": 262144}, {"length": 262145}])
def test_a_place_beyond_its_file_is_told(told):
    written = json.dumps({"file": "images/ignition.img"} | told).encode().ljust(60)
    content = bytearray(damaged(IGNITION_INFO + 10, both(60)).content)
    place = live(X86).files["/coreos/igninfo.json"]
    content[place.offset : place.offset + 60] = written
    with pytest.raises(Broken, match="which has 262144; download the image again"):
        read_live(InMemory(bytes(content)))


def test_a_file_that_gets_shorter_is_told(tmp_path):
    path = tmp_path / "live.iso"
    path.write_bytes(published(X86))
    with closing(FileSource(path)) as source:
        path.write_bytes(b"short")
        with pytest.raises(Broken, match=r"live.iso ends after 1048576 bytes, within the 10 bytes from 100 on"):
            source.read(100, 10)
