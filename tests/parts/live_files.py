"""What stands in a live image, file by file: the same for every architecture, or asked of a table.

`live_iso.py` puts them into an image. Kernel, modules, boot loaders and shell are Debian's; the rest is made here.
"""

import gzip
import hashlib
import json
import os
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path

import pytest

from muster.domain.artifacts.cpio import FILE, Member, archive, padded, uncompressed

HERE = Path(__file__).parent
SYSTEMS = (HERE.parent.parent / ".tools" / "kernel", Path("/"))
"""Where a kernel package may have been unpacked."""

MODULES = ("isofs", "sr_mod", "sd_mod", "ata_piix", "virtio_pci", "virtio_blk", "virtio_scsi", "virtio_net")
"""What the test machine's drives and network need, as far as the kernel does not have it built in."""

GRUB_MODULES = (
    *("normal", "configfile", "linux", "search", "search_label", "echo", "test", "reboot", "halt"),
    *("iso9660", "fat", "part_gpt", "part_msdos", "ext2", "gzio", "all_video", "efi_gop", "efi_uga"),
    *("video_bochs", "video_cirrus"),
)
ISOLINUX_PARTS = ("ldlinux.c32", "libcom32.c32", "libutil.c32", "vesamenu.c32")
EPOCH = 1767225600
"""The time that everything in an image bears."""

MEBIBYTE = 1 << 20
STREAM_CHUNK = 2 * MEBIBYTE
FEATURES = {
    "installer-config": True,
    "installer-config-directives": {"append-karg": True, "dest-device": True, "network-dir": True},
    "live-initrd-network": True,
}
EFI_NAMES = {"x86_64": "BOOTX64.EFI", "aarch64": "BOOTAA64.EFI"}


def run(*words: str | Path) -> str:
    """What a program says that came to a good end, with the clock standing still."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is absent; .ci/run names the package that brings it")
    surroundings = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "TZ": "UTC", "MTOOLS_SKIP_CHECK": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=surroundings, check=False)
    assert done.returncode == 0, f"{words[0]} failed: {done.stdout}{done.stderr}"
    return done.stdout


def kernel() -> tuple[Path, Path]:
    """A real kernel and the folder of its modules."""
    for system in SYSTEMS:
        for image in sorted(system.glob("boot/vmlinuz-*-amd64"), reverse=True):
            modules = system / "lib/modules" / image.name.removeprefix("vmlinuz-")
            if modules.exists():
                return image, modules
    pytest.skip("no kernel here: install Debian's linux-image-cloud-amd64")


def modules_in_order(folder: Path) -> list[Path]:
    """The module files to load, each after those it needs. What the kernel has built in is not among them."""
    every = {path.stem.replace("-", "_"): path for path in folder.glob("kernel/**/*.ko")}
    ordered: dict[Path, None] = {}

    def add(name: str) -> None:
        if (path := every.get(name.replace("-", "_"))) is not None and path not in ordered:
            for need in _needs(path):
                add(need)
            ordered[path] = None

    for name in MODULES:
        add(name)
    return list(ordered)


def _needs(module: Path) -> list[str]:
    """The modules that one says it depends on: its section of facts holds `depends=a,b`, ended by NUL."""
    _, _, after = module.read_bytes().partition(b"\0depends=")
    return [each for each in after.partition(b"\0")[0].decode().split(",") if each]


def initrd(build: str, rootfs: Path) -> bytes:
    """A first file system that runs on x86_64: shell, modules and our init, then what marks a live image."""
    return _first_system() + live_marks(build, rootfs)


@cache
def _first_system() -> bytes:
    """Shell, modules and our init, compressed as quickly as can be."""
    shell = shutil.which("busybox")
    if shell is None:
        pytest.skip("busybox is absent; Debian's busybox-static brings it")
    _, modules = kernel()
    system = [
        *((f"modules/{number:02}-{path.name}", path) for number, path in enumerate(modules_in_order(modules))),
        ("bin/busybox", Path(shell)),
        ("init", HERE / "initrd" / "init"),
        ("lease", HERE / "initrd" / "lease"),
    ]
    members = [Member(path=name, content=path.read_bytes(), mode=FILE | 0o755) for name, path in system]
    return padded(gzip.compress(uncompressed(members), 1, mtime=0))


def live_marks(build: str, rootfs: Path) -> bytes:
    """What is appended to the first file system of a live image: its build, its features, its rootfs's hashes."""
    hashes = []
    with rootfs.open("rb") as file:
        while chunk := file.read(STREAM_CHUNK):
            hashes.append(hashlib.sha256(chunk).hexdigest())
    texts = {
        "etc/coreos-live-initramfs": f"{build}\n",
        "etc/coreos/features.json": json.dumps(FEATURES),
        "etc/coreos-live-want-rootfs": "\n".join([f"stream-hash sha256 {STREAM_CHUNK}", *hashes, ""]),
    }
    return padded(archive(Member(path=path, content=text.encode(), mode=FILE | 0o644) for path, text in texts.items()))


