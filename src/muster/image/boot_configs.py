"""Turns the configuration of a boot loader into one that loads one archive more and has room for kernel arguments.

`cut.py` rewrites those of images that were made before there were recipes for minimal ones.
"""

import re
from collections.abc import Iterator

from muster.domain.errors import Broken
from muster.domain.record import Record

from .kargs import Area
from .live import EXTRA, INITRD
from .regions import Extent
from .source import Source

PATHS = re.compile(r"(?i)/efi/[^/]+/grub\.cfg|/boot/grub2?/grub\.cfg|/isolinux/isolinux\.cfg")
LARGEST = 1024 * 1024
HASHES = 1024
ROOM = b"\n" + b"#" * HASHES + b" COREOS_KARG_EMBED_AREA"
"""Follows the kernel arguments: to a boot loader it is a remark, to us it is room."""

LOADED = {
    True: re.compile(rb"(?m)^[ \t]+initrd(?:efi)?[ \t].*?(?=[ \t]*\r?$)"),
    False: re.compile(rb"(?m)^[ \t]*append[ \t]+initrd=\S+"),
}
ARGUMENTS = {
    True: re.compile(rb"(?m)^[ \t]+linux(?:efi)?[ \t]+\S+[ \t]+(.*?)[ \t]*$"),
    False: re.compile(rb"(?m)^[ \t]*append[ \t]+initrd=\S+[ \t]+(.*?)[ \t]*$"),
}
"""What is loaded besides the kernel, and what the kernel is told: in GRUB's words (True) and in isolinux's."""


class Config(Record):
    """A configuration: the kernel arguments begin at `at`; `arguments` are what they were, if they had no room."""

    path: str
    place: Extent
    """Where it is in the full image."""
    content: bytes
    at: int
    arguments: str = ""

    @property
    def grub(self) -> bool:
        """Whether it is GRUB's."""
        return self.path.endswith("grub.cfg")


def read_configs(source: Source, files: dict[str, Extent], areas: tuple[Area, ...]) -> Iterator[Config]:
    """Every configuration that starts the live system, with where its kernel arguments are if they have room."""
    for path, place in sorted(files.items()):
        if PATHS.fullmatch(path) is None or place.length > LARGEST:
            continue
        content = source.read(place.offset, place.length)
        if INITRD.encode() in content:
            at = (each.offset - place.offset for each in areas if place.offset <= each.offset < place.end)
            yield Config(path=path, place=place, content=content, at=next(at, 0))


def with_room(config: Config) -> Config:
    """The configuration with room after the kernel arguments, wherever they are in it."""
    found = ARGUMENTS[config.grub].search(config.content)
    if found is None:
        raise Broken(f"{config.path} in the image does not say what the kernel is told; take a newer image")
    before, after = config.content[: found.end(1)], config.content[found.end(1) :]
    return config.but(content=before + ROOM + after, at=found.start(1), arguments=found[1].decode(errors="replace"))


def with_extra(config: Config) -> Config:
    """The configuration that has the place for more archives loaded, too, after all others."""
    found = LOADED[config.grub].search(config.content)
    if found is None:
        raise Broken(f"{config.path} in the image does not say what is loaded besides the kernel; take a newer image")
    added = (" " if config.grub else ",").encode() + EXTRA.encode()
    content = config.content[: found.end()] + added + config.content[found.end() :]
    return config.but(content=content, at=config.at + (len(added) if found.end() <= config.at else 0))
