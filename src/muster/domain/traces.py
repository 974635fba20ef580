"""Turns rows of the history into turns: who came from where to where, when, and who had a hand in it.

Of all that history tells, only the few facts are looked at that an installation's timeline is made of. `timeline.py`
reads them; what a row does not tell is as it was before.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from .clusters import ClusterState, Preparation
from .history import HistoryRow
from .hosts import HostKind
from .progress import ClusterProgress, HostProgress
from .record import Record, apply_patch
from .roles import Role
from .states.hosts import HostState


class Named(Record):
    """What a machine calls itself."""

    hostname: str = ""


class ClusterFacts(Record):
    """What matters of a cluster."""

    name: str = ""
    status: ClusterState | None = None
    status_info: str = ""
    progress: ClusterProgress = ClusterProgress()
    preparation: Preparation = Preparation()
    kubeconfig_published: bool = False
    logs_info: str = ""


class HostFacts(Record):
    """What matters of a host."""

    status: HostState | None = None
    status_info: str = ""
    kind: HostKind = HostKind.HOST
    role: Role = Role.AUTO
    bootstrap: bool = False
    requested_hostname: str = ""
    inventory: Named | None = None
    progress: HostProgress = HostProgress()
    ignition_stored: bool = False
    logs_info: str = ""

    @property
    def name(self) -> str:
        """What the host is called, asked or by itself; "" while that is not known."""
        return self.requested_hostname or (self.inventory.hostname if self.inventory else "")

    @property
    def day2(self) -> bool:
        """The host joins a cluster that runs."""
        return self.kind is HostKind.DAY2


Facts = ClusterFacts | HostFacts


class Turn(Record):
    """One change of the facts about a cluster or a host."""

    at: datetime
    actor: str
    triggers: tuple[str, ...]
    subject: str
    """The id of the host; "" for the cluster itself."""
    before: Facts
    after: Facts


FACTS: dict[str, type[ClusterFacts] | type[HostFacts]] = {"cluster": ClusterFacts, "host": HostFacts}
"""What is looked at of records of each kind; of all others nothing."""


def turns(rows: Iterable[HistoryRow]) -> Iterator[Turn]:
    """Every change of what matters, in the order of the rows."""
    told: dict[str, dict[str, Any]] = {}
    known: dict[str, Facts] = {}
    for row in map(relevant, rows):
        if row is None:
            continue
        kind = FACTS[row.kind]
        told[row.key] = apply_patch(told.get(row.key, {}), row.patch)
        after = msgspec.convert(told[row.key], kind)
        before = known.get(row.key) or kind()
        known[row.key] = after
        yield Turn(
            at=row.at,
            actor=row.actor,
            triggers=row.triggers,
            subject=row.key.rpartition("/")[2] if row.kind == "host" else "",
            before=before,
            after=after,
        )


def relevant(row: HistoryRow) -> HistoryRow | None:
    """The row with only what matters of it, so that many can be kept; None if nothing does."""
    kind = FACTS.get(row.kind)
    if kind is None:
        return None
    patch = {name: row.patch[name] for name in kind.__struct_fields__ if name in row.patch}
    if isinstance(patch.get("inventory"), dict):
        patch["inventory"] = {name: each for name, each in patch["inventory"].items() if name == "hostname"}
    return row.but(patch=patch) if patch else None
