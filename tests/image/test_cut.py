"""Minimal images of full ones that bring no recipe: everything that points somewhere points to the right place."""

import hashlib
import re
import struct
import subprocess
import zlib
from contextlib import closing

import pytest

from muster.domain.artifacts.cpio import archive, regular
from muster.domain.errors import Broken, Invalid
from muster.image.boot_configs import Config, with_extra, with_room
from muster.image.customise import Customisation, customised
from muster.image.iso9660 import SECTOR
from muster.image.live import EXTRA, ROOTFS, read_live
from muster.image.minimal import write_minimal
from muster.image.regions import Extent
from muster.image.source import FileSource
from parts.published import InMemory, laid_over, live, live_file, published
from parts.tools import tool

BUILDS = {
    "without recipe": {"miniso": False},
    "old": {"miniso": False, "areas": False},
    "for arm": {"miniso": False, "architecture": "aarch64"},
    "for power": {"miniso": False, "architecture": "ppc64le"},
    "with a long way to go": {"miniso": False, "rootfs_size": 40 * 1024 * 1024},
    "smaller than the room": {"miniso": False, "rootfs_size": 600 * 1024},
    "by another tool": {"miniso": False, "areas": False, "author": "genisoimage"},
}
EDITED = re.compile(r"grub\.cfg|isolinux\.cfg|kargs\.json|boot\.cat|isolinux\.bin|netcfg\.img")
ADDED = archive([regular("/etc/hello", "hello", 0o644)])


@pytest.fixture(params=BUILDS, scope="module")
def pair(request, live_isos, tmp_path_factory):
    """A full image and the minimal one that was cut out of it."""
    full, minimal = live_isos(**BUILDS[request.param]), tmp_path_factory.mktemp("cut") / "minimal.iso"
    with closing(FileSource(full)) as source:
        write_minimal(source, read_live(source), minimal)
    return full, minimal


def said(*words) -> str:
    return subprocess.run([str(each) for each in words], capture_output=True, text=True, check=True).stdout


def listed(image, names) -> set[str]:
    return set(said("isoinfo", *names, "-f", "-i", image).splitlines())


def content_of(image, path) -> bytes:
    return subprocess.run(["isoinfo", "-R", "-i", image, "-x", path], capture_output=True, check=True).stdout


@pytest.mark.parametrize("names", [("-R",), ("-J",)])
def test_every_file_but_the_system_is_found_by_every_name(pair, names):
    full, minimal = pair
    assert listed(minimal, names) == listed(full, names) - {ROOTFS} | {EXTRA}


def test_plain_names_are_changed_alike(pair):
    _, minimal = pair
    plain = listed(minimal, ())
    assert {each for each in plain if "PXEBOOT/" in each} == {
        "/IMAGES/PXEBOOT/INITRD.IMG;1",
        "/IMAGES/PXEBOOT/NETCFG.IMG;1",
        "/IMAGES/PXEBOOT/VMLINUZ.;1",
    }


def test_every_file_has_its_content(pair):
    full, minimal = pair
    for path in listed(full, ("-R",)) - {ROOTFS}:
        if not EDITED.search(path):
            assert content_of(minimal, path) == content_of(full, path), path
    assert content_of(minimal, EXTRA) == bytes(1024 * 1024)


def test_xorriso_finds_every_file_and_nothing_to_complain_about(pair):
    full, minimal = pair
    told = [
        subprocess.run(
            ["xorriso", "-abort_on", "WARNING", "-indev", each, "-find", "/", "-type", "f", "-exec", "report_lba"],
            capture_output=True,
            text=True,
            check=True,
        )
        for each in (full, minimal)
    ]
    names = [set(re.findall(r"'(/.*)'", each.stdout)) for each in told]
    assert names[1] == names[0] - {ROOTFS} | {EXTRA}
    assert "WARNING" not in told[1].stderr


def test_what_the_firmware_starts_from_is_where_it_is_said_to_be(pair):
    full, minimal = pair
    catalogs = [boot_images(each) for each in (full, minimal)]
    assert [hashlib.sha256(each).hexdigest() for each in catalogs[1]] == [
        hashlib.sha256(each).hexdigest() for each in catalogs[0]
    ]


