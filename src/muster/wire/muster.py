"""Our own API: the live stream, explanations and history."""

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from muster.domain.errors import Invalid
from muster.domain.record import Record, apply_patch
from muster.domain.states.clusters import ClusterState
from muster.domain.validations.registry import Assessment, Validation
from muster.domain.verdicts import Finding, Status, evidence_of
from muster.domain.what_if import Difference, Outcome

_ID = r"[0-9a-fA-F-]{32,36}"
Scope = Annotated[str, Meta(pattern=rf"^(?:(?:cluster|infra-env):{_ID}|host:{_ID}/{_ID})?\Z")]
"""A cluster with its hosts, a discovery image, or a host without a cluster."""


class StreamQuery(Record):
    """What a listener wants to hear of: everything, or one scope."""

    scope: Scope = ""


class ExplainQuery(Record):
    """Which verdicts are wanted: all, or only those that hold something back."""

    failing: bool = False


class HistoryQuery(Record):
    """Up to which moment; now if none is given."""

    at: datetime | None = None

    @property
    def until(self) -> datetime | None:
        """The moment in UTC; what was written without a zone is taken for that."""
        if self.at is None:
            return None
        try:
            return self.at.astimezone(UTC) if self.at.tzinfo else self.at.replace(tzinfo=UTC)
        except OverflowError:
            raise Invalid(f"at: {self.at.isoformat()} is no moment in UTC; write it as 2026-01-31T12:00:00Z") from None


def explained(
    assessment: Assessment, validations: tuple[Validation[Any], ...], *, failing: bool = False
) -> list[dict[str, Any]]:
    """Every verdict with its promise, what it holds back, its evidence and the way out."""
    out = []
    for check in validations:
        verdict = assessment.verdicts.get(check.id)
        if verdict is None or (failing and verdict.status is Status.SUCCESS):
            continue
        out.append(
            {
                "id": check.id,
                "category": check.category,
                "promise": check.promise,
                "status": verdict.status,
                "message": verdict.message,
                "evidence": msgspec.to_builtins(evidence_of(verdict)),
                "holds_back": sorted(check.gates) if check.id in assessment.held else [],
            }
        )
    return out


def supposed(outcome: Outcome) -> dict[str, Any]:
    """All that would differ, and the one answer that is wanted most: whether the cluster could be installed."""
    return {
        "installable": outcome.cluster.after == ClusterState.READY,
        "cluster": _difference_out(outcome.cluster),
        "hosts": [_difference_out(each) for each in outcome.hosts],
    }


def _difference_out(difference: Difference) -> dict[str, Any]:
    return {
        "id": difference.id,
        "name": difference.name,
        "before": difference.before,
        "after": difference.after,
        "because": difference.because,
        "verdicts": [
            {
                "id": turn.id,
                "before": _finding_out(turn.before),
                "after": _finding_out(turn.after),
                "evidence": msgspec.to_builtins(turn.evidence),
            }
            for turn in difference.verdicts
        ],
        "facts": difference.facts,
    }


def _finding_out(finding: Finding | None) -> dict[str, Any] | None:
    return None if finding is None else {"status": finding.status, "message": finding.message}


def replayed(patches: list[dict[str, Any]]) -> Any:
    """A record as all these changes, one after the other, have made it."""
    record: Any = {}
    for patch in patches:
        record = apply_patch(record, patch)
    return record
