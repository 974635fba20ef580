"""Turns the places for kernel arguments in a live image into records, and arguments into what is written there.

`live.py` reads them; `customise.py` and `cut.py` write them.
"""

import json
import re
import struct
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from muster.domain.errors import Broken, Invalid
from muster.domain.record import Record

from .iso9660 import Volume
from .regions import Extent, Patch
from .source import Source

LISTING = "/coreos/kargs.json"
LEGACY_HEADER = Extent(offset=32672, length=72)
LEGACY_MAGIC = b"coreKarg"
LARGEST = 2048
"""More is no place for kernel arguments, whatever the image says."""

FROM_MEDIUM = "coreos.liveiso="
"""The argument that has the system read from the medium: what follows is the label of that."""

READ_FROM_MEDIUM = re.compile(rf"\s{re.escape(FROM_MEDIUM)}\S*")

FROM_NETWORK = "coreos.live.rootfs_url="
"""The argument that has the system fetched."""

MEANS_SOMETHING_TO_GRUB = frozenset("&;|<>{}$\\'")


OneCharacter = Annotated[str, Meta(pattern=r"^[\x00-\x7f]\Z")]


class Listed(Record):
    """A file with a place for arguments, as `kargs.json` has it."""

    path: str
    offset: int
    pad: OneCharacter | None = None
    end: OneCharacter | None = None


class Listing(Record):
    """`kargs.json`."""

    default: str
    files: tuple[Listed, ...]
    size: int

    def text(self, length: int) -> bytes:
        """As the tools of CoreOS write it, or, if that is longer than there is room, without what eases reading."""
        told = {"default": self.default, "files": [_without_none(each) for each in self.files], "size": self.size}
        wide = json.dumps(told, indent=2, ensure_ascii=False).encode()
        return wide if len(wide) <= length else json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()


class Area(Record):
    """One place: from `offset` of the image on there are the arguments, what ends them, and what fills the rest."""

    path: str
    offset: int
    pad: str = "#"
    end: str = "\n"
    now: str = ""
    """What is written there."""

    @property
    def grub(self) -> bool:
        """Whether GRUB reads it, to which some characters mean something."""
        return self.path.endswith("grub.cfg")


class Kargs(Record):
    """The places for kernel arguments. Every boot loader has its own, and all are to say the same."""

    default: str
    size: int
    areas: tuple[Area, ...]
    listing: Listing | None = None
    listed_at: Extent | None = None
    """`kargs.json`, and where it is."""
    default_at: int | None = None
    """Where an older image, which has no such list, keeps the defaults."""

    @property
    def now(self) -> str:
        """The arguments that the image is started with."""
        return min(self.areas, key=lambda each: each.grub).now

    @property
    def from_medium(self) -> bool:
        """Whether the system is read from the medium."""
        return READ_FROM_MEDIUM.search(f" {self.default}") is not None


def read_kargs(source: Source, volume: Volume) -> Kargs | None:
    """The places for kernel arguments; None if the image has none."""
    place = volume.find(LISTING)
    if place is None:
        return _legacy(source, volume)
    try:
        listing = msgspec.json.decode(source.read(place.offset, place.length), type=Listing)
    except msgspec.MsgspecError as error:
        raise Broken(f"{LISTING} in the image cannot be understood: {error}; download the image again") from error
    places = tuple(_listed(volume, each) for each in listing.files)
    kargs = Kargs(default=listing.default, size=listing.size, areas=places, listing=listing, listed_at=place)
    return _read(source, kargs)


def fetching(arguments: str) -> str:
    """The arguments without the one that has the system read from the medium."""
    return READ_FROM_MEDIUM.sub("", f" {arguments}").strip()


def written(kargs: Kargs, needed: str, added: tuple[str, ...] = ()) -> Iterator[Patch]:
    """The patches that make all places say what is needed, which is left as it is, and what is added.

    `Invalid` if it does not fit.
    """
    for area in kargs.areas:
        text = _text(area, needed, added)
        over = len(text) - kargs.size + 1
        if over > 0:
            raise Invalid(
                f"The kernel arguments have {len(text)} characters with those that the system needs; the image has "
                f"room for {kargs.size - 1} in {area.path}: make them shorter by {over}"
            )
        filling = area.pad * -over
        yield Patch(offset=area.offset, content=text + f"{area.end}{filling}".encode())