def boot_images(image) -> list[bytes]:
    """The first bytes of each thing in the boot catalog, without what says where it is itself."""
    content = image.read_bytes()
    if content[17 * SECTOR] != 0:
        return []
    (catalog,) = struct.unpack_from("<I", content, 17 * SECTOR + 71)
    entries = [content[catalog * SECTOR + at :][:32] for at in (32, 96)]
    places = [struct.unpack_from("<I", each, 8)[0] * SECTOR for each in entries if each[0] == 0x88]
    return [content[at : at + 8] + content[at + 64 : at + SECTOR] for at in places]


def test_the_boot_loader_is_told_where_it_is(pair):
    _, minimal = pair
    found = live_file(minimal).files.get("/isolinux/isolinux.bin")
    if found is None:
        return
    content = minimal.read_bytes()[found.offset : found.end]
    told = struct.unpack_from("<IIII", content, 8)
    checksum = sum(struct.unpack(f"<{(found.length - 64) // 4}I", content[64:])) % 2**32
    assert told == (16, found.offset // SECTOR, found.length, checksum)


def test_the_partition_tables_are_right(pair):
    _, minimal = pair
    content = minimal.read_bytes()
    if content[510:512] != b"\x55\xaa":
        return
    found = live_file(minimal)
    blocks = len(content) // 512
    assert len(content) % (1024 * 1024) == 0
    assert struct.unpack_from("<Q", content, 432)[0] == found.files["/isolinux/isolinux.bin"].offset // 512
    firmware = found.files["/images/efiboot.img"]
    parts = [struct.unpack_from("<II", content, 446 + 16 * each + 8) for each in range(2)]
    assert parts == [(0, blocks), (firmware.offset // 512, firmware.length // 512)]
    first, copy = guide(content, 1), guide(content, blocks - 1)
    assert (first["copy"], copy["copy"]) == (blocks - 1, 1)
    assert first["entries"] == copy["entries"]
    assert struct.unpack_from("<QQ", first["entries"], 128 + 32) == (
        firmware.offset // 512,
        firmware.end // 512 - 1,
    )
    volume = struct.unpack_from("<I", content, 32768 + 80)[0] * 4
    assert struct.unpack_from("<QQ", first["entries"], 32) == (0, min(volume - 1, first["usable"]))


def guide(content, block):
    """A GPT that is proven by its checksums."""
    header = bytearray(content[block * 512 :][:92])
    assert header[:8] == b"EFI PART"
    itself, copy, _, usable = struct.unpack_from("<QQQQ", header, 24)
    at, count, size, checksum = struct.unpack_from("<QIII", header, 72)
    entries = content[at * 512 :][: count * size]
    proof = struct.unpack_from("<I", header, 16)[0]
    header[16:20] = bytes(4)
    assert (zlib.crc32(header), zlib.crc32(entries), itself) == (proof, checksum, block)
    return {"copy": copy, "entries": entries, "usable": usable}


def test_the_boot_loaders_load_the_extra_archive_last(pair):
    _, minimal = pair
    configs = [each for each in listed(minimal, ("-R",)) if each.endswith(("grub.cfg", "isolinux.cfg"))]
    assert configs
    for path in configs:
        text = content_of(minimal, path).decode()
        loaded = re.search(r"^\s+initrd (.*)$", text, re.MULTILINE) or re.search(r"initrd=(\S+)", text)
        assert re.split("[ ,]", loaded[1]) == ["/images/pxeboot/initrd.img", "/images/ignition.img", EXTRA]
        assert "coreos.liveiso=" not in text


def test_the_real_tool_customises_it(pair, tmp_path):
    _, minimal = pair
    image, config = tmp_path / "own.iso", tmp_path / "config.ign"
    config.write_text('{"ignition": {"version": "3.2.0"}}')
    default = live_file(minimal).kargs.default
    assert default == "mitigations=auto,nosmt ignition.firstboot ignition.platform.id=metal"
    said(tool("coreos-installer"), "iso", "ignition", "embed", "-i", config, "-o", image, minimal)
    said(tool("coreos-installer"), "iso", "kargs", "modify", "-a", "console=ttyS0", image)
    assert said(tool("coreos-installer"), "iso", "kargs", "show", image) == f"{default} console=ttyS0\n"
    assert said(tool("coreos-installer"), "iso", "ignition", "show", image) == config.read_text()


def test_we_customise_it_and_the_real_tool_finds_all_of_it(pair, tmp_path):
    _, minimal = pair
    found, image = live_file(minimal), tmp_path / "own.iso"
    wanted = Customisation(
        ignition=b'{"ignition": {"version": "3.2.0"}}',
        extra=ADDED,
        rootfs_url="https://images.example/rootfs.img",
        kernel_arguments=("console=ttyS0",),
    )
    image.write_bytes(laid_over(minimal.read_bytes(), customised(found, wanted)))
    shown = said(tool("coreos-installer"), "iso", "kargs", "show", image)
    assert shown.endswith(" coreos.live.rootfs_url=https://images.example/rootfs.img console=ttyS0\n")
    assert content_of(image, EXTRA).rstrip(b"\0") == ADDED.rstrip(b"\0")
    assert said(tool("coreos-installer"), "iso", "ignition", "show", image) == wanted.ignition.decode()


def test_it_is_the_same_whenever_it_is_made(pair, tmp_path):
    full, minimal = pair
    with closing(FileSource(full)) as source:
        write_minimal(source, read_live(source), tmp_path / "again.iso")
    assert (tmp_path / "again.iso").read_bytes() == minimal.read_bytes()


@pytest.mark.parametrize("name", ["2020-09", "2021-01", "2021-09"])
def test_images_of_former_years_are_cut_too(name, tmp_path):
    target = tmp_path / "minimal.iso"
    write_minimal(InMemory(published(name)), live(name), target)
    found = live_file(target)
    assert found.minimal
    assert found.extra.length == 1024 * 1024
    assert not found.kargs.from_medium
    assert said(tool("coreos-installer"), "iso", "kargs", "show", target) == f"{found.kargs.default}\n"
    assert listed(target, ("-R",)) == listed(target, ("-J",))


@pytest.mark.parametrize("name", ["2022-02", "2022-09", "2023-03.x86_64", "2023-07.x86_64"])
def test_images_that_isohybrid_made_start_from_disks_still(name, tmp_path):
    target = tmp_path / "minimal.iso"
    source = InMemory(without_recipe(published(name)))
    write_minimal(source, read_live(source), target)
    content, found = target.read_bytes(), live_file(target)
    blocks = len(content) // 512
    firmware = found.files["/images/efiboot.img"].offset // 512
    assert struct.unpack_from("<Q", content, 432)[0] == found.files["/isolinux/isolinux.bin"].offset // 512
    assert struct.unpack_from("<II", content, 454) == (0, blocks)
    assert struct.unpack_from("<II", content, 470) == (firmware, 4)
    first, copy = guide(content, 1), guide(content, blocks - 1)
    assert first["entries"] == copy["entries"]
    assert first["usable"] == blocks - 34
    assert struct.unpack_from("<QQ", first["entries"], 32)[0] == 0
    assert struct.unpack_from("<QQ", first["entries"], 160) == (firmware, firmware + 3)
    assert said(tool("coreos-installer"), "iso", "kargs", "show", target) == f"{found.kargs.default}\n"


def without_recipe(content: bytes) -> bytes:
    return content.replace(b"miniso.dat", b"osinim.dat").replace(b"MINISO.DAT", b"OSINIM.DAT")


@pytest.mark.parametrize(
    ("at", "damage", "sentence"),
    [
        (2048, b"PM", "a partition table for computers of Apple or IBM"),
        (1024, b"H+", "a partition table for computers of Apple or IBM"),
        (20 * SECTOR + 1, b"BEA01", r"it has a second file system \(UDF\)"),
        (18 * SECTOR + 88, b"%/X", "The volume descriptor at byte 36864 is of a kind that is not known"),
        (592, struct.pack("<I", 10**6), "The partition table says it has 1000000 entries"),
    ],
)
def test_what_could_not_be_made_right_is_refused(at, damage, sentence, tmp_path):
    content = bytearray(without_recipe(published("2023-07.x86_64")))
    content[at : at + len(damage)] = damage
    source = InMemory(bytes(content))
    with pytest.raises((Broken, Invalid), match=sentence):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")
    assert not list(tmp_path.iterdir())


def test_a_file_within_the_system_is_refused(tmp_path):
    content = bytearray(without_recipe(published("2023-07.x86_64")))
    kernel, rootfs = (content.index(each, 29 * SECTOR) - 33 for each in (b"VMLINUZ.;1", b"ROOTFS.IMG;1"))
    content[kernel + 2 : kernel + 10] = content[rootfs + 2 : rootfs + 10]
    source = InMemory(bytes(content))
    with pytest.raises(Broken, match=r"/images/pxeboot/vmlinuz is within /images/pxeboot/rootfs.img; take the full"):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")


def test_a_system_of_absurd_size_is_refused(tmp_path):
    found = live("2020-09")
    files = found.files | {ROOTFS: found.rootfs.but(length=2**33)}
    with pytest.raises(Broken, match="has 8589934592 bytes; take the full one"):
        write_minimal(InMemory(published("2020-09")), found.but(files=files), tmp_path / "minimal.iso")


def test_an_image_that_was_customised_is_refused(tmp_path):
    content = laid_over(published("2020-09"), customised(live("2020-09"), Customisation(ignition=b"{}")))
    source = InMemory(content)
    with pytest.raises(Broken, match="was customised; take it as it was published"):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")


def test_arguments_in_a_place_that_is_not_known_are_refused(tmp_path):
    content = without_recipe(published("2023-07.x86_64")).replace(b"fedora/grub.cfg", b"fedora/gruv.cfg")
    source = InMemory(content.replace(b"grub.cfg", b"gruv.cfg").replace(b"GRUB.CFG", b"GRUV.CFG"))
    with pytest.raises(Broken, match=r"the kernel arguments in /EFI/fedora/gruv.cfg are in no boot loader's"):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")


def test_an_image_without_rock_ridge_names_is_cut_alike(tmp_path):
    for name in ("2021-09", "2023-07.x86_64"):
        source = InMemory(without_recipe(published(name)).replace(b"NM", b"XX"))
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")
        assert said(tool("coreos-installer"), "iso", "kargs", "show", tmp_path / "minimal.iso").startswith("mitig")
        assert live_file(tmp_path / "minimal.iso").extra.length == 1024 * 1024


def test_boot_loaders_that_differ_are_refused(tmp_path):
    content = published("2020-09").replace(
        b"\tlinux /images/pxeboot/vmlinuz random", b"\tlinux /images/pxeboot/vmlinuz Random"
    )
    source = InMemory(content)
    with pytest.raises(Broken, match="its boot loaders tell the kernel different things"):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")


def test_an_image_that_starts_in_no_known_way_is_refused(tmp_path):
    content = published("2020-09").replace(b"/images/pxeboot/initrd.img", b"/images/pxeboot/initrd.gmi")
    source = InMemory(content)
    with pytest.raises(Broken, match="no boot loader's configuration is in it"):
        write_minimal(source, read_live(source), tmp_path / "minimal.iso")


@pytest.mark.parametrize("path", ["/EFI/fedora/grub.cfg", "/isolinux/isolinux.cfg"])
def test_a_configuration_that_is_not_understood_is_refused(path):
    config = Config(path=path, place=Extent(offset=0, length=29), content=b"# /images/pxeboot/initrd.img\n", at=0)
    with pytest.raises(Broken, match=f"{path} in the image does not say what the kernel is told"):
        with_room(config)
    with pytest.raises(Broken, match=f"{path} in the image does not say what is loaded besides the kernel"):
        with_extra(config)
