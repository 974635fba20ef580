"""The store kept in memory; the twin of `SqlStore`, held to the same contract."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from muster.adapters.clock import SystemClock, new_id
from muster.adapters.rows import (
    Filed,
    cursor,
    filed,
    finished_already,
    host_key,
    is_after,
    neighbours,
    news_of,
    outdated,
    position,
    printable,
    scope_kind,
)
from muster.domain.cleaning import Horizon
from muster.domain.effects import AnyEffect
from muster.domain.events import Event, EventPage, EventQuery
from muster.domain.history import HistoryRow
from muster.domain.record import Record
from muster.ports import Clock, Commit, Committed, Lease, NewId, Seen, Stored

from .events import find_events, told_since
from .forgetting import forget, remaining_events, remaining_history
from .records import Filing, Scope, load


class Work(Record):
    """An effect and who may work on it; a lease is a `due` that lies ahead."""

    id: str
    scope: str
    effect: AnyEffect
    due: datetime
    attempts: int = 0
    owner: str = ""
    error: str = ""


class MemoryStore:
    """Everything muster remembers, for as long as the process lives."""

    def __init__(self, *, new_id: NewId = new_id, clock: Clock | None = None) -> None:
        self._new_id = new_id
        self._clock = clock or SystemClock()
        self._scopes: dict[str, Scope] = {}
        self._records: dict[tuple[str, str], Filed] = {}
        self._events: list[Event] = []
        self._work: dict[str, Work] = {}
        self._history: list[HistoryRow] = []
        self._presence: dict[str, datetime] = {}
        self._filing = Filing(scopes=self._scopes, records=self._records, presence=self._presence)

    async def migrate(self) -> None:
        """Nothing to bring up to date."""

    async def close(self) -> None:
        """Nothing to let go of."""

    async def ready(self) -> None:
        """It always answers."""

    async def lost(self) -> None:
        """It is lost with the process only."""
        await asyncio.Event().wait()

    async def load(self, scope: str, *, gone: bool = False) -> Stored | None:
        """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""
        return load(self._filing, scope, gone=gone)

    async def scopes(self, kind: str, *, gone: bool = False) -> tuple[str, ...]:
        """The live scopes of a kind (`cluster`, `infra-env`, `host`), oldest first; all of them if `gone`."""
        return tuple(name for name, scope in self._scopes.items() if (scope.live or gone) and scope_kind(name) == kind)

    async def scope_of_host(self, infra_env_id: str, host_id: str) -> str | None:
        """The scope in which a host is now; None if it was never heard of or has been given up."""
        found = self._records.get(("host", host_key(infra_env_id, host_id)))
        return found.scope if found and not found.gone else None

    async def hosts_of(self, infra_env_id: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host of an infra-env, oldest first."""
        return tuple(
            (each.record.id, each.scope)
            for each in self._records.values()
            if each.kind == "host" and each.parent == infra_env_id and not each.gone
        )

    async def hosts_called(self, start: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host whose id starts like that, oldest first."""
        return tuple(
            (each.record.id, each.scope)
            for each in self._records.values()
            if each.kind == "host" and each.record.id.startswith(start) and not each.gone
        )

    async def commit(self, commit: Commit) -> Committed:
        """Write all of it and return the news; or raise `Conflict` (`Finished`) and write nothing."""
        self._check(commit)
        changes = [filed(change) for change in commit.changes]
        self._scopes[commit.scope] = Scope(version=commit.version + 1, deadline=commit.deadline, live=commit.live)
        for neighbour in neighbours(commit, changes):
            self._scopes[neighbour.scope] = Scope(
                version=self._filing.version(neighbour.scope) + 1, deadline=neighbour.deadline, live=neighbour.live
            )
        self._records |= {(change.kind, change.key): change for change in changes}
        self._events += [_kept(event, commit.at) for event in commit.events]
        self._work.pop(commit.finished_effect, None)
        for effect in commit.effects:
            work = Work(id=self._new_id(), scope=commit.scope, effect=effect, due=commit.at + effect.wait)
            self._work[work.id] = work
        self._remember(commit, changes)
        if commit.forgotten:
            self._forget(commit.scope)
        return news_of(commit, changes)

    def _forget(self, scope: str) -> None:
        gone = forget(self._filing, scope)
        self._history[:] = remaining_history(self._history, gone)
        self._events[:] = remaining_events(self._filing, self._events, scope)
        for work in [work for work in self._work.values() if work.scope == scope]:
            del self._work[work.id]

    def _check(self, commit: Commit) -> None:
        looked_at = {**commit.reads, commit.scope: commit.version}
        if any(self._filing.version(scope) != version for scope, version in looked_at.items()):
            raise outdated(commit)
        if commit.finished_effect and commit.finished_effect not in self._work:
            raise finished_already(commit)

    @property
    def _place(self) -> int:
        """Where the newest row of the history stands; some before it may have been forgotten."""
        return position(self._history[-1].cursor)[1] if self._history else 0

    def _remember(self, commit: Commit, changes: Iterable[Filed]) -> None:
        for change in changes:
            if change.patch:
                row = HistoryRow(
                    cursor=cursor(0, self._place + 1),
                    scope=commit.scope,
                    version=commit.version + 1,
                    at=commit.at,
                    actor=commit.actor,
                    triggers=commit.triggers,
                    kind=change.kind,
                    key=change.key,
                    patch=change.patch,
                )
                self._history.append(row)

    async def claim_due(self, now: datetime, lease: timedelta, limit: int) -> tuple[str, ...]:
        """Take scopes whose deadline has come; no other replica gets them before the lease is over."""
        due = [(each.deadline, name) for name, each in self._scopes.items() if each.deadline and each.deadline <= now]
        first = {name for _, name in sorted(due)[:limit]}
        self._scopes |= {name: self._scopes[name].but(deadline=now + lease) for name in first}
        return tuple(name for name in self._scopes if name in first)

    async def next_deadline(self) -> datetime | None:
        """The earliest deadline of any scope."""
        return min((scope.deadline for scope in self._scopes.values() if scope.deadline), default=None)

    async def set_deadline(self, scope: str, version: int, deadline: datetime | None) -> None:
        """Note the next deadline of a scope that did not change (ignored if it has changed since)."""
        if version and self._filing.version(scope) == version:
            self._scopes[scope] = self._scopes[scope].but(deadline=deadline)

    async def wake(self, now: datetime, horizon: Horizon) -> None:
        """Let a deadline come for clusters and live infra-envs that have none, and for those that have one too late."""
        for name, scope in self._scopes.items():
            latest = {"cluster": horizon.clusters, "infra-env": horizon.infra_envs}.get(scope_kind(name))
            if latest is None or (scope.deadline is None and scope_kind(name) == "infra-env" and not scope.live):
                continue
            if scope.deadline is None or scope.deadline > (latest if scope.live else horizon.gone):
                self._scopes[name] = scope.but(deadline=now)

    async def note_seen(self, seen: Sequence[Seen]) -> None:
        """Write down when hosts last asked for instructions."""
        for each in seen:
            key = host_key(each.infra_env_id, each.host_id)
            self._presence[key] = max(each.at, self._presence.get(key, each.at))

    async def presence_of(self, scope: str) -> dict[str, datetime]:
        """When each live host of a scope last asked for instructions, as far as that was written down."""
        hosts = [each for each in self._filing.living_hosts() if each.scope == scope]
        return {each.record.id: self._presence[each.key] for each in hosts if each.key in self._presence}

    async def add_event(self, event: Event) -> None:
        """Keep an event that belongs to no decision."""
        self._events.append(_kept(event, self._clock.now()))

    async def told_since(self, event: Event, since: datetime) -> bool:
        """Whether an event of that name was told of the same cluster, host and infra-env after a moment."""
        return told_since(self._events, event, since)

    async def events(self, query: EventQuery) -> EventPage:
        """The events asked for."""
        living = {each.record.id for each in self._records.values() if each.kind == "host" and not each.gone}
        return find_events(self._events, living, query)

    async def history(self, *, after: str = "", scope: str = "", limit: int = 500) -> tuple[HistoryRow, ...]:
        """Rows after a cursor in the order of commits; never one that an earlier one may still precede."""
        start = position(after)[1] if after else 0
        first = bisect_right(self._history, start, key=lambda row: position(row.cursor)[1])
        return tuple(row for row in self._history[first:] if not scope or row.scope == scope)[:limit]

    async def history_of(self, kind: str, key: str, until: datetime | None = None) -> tuple[HistoryRow, ...]:
        """Every change of one record, oldest first."""
        return tuple(
            row for row in self._history if (row.kind, row.key) == (kind, key) and (until is None or row.at <= until)
        )

    async def last_cursor(self) -> str:
        """The cursor after the newest row, for those who want only what comes next."""
        return self._history[-1].cursor if self._history else ""

    async def is_ahead(self, cursor: str) -> bool:
        """Whether a cursor lies behind all rows there are, as one does that was given out before they were lost."""
        return is_after(cursor, await self.last_cursor())

    async def claim_effects(self, owner: str, now: datetime, lease: timedelta, limit: int) -> tuple[Lease, ...]:
        """Take effects that are due and not leased to a living worker."""
        due = sorted((work for work in self._work.values() if work.due <= now), key=lambda work: work.due)
        first = {work.id for work in due[:limit]}
        taken = [
            work.but(due=now + lease, owner=owner, attempts=work.attempts + 1)
            for work in self._work.values()
            if work.id in first
        ]
        self._work |= {work.id: work for work in taken}
        return tuple(Lease(id=work.id, scope=work.scope, effect=work.effect, attempts=work.attempts) for work in taken)

    async def beat(self, owner: str, ids: Sequence[str], until: datetime) -> frozenset[str]:
        """Stretch the leases of effects that are still being worked on; those of them that are still the owner's."""
        held = self._owned(owner, ids)
        self._work |= {work.id: work.but(due=until) for work in held}
        return frozenset(work.id for work in held)

    async def retry_effect(self, owner: str, effect_id: str, due: datetime, error: str) -> None:
        """Give an effect back to be tried again later."""
        for work in self._owned(owner, (effect_id,)):
            self._work[work.id] = work.but(due=due, owner="", error=printable(error))

    async def release_effects(self, owner: str, now: datetime) -> None:
        """Let others have at once what a worker had leased that has died."""
        held = [work for work in self._work.values() if work.owner == owner]
        self._work |= {work.id: work.but(due=now, owner="") for work in held}

    async def next_effect(self) -> datetime | None:
        """When the next effect may be claimed."""
        return min((work.due for work in self._work.values()), default=None)

    def _owned(self, owner: str, ids: Sequence[str]) -> list[Work]:
        return [work for work in self._work.values() if work.owner == owner and work.id in ids]


def _kept(event: Event, at: datetime) -> Event:
    return event.but(at=event.at or at, message=printable(event.message), props=printable(event.props))
