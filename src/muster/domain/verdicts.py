"""The words of judgement: verdicts with their evidence, and the gates they close."""

from collections.abc import Callable
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


class Finding(Record):
    """The outcome of one validation for one host or cluster, as it is remembered and shown."""

    status: Status
    message: str

    @property
    def passes(self) -> bool:
        """Whether the gate stays open. Unknown is not a pass."""
        return self.status is Status.SUCCESS or self.status is Status.DISABLED


Proof = Evidence | Callable[[], Evidence]
"""Evidence, or the way to it where it is much work that nobody may ask for."""


class Verdict(Finding):
    """A finding with its evidence, which is not kept: it can be worked out again."""

    proof: Proof = NO_EVIDENCE

    @property
    def evidence(self) -> Evidence:
        """Why the verdict is what it is."""
        return self.proof if isinstance(self.proof, Evidence) else self.proof()


def evidence_of(finding: Finding) -> Evidence:
    """Why something was found; what was only remembered has nothing to show."""
    return finding.evidence if isinstance(finding, Verdict) else NO_EVIDENCE


def passed(message: str, proof: Proof = NO_EVIDENCE) -> Verdict:
    """All is well."""
    return Verdict(status=Status.SUCCESS, message=message, proof=proof)


def failed(message: str, proof: Proof = NO_EVIDENCE) -> Verdict:
    """It is known to be wrong."""
    return Verdict(status=Status.FAILURE, message=message, proof=proof)


def pending(message: str, proof: Proof = NO_EVIDENCE) -> Verdict:
    """It is not known yet."""
    return Verdict(status=Status.PENDING, message=message, proof=proof)


def unjudged(message: str, proof: Proof = NO_EVIDENCE) -> Verdict:
    """The facts contradict each other, so no judgement is possible (`error` on the wire)."""
    return Verdict(status=Status.ERROR, message=message, proof=proof)
