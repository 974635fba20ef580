"""Turns the history of a cluster into the timeline of an attempt to install it: spans, and which of them took the time.

An attempt is a while in which something is being installed: the cluster with its hosts, or hosts that join it later.
What was before the first one is attempt 0. A span is a while in which one thing stayed the same: a state, a stage, work
that was asked for and not answered yet. The API shows timelines; recordings can be asked for them in the same way.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from .critical_path import Leg, critical_path, slowest
from .errors import NotFound
from .history import HistoryRow
from .record import Record
from .spans import OVER, Result, Span, SpanKind
from .traces import HostFacts, Turn, turns
from .tracks import CLUSTER_TRACKS, HOST_TRACKS, JOINING, UNDER_WAY, WORKING, Track, result_of


class AttemptKind(StrEnum):
    """What happens in an attempt."""

    DISCOVERY = "discovery"
    INSTALL = "install"
    ADD_HOSTS = "add-hosts"


class Attempt(Record):
    """A while in which something was being installed; the first of all is what was before."""

    number: int
    kind: AttemptKind
    start: datetime
    end: datetime | None = None
    actor: str = ""
    ended_by: str = ""
    result: Result = Result.RUNNING
    because: str = ""

    def holds(self, span: Span) -> bool:
        """Whether a span began in this attempt."""
        return span.start == self.start or (self.start < span.start and (self.end is None or span.start < self.end))


class Timeline(Record):
    """One attempt, whole, and the others there are."""

    attempt: Attempt
    attempts: tuple[Attempt, ...]
    spans: tuple[Span, ...]
    """Each after its parent; the first one is the attempt itself."""
    critical_path: tuple[Leg, ...]
    """What the time was spent on, from the start to the end without a gap."""
    slowest: Span | None
    """What took most of it."""


class _Telling:
    """Mutable while one history is being told; begins and ends spans and attempts as turns come."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.attempts: list[Attempt] = []
        self.hosts: dict[str, HostFacts] = {}
        self._open: dict[tuple[str, int], int] = {}
        """The place of the open span of each track."""
        self._busy: set[str] = set()
        """Who is under way: hosts that join, by their ids, and the cluster, as an empty one."""
        self._outcomes: list[Result] = []
        """How it ended for those who were."""

    def hear(self, turn: Turn) -> None:
        """One more thing has changed."""
        if not self.attempts:
            self.attempts.append(Attempt(number=0, kind=AttemptKind.DISCOVERY, start=turn.at, actor=turn.actor))
        if isinstance(turn.after, HostFacts):
            self.hosts[turn.subject] = turn.after
        for number, track in enumerate(HOST_TRACKS if turn.subject else CLUSTER_TRACKS):
            self._follow(turn, track, (turn.subject, number))
        self._count(turn)

    def _follow(self, turn: Turn, track: Track, place: tuple[str, int]) -> None:
        label = track.label(turn.after)
        if place in self._open:
            if self.spans[self._open[place]].name == label:
                return
            self._close(turn, track, self._open.pop(place))
        if label:
            self._open[place] = len(self.spans)
            self.spans.append(Span(kind=track.kind, subject=turn.subject, name=label, start=turn.at, actor=turn.actor))

    def _close(self, turn: Turn, track: Track, at: int) -> None:
        self.spans[at] = self.spans[at].but(
            end=turn.at,
            ended_by=turn.actor,
            result=Result.FAILED if track.failed(turn.after) else result_of(turn),
            because=track.told(turn.after),
        )

    def _count(self, turn: Turn) -> None:
        """Begin an attempt with the first that is under way, and end it with the last."""
        after = turn.after
        busy = after.day2 and after.status in JOINING if isinstance(after, HostFacts) else after.status in UNDER_WAY
        if busy == (turn.subject in self._busy):
            return
        if busy and not self._busy:
            self._begin(turn)
        self._busy ^= {turn.subject}
        if not busy:
            self._outcomes.append(result_of(turn))
        if not self._busy:
            self._end(turn)

    def _begin(self, turn: Turn) -> None:
        if len(self.attempts) == 1:
            self._end(turn)
        self.attempts.append(
            Attempt(
                number=len(self.attempts),
                kind=AttemptKind.ADD_HOSTS if turn.subject else AttemptKind.INSTALL,
                start=turn.at,
                actor=turn.actor,
            )
        )

    def _end(self, turn: Turn) -> None:
        outcomes = self._outcomes or [Result.DONE]
        result = Result.FAILED if Result.FAILED in outcomes else outcomes[-1]
        self.attempts[-1] = self.attempts[-1].but(
            end=turn.at, ended_by=turn.actor, result=result, because=turn.after.status_info
        )
        self._outcomes = []


