"""SQLite: one thread writes, a few read, and a commit is a handful of statements in one of them.

The plain driver is run in threads of ours, a whole transaction per hop. A hop per driver call, as
an asynchronous driver makes them, costs four times the processor time of the statements themselves.
"""

import asyncio
import fcntl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import (
    URL,
    Boolean,
    Connection,
    Engine,
    Integer,
    Text,
    bindparam,
    create_engine,
    delete,
    event,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from muster.adapters.rows import Neighbour, finished_already, outdated, scope_kind

from .faults import named_faults
from .schema import Moment, effects, events, history, presence, records, scopes
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


_READS_HOLD = text(
    "NOT EXISTS (SELECT 1 FROM json_each(:reads) AS seen LEFT JOIN scopes AS other ON other.id = seen.key"
    " WHERE other.version IS NOT seen.value)"
)
_BUMP = (
    update(scopes)
    .where(scopes.c.id == bindparam("scope"), scopes.c.version == bindparam("was"), _READS_HOLD)
    .values(version=scopes.c.version + 1, deadline=bindparam("due"), live=bindparam("alive"))
)
_ADD = (
    upsert(scopes)
    .from_select(
        ["id", "kind", "version", "deadline", "live"],
        select(
            bindparam("scope", type_=Text),
            bindparam("sort", type_=Text),
            bindparam("was", type_=Integer) + 1,
            bindparam("due", type_=Moment),
            bindparam("alive", type_=Boolean),
        ).where(_READS_HOLD),
    )
    .on_conflict_do_nothing(index_elements=["id"])
)
_place = upsert(scopes)
_NEIGHBOUR = _place.on_conflict_do_update(
    index_elements=["id"],
    set_={"version": scopes.c.version + 1, "live": _place.excluded.live, "deadline": _place.excluded.deadline},
)
_paper = upsert(records)
_FILE = _paper.on_conflict_do_update(
    index_elements=["kind", "key"],
    set_={name: _paper.excluded[name] for name in ("scope", "parent", "gone", "body")},
)
_EVENTS, _EFFECTS, _HISTORY = insert(events), insert(effects), insert(history).values(tx=0)
_FINISH = delete(effects).where(effects.c.id == bindparam("finished"))
_sight = upsert(presence)
_NOTE_SEEN = _sight.on_conflict_do_update(
    index_elements=["key"], set_={"at": _sight.excluded.at}, where=presence.c.at < _sight.excluded.at
)


def _commit(connection: Connection, written: Written) -> None:
    """Check, then write; the transaction holds the only write lock, so nothing changes in between."""
    commit = written.commit
    claim = {
        "scope": commit.scope,
        "was": commit.version,
        "due": commit.deadline,
        "alive": commit.live,
        "reads": as_text(commit.reads),
    }
    bumped = connection.execute(_BUMP, claim) if commit.version else connection.execute(_ADD, _with_kind(claim))
    if bumped.rowcount != 1:
        raise outdated(commit)
    if commit.finished_effect and connection.execute(_FINISH, {"finished": commit.finished_effect}).rowcount != 1:
        raise finished_already(commit)
    for statement, rows in (
        (_NEIGHBOUR, [_place_of(neighbour) for neighbour in written.neighbours]),
        (_FILE, written.records),
        (_EVENTS, written.events),
        (_EFFECTS, written.effects),
        (_HISTORY, written.history),
    ):
        if rows:
            connection.execute(statement, rows)


def _with_kind(claim: Row) -> Row:
    return {**claim, "sort": scope_kind(claim["scope"])}


def _place_of(neighbour: Neighbour) -> Row:
    return {
        "id": neighbour.scope,
        "kind": scope_kind(neighbour.scope),
        "version": 1,
        "deadline": neighbour.deadline,
        "live": neighbour.live,
    }


def _note_seen(connection: Connection, seen: Sequence[Row]) -> None:
    connection.execute(_NOTE_SEEN, list(seen))
