"""Base images for services in tests: small ones of exactly the CoreOS layout, as their tools' authors publish them.

`isos/` holds the fixtures of coreos-installer (Apache-2.0).
"""

import gzip
import json
import lzma
from pathlib import Path
from typing import NamedTuple

from muster.image.live import read_live
from muster.image.source import FileSource

ISOS = Path(__file__).parent / "isos"


class Base(NamedTuple):
    """One system image."""

    version: str
    architecture: str
    fixture: str
    build: str


X86 = Base("4.18", "x86_64", "embed-areas-2023-07.x86_64", "38.20230718.dev.0")
S390X = Base("4.18", "s390x", "embed-areas-2023-07.s390x", "38.20230718.dev.1")
OLD = Base("4.10", "x86_64", "embed-areas-2021-09", "34.20210921.dev.0")
"""One that has no recipe of a minimal image."""


def unpacked(base: Base, folder: Path) -> Path:
    """The image as a file."""
    path = folder / f"{base.fixture}.iso"
    path.write_bytes(lzma.decompress((ISOS / f"{base.fixture}.iso.xz").read_bytes()))
    return path


def offered(folder: Path, *bases: Base) -> dict[str, str]:
    """The settings of a service that has these images."""
    entries = [
        {
            "openshift_version": each.version,
            "cpu_architecture": each.architecture,
            "url": str(unpacked(each, folder)),
            "version": each.build,
        }
        for each in bases
    ]
    return {"OS_IMAGES": json.dumps(entries)}


def embedded_in(path: Path) -> str:
    """The archive in the place of an image for its Ignition config, unpacked: the config is in it as it is."""
    source = FileSource(path)
    place = read_live(source).ignition
    packed = source.read(place.offset, place.length)
    source.close()
    return gzip.decompress(packed.rstrip(b"\0") + bytes(8)).decode("latin-1")
