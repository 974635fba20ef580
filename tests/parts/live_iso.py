"""Makes genuine small live images of CoreOS's layout, for every suite that needs one.

Those for x86_64 boot, on BIOS and UEFI, from CD and from a disk: xorriso, isolinux, GRUB and kernel are Debian's,
and the recipe of the minimal image is packed by the real coreos-installer. Those for other architectures have the
true structure and files, though nothing in them runs here. The same wishes always give the same bytes.
"""

import fcntl
import hashlib
import json
import os
import struct
import tempfile
import zlib
from pathlib import Path

from muster.domain.record import Record
from parts.live_files import (
    EFI_NAMES,
    EPOCH,
    FEATURES,
    ISOLINUX_PARTS,
    MEBIBYTE,
    foreign_kernel,
    initrd,
    kernel,
    live_marks,
    run,
    write_efi_boot,
    write_rootfs,
)
from parts.tools import tool

VOLUME = "fedora-coreos-41.20260101.0"
ROOTFS_SIZE = 5 * MEBIBYTE
AREA = 256 * 1024
"""Bytes kept free for an Ignition config."""

HASHES = 1024
MINISO_SIZE = 16384
SECTOR, BLOCK = 2048, 512
GUIDE_SIZE = 128 * 128
"""Bytes of the entries in the partition table of isohybrid."""

OLD_HEADER = 32744
"""Where builds before 2022 say where the area for Ignition is."""

VENDORS = {"fedora": "fedora", "rhcos": "redhat", "scos": "centos"}
ISOLINUX = Path("/usr/lib/ISOLINUX")
SYSLINUX = Path("/usr/lib/syslinux/modules/bios")

