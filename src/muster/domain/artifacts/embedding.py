"""Turns an Ignition config into what lies in the place that a live image keeps for it: archives for the kernel.

`image/customise.py` puts it there, and before an initrd that is sent over the network; `discovery_ignition.py` asks
whether it fits when an infra-env is saved. Both have to find the same bytes, so both find them here.
"""

import lzma

from .cpio import Member, archive, padded, regular, uncompressed
from .ignition import READABLE

ROOM = 262_144
"""Bytes of the place."""

NAME = "config.ign"
"""Where the initrd looks for the config."""


def archived(config: bytes) -> bytes:
    """The config as an archive behind which another may follow."""
    return padded(archive([_member(config)]))


def packed(config: bytes, extra: bytes = b"", room: int = ROOM) -> bytes:
    """The config as an archive, and after it another that is ready: the same bytes whenever it is made.

    It is compressed the better, and slower, way only where that is needed to fit; if not even that fits, the answer
    is longer than there is room for, and the caller says so.
    """
    quick = archived(config) + extra
    return quick if len(quick) <= room else padded(_thoroughly(uncompressed([_member(config)]))) + extra


def surely_fits(config: bytes, extra: bytes = b"", room: int = ROOM) -> bool:
    """Whether there is room whatever compressing makes of it, so that nobody needs to try."""
    return len(config) + len(extra) < room // 2


def _member(config: bytes) -> Member:
    return regular(NAME, config.decode(), READABLE)


def _thoroughly(content: bytes) -> bytes:
    """Compressed as small as the kernel can read; it knows no other sum than this."""
    return lzma.compress(content, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9)
