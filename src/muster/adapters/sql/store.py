"""The store on SQLite or PostgreSQL: says which statement answers which question of the port.

`runtime/wiring.py` makes one from the database address; the statements are in the modules beside.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from muster.adapters.clock import SystemClock, new_id
from muster.adapters.rows import host_key, is_after
from muster.domain.cleaning import Horizon
from muster.domain.errors import Invalid
from muster.domain.events import Event, EventPage, EventQuery
from muster.domain.history import HistoryRow
from muster.ports import Clock, Commit, Committed, Lease, NewId, Seen, Stored

from . import deadlines, effects, events, history, records
from .migrate import upgrade
from .postgres import Pool, Postgres
from .sqlite import Sqlite
from .written import event_row, written

Database = Sqlite | Postgres

_WAYS = "write sqlite:///path or postgresql://user@host/name"


def opened(address: str, origin: str, pool: Pool = Pool()) -> Database:  # noqa: B008 - a frozen record
    """The database at an address: a plain path or `sqlite:///path`, or `postgresql://...`."""
    scheme, is_url, _ = address.partition("://")
    family = scheme.partition("+")[0] if is_url else "sqlite"
    if family in {"postgresql", "postgres"}:
        return Postgres(address, origin, pool)
    path = address.partition(":///")[2] if is_url else address
    if family == "sqlite" and path:
        return Sqlite(path)
    raise Invalid(f"database: an address that begins with {scheme[:20]!r} cannot be used; {_WAYS}")


class SqlStore:
    """Everything muster remembers, in one database.

    `origin` names this process in the notices that PostgreSQL sends to the other replicas with
    each commit; without it none are sent.
    """

    def __init__(
        self,
        address: str,
        *,
        origin: str = "",
        pool: Pool = Pool(),  # noqa: B008 - a frozen record
        new_id: NewId = new_id,
        clock: Clock | None = None,
    ) -> None:
        self._database = opened(address, origin, pool)
        self._new_id = new_id
        self._clock = clock or SystemClock()

    async def migrate(self) -> None:
        """Bring the schema up to date; safe to call from several replicas at once."""
        await self._database.migrate(upgrade)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._database.close()

    async def ready(self) -> None:
        """Return if the store answers, raise `Unavailable` if not."""
        await self._database.read(_answer)

    async def lost(self) -> None:
        """Return once what was kept is found to be gone, or to be something else; `migrate` puts that right."""
        await self._database.lost.wait()

    async def load(self, scope: str, *, gone: bool = False) -> Stored | None:
        """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""
        return await self._database.read(records.load, scope, gone=gone)

    async def scopes(self, kind: str, *, gone: bool = False) -> tuple[str, ...]:
        """The live scopes of a kind (`cluster`, `infra-env`, `host`), oldest first; all of them if `gone`."""
        return await self._database.read(records.scopes_of, kind, gone=gone)

    async def scope_of_host(self, infra_env_id: str, host_id: str) -> str | None:
        """The scope in which a host is now; None if it was never heard of or has been given up."""
        return await self._database.read(records.scope_of_host, infra_env_id, host_id)

    async def hosts_of(self, infra_env_id: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host of an infra-env, oldest first."""
        return await self._database.read(records.hosts_of, infra_env_id)

    async def hosts_called(self, start: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host whose id starts like that, oldest first."""
        return await self._database.read(records.hosts_called, start)

    async def commit(self, commit: Commit) -> Committed:
        """Write all of it and return the news; or raise `Conflict` (`Finished`) and write nothing."""
        rows = written(commit, self._new_id)
        await self._database.commit(rows)
        return rows.news

    async def claim_due(self, now: datetime, lease: timedelta, limit: int) -> tuple[str, ...]:
        """Take scopes whose deadline has come; no other replica gets them before the lease is over."""
        return await self._database.write(deadlines.claim_due, now, lease, limit)

    async def next_deadline(self) -> datetime | None:
        """The earliest deadline of any scope."""
        return await self._database.read(deadlines.next_deadline)

    async def set_deadline(self, scope: str, version: int, deadline: datetime | None) -> None:
        """Note the next deadline of a scope that did not change (ignored if it has changed since)."""
        await self._database.write(deadlines.set_deadline, scope, version, deadline)

    async def wake(self, now: datetime, horizon: Horizon) -> None:
        """Let a deadline come for clusters and live infra-envs that have none, and for those that have one too late."""
        await self._database.write(deadlines.wake, now, horizon)

    async def note_seen(self, seen: Sequence[Seen]) -> None:
        """Write down, in one statement, when hosts last asked for instructions."""
        latest: dict[str, datetime] = {}
        for each in seen:
            key = host_key(each.infra_env_id, each.host_id)
            latest[key] = max(each.at, latest.get(key, each.at))
        if latest:
            await self._database.note_seen([{"key": key, "at": at} for key, at in sorted(latest.items())])

    async def presence_of(self, scope: str) -> dict[str, datetime]:
        """When each live host of a scope last asked for instructions, as far as that was written down."""
        return await self._database.read(records.presence_of, scope)

    async def add_event(self, event: Event) -> None:
        """Keep an event that belongs to no decision."""
        await self._database.write(events.add_event, event_row(event, self._clock.now()))

    async def told_since(self, event: Event, since: datetime) -> bool:
        """Whether an event of that name was told of the same cluster, host and infra-env after a moment."""
        return await self._database.read(events.told_since, event, since)

    async def events(self, query: EventQuery) -> EventPage:
        """The events asked for."""
        return await self._database.read(events.find_events, query)

    async def history(self, *, after: str = "", scope: str = "", limit: int = 500) -> tuple[HistoryRow, ...]:
        """Rows after a cursor in the order of commits; never one that an earlier one may still precede."""
        return await self._database.read(history.history_after, after, scope, limit)

    async def history_of(self, kind: str, key: str, until: datetime | None = None) -> tuple[HistoryRow, ...]:
        """Every change of one record, oldest first."""
        return await self._database.read(history.history_of, kind, key, until)

    async def last_cursor(self) -> str:
        """The cursor after the newest row, for those who want only what comes next."""
        return await self._database.read(history.last_cursor)

    async def is_ahead(self, cursor: str) -> bool:
        """Whether a cursor lies behind all rows there are, as one does that was given out before they were lost."""
        return is_after(cursor, await self.last_cursor())

    async def claim_effects(self, owner: str, now: datetime, lease: timedelta, limit: int) -> tuple[Lease, ...]:
        """Take effects that are due and not leased to a living worker."""
        return await self._database.write(effects.claim_effects, owner, now, lease, limit)

    async def beat(self, owner: str, ids: Sequence[str], until: datetime) -> frozenset[str]:
        """Stretch the leases of effects that are still being worked on; those of them that are still the owner's."""
        return await self._database.write(effects.beat, owner, ids, until)

    async def retry_effect(self, owner: str, effect_id: str, due: datetime, error: str) -> None:
        """Give an effect back to be tried again later."""
        await self._database.write(effects.retry_effect, owner, effect_id, due, error)

    async def release_effects(self, owner: str, now: datetime) -> None:
        """Let others have at once what a worker had leased that has died."""
        await self._database.write(effects.release_effects, owner, now)

    async def next_effect(self) -> datetime | None:
        """When the next effect may be claimed."""
        return await self._database.read(effects.next_effect)


def _answer(connection: Connection) -> None:
    connection.execute(_NOTHING)


_NOTHING = select(1)