BIOS_BOOT = ("-b", "isolinux/isolinux.bin", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table")
EFI_BOOT = ("-eltorito-alt-boot", "-e", "images/efiboot.img", "-no-emul-boot")
HYBRID = ("-isohybrid-mbr", str(ISOLINUX / "isohdpfx.bin"), "-isohybrid-gpt-basdat")
BOOTS = {
    "x86_64": ("-c", "isolinux/boot.cat", *BIOS_BOOT, *EFI_BOOT, *HYBRID),
    "aarch64": ("-c", "boot.catalog", *EFI_BOOT[1:]),
    "ppc64le": (),
    "s390x": ("-c", "boot.catalog", "-b", "images/cdboot.img", "-no-emul-boot", "-boot-load-size", "4"),
}
"""How an author is told to make an image bootable."""

AUTHORS = {"xorriso": ("xorriso", "-as", "mkisofs"), "genisoimage": ("genisoimage",)}

CONFIGS = {
    "x86_64": ("EFI/{vendor}/grub.cfg", "isolinux/isolinux.cfg"),
    "aarch64": ("EFI/{vendor}/grub.cfg", "isolinux/isolinux.cfg"),
    "ppc64le": ("boot/grub/grub.cfg",),
    "s390x": (),
}
"""The boot loaders' configurations."""

GRUB = """set default="0"

function load_video {{
  insmod efi_gop
  insmod efi_uga
  insmod video_bochs
  insmod video_cirrus
  insmod all_video
}}

load_video
set gfxpayload=keep
insmod gzio
insmod part_gpt
insmod ext2

set timeout=1

menuentry 'CoreOS (Live)' --class gnu-linux --class os {{
\tlinux /images/pxeboot/vmlinuz {arguments}
{area}\tinitrd /images/pxeboot/initrd.img /images/ignition.img
}}
"""
SYSLINUX_MENU = """serial 0
default vesamenu.c32
timeout 10

display boot.msg

menu clear
menu title CoreOS

label linux
  menu label ^CoreOS (Live)
  menu default
  kernel /images/pxeboot/vmlinuz
  append initrd=/images/pxeboot/initrd.img,/images/ignition.img {arguments}
{area}
menu separator # insert an empty line

menu end
"""
AREA_LINE = f"{'#' * HASHES} COREOS_KARG_EMBED_AREA\n"

Z_ARGUMENTS, Z_ARGUMENTS_SIZE, Z_INITRD = 66688, 896, 66568
"""Within what an s390x boots: where the kernel arguments are, how long they may be, where the initrd is told."""

Z_INITRD_ADDRESS = 0x02000000


class Plan(Record):
    """What image is wanted."""

    architecture: str
    volume: str
    areas: bool
    miniso: bool
    rootfs_size: int
    author: str

    @property
    def name(self) -> str:
        """What its file is called: another plan has another name."""
        digest = hashlib.sha256(repr(self).encode()).hexdigest()[:8]
        return f"{self.volume}-live-{digest}.{self.architecture}.iso"

    @property
    def arguments(self) -> str:
        """The kernel arguments that it has from the start."""
        return f"mitigations=auto,nosmt coreos.liveiso={self.volume} ignition.firstboot ignition.platform.id=metal"

    @property
    def configs(self) -> tuple[str, ...]:
        """The boot loaders' configurations."""
        vendor = VENDORS[self.volume.partition("-")[0]]
        return tuple(each.format(vendor=vendor) for each in CONFIGS[self.architecture])


def live_iso(
    folder: Path,
    *,
    architecture: str = "x86_64",
    volume: str = VOLUME,
    areas: bool = True,
    miniso: bool = True,
    rootfs_size: int = ROOTFS_SIZE,
    author: str = "xorriso",
) -> Path:
    """A live image in the folder: made once, however many ask for it. Nobody may write to it.

    Without `areas` it is like those of 2020: no places for kernel arguments, and nothing that tells about them.
    The `author` genisoimage lays files and names out as CoreOS's own builds long did; it starts from a CD only, and
    has the hour in it at which it was made.
    """
    assert areas or not miniso, "no build had the recipe of a minimal image before it had areas"
    plan = Plan(
        architecture=architecture, volume=volume, areas=areas, miniso=miniso, rootfs_size=rootfs_size, author=author
    )
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / plan.name
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                _made(plan, Path(scratch)).rename(target)
    return target


def _made(plan: Plan, scratch: Path) -> Path:
    tree = scratch / "tree"
    _fill(plan, tree)
    image = _authored(plan, tree, scratch / "full.iso")
    if plan.miniso:
        (tree / "images/pxeboot/rootfs.img").unlink()
        (tree / "coreos/miniso.dat").unlink()
        minimal = _authored(plan, tree, scratch / "minimal.iso")
        run(tool("coreos-installer"), "pack", "minimal-iso", image, minimal, "--consume")
    if not plan.areas:
        _write_old_header(image)
    return image


def _fill(plan: Plan, tree: Path) -> None:
    """Put every file where the boot loaders and the live system look for it."""
    pxe = tree / "images/pxeboot"
    pxe.mkdir(parents=True)
    write_rootfs(pxe / "rootfs.img", plan.rootfs_size)
    build = plan.volume.removeprefix("fedora-").partition("-")[2]
    if plan.architecture == "x86_64":
        (pxe / "vmlinuz").write_bytes(kernel()[0].read_bytes())
        (pxe / "initrd.img").write_bytes(initrd(build, pxe / "rootfs.img"))
        _fill_isolinux(tree / "isolinux")
    else:
        (pxe / "vmlinuz").write_bytes(foreign_kernel(plan.architecture))
        (pxe / "initrd.img").write_bytes(live_marks(build, pxe / "rootfs.img"))
    for path in plan.configs:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(_config(plan, path))
    if plan.architecture in EFI_NAMES:
        vendor = plan.configs[0].split("/")[1]
        write_efi_boot(tree / "images/efiboot.img", plan.architecture, vendor, plan.volume)
    if plan.architecture == "ppc64le":
        (tree / "boot/grub/powerpc-ieee1275").mkdir()
        (tree / "boot/grub/powerpc-ieee1275/core.elf").write_bytes(foreign_kernel("ppc64le")[:4096])
        (tree / "ppc").mkdir()
        (tree / "ppc/bootinfo.txt").write_text("<chrp-boot></chrp-boot>\n")
    if plan.architecture == "s390x":
        _fill_z(plan, tree)
    else:
        (tree / "images/ignition.img").write_bytes(bytes(AREA))
    if plan.areas:
        _fill_facts(plan, tree)


def _fill_isolinux(folder: Path) -> None:
    folder.mkdir()
    (folder / "isolinux.bin").write_bytes((ISOLINUX / "isolinux.bin").read_bytes())
    for name in ISOLINUX_PARTS:
        (folder / name).write_bytes((SYSLINUX / name).read_bytes())
    (folder / "boot.msg").write_text("\n")


def _config(plan: Plan, path: str) -> str:
    template = GRUB if path.endswith("grub.cfg") else SYSLINUX_MENU
    return template.format(arguments=plan.arguments, area=AREA_LINE if plan.areas else "")


def _fill_z(plan: Plan, tree: Path) -> None:
    """The files of an s390x, with kernel, arguments, initrd and the area for Ignition fused into one of them."""
    images = tree / "images"
    kernel_bytes, initrd_bytes = ((images / "pxeboot" / name).read_bytes() for name in ("vmlinuz", "initrd.img"))
    fused = bytearray(kernel_bytes + bytes(-len(kernel_bytes) % 4096))
    start = len(fused)
    fused[Z_INITRD : Z_INITRD + 16] = struct.pack(">QQ", start, len(initrd_bytes) + AREA)
    fused[Z_ARGUMENTS : Z_ARGUMENTS + Z_ARGUMENTS_SIZE] = plan.arguments.encode().ljust(Z_ARGUMENTS_SIZE, b"\0")
    (images / "cdboot.img").write_bytes(fused + initrd_bytes + bytes(AREA))
    (images / "initrd.addrsize").write_bytes(struct.pack(">QQ", Z_INITRD_ADDRESS, len(initrd_bytes)))
    for name in ("cdboot.prm", "generic.prm", "genericdvd.prm"):
        (images / name).write_text(plan.arguments)
    (images / "redhat.exec").write_text("/* punches kernel, arguments and initrd for a reader */\n")
    parts = {
        "images/pxeboot/vmlinuz": 0,
        "images/pxeboot/initrd.img": Z_INITRD_ADDRESS,
        "images/genericdvd.prm": Z_ARGUMENTS,
        "images/initrd.addrsize": Z_INITRD,
    }
    lines = ["* what is loaded where", *(f"{path} 0x{address:08x}" for path, address in parts.items()), ""]
    (tree / "generic.ins").write_text("\n".join(lines))


def _fill_facts(plan: Plan, tree: Path) -> None:
    """What an image tells about itself in its folder `coreos`."""
    facts = {"features.json": FEATURES, "igninfo.json": {"file": "images/ignition.img"}}
    facts["kargs.json"] = {
        "default": plan.arguments,
        "files": [
            {"end": "\n", "offset": (tree / path).read_bytes().index(plan.arguments.encode()), "pad": "#", "path": path}
            for path in plan.configs
        ],
        "size": len(plan.arguments) + HASHES,
    }
    if plan.architecture == "s390x":
        fused = tree / "images/cdboot.img"
        area = {"file": "images/cdboot.img", "length": AREA, "offset": fused.stat().st_size - AREA}
        place = {"end": "\0", "offset": Z_ARGUMENTS, "pad": "\0", "path": "images/cdboot.img"}
        facts["igninfo.json"] = area
        facts["kargs.json"] = {"default": plan.arguments, "files": [place], "size": Z_ARGUMENTS_SIZE}
    (tree / "coreos").mkdir()
    for name, fact in facts.items():
        (tree / "coreos" / name).write_text(json.dumps(fact, indent=2, sort_keys=True) + "\n")
    if plan.miniso:
        (tree / "coreos/miniso.dat").write_bytes(bytes(MINISO_SIZE))


def _authored(plan: Plan, tree: Path, target: Path) -> Path:
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (EPOCH, EPOCH))
    names = ("-V", plan.volume, "-rational-rock", "-J", "-joliet-long")
    boots = [each for each in BOOTS[plan.architecture] if plan.author == "xorriso" or each not in HYBRID]
    run(*AUTHORS[plan.author], *names, *boots, "-o", target, tree)
    return target