def write_rootfs(target: Path, size: int) -> None:
    """An uncompressed archive of exactly so many bytes whose first member is a squashfs by its first bytes."""
    end = _newc_head("TRAILER!!!", 0)
    head = _newc_head("root.squashfs", size - 124 - len(end))
    assert len(head) == 124
    assert size % 4 == 0, f"an archive has a multiple of 4 bytes, not {size}"
    block = hashlib.shake_256(b"rootfs").digest(MEBIBYTE)
    with target.open("wb") as file:
        file.write(head + b"hsqs")
        while (left := size - len(end) - file.tell()) > 0:
            file.write(struct.pack("<Q", file.tell())[:left] + block[: max(left - 8, 0)])
        file.write(end)


def _newc_head(name: str, size: int) -> bytes:
    fields = (1, FILE | 0o644, 0, 0, 1, 0, size, 0, 0, 0, 0, len(name) + 1, 0)
    return padded(b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0")


def foreign_kernel(architecture: str) -> bytes:
    """The first bytes of a kernel of another architecture, by which it is known, and nothing that would run."""
    body = bytearray(hashlib.shake_256(architecture.encode()).digest(131072))
    match architecture:
        case "aarch64":
            body[:4], body[56:60] = b"MZ\0\x91", b"ARM\x64"
        case "ppc64le":
            body[:20] = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 2, 21)
        case "s390x":
            body[0x10000:0x11000] = bytes(0x1000)
            body[0x10008:0x10010] = b"S390EP\0\1"
        case _:
            raise AssertionError(f"no foreign kernel for {architecture}")
    return bytes(body)


def write_efi_boot(target: Path, architecture: str, vendor: str, volume: str) -> None:
    """A FAT image with a boot loader that goes on to the configuration in the image of that name."""
    loader, stub = target.with_name("loader.efi"), target.with_name("stub.cfg")
    if architecture == "x86_64":
        run("grub-mkimage", "-O", "x86_64-efi", "-p", f"/EFI/{vendor}", "-o", loader, *GRUB_MODULES)
    else:
        loader.write_bytes(b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0xAA64))
    stub.write_text(
        f"search --no-floppy --set=root --label '{volume}'\n"
        f"set prefix=($root)/EFI/{vendor}\n"
        f"configfile ($root)/EFI/{vendor}/grub.cfg\n"
    )
    for each in (loader, stub):
        os.utime(each, (EPOCH, EPOCH))
    size = 1 + loader.stat().st_size // MEBIBYTE
    run("mformat", "-C", "-i", target, "-T", str(size * 2048), "-h", "64", "-s", "32", "-N", "20260101", "::")
    run("mmd", "-i", target, "::/EFI", "::/EFI/BOOT", f"::/EFI/{vendor}")
    run("mcopy", "-m", "-i", target, loader, f"::/EFI/BOOT/{EFI_NAMES[architecture]}")
    run("mcopy", "-m", "-i", target, stub, f"::/EFI/{vendor}/grub.cfg")
    loader.unlink()
    stub.unlink()