def timeline(
    rows: Iterable[HistoryRow], *, now: datetime, attempt: int | None = None, names: dict[str, str] | None = None
) -> Timeline:
    """What happened in an attempt, the last if none is named. `names` says what hosts are called now."""
    telling = _Telling()
    for turn in turns(rows):
        telling.hear(turn)
    wanted = _wanted(tuple(telling.attempts), attempt)
    hosts = telling.hosts
    called = {key: host.name or key for key, host in hosts.items()} | (names or {})
    spans = _family(wanted, [each for each in telling.spans if wanted.holds(each) and _counts(wanted, each)], called)
    control_plane = frozenset(key for key, host in hosts.items() if host.bootstrap or host.role in OVER)
    legs = critical_path(spans, now, control_plane)
    on_path = {leg.span for leg in legs}
    spans = tuple(each.but(critical=each.id in on_path) for each in spans)
    return Timeline(
        attempt=wanted,
        attempts=tuple(telling.attempts),
        spans=spans,
        critical_path=legs,
        slowest=slowest(spans, legs),
    )


def _wanted(attempts: tuple[Attempt, ...], number: int | None) -> Attempt:
    if not attempts:
        raise NotFound("History has nothing to tell of this cluster")
    if number is None:
        return attempts[-1]
    if number >= len(attempts):
        last = attempts[-1].number
        raise NotFound(f"attempt: there is no attempt {number}; the last one is {last}, and 0 is what was before")
    return attempts[number]


def _counts(attempt: Attempt, span: Span) -> bool:
    """Whether a span is part of what an attempt is about: in a state to rest in nothing is going on."""
    if attempt.kind is AttemptKind.DISCOVERY or span.kind is not SpanKind.STATE:
        return True
    return span.name in (WORKING if span.subject else UNDER_WAY)


def _family(attempt: Attempt, spans: list[Span], names: dict[str, str]) -> tuple[Span, ...]:
    """The spans with numbers, below the attempt, or below the host that they are of."""
    root = Span(
        kind=SpanKind.ATTEMPT,
        name=attempt.kind,
        start=attempt.start,
        end=attempt.end,
        actor=attempt.actor,
        ended_by=attempt.ended_by,
        result=attempt.result,
        because=attempt.because,
    )
    family = [root]
    family += [each.but(id=place, parent=0) for place, each in enumerate((s for s in spans if not s.subject), 1)]
    for subject in dict.fromkeys(each.subject for each in spans if each.subject):
        own = [each for each in spans if each.subject == subject]
        host = _host(own, names.get(subject, subject)).but(id=len(family), parent=0)
        family.append(host)
        family += [each.but(id=place, parent=host.id) for place, each in enumerate(own, host.id + 1)]
    return tuple(family)


def _host(own: list[Span], name: str) -> Span:
    """The span of a host: all that it went through. That logs were sent afterwards is not how it ended."""
    work = [each for each in own if each.kind is not SpanKind.LOGS] or own
    going_on = [each for each in work if each.end is None]
    last = going_on[0] if going_on else max(work, key=lambda each: each.end or each.start)
    return last.but(kind=SpanKind.HOST, name=name, start=own[0].start, actor=own[0].actor)
