"""PostgreSQL: a commit that is a single statement, and the connections it and all questions go over.

The statement bumps the scope's version if it and all that was read still stand, and every further
part of it writes only if that happened. So the common commit is one round trip, without BEGIN. It is
given to the driver itself: the way through SQLAlchemy would cost half as much again as all the rest.

Questions are plain functions of a connection, run where they may wait: in a `greenlet_spawn`, of which SQLAlchemy makes
its own asynchronous face. That face would bring the object mapper along, six megabytes that nobody here uses.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg
from sqlalchemy import Column, Connection, Engine, Table, create_engine, event, exc
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.util import greenlet_spawn

from muster.adapters.news import CHANNEL, Notice, encoded
from muster.adapters.rows import finished_already, outdated, scope_kind
from muster.domain.errors import Conflict
from muster.domain.record import Record
from muster.ports import Commit

from .faults import Emptied, named_faults
from .forgetting import forgetting
from .schema import effects, events, history, records
from .written import Row, Written

P = ParamSpec("P")
T = TypeVar("T")

MIGRATION_LOCK = 0x6D7573746572
"""The advisory lock that replicas queue at when they start together."""

PATIENCE_SECONDS = 30
"""How long a statement may take before the server counts as gone."""

IDLE = 5
"""Connections that are kept although nothing is asked."""

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # the library leaves it untyped
_DRIVER: Any = PGDialect_asyncpg.import_dbapi()  # type: ignore[no-untyped-call]  # as above


class Pool(Record):
    """The connections of one process."""

    connections: int = 20
    """How many are open at most: a quarter for commits, the others for questions, and one of either at least."""
    lifetime: timedelta = timedelta(minutes=30)
    """The age from which one is replaced."""

    @property
    def for_commits(self) -> int:
        """How many may write at the same time."""
        return max(self.connections // 4, 1)

    @property
    def for_questions(self) -> int:
        """How many may read at the same time."""
        return max(self.connections - self.for_commits, 1)


class Postgres:
    """A database on a server, shared by any number of replicas."""

    def __init__(self, address: str, origin: str, pool: Pool = Pool()) -> None:  # noqa: B008 - a frozen record
        self._dsn = dsn(address)
        self.lost = asyncio.Event()
        """Set once the tables are found gone."""
        self._origin = origin
        self._limits = pool
        self._engine = _engine(self._dsn, PATIENCE_SECONDS, pool)
        event.listen(self._engine, "checkout", _refuse_the_dead)
        self._at_once = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._pool: asyncpg.Pool | None = None

    async def read(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a question, a function of a connection, finds. Each of its statements sees one moment."""

        def asked() -> T:
            with self._at_once.connect() as connection:
                return ask(connection, *args, **kwargs)

        with self._noticing():
            return await greenlet_spawn(asked)

    async def write(self, change: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a change returns. It makes one statement, which is a transaction of its own."""
        return await self.read(change, *args, **kwargs)

    async def commit(self, written: Written) -> None:
        """Write a commit, or raise `Conflict` and write nothing."""
        with self._noticing():
            async with await self._driver() as connection:
                if not written.neighbours and not written.commit.forgotten:
                    await _commit(connection, written, self._origin)
                    return
                async with connection.transaction():
                    await _commit(connection, written, self._origin)
                    await _bump_neighbours(connection, written)
                    await _forget(connection, written.commit)

    async def note_seen(self, seen: Sequence[Row]) -> None:
        """Keep the latest time of each host."""
        with self._noticing():
            async with await self._driver() as connection:
                await connection.execute(_NOTE_SEEN, [row["key"] for row in seen], [row["at"] for row in seen])

    async def _driver(self) -> Any:
        """A connection of the driver's own, to be used in `async with`."""
        if self._pool is None:
            options = {"dsn": self._dsn, "command_timeout": PATIENCE_SECONDS, "max_size": self._limits.for_commits}
            self._pool = asyncpg.create_pool(min_size=0, reset=_as_it_is, connect=_connect, **options)
        return (await self._pool).acquire()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Faults by our names; a loss is noticed by whoever meets it first."""
        try:
            with named_faults():
                yield
        except Emptied:
            self.lost.set()
            raise

    async def snapshot(self, ask: Callable[[Connection], T]) -> T:
        """What a question finds, all of whose statements see the same moment, however long it takes."""

        def asked(engine: Engine) -> T:
            held = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with held.connect() as connection:
                return ask(connection)

        return await self._unhurried(asked)

    async def migrate(self, upgrade: Callable[[Connection], None]) -> None:
        """Bring the schema up to date; whoever comes second waits, however long it takes, and finds it done."""
        if self.lost.is_set():
            await self.replace(upgrade)
            self.lost.clear()
            return
        await self._alone(upgrade)

    async def replace(self, act: Callable[[Connection], None]) -> None:
        """Have somebody write all that is kept anew; every replica then forgets what it knew."""
        await self._alone(act, _tell_everybody)

    async def _alone(self, *acts: Callable[[Connection], None]) -> None:
        """Do something in one transaction while no other replica does anything like it."""

        def act(engine: Engine) -> None:
            with engine.begin() as connection:
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock($1)", (MIGRATION_LOCK,))
                for each in acts:
                    each(connection)

        await self._unhurried(act)

    async def _unhurried(self, act: Callable[[Engine], T]) -> T:
        """What comes of an act that may take any time, on a connection of its own."""
        engine = _engine(self._dsn, None, Pool(connections=1))
        try:
            with named_faults():
                return await greenlet_spawn(act, engine)
        finally:
            await greenlet_spawn(engine.dispose)

    async def close(self) -> None:
        """Let go of every connection."""
        await greenlet_spawn(self._engine.dispose)
        if self._pool is not None:
            await self._pool.close()


def dsn(address: str) -> str:
    """The address as asyncpg takes it: any driver named after a plus sign is left out."""
    return f"postgresql://{address.partition('://')[2]}"


def _engine(source: str, patience: float | None, pool: Pool) -> Engine:
    """A pool of connections whose statements may take so many seconds, or any time."""

    async def connect(*_: Any, **__: Any) -> Any:
        # The driver itself reads the address, so that every option it knows may stand there.
        return await _connect(source, command_timeout=patience)

    kept = min(pool.for_questions, IDLE)
    return create_engine(
        "postgresql+asyncpg://",
        creator=lambda: _DRIVER.connect(async_creator_fn=connect),
        pool_size=kept,
        max_overflow=pool.for_questions - kept,
        pool_recycle=int(pool.lifetime.total_seconds()),
        hide_parameters=True,
    )


async def _connect(source: str, **options: Any) -> Any:
    return await asyncpg.connect(source, timeout=10, server_settings={"application_name": "muster"}, **options)


async def _as_it_is(_: Any) -> None:
    """Give a connection back without asking the server to forget what was set on it: we set nothing."""


def _refuse_the_dead(connection: Any, _: Any, __: Any) -> None:
    """Have the pool open another connection where the server has closed this one; asks nothing of the server."""
    if connection.driver_connection.is_closed():
        raise exc.DisconnectionError


def _tell_everybody(connection: Connection) -> None:
    """Say what nobody understands: everybody takes it for news that anything may have changed."""
    connection.exec_driver_sql("SELECT pg_notify($1, $2)", (CHANNEL, "anything"))


_STANDS = """
    NOT EXISTS (SELECT FROM unnest($5::text[], $6::int[]) AS seen (id, version)
       WHERE seen.version IS DISTINCT FROM (SELECT other.version FROM scopes AS other WHERE other.id = seen.id))
    AND ($7::text = '' OR EXISTS (SELECT FROM effects WHERE effects.id = $7::text))"""
"""Scopes looked at are looked up by their ids; a join would read all there are, as long as these are a few thousand."""

_TOLD = f"CASE WHEN $8::text <> '' THEN pg_notify('{CHANNEL}', $8::text) END"

_BUMP = f"""UPDATE scopes SET version = version + 1, deadline = $3::timestamptz, live = $4::bool
  WHERE id = $1::text AND version = $2::int AND {_STANDS}
  RETURNING {_TOLD}"""  # noqa: S608 - put together from the constants above

_ADD = f"""INSERT INTO scopes (id, kind, version, deadline, live)
  SELECT $1::text, split_part($1::text, ':', 1), $2::int + 1, $3::timestamptz, $4::bool WHERE {_STANDS}
  ON CONFLICT (id) DO NOTHING
  RETURNING {_TOLD}"""

_FINISH = "DELETE FROM effects WHERE id = $7::text AND EXISTS (SELECT FROM bumped)"

_FIXED = 8
"""Parameters that every commit has; the columns of its rows follow, table by table."""

_SAME = {"events": ("request_id",), "history": ("scope", "version", "at", "actor", "triggers")}
"""Columns that are the same in all rows of a commit, and given once; the others are given as arrays."""


def _same_first(table: Table) -> tuple[Column[Any], ...]:
    """What is written of a table, what is the same in all rows first; the rest the database itself knows."""
    same = [table.c[name] for name in _SAME.get(table.name, ())]
    return (*same, *(column for column in table.c if column.name not in {"seq", "tx", *_SAME.get(table.name, ())}))


_COLUMNS = {table.name: _same_first(table) for table in (records, events, effects, history)}

_ON_CONFLICT = {
    "records": "ON CONFLICT (kind, key) DO UPDATE SET scope = excluded.scope, parent = excluded.parent,"
    " gone = excluded.gone, body = excluded.body",
}

_NEIGHBOUR = """INSERT INTO scopes AS mine (id, kind, version, deadline, live)
  VALUES ($1::text, $2::text, 1, $3::timestamptz, $4::bool)
  ON CONFLICT (id) DO UPDATE SET version = mine.version + 1, deadline = excluded.deadline, live = excluded.live
    WHERE $5::int IS NULL OR mine.version = $5::int
  RETURNING 1"""

_NOTE_SEEN = """INSERT INTO presence AS mine (key, at) SELECT * FROM unnest($1::text[], $2::timestamptz[])
  ON CONFLICT (key) DO UPDATE SET at = excluded.at WHERE mine.at < excluded.at"""


@cache
def _statement(new: bool, finishes: bool, tables: tuple[str, ...]) -> str:
    """The one statement that writes a commit with rows for these tables."""
    parts = [f"bumped AS ({_ADD if new else _BUMP})"]
    if finishes:
        parts.append(f"finished AS ({_FINISH})")
    first = _FIXED + 1
    for name in tables:
        parts.append(f"new_{name} AS ({_insert(name, first)})")
        first += len(_COLUMNS[name])
    return f"WITH {', '.join(parts)} SELECT count(*) FROM bumped"  # noqa: S608 - made of names of our own schema


def _insert(table: str, first: int) -> str:
    """An insert of rows given column by column, the first of them at parameter `first`."""
    columns, same = _COLUMNS[table], len(_SAME.get(table, ()))
    given = [f"${number}::{column.type.compile(_DIALECT)}" for number, column in enumerate(columns, first)]
    arrays = ", ".join(f"{each}[]" for each in given[same:])
    names = ", ".join(column.name for column in columns)
    tx, here = ("tx, ", ["pg_current_xact_id()::text::bigint"]) if table == "history" else ("", [])
    found = ", ".join((*here, *given[:same], "each.*"))
    return (
        f"INSERT INTO {table} ({tx}{names}) SELECT {found} FROM unnest({arrays}) AS each"  # noqa: S608 - as above
        f" WHERE EXISTS (SELECT FROM bumped) {_ON_CONFLICT.get(table, '')}"
    )


async def _commit(connection: asyncpg.Connection, written: Written, origin: str) -> None:
    commit = written.commit
    rows = {
        "records": written.records,
        "events": written.events,
        "effects": written.effects,
        "history": written.history,
    }
    tables = tuple(name for name, some in rows.items() if some)
    statement = _statement(not commit.version, bool(commit.finished_effect), tables)
    fixed = (
        commit.scope,
        commit.version,
        commit.deadline,
        commit.live,
        list(commit.reads),
        list(commit.reads.values()),
        commit.finished_effect,
        _news(written, origin),
    )
    columns = [each for name in tables for each in _by_column(name, rows[name])]
    if await connection.fetchval(statement, *fixed, *columns) != 1:
        raise await _loss(connection, commit)


def _by_column(table: str, rows: list[Row]) -> list[Any]:
    """Rows as `_insert` takes them."""
    names, same = [column.name for column in _COLUMNS[table]], len(_SAME.get(table, ()))
    return [rows[0][name] for name in names[:same]] + [[row[name] for row in rows] for name in names[same:]]


_IS_THERE = "SELECT EXISTS (SELECT FROM effects WHERE id = $1::text)"


async def _loss(connection: asyncpg.Connection, commit: Commit) -> Conflict:
    """Why a commit was not written: its effect is gone, or its scope has moved on."""
    if commit.finished_effect and not await connection.fetchval(_IS_THERE, commit.finished_effect):
        return finished_already(commit)
    return outdated(commit)


def _news(written: Written, origin: str) -> str:
    """What the other replicas are told, "" if there is nobody to name as the sender."""
    return encoded(Notice(origin=origin, news=written.news)) if origin else ""


async def _forget(connection: asyncpg.Connection, commit: Commit) -> None:
    for statement, value in forgetting(commit.scope, "$1::text") if commit.forgotten else ():
        await connection.execute(statement, value)


async def _bump_neighbours(connection: asyncpg.Connection, written: Written) -> None:
    for neighbour in written.neighbours:
        place = (
            neighbour.scope,
            scope_kind(neighbour.scope),
            neighbour.deadline,
            neighbour.live,
            neighbour.version,
        )
        if await connection.fetchval(_NEIGHBOUR, *place) != 1:
            raise outdated(written.commit)
