"""Where the installer is in a release, and how it is told which release it belongs to. `tools.py` takes it from there.

Inside an image the installer belongs to no release yet: it has gaps in which its release is to be written, as `oc` does
when it extracts one.
"""

import mmap
import re
from pathlib import Path

from muster.adapters.registry.manifests import theirs
from muster.domain.errors import Broken, Invalid
from muster.domain.record import Record
from muster.domain.releases import at_least

from .payload import Payload

INSTALLER = "openshift-install"
BAREMETAL_INSTALLER = "openshift-baremetal-install"
ONE_INSTALLER = "4.16"
"""Since when the plain installer can do everything, unless the service's machine keeps to FIPS."""


class Origin(Record):
    """A file of an image of a release."""

    image: str
    """The name by which the release knows the image."""
    path: str
    runs_elsewhere: bool = False
    """Whether the program is for other machines than the image."""


OWN = {
    INSTALLER: Origin(image="installer", path="usr/bin/openshift-install"),
    BAREMETAL_INSTALLER: Origin(image="baremetal-installer", path="usr/bin/openshift-install"),
}
"""Where the programs are that run on the machines that the release is for."""

FOREIGN = Origin(
    image="installer-artifacts",
    path="usr/share/openshift/linux_{architecture}/openshift-install",
    runs_elsewhere=True,
)
"""Where the plain installer is for machines that the release is not for."""

_GAPS = {
    "image": re.compile(rb"\0_RELEASE_IMAGE_LOCATION_\0X+\0"),
    "version": re.compile(rb"\0_RELEASE_VERSION_LOCATION_\0X+\0"),
}


def tool_name(version: str, *, fips: bool) -> str:
    """Which program installs a release."""
    return INSTALLER if at_least(version, ONE_INSTALLER) and not fips else BAREMETAL_INSTALLER


def origin(payload: Payload, name: str, architecture: str) -> Origin:
    """Where a program is that runs on machines of an architecture; `Invalid` if it is nowhere."""
    if architecture in payload.architectures:
        return OWN[name]
    if name == INSTALLER and FOREIGN.image in payload.images:
        return FOREIGN.but(path=FOREIGN.path.format(architecture=theirs(architecture)))
    raise Invalid(
        f"release {payload.version} is for {', '.join(payload.architectures)} and has no {name} for {architecture},"
        " which this service runs on; name the release of the same version for that architecture, or one for several"
    )


def write_release(program: Path, payload: Payload) -> None:
    """Tell an installer which release it belongs to. One without gaps is left as it is."""
    values = {"image": payload.release.encode(), "version": payload.version.encode()}
    with program.open("r+b") as file:
        if not program.stat().st_size:
            raise Broken(f"the installer in {payload.release} is empty; push the image again")
        with mmap.mmap(file.fileno(), 0) as content:
            for name, gap in _GAPS.items():
                _fill(content, gap, values[name] + b"\0", payload)


def _fill(content: mmap.mmap, gap: re.Pattern[bytes], value: bytes, payload: Payload) -> None:
    found = gap.search(content)
    if found is None:
        return
    start, end = found.span()
    del found  # The match holds on to the content, which could not be closed.
    if start + len(value) > end:
        raise Broken(f"the name {payload.release} is too long for the installer: {len(value)} of {end - start} bytes")
    content[start : start + len(value)] = value
