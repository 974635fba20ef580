"""The words of judgement: verdicts with their evidence, and the gates they close."""

from datetime import datetime
from enum import StrEnum

from .record import Record


class Gate(StrEnum):
    """What a failing validation holds back."""

    CONNECTION = "connection"
    INVENTORY = "inventory"
    HARDWARE = "hardware"
    INPUT = "input"
    DISK_UUID = "disk-uuid"
    INSTALL = "install"
    PREPARATION = "preparation"
    VIPS = "vips"
    POOL = "pool"


class Status(StrEnum):
    """How a validation came out."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"
    DISABLED = "disabled"


class Evidence(Record):
    """Why a verdict is what it is: what was measured, against what, and where to put it right."""

    measured: str = ""
    required: str = ""
    source: str = ""
    observed_at: datetime | None = None
    fix: str = ""


NO_EVIDENCE = Evidence()
"""Nothing was measured: the verdict follows from what the user chose."""


class Verdict(Record):
    """The outcome of one validation for one host or cluster."""

    status: Status
    message: str
    evidence: Evidence = NO_EVIDENCE

    @property
    def passes(self) -> bool:
        """Whether the gate stays open. Unknown is not a pass."""
        return self.status is Status.SUCCESS or self.status is Status.DISABLED


class Finding(Record):
    """A verdict as it is remembered and shown: without its evidence, which can be worked out again."""

    status: Status
    message: str


def passed(message: str, evidence: Evidence = NO_EVIDENCE) -> Verdict:
    """All is well."""
    return Verdict(status=Status.SUCCESS, message=message, evidence=evidence)


def failed(message: str, evidence: Evidence = NO_EVIDENCE) -> Verdict:
    """It is known to be wrong."""
    return Verdict(status=Status.FAILURE, message=message, evidence=evidence)


def pending(message: str, evidence: Evidence = NO_EVIDENCE) -> Verdict:
    """It is not known yet."""
    return Verdict(status=Status.PENDING, message=message, evidence=evidence)


def unjudged(message: str, evidence: Evidence = NO_EVIDENCE) -> Verdict:
    """The facts contradict each other, so no judgement is possible (`error` on the wire)."""
    return Verdict(status=Status.ERROR, message=message, evidence=evidence)
