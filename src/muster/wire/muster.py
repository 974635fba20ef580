"""Our own API: the live stream, explanations and history."""

from datetime import datetime
from typing import Any

import msgspec

from muster.domain.record import Record, apply_patch
from muster.domain.validations.registry import Assessment, Validation
from muster.domain.verdicts import Status


class StreamQuery(Record):
    """What a listener wants to hear of: everything, or one scope."""

    scope: str = ""


class ExplainQuery(Record):
    """Which verdicts are wanted: all, or only those that hold something back."""

    failing: bool = False


class HistoryQuery(Record):
    """Up to which moment; now if none is given."""

    at: datetime | None = None


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
                "evidence": msgspec.to_builtins(verdict.evidence),
                "holds_back": sorted(check.gates) if check.id in assessment.held else [],
            }
        )
    return out


def replayed(patches: list[dict[str, Any]]) -> Any:
    """A record as all these changes, one after the other, have made it."""
    record: Any = {}
    for patch in patches:
        record = apply_patch(record, patch)
    return record
