"""SQLite: one thread writes, a few read, and a commit is a handful of statements in one of them.

The plain driver is run in threads of ours, a whole transaction per hop. A hop per driver call, as
an asynchronous driver makes them, costs four times the processor time of the statements themselves.
What is written all the time is given to the driver as text: made and bound by SQLAlchemy anew each
time, a commit costs twice as much.
"""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event

from muster.adapters.rows import Neighbour, finished_already, outdated, scope_kind
from muster.domain.errors import NotFound

from .faults import Emptied, named_faults
from .forgetting import forgetting
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
        self.lost = asyncio.Event()
        """Set once the tables are found gone, or the file to be another one."""
        self._same: Token | None = None
        """Which file it is that was last brought up to date."""
        with named_faults():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._reading, self._writing = _engine(path, READERS), _engine(path, 1)
        event.listen(self._writing, "begin", _begin_writing)
        self._readers = ThreadPoolExecutor(READERS, "sqlite-reader")
        self._writer = ThreadPoolExecutor(1, "sqlite-writer")

    async def read(self, ask: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a question, a function of a connection, finds. Each of its statements sees one moment."""
        return await self._asked(
            self._readers, lambda: self._within(self._reading, lambda connection: ask(connection, *args, **kwargs))
        )

    async def write(self, change: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a change returns; it is written whole or not at all."""
        return await self._asked(
            self._writer, lambda: self._within(self._writing, lambda connection: change(connection, *args, **kwargs))
        )

    async def _asked(self, threads: ThreadPoolExecutor, act: Callable[[], T]) -> T:
        """What comes of something done in one of the threads; a loss is noticed by whoever meets it first."""
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, act)
        except Emptied:
            self.lost.set()
            raise

    async def commit(self, written: Written) -> None:
        """Write a commit, or raise `Conflict` and write nothing."""
        await self.write(_commit, written)

    async def note_seen(self, seen: Sequence[Row]) -> None:
        """Keep the latest time of each host."""
        await self.write(_note_seen, seen)

    async def snapshot(self, ask: Callable[[Connection], T]) -> T:
        """What a question finds, all of whose statements see the same moment, however long it takes."""
        return await self._asked(self._readers, lambda: self._held(ask))

    def _held(self, ask: Callable[[Connection], T]) -> T:
        if not Path(self._path).exists():
            raise NotFound(f"There is no database {self._path}")

        def begun(connection: Connection) -> T:
            connection.exec_driver_sql("BEGIN").close()
            return ask(connection)

        return self._within(self._reading, begun)

    async def migrate(self, upgrade: Callable[[Connection], None]) -> None:
        """Bring the schema up to date; whoever comes second waits and finds it done."""
        before, self._readers = self._readers, ThreadPoolExecutor(READERS, "sqlite-reader")
        # The last connection to a file that is gone deletes, by name, the journal of the one that came after it. So
        # every connection is closed before there is one.
        await asyncio.to_thread(before.shutdown)
        await asyncio.get_running_loop().run_in_executor(self._writer, self._migrate, upgrade)
        self.lost.clear()

    async def replace(self, act: Callable[[Connection], None]) -> None:
        """Have somebody write all that is kept anew; processes that use the file find that it is another one."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._replace, act)

    def _migrate(self, upgrade: Callable[[Connection], None]) -> None:
        with named_faults():
            self._dispose()
            with self._turn():
                self._prepare_file()
                _within(self._writing, upgrade)
                self._same = _token(self._path)

    def _replace(self, act: Callable[[Connection], None]) -> None:
        with named_faults(), self._turn() as turn:
            self._prepare_file()
            _within(self._writing, act)
            # Nothing may be left in the journal when others open the file.
            self._dispose()
            os.utime(turn.fileno())

    @contextmanager
    def _turn(self) -> Iterator[IO[bytes]]:
        """The right to change the schema, in one process at a time. SQLite does not wait its turn for it, so we do."""
        Path(self._path).parent.mkdir(parents=True, exist_ok=True)
        with Path(_lock(self._path)).open("ab") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield turn

    def _prepare_file(self) -> None:
        """See that there is a file of our kind, and no journal of one that is gone."""
        if not Path(self._path).exists():
            for end in ("-wal", "-shm"):
                Path(self._path + end).unlink(missing_ok=True)
            Path(self._path).touch()
        _within(self._reading, lambda connection: connection.exec_driver_sql("PRAGMA journal_mode = WAL").close())

    def _within(self, engine: Engine, act: Callable[[Connection], T]) -> T:
        """What comes of something done in a transaction, if the file is still the one that was brought up to date."""
        if self._same is not None and _token(self._path) != self._same:
            raise Emptied
        return _within(engine, act)

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        for threads in (self._readers, self._writer):
            threads.shutdown()
        self._dispose()

    def _dispose(self) -> None:
        for engine in (self._reading, self._writing):
            engine.dispose()


Token = tuple[int, int, int]


def _lock(path: str) -> str:
    """The file that processes queue at; its time says when what is kept was last replaced as a whole."""
    return f"{path}.lock"


def _token(path: str) -> Token | None:
    """What tells this database from another one in the same place; None if there is none."""
    try:
        file, lock = os.stat(path), os.stat(_lock(path))  # noqa: PTH116 - asked at every step, and twice as fast
    except OSError:
        return None
    return file.st_dev, file.st_ino, lock.st_mtime_ns


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
    if commit.forgotten:
        for statement, value in forgetting(commit.scope, "?1"):
            driver.execute(statement, (value,))


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