def _write_old_header(image: Path) -> None:
    """Say where the area for Ignition is as builds did before they had a file for it."""
    said = run("xorriso", "-indev", image, "-find", "/images/ignition.img", "-exec", "report_lba", "--")
    start = int(said.rpartition("File data lba:")[2].split(",")[1])
    content = bytearray(image.read_bytes())
    if content[BLOCK : BLOCK + 8] == b"EFI PART":
        entries = bytes(content[2 * BLOCK : 2 * BLOCK + GUIDE_SIZE])
        _shorten_guide(content, BLOCK, 2 * BLOCK, entries)
        _shorten_guide(content, len(content) - BLOCK, len(content) - BLOCK - GUIDE_SIZE, entries)
    content[OLD_HEADER : OLD_HEADER + 24] = b"coreiso+" + struct.pack("<QQ", start * SECTOR, AREA)
    image.write_bytes(content)


def _shorten_guide(content: bytearray, header: int, place: int, entries: bytes) -> None:
    """Give a partition table as many entries as isohybrid's has: xorriso's would go on where the old header stands."""
    content[place : place + len(entries)] = entries
    struct.pack_into("<QI", content, header + 72, place // BLOCK, len(entries) // 128)
    struct.pack_into("<I", content, header + 88, zlib.crc32(entries))
    struct.pack_into("<I", content, header + 16, 0)
    struct.pack_into("<I", content, header + 16, zlib.crc32(content[header : header + 92]))
