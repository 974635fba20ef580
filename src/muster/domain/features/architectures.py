"""The processor architectures, and the versions that run on them.

`listing` shows them to clients; `enforcement` asks whether a cluster's version runs on its architecture at all.
"""

from muster.domain.record import Record

from .levels import ALWAYS, Level, Levels, level_at, since


class Architecture(Record):
    """A processor architecture, or all of them at once."""

    name: str
    id: str
    levels: Levels


_LATE: Levels = (("4.12", Level.TECH_PREVIEW), ("4.13", Level.SUPPORTED))

ARCHITECTURES = (
    Architecture(name="x86_64", id="X86_64_ARCHITECTURE", levels=ALWAYS),
    Architecture(name="arm64", id="ARM64_ARCHITECTURE", levels=since("4.10")),
    Architecture(name="ppc64le", id="PPC64LE_ARCHITECTURE", levels=_LATE),
    Architecture(name="s390x", id="S390X_ARCHITECTURE", levels=_LATE),
    Architecture(name="multi", id="MULTIARCH_RELEASE_IMAGE", levels=since("4.11", Level.TECH_PREVIEW)),
)
"""Every architecture there is."""

BY_NAME = {each.name: each for each in ARCHITECTURES}

_ALSO_CALLED = {"aarch64": "arm64", "amd64": "x86_64"}


def architecture_called(name: str) -> str:
    """The one name of an architecture that may be known by several."""
    return _ALSO_CALLED.get(name, name)


def architecture_level(name: str, version: str) -> Level:
    """How far a version is supported on an architecture; one that is not known is on none."""
    known = BY_NAME.get(name)
    return level_at(known.levels, version) if known else Level.UNAVAILABLE


def supported_architectures(version: str) -> dict[str, Level]:
    """How far a version is supported on every architecture, by its id."""
    return {each.id: level_at(each.levels, version) for each in sorted(ARCHITECTURES, key=lambda each: each.id)}
