"""What the operator of the service may say of releases and system images: entries become what is on offer.

`runtime.settings` decodes RELEASE_IMAGES and OS_IMAGES into entries; `runtime.wiring` calls these at the start.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from muster.domain.features.architectures import BY_NAME, architecture_called
from muster.domain.record import Record
from muster.domain.releases import BETA, MULTI, OF_ALL, OsImage, Release, ReleaseImages, SupportLevel

PRODUCTION: SupportLevel = "production"

SCHEMES = frozenset({"http", "https", "file"})
BUILD = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]*")
"""What the build of a system is written with; its file is called by it."""
SHA256 = re.compile(r"[0-9a-fA-F]{64}")
MACHINES = BY_NAME.keys() - {MULTI}


class ReleaseEntry(Record):
    """A release as it is written in RELEASE_IMAGES."""

    version: str
    url: str
    openshift_version: str = ""
    """The minor, which the version tells as well."""
    cpu_architecture: str = ""
    cpu_architectures: tuple[str, ...] = ()
    support_level: Literal["", "beta", "production", "maintenance", "end-of-life"] = ""
    default: bool = False
    mco_image: str = ""
    must_gather_image: str = ""
    coreos_image: str = ""


def read_releases(entries: Iterable[ReleaseEntry]) -> tuple[Release, ...]:
    """The releases that were written, each with the architectures it carries and how far it is supported."""
    return tuple(
        Release(
            version=entry.version.removesuffix(OF_ALL),
            url=entry.url,
            cpu_architectures=_carried(entry),
            support_level=entry.support_level or _usual_level(entry.version),
            default=entry.default,
            images=ReleaseImages(mco=entry.mco_image, must_gather=entry.must_gather_image, coreos=entry.coreos_image),
        )
        for entry in entries
    )


def _carried(entry: ReleaseEntry) -> tuple[str, ...]:
    single = () if entry.cpu_architecture in {"", MULTI} else (entry.cpu_architecture,)
    named = entry.cpu_architectures or single or ("x86_64",)
    return tuple(dict.fromkeys(architecture_called(name) for name in named))


def _usual_level(version: str) -> SupportLevel:
    """How far a release is supported of which nothing is said: one before the real one is not meant to last."""
    return BETA if "-" in version.removesuffix(OF_ALL) else PRODUCTION


def read_os_images(entries: Iterable[OsImage]) -> tuple[OsImage, ...]:
    """The system images that were written, by the one name of their architecture."""
    return tuple(entry.but(cpu_architecture=architecture_called(entry.cpu_architecture)) for entry in entries)


def os_image_problems(entries: Iterable[OsImage]) -> Iterator[str]:
    """What is wrong with the system images that were written, a sentence each. One without a url is none to fetch."""
    for number, entry in enumerate(entries):
        for problem in _os_image_problems(entry):
            yield f"OS_IMAGES[{number}] ({entry.openshift_version}): {problem}"


def _os_image_problems(entry: OsImage) -> Iterator[str]:
    scheme, colon, _ = entry.url.partition("://")
    if colon and scheme not in SCHEMES:
        yield f"url begins with {scheme}://; write https://, http://, file:/// or the path of a file"
    if entry.url and not BUILD.fullmatch(entry.version):
        yield f"version is {entry.version!r}; write the build of the system, such as 418.94.202511191518-0"
    if architecture_called(entry.cpu_architecture) not in MACHINES:
        yield f"cpu_architecture is {entry.cpu_architecture!r}; write {', '.join(sorted(MACHINES))}"
    if entry.sha256 and not SHA256.fullmatch(entry.sha256):
        yield f"sha256 has {len(entry.sha256)} characters; write the 64 hexadecimal digits that sha256sum prints"