def spare(kargs: Kargs, needed: str, added: tuple[str, ...] = ()) -> int:
    """How many characters more would fit."""
    return kargs.size - 1 - max(len(_text(area, needed, added)) for area in kargs.areas)


def relisted(kargs: Kargs, default: str) -> Iterator[Patch]:
    """The patch that makes the image say other defaults, in as many bytes as before."""
    if default == kargs.default:
        return
    if kargs.default_at is not None:
        yield Patch(offset=kargs.default_at, content=f"{default}\n".encode().ljust(kargs.size, b"#"))
    if kargs.listing is None or kargs.listed_at is None:
        return
    text = kargs.listing.but(default=default).text(kargs.listed_at.length)
    if len(text) > kargs.listed_at.length:
        raise Broken(f"{LISTING} has {kargs.listed_at.length} bytes, and its new content needs {len(text)}")
    yield Patch(offset=kargs.listed_at.offset, content=text.ljust(kargs.listed_at.length))


def _text(area: Area, needed: str, added: tuple[str, ...]) -> bytes:
    return " ".join((needed, *(_for_grub(each) if area.grub else each for each in added))).encode()


def _for_grub(argument: str) -> str:
    """GRUB takes quotes away, and what is within single ones as it is."""
    if not MEANS_SOMETHING_TO_GRUB & set(argument) and not argument.startswith("#"):
        return argument
    inside = argument.replace('"', "").replace("'", "'\\''")
    return f"'{inside}'"


def _listed(volume: Volume, listed: Listed) -> Area:
    path = f"/{listed.path.lstrip('/')}"
    file = volume.find(path)
    if file is None or not 0 <= listed.offset < file.length:
        raise Broken(f"{LISTING} names byte {listed.offset} of {path}, which is not in the image; download it again")
    return Area(path=path, offset=file.offset + listed.offset, pad=listed.pad or "#", end=listed.end or "\n")


def _legacy(source: Source, volume: Volume) -> Kargs | None:
    """Images of 2021 have a header among the bytes that come before the file system."""
    header = source.read(LEGACY_HEADER.offset, LEGACY_HEADER.length)
    if not header.startswith(LEGACY_MAGIC):
        return None
    size, default_at, *places = struct.unpack("<8Q", header[8:])
    areas = tuple(Area(path=_file_at(volume, each), offset=each) for each in places if each)
    if not areas or size > LARGEST or default_at + size > source.size:
        raise Broken("The header for kernel arguments leads nowhere; download the image again")
    default = _told(source, Area(path="", offset=default_at), size)
    return _read(source, Kargs(default=default, size=size, areas=areas, default_at=default_at))


def _file_at(volume: Volume, offset: int) -> str:
    holding = (path for path, extent in volume.files.items() if extent.offset <= offset < extent.end)
    return next(holding, f"byte {offset}")


def _read(source: Source, kargs: Kargs) -> Kargs:
    if not kargs.areas or kargs.size > LARGEST or len(kargs.default.encode()) >= kargs.size:
        raise Broken(
            f"The image has {len(kargs.areas)} places of {kargs.size} bytes for kernel arguments, and "
            f"{len(kargs.default)} characters to stand there; download the image again"
        )
    return kargs.but(areas=tuple(each.but(now=_told(source, each, kargs.size)) for each in kargs.areas))


def _told(source: Source, area: Area, size: int) -> str:
    if area.offset + size > source.size:
        raise Broken(f"The kernel arguments in {area.path} are beyond the end of the image; download it again")
    text = source.read(area.offset, size).decode(errors="replace")
    return text.rstrip(area.pad).rstrip(area.end).strip()


def _without_none(listed: Listed) -> dict[str, Any]:
    known = (("path", listed.path), ("offset", listed.offset), ("pad", listed.pad), ("end", listed.end))
    return {key: value for key, value in known if value is not None}
