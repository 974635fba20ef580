"""What the operator of the service may say of hardware requirements: entries become figures for every version.

`runtime.settings` decodes HW_VALIDATOR_REQUIREMENTS into entries and calls `read_requirements` at the start.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from muster.domain.record import Record
from muster.domain.releases import parts
from muster.domain.requirements import SHIPPED, Figures, Requirements, VersionedRequirements

from .fields import Problems, require_none

SETTING = "HW_VALIDATOR_REQUIREMENTS"
DEFAULT = "default"
EXACT = "exact"
SINCE = "min_version"


class SomeFigures(Record, forbid_unknown_fields=True):
    """Figures of a role as far as they are said; the others come from the default entry."""

    cpu_cores: int | None = None
    ram_mib: int | None = None
    disk_size_gb: int | None = None
    installation_disk_speed_threshold_ms: int | None = None
    network_latency_threshold_ms: float | None = None
    packet_loss_percentage: float | None = None


class Entry(Record, forbid_unknown_fields=True):
    """What is said of one version, of a version and all later ones, or of any version."""

    version: str | None = None
    match_type: str | None = None
    master: SomeFigures | None = None
    arbiter: SomeFigures | None = None
    worker: SomeFigures | None = None
    sno: SomeFigures | None = None
    edge_worker: SomeFigures | None = msgspec.field(name="edge-worker", default=None)

    @property
    def match(self) -> str:
        """Which versions are meant."""
        return self.match_type or EXACT

    @property
    def is_default(self) -> bool:
        """It is about any version of which nothing else is said."""
        return self.match == EXACT and self.version == DEFAULT

    @property
    def key(self) -> tuple[str, str]:
        """What only one entry may be about; `4.22` and `4.22.0` are the same beginning."""
        if self.match == SINCE:
            numbers = ".".join(map(str, parts(self.version or "")))
            return SINCE, re.sub(r"(\.0)+$", "", numbers) or self.version or ""
        return EXACT, self.version or ""


ROLES = {field.name: field.encode_name for field in msgspec.structs.fields(Requirements)}
"""Every role: its name here and its name in an entry."""

LIKE_WORKERS = frozenset({"arbiter", "edge_worker"})
"""Roles that need what a worker needs where nothing is said of them."""

LEAST = {
    "cpu_cores": 1,
    "ram_mib": 1,
    "disk_size_gb": 1,
    "installation_disk_speed_threshold_ms": 0,
    "network_latency_threshold_ms": 0,
    "packet_loss_percentage": 0,
}
"""The smallest value that makes sense for each figure."""

NEEDED = ("cpu_cores", "ram_mib", "disk_size_gb")
"""Figures that every role must have; without the others nothing is limited."""


def read_requirements(entries: Sequence[Entry]) -> VersionedRequirements:
    """What the entries come to; what ships where there are none. Raises `Invalid` with every problem by its path.

    Where no entry is the default one, versions that no entry names keep what ships.
    """
    default = next((entry for entry in entries if entry.is_default), None)
    require_none(_problems(entries, default))
    figures = {entry.key: _requirements(entry, default) for entry in entries}
    if default is None:
        return SHIPPED.but(exact={version: each for (_, version), each in figures.items()})
    return VersionedRequirements(
        default=figures.pop(default.key),
        exact={version: each for (match, version), each in figures.items() if match == EXACT},
        since={version: each for (match, version), each in figures.items() if match == SINCE},
    )


# What can be wrong


def _problems(entries: Sequence[Entry], default: Entry | None) -> Problems:
    seen: dict[tuple[str, str], int] = {}
    for number, entry in enumerate(entries):
        path = f"{SETTING}[{number}]"
        twin = seen.setdefault(entry.key, number)
        if twin != number and entry.version:
            yield f"{path} is about the same version as {SETTING}[{twin}], {entry.version}; put the two together"
        yield from _problems_of_version(path, entry, default)
        yield from _bad_figures(path, entry)
        if entry.is_default or (default is None and entry.match == EXACT):
            yield from _gaps(path, entry)


def _problems_of_version(path: str, entry: Entry, default: Entry | None) -> Problems:
    if not entry.version:
        yield f"{path}.version is missing; write a version, or {DEFAULT} for all others"
    if entry.match not in (EXACT, SINCE):
        yield f"{path}.match_type is {entry.match!r}; it must be {EXACT} or {SINCE}"
    if entry.match == SINCE and entry.version and not parts(entry.version):
        yield f"{path}.version is {entry.version!r}; with {SINCE} it must be a version such as 4.22"
    if entry.match == SINCE and default is None:
        yield f"{path} is for {SINCE} {entry.version}, which adds to the default entry; add one of version {DEFAULT}"


def _said(entry: Entry) -> Iterator[tuple[str, str, SomeFigures | None]]:
    """Every role by both its names, with what an entry says of it."""
    for name, written in ROLES.items():
        yield name, written, getattr(entry, name)


def _bad_figures(path: str, entry: Entry) -> Problems:
    for _, role, said in _said(entry):
        for name, least in LEAST.items():
            value = getattr(said, name, None)
            if value is not None and value < least:
                yield f"{path}.{role}.{name} is {value}; it must be at least {least}"


def _gaps(path: str, entry: Entry) -> Problems:
    """What is missing from an entry that has no other to add to."""
    for name, role, said in _said(entry):
        if said is None and name not in LIKE_WORKERS:
            yield f"{path}.{role} is missing; there is nothing else to take the figures of that role from"
        for figure in NEEDED if said is not None else ():
            if getattr(said, figure) is None:
                yield f"{path}.{role}.{figure} is missing; there is nothing else to take it from"


# What it comes to


def _requirements(entry: Entry, default: Entry | None) -> Requirements:
    return Requirements(**{name: _figures(said) for name, said in _filled(entry, default).items()})


def _filled(entry: Entry, default: Entry | None) -> dict[str, SomeFigures]:
    """What is said of every role, by the entry and by the default one beneath it."""
    if default is None or default is entry:
        return {name: said or entry.worker or SomeFigures() for name, _, said in _said(entry)}
    beneath = _filled(default, None)
    return {name: _over(beneath[name], said) for name, _, said in _said(entry)}


def _over(beneath: SomeFigures, said: SomeFigures | None) -> SomeFigures:
    values = {name: getattr(said, name, None) for name in LEAST}
    return beneath.but(**{name: value for name, value in values.items() if value is not None})


def _figures(said: SomeFigures) -> Figures:
    values = {name: getattr(said, name) for name in LEAST}
    speed = said.installation_disk_speed_threshold_ms or 0
    return Figures(**values | {"installation_disk_speed_threshold_ms": speed})
