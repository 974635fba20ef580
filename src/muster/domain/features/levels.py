"""How far something is supported, and the small tables that say from when to when.

Features and architectures are made of these.
"""

from enum import StrEnum

from muster.domain.record import Record
from muster.domain.releases import at_least


class Level(StrEnum):
    """How far something is supported."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    TECH_PREVIEW = "tech-preview"
    DEV_PREVIEW = "dev-preview"
    UNAVAILABLE = "unavailable"


class Reason(StrEnum):
    """What stands in the way."""

    CPU_ARCHITECTURE = "cpuArchitecture"
    PLATFORM = "platform"
    OPENSHIFT_VERSION = "openshiftVersion"
    OCI = "ociExternalIntegrationDisabled"


class Support(Record):
    """How far something is supported, and why not further."""

    level: Level
    reason: Reason | None = None


Levels = tuple[tuple[str, Level], ...]
"""From which version on which level holds, oldest first. Before the first there is nothing.

The version "" is any text at all; "0" is any version that can be read.
"""

ALWAYS: Levels = (("", Level.SUPPORTED),)


def since(version: str, level: Level = Level.SUPPORTED) -> Levels:
    """The levels of what came with a version."""
    return ((version, level),)


def level_at(levels: Levels, version: str) -> Level:
    """The level that a version has come to."""
    reached = [level for first, level in levels if not first or at_least(version, first)]
    return reached[-1] if reached else Level.UNAVAILABLE


Until = dict[str, str]
"""Names of what something does not go with, and the version from which on it does; "" if none does."""


def ever(*names: str) -> Until:
    """Names of what something does not go with in any version."""
    return dict.fromkeys(names, "")


def holds(until: Until, name: str, version: str) -> bool:
    """Whether something does not go with a name in a version."""
    end = until.get(name)
    return end is not None and not (end and at_least(version, end))
