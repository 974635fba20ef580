"""Turns a CoreOS live image into what is known of it: where its parts are, and what of it may be written over.

The service reads every base image once; `muster image` reads what it is pointed at.
"""

import struct

import msgspec

from muster.domain.errors import Broken
from muster.domain.record import Record

from .iso9660 import Volume, read_volume
from .kargs import Kargs, read_kargs
from .regions import Extent
from .source import Source

SYSTEMS = ("rhcos-", "fedora-coreos-", "scos-")
"""How the volumes of CoreOS begin; what follows is the build."""

PXE = "/images/pxeboot"
INITRD = f"{PXE}/initrd.img"
KERNELS = (f"{PXE}/vmlinuz", f"{PXE}/kernel.img")
ROOTFS = f"{PXE}/rootfs.img"
EXTRA = f"{PXE}/netcfg.img"
"""Where a minimal image of ours has room for more than the Ignition config; `cut.py` makes it."""

IGNITION_INFO = "/coreos/igninfo.json"
IGNITION = "/images/ignition.img"
FEATURES = "/coreos/features.json"
MINISO = "/coreos/miniso.dat"
ADDRSIZE = "/images/initrd.addrsize"
LEGACY_HEADER = Extent(offset=32744, length=24)
LEGACY_MAGIC = b"coreiso+"
LARGEST_JSON = 256 * 1024

X86_64, AARCH64, PPC64LE, S390X = "x86_64", "aarch64", "ppc64le", "s390x"
TOLD_BY_FILES = (
    ("/images/cdboot.img", S390X),
    ("/generic.ins", S390X),
    ("/ppc/bootinfo.txt", PPC64LE),
    ("/boot/grub/powerpc-ieee1275", PPC64LE),
    ("/isolinux/isolinux.bin", X86_64),
    ("/EFI/BOOT/BOOTX64.EFI", X86_64),
    ("/EFI/BOOT/BOOTAA64.EFI", AARCH64),
)
TOLD_BY_KERNEL = ((0x202, b"HdrS", X86_64), (56, b"ARM\x64", AARCH64))
"""Where a kernel has what only those of one architecture have."""

EFI_MACHINES = {0x8664: X86_64, 0xAA64: AARCH64}
"""What kernels that are programs for the firmware as well say that they run on."""


class IgnitionInfo(Record):
    """`igninfo.json`: without a length the place goes on to the end of the file."""

    file: str
    offset: int = 0
    length: int | None = None


class Live(Record):
    """A live image."""

    volume_id: str
    size: int
    architecture: str
    files: dict[str, Extent]
    """By their paths, such as /images/pxeboot/rootfs.img."""
    kernel: Extent
    initrd: Extent
    ignition: Extent
    """The place for an archive with the Ignition config."""
    extra: Extent | None = None
    """The place for an archive that does not fit there; only minimal images made by `cut.py` have it."""
    kargs: Kargs | None = None
    """The places for kernel arguments, if there are any."""
    features: tuple[str, ...] = ()
    load_address: bytes = b""
    """Of the initrd, on s390x: the first half of initrd.addrsize."""

    @property
    def build(self) -> str:
        """The build of the system, such as 418.94.202511191518-0."""
        return next(self.volume_id.removeprefix(each) for each in SYSTEMS if self.volume_id.startswith(each))

    @property
    def minimal(self) -> bool:
        """Whether the system is not in it, but fetched when it starts."""
        return ROOTFS not in self.files

    @property
    def rootfs(self) -> Extent:
        """The system; `Broken` if this is a minimal image."""
        if self.minimal:
            raise Broken(f"Image {self.volume_id} is a minimal one and has no {ROOTFS}; take the full one")
        return self.files[ROOTFS]

    @property
    def miniso(self) -> Extent | None:
        """The recipe of a minimal image, if there is one."""
        return self.files.get(MINISO)


