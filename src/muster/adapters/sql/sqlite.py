"""SQLite: one thread writes, a few read, and a commit is a handful of statements in one of them.

The plain driver is run in threads of ours, a whole transaction per hop. A hop per driver call, as
an asynchronous driver makes them, costs four times the processor time of the statements themselves.
What is written all the time is given to the driver as text: made and bound by SQLAlchemy anew each
time, a commit costs twice as much.
"""

import asyncio
import fcntl
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event

from muster.adapters.rows import Neighbour, finished_already, outdated, scope_kind

from .faults import named_faults
from .schema import as_number, effects, events, history, records, scopes
from .written import Row, Written, as_text

P = ParamSpec("P")
T = TypeVar("T")

READERS = 4
"""Threads that read; SQLite lets them go on while one writes."""

PRAGMAS = ("busy_timeout = 15000", "synchronous = NORMAL", "foreign_keys = ON")
"""Set on every connection."""


class Sqlite:
    """A database in one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        with named_faults():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._reading, self._writing = _engine(path, READERS), _engine(path, 1)
        event.listen(self._writing, "begin", _begin_writing)
        self._readers = ThreadPoolExecutor(READERS, "sqlite-reader")
        self._writer = ThreadPoolExecutor(1, "sqlite-writer")

    async def read(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a question, a function of a connection, finds. Each of its statements sees one moment."""
        return await asyncio.get_running_loop().run_in_executor(
            self._readers, lambda: _within(self._reading, lambda connection: ask(connection, *args, **kwargs))
        )

    async def write(self, change: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a change returns; it is written whole or not at all."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writer, lambda: _within(self._writing, lambda connection: change(connection, *args, **kwargs))
        )

    async def commit(self, written: Written) -> None:
        """Write a commit, or raise `Conflict` and write nothing."""
        await self.write(_commit, written)

    async def note_seen(self, seen: Sequence[Row]) -> None:
        """Keep the latest time of each host."""
        await self.write(_note_seen, seen)

    async def migrate(self, upgrade: Callable[[Connection], None]) -> None:
        """Bring the schema up to date; whoever comes second waits and finds it done."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._migrate, upgrade)

    def _migrate(self, upgrade: Callable[[Connection], None]) -> None:
        # The file keeps its journal mode. SQLite does not wait its turn to change it, so we do.
        with named_faults(), Path(f"{self._path}.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            _within(self._reading, lambda connection: connection.exec_driver_sql("PRAGMA journal_mode = WAL").close())
            _within(self._writing, upgrade)

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        for threads in (self._readers, self._writer):
            threads.shutdown()
        for engine in (self._reading, self._writing):
            engine.dispose()


def _engine(path: str, connections: int) -> Engine:
    url = URL.create("sqlite+pysqlite", database=path)
    engine = create_engine(url, pool_size=connections, max_overflow=0, hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _: Any) -> None:
    """Leave transactions to us (the driver would begin them late) and set the pragmas."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_writing(connection: Connection) -> None:
    """Take the file's one write lock at once, so that nothing read here is out of date when written."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _within(engine: Engine, act: Callable[[Connection], T]) -> T:
    with named_faults(), engine.begin() as connection:
        return act(connection)


_READS_HOLD = """NOT EXISTS (SELECT 1 FROM json_each(:reads) AS seen LEFT JOIN scopes AS other ON other.id = seen.key
    WHERE other.version IS NOT seen.value)"""

_BUMP = f"""UPDATE scopes SET version = version + 1, deadline = :deadline, live = :live
  WHERE id = :id AND version = :version AND {_READS_HOLD}"""  # noqa: S608 - put together from the constant above

_ADD = f"""INSERT INTO scopes (id, kind, version, deadline, live)
  SELECT :id, :kind, :version + 1, :deadline, :live WHERE {_READS_HOLD}
  ON CONFLICT (id) DO NOTHING"""

_FINISH = "DELETE FROM effects WHERE id = ?"

_NOTE_SEEN = """INSERT INTO presence (key, at) VALUES (:key, :at)
  ON CONFLICT (key) DO UPDATE SET at = excluded.at WHERE at < excluded.at"""

_ON_CONFLICT = {
    "scopes": "ON CONFLICT (id) DO UPDATE SET version = version + 1, deadline = excluded.deadline,"
    " live = excluded.live",
    "records": "ON CONFLICT (kind, key) DO UPDATE SET scope = excluded.scope, parent = excluded.parent,"
    " gone = excluded.gone, body = excluded.body",
}


def _insert(table: Table) -> str:
    """An insert of one row, given by the names of its columns; what is there already is changed."""
    given = {column.name: f":{column.name}" for column in table.columns if column.name != "seq"}
    values = given | ({"tx": "0"} if "tx" in given else {})
    return (
        f"INSERT INTO {table.name} ({', '.join(values)}) VALUES ({', '.join(values.values())})"  # noqa: S608 - names of our own schema
        f" {_ON_CONFLICT.get(table.name, '')}"
    )


_INSERTS = {table.name: _insert(table) for table in (scopes, records, events, effects, history)}


def _plain(row: Row) -> Row:
    """The row as the driver takes it."""
    return {name: as_number(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection, in the transaction that SQLAlchemy has begun on it."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _commit(connection: Connection, written: Written) -> None:
    """Check, then write; the transaction holds the only write lock, so nothing changes in between."""
    commit, driver = written.commit, _driver(connection)
    claim = _plain(
        {
            "id": commit.scope,
            "kind": scope_kind(commit.scope),
            "version": commit.version,
            "deadline": commit.deadline,
            "live": commit.live,
            "reads": as_text(commit.reads),
        }
    )
    if driver.execute(_BUMP if commit.version else _ADD, claim).rowcount != 1:
        raise outdated(commit)
    if commit.finished_effect and driver.execute(_FINISH, (commit.finished_effect,)).rowcount != 1:
        raise finished_already(commit)
    for table, rows in (
        ("scopes", [_place_of(neighbour) for neighbour in written.neighbours]),
        ("records", written.records),
        ("events", written.events),
        ("effects", written.effects),
        ("history", written.history),
    ):
        if rows:
            driver.executemany(_INSERTS[table], map(_plain, rows))


def _place_of(neighbour: Neighbour) -> Row:
    return {
        "id": neighbour.scope,
        "kind": scope_kind(neighbour.scope),
        "version": 1,
        "deadline": neighbour.deadline,
        "live": neighbour.live,
    }


def _note_seen(connection: Connection, seen: Sequence[Row]) -> None:
    _driver(connection).executemany(_NOTE_SEEN, map(_plain, seen))
