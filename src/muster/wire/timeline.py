"""Timelines as our own API shows them, with the seconds that everything took."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from muster.domain.clusters import Cluster
from muster.domain.critical_path import Leg
from muster.domain.record import Record
from muster.domain.spans import Result, Span, SpanKind
from muster.domain.timeline import Attempt, AttemptKind, Timeline

from .answers.forms import GivenId, Moment
from .moments import micros


class TimelineQuery(Record):
    """Which attempt is wanted: the last if none is named; 0 is what was before the first."""

    attempt: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class AttemptOut(Record, omit_defaults=False):
    """A while in which something was being installed."""

    number: int
    kind: AttemptKind
    start: Moment
    end: Moment | None
    seconds: float
    actor: str
    ended_by: str
    result: Result
    because: str


class SpanOut(Record, omit_defaults=False):
    """A while in which one thing stayed the same; its end is null as long as it goes on."""

    id: int
    parent: int | None
    kind: SpanKind
    subject: str
    """The id of the host, empty for the cluster itself."""
    name: str
    start: Moment
    end: Moment | None
    seconds: float
    actor: str
    ended_by: str
    result: Result
    because: str
    critical: bool


class LegOut(Record, omit_defaults=False):
    """A part of the critical path: the span that counted, from when to when."""

    span: int
    start: Moment
    end: Moment
    seconds: float


class TimelineOut(Record, omit_defaults=False):
    """One attempt, whole, and the others there are."""

    cluster_id: GivenId
    name: str
    at: Moment
    """When it was looked at; what goes on has lasted until then."""
    attempt: AttemptOut
    attempts: tuple[AttemptOut, ...]
    spans: tuple[SpanOut, ...]
    critical_path: tuple[LegOut, ...]
    slowest: int | None
    """The span that took most of the time."""


def timeline_out(timeline: Timeline, cluster: Cluster, now: datetime) -> TimelineOut:
    """A timeline as it is shown at a moment."""
    return TimelineOut(
        cluster_id=cluster.id,
        name=cluster.name,
        at=micros(now),
        attempt=_attempt_out(timeline.attempt, now),
        attempts=tuple(_attempt_out(each, now) for each in timeline.attempts),
        spans=tuple(_span_out(each, now) for each in timeline.spans),
        critical_path=tuple(map(_leg_out, timeline.critical_path)),
        slowest=None if timeline.slowest is None else timeline.slowest.id,
    )


def _attempt_out(attempt: Attempt, now: datetime) -> AttemptOut:
    return AttemptOut(
        number=attempt.number,
        kind=attempt.kind,
        start=micros(attempt.start),
        end=None if attempt.end is None else micros(attempt.end),
        seconds=((attempt.end or now) - attempt.start).total_seconds(),
        actor=attempt.actor,
        ended_by=attempt.ended_by,
        result=attempt.result,
        because=attempt.because,
    )


def _span_out(span: Span, now: datetime) -> SpanOut:
    return SpanOut(
        id=span.id,
        parent=span.parent,
        kind=span.kind,
        subject=span.subject,
        name=span.name,
        start=micros(span.start),
        end=None if span.end is None else micros(span.end),
        seconds=((span.end or now) - span.start).total_seconds(),
        actor=span.actor,
        ended_by=span.ended_by,
        result=span.result,
        because=span.because,
        critical=span.critical,
    )


def _leg_out(leg: Leg) -> LegOut:
    return LegOut(span=leg.span, start=micros(leg.start), end=micros(leg.end), seconds=leg.lasts.total_seconds())