def read_live(source: Source) -> Live:
    """What is known of a live image; `Broken`, with what is wrong with it and a way out, if it is none."""
    volume = read_volume(source)
    if not volume.id.startswith(SYSTEMS):
        raise Broken(
            f"This is not a CoreOS live image: its volume is called {volume.id!r}, and theirs begin with "
            f"{', '.join(SYSTEMS)}; take a file whose name ends in live.iso or live-iso"
        )
    for path, extent in volume.files.items():
        if extent.end > source.size:
            raise Broken(f"{path} ends at byte {extent.end} of {source.size}: the image is cut off; download it again")
    kernel = _kernel(volume)
    return Live(
        volume_id=volume.id,
        size=source.size,
        architecture=_architecture(source, volume, kernel),
        files=volume.files,
        kernel=kernel,
        initrd=_needed(volume, INITRD),
        ignition=_ignition(source, volume),
        extra=volume.find(EXTRA),
        kargs=read_kargs(source, volume),
        features=_features(source, volume),
        load_address=_content(source, volume, ADDRSIZE)[:8],
    )


def _kernel(volume: Volume) -> Extent:
    found = [each for each in map(volume.find, KERNELS) if each]
    return found[0] if found else _needed(volume, KERNELS[0])


def _architecture(source: Source, volume: Volume, kernel: Extent) -> str:
    told = [name for path, name in TOLD_BY_FILES if path in volume.folders or volume.find(path)]
    if told[:1] == [S390X] or told[:1] == [PPC64LE]:
        return told[0]
    head = source.read(kernel.offset, min(kernel.length, 4096))
    magic = [name for at, letters, name in TOLD_BY_KERNEL if head[at : at + len(letters)] == letters]
    # Only the images for aarch64 have GRUB's configuration for UEFI and nothing else to start from.
    last = [AARCH64] if any(each.upper() == "/EFI" for each in volume.folders) else [PPC64LE]
    return (magic + _efi_machine(head) + told + last)[0]


def _efi_machine(head: bytes) -> list[str]:
    if not head.startswith(b"MZ"):
        return []
    at = int.from_bytes(head[60:64], "little")
    machine = int.from_bytes(head[at + 4 : at + 6], "little")
    return [EFI_MACHINES[machine]] if head[at : at + 4] == b"PE\0\0" and machine in EFI_MACHINES else []


def _ignition(source: Source, volume: Volume) -> Extent:
    told = _content(source, volume, IGNITION_INFO)
    if told:
        return _told_ignition(volume, told)
    header = source.read(LEGACY_HEADER.offset, LEGACY_HEADER.length)
    offset, length = struct.unpack("<QQ", header[8:])
    legacy = Extent(offset=offset, length=length) if header.startswith(LEGACY_MAGIC) else None
    place = volume.find(IGNITION) or legacy
    if place is None or not place.length or place.end > source.size:
        raise Broken(
            f"The image has no place for an Ignition config: there is no {IGNITION} in it; "
            "take a live image of CoreOS as it was published"
        )
    return place


def _told_ignition(volume: Volume, told: bytes) -> Extent:
    try:
        info = msgspec.json.decode(told, type=IgnitionInfo)
    except msgspec.MsgspecError as error:
        raise Broken(f"{IGNITION_INFO} in the image cannot be understood: {error}; download it again") from error
    file = _needed(volume, f"/{info.file.lstrip('/')}")
    length = file.length - info.offset if info.length is None else info.length
    if info.offset < 0 or length <= 0 or info.offset + length > file.length:
        raise Broken(
            f"{IGNITION_INFO} says that the Ignition config is {length} bytes from byte {info.offset} of {info.file} "
            f"on, which has {file.length}; download the image again"
        )
    return Extent(offset=file.offset + info.offset, length=length)


def _features(source: Source, volume: Volume) -> tuple[str, ...]:
    try:
        told = msgspec.json.decode(_content(source, volume, FEATURES) or b"{}", type=dict[str, object])
    except msgspec.MsgspecError as error:
        raise Broken(f"{FEATURES} in the image cannot be understood: {error}; download it again") from error
    return tuple(sorted(name for name, has in told.items() if has is True))


def _needed(volume: Volume, path: str) -> Extent:
    found = volume.find(path)
    if found is None:
        raise Broken(f"This is not a whole live image: {path} is not in it; download it again")
    return found


def _content(source: Source, volume: Volume, path: str) -> bytes:
    """The content of a small file; nothing if there is none."""
    place = volume.find(path)
    if place is None:
        return b""
    if place.length > LARGEST_JSON:
        raise Broken(f"{path} in the image has {place.length} bytes, far more than it should; download it again")
    return source.read(place.offset, place.length)
