"""Turns the spans of an attempt into the chain that decided how long it took, without a gap from start to end.

It is followed backwards: what ended last before this moment is what the moment waited for. A host that only waits for
the control plane is not what took the time; those that it waits for are. `timeline.py` calls this.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from .progress import Stage
from .record import Record
from .spans import Result, Span, SpanKind
from .states.hosts import HostState

LABOUR = frozenset({HostState.PREPARING, HostState.INSTALLING, HostState.PENDING_USER_ACTION})
"""States of a host that others may have to wait for and that no stage says more about."""

WAITS = frozenset({Stage.CONTROL_PLANE})
"""Stages in which a host waits for the control plane."""


class Leg(Record):
    """A part of the chain: a span, from when to when it was what counted."""

    span: int
    start: datetime
    end: datetime

    @property
    def lasts(self) -> timedelta:
        """How long it was."""
        return self.end - self.start


class _Piece(Record):
    """A while of work that something may have waited for."""

    span: Span
    start: datetime
    end: datetime


Fill = Callable[[datetime, datetime], list[Leg]]
"""The legs for a while in which nobody is known to have worked, latest first."""


def critical_path(spans: tuple[Span, ...], now: datetime, control_plane: frozenset[str]) -> tuple[Leg, ...]:
    """What the time of an attempt was spent on. The first span is the attempt itself."""
    root = spans[0]
    end = root.end or now
    pieces = _pieces(spans, now)
    legs: list[Leg] = []
    for leg in _walk(root.start, end, [each for each in pieces if each.end <= end], _filled_by_states(spans, now)):
        beside = _cut(_beside(spans[leg.span], pieces, control_plane), leg)
        legs += _walk(leg.start, leg.end, beside, _filled_by(leg.span)) if beside else [leg]
    return tuple(reversed(legs))


def slowest(spans: tuple[Span, ...], legs: Iterable[Leg]) -> Span | None:
    """What took most of the time; None if no time has passed."""
    took: dict[int, timedelta] = {}
    for leg in legs:
        took[leg.span] = took.get(leg.span, timedelta()) + leg.lasts
    return spans[max(took, key=lambda each: took[each])] if took else None


def _beside(span: Span, pieces: Iterable[_Piece], control_plane: frozenset[str]) -> list[_Piece]:
    """The work of the control plane that a host waits for, if it does; what others only waited for is none."""
    if span.name not in WAITS:
        return []
    others = control_plane - {span.subject}
    return [each for each in pieces if each.span.subject in others and each.span.name not in WAITS]


def _pieces(spans: tuple[Span, ...], now: datetime) -> list[_Piece]:
    """All the work there was, each moment of a host as what says most about it."""
    holes: dict[tuple[str, SpanKind], list[tuple[datetime, datetime]]] = {}
    for span in spans:
        if span.subject and (below := _says_more_than(span)):
            holes.setdefault((span.subject, below), []).append((span.start, span.end or now))
    return [
        _Piece(span=span, start=start, end=end)
        for span in spans
        if _is_work(span)
        for start, end in _without(span.start, span.end or now, holes.get((span.subject, span.kind), []))
    ]


def _says_more_than(span: Span) -> SpanKind | None:
    """Of what kind of spans of a host this one takes the place; None if of none.

    While a host waits for the user it is not at work, whatever its stage; while something is made for it, it does not
    even know that it is to install.
    """
    if span.kind is SpanKind.STATE and span.name == HostState.PENDING_USER_ACTION:
        return SpanKind.STAGE
    return SpanKind.STATE if span.kind is SpanKind.EFFECT else None


def _is_work(span: Span) -> bool:
    """Whether others may have waited for this."""
    if span.kind in {SpanKind.STAGE, SpanKind.EFFECT}:
        return True
    return span.kind is SpanKind.STATE and bool(span.subject) and span.name in LABOUR


def _without(start: datetime, end: datetime, holes: list[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """What is left of a while without these others."""
    left = []
    for begin, until in holes:
        if start < min(begin, end):
            left.append((start, min(begin, end)))
        start = max(start, until)
    return [*left, *([(start, end)] if start < end else [])]


def _cut(pieces: Iterable[_Piece], leg: Leg) -> list[_Piece]:
    """What of the pieces was in a leg."""
    cut = [each.but(start=max(each.start, leg.start), end=min(each.end, leg.end)) for each in pieces]
    return [each for each in cut if each.start < each.end]


def _walk(start: datetime, end: datetime, pieces: list[_Piece], fill: Fill) -> list[Leg]:
    """The legs of a while, latest first."""
    legs: list[Leg] = []
    here, subject = end, ""
    while here > start:
        before = [each for each in pieces if start < each.end <= here and each.start < here]
        if not before:
            return [*legs, *fill(start, here)]
        best = max(before, key=lambda each: _weight(each, subject))
        legs += fill(best.end, here)
        begin = max(best.start, start)
        legs.append(Leg(span=best.span.id, start=begin, end=best.end))
        here, subject = begin, best.span.subject
    return legs


def _weight(piece: _Piece, subject: str) -> tuple[datetime, bool, bool, timedelta]:
    """What counts most: what ended last; then what the same host did, what went wrong, and what took longest."""
    same = bool(subject) and piece.span.subject == subject
    return piece.end, same, piece.span.result is Result.FAILED, piece.end - piece.start


def _filled_by(span: int) -> Fill:
    return lambda start, end: [Leg(span=span, start=start, end=end)] if start < end else []


def _filled_by_states(spans: tuple[Span, ...], now: datetime) -> Fill:
    """A while in which nobody worked counts as the state that the cluster was in, else as the attempt."""
    states = [each for each in spans if each.kind is SpanKind.STATE and not each.subject]

    def fill(start: datetime, end: datetime) -> list[Leg]:
        pieces = _cut(
            [_Piece(span=each, start=each.start, end=each.end or now) for each in states],
            Leg(span=0, start=start, end=end),
        )
        return _walk(start, end, pieces, _filled_by(spans[0].id))

    return fill
