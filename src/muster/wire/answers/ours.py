"""What answers of our own API look like."""

from typing import Any

from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.verdicts import Evidence, Finding, Gate, Status

from .forms import GivenId, Moment


class VerdictOut(Record):
    """A verdict with its promise, what it holds back, its evidence and the way out."""

    id: str
    category: str
    promise: str
    status: Status
    message: str
    evidence: Evidence
    holds_back: tuple[Gate, ...]


class Explained(Record, kw_only=True):
    """Why something is as it is, and what would put it right."""

    id: GivenId
    name: str
    status: str
    meaning: str
    because: str
    verdicts: tuple[VerdictOut, ...]


class HostExplained(Explained, kw_only=True):
    """Why a host is as it is, and what would put it right."""

    role: Role
    role_because: str


class ClusterExplained(Explained, kw_only=True):
    """Why a cluster and its hosts are as they are, and what would put them right."""

    hosts: tuple[HostExplained, ...]


class TurnOut(Record):
    """A verdict that would be another."""

    id: str
    before: Finding | None
    after: Finding | None
    evidence: Evidence


class DifferenceOut(Record):
    """What would differ about a cluster or a host."""

    id: GivenId
    name: str
    before: str | None
    after: str | None
    because: str
    verdicts: tuple[TurnOut, ...]
    facts: dict[str, Any]


class SupposedOut(Record):
    """What would become of a cluster and its hosts."""

    installable: bool
    cluster: DifferenceOut
    hosts: tuple[DifferenceOut, ...]


class ChangeOut(Record):
    """One change of one record."""

    cursor: str
    scope: str
    version: int
    at: Moment
    actor: str
    triggers: tuple[str, ...]
    kind: str
    key: str
    patch: dict[str, Any]


class HistoryOut(Record):
    """Every change of a record, and what they have made of it."""

    record: dict[str, Any]
    changes: tuple[ChangeOut, ...]
