"""The rows of a database as lines of JSON, and back; the same for every kind of database.

A function here is given a connection: `saving` has one on which everything is of one moment, `restoring` one on which
everything or nothing is written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnClause,
    Connection,
    Table,
    Text,
    TextClause,
    column,
    func,
    insert,
    inspect,
    select,
    table,
    text,
    update,
)
from sqlalchemy.types import TypeEngine

from muster.adapters.sql.migrate import VERSIONS, is_known, newest, revision_of, upgrade
from muster.adapters.sql.schema import EPOCH, Moment, as_number, effects, metadata, presence
from muster.domain.errors import NotFound, Refused

from .archive import Column
from .telling import Progress, Tell

CHUNK = 4 * 1024 * 1024
"""Bytes of rows that are kept together, at least."""

AT_ONCE = 1000
"""Rows that are asked for at once."""

KINDS: dict[str, type[TypeEngine[Any]]] = {"number": BigInteger, "flag": Boolean, "moment": Moment, "text": Text}
"""What may be in a column, by the name that it has in a backup."""

ORDER = {"history": ("tx", "seq"), "presence": ("key",)}
"""The columns that say which row comes first, where it is not `seq` alone."""

ENCODE = msgspec.json.Encoder()

Take = Callable[[str, bytes], None]


def kept(connection: Connection) -> dict[str, tuple[Column, ...]]:
    """Our tables with their columns, as they are in this database, of whatever age it is."""
    there = inspect(connection)
    found = set(there.get_table_names())
    return {
        str(each.name): _columns(each, {column["name"] for column in there.get_columns(each.name)})
        for each in metadata.tables.values()
        if each.name in found
    }


def _columns(ours: Table, there: set[str]) -> tuple[Column, ...]:
    return tuple(Column(name=str(each.name), kind=_kind(each.type)) for each in ours.columns if each.name in there)


def _kind(type_: TypeEngine[Any]) -> str:
    if isinstance(type_, Moment):
        return "moment"
    if isinstance(type_, Boolean):
        return "flag"
    return "text" if isinstance(type_, Text) else "number"


def counted(connection: Connection) -> dict[str, int]:
    """How many rows there are in each of our tables."""
    return {
        name: connection.execute(select(func.count()).select_from(table(name))).scalar_one()
        for name in kept(connection)
    }


def occupied(connection: Connection) -> int:
    """How many rows somebody would miss; that agents were heard of is no such thing."""
    return sum(count for name, count in counted(connection).items() if name != presence.name)


def revision(connection: Connection) -> str:
    """The revision of the schema; `NotFound` if there is none."""
    found = _known(connection)
    if not found:
        raise NotFound("The database has no tables of muster's: there is nothing to back up; check its address")
    return found


def _known(connection: Connection) -> str:
    """The revision of the schema, "" if there is none; `Refused` if it is a newer one than is known here."""
    found = revision_of(connection)
    if found and not is_known(found):
        raise Refused(
            f"The database was last used by a newer muster (schema {found}; this one knows up to {newest()}); use that "
            "version"
        )
    return found


def saved(connection: Connection, tables: Mapping[str, tuple[Column, ...]], take: Take, tell: Tell) -> int:
    """Hand over every row of the tables, many at a time; returns how many there were."""
    total, done = sum(counted(connection).values()), 0
    for name, columns in tables.items():
        for count, lines in _lines(connection, name, columns):
            take(name, lines)
            done += count
            tell(Progress(doing="rows", done=done, total=total))
    return done


def _lines(connection: Connection, name: str, columns: tuple[Column, ...]) -> Iterator[tuple[int, bytes]]:
    """The rows of a table, each an array of its columns on a line."""
    order: list[ColumnClause[Any]] = [column(each) for each in ORDER.get(name, ("seq",))]
    wanted = select(*_typed(name, columns).columns).order_by(*order).execution_options(yield_per=AT_ONCE)
    count, lines = 0, bytearray()
    for row in connection.execute(wanted):
        lines += ENCODE.encode([as_number(each) if isinstance(each, datetime) else each for each in row]) + b"\n"
        count += 1
        if len(lines) >= CHUNK:
            yield count, bytes(lines)
            count, lines = 0, bytearray()
    if count:
        yield count, bytes(lines)


def _typed(name: str, columns: Iterable[Column]) -> Any:
    return table(name, *(column(each.name, KINDS[each.kind]()) for each in columns))


class Filling:
    """What is to be in a database instead of what is there."""

    def __init__(
        self,
        at: str,
        tables: Mapping[str, tuple[Column, ...]],
        rows: Callable[[], Iterable[tuple[str, bytes]]],
        now: datetime,
        tell: Tell,
    ) -> None:
        self._revision = at
        self._tables = tables
        self._rows = rows
        self._now = now
        self._tell = tell
        self.done = 0

    def into_empty(self, connection: Connection) -> None:
        """Write all of it if there is nothing yet; `Refused` if there is."""
        there = occupied(connection)
        if there:
            raise Refused(f"Somebody has written to the database meanwhile (rows: {there}); try again, or say --force")
        self.instead(connection)

    def instead(self, connection: Connection) -> None:
        """Write all of it in place of whatever is there; an older schema is brought up to date with its rows."""
        self.done = 0
        _known(connection)
        for name in (*reversed(kept(connection)), VERSIONS):
            connection.execute(text(f"DROP TABLE IF EXISTS {name}"))
        upgrade(connection, self._revision)
        last = 0
        for name, lines in self._rows():
            rows = [self._row(name, line) for line in lines.splitlines()]
            if name == "history":
                last = _in_line(rows, last)
            connection.execute(insert(_typed(name, self._tables[name])), rows)
            self.done += len(rows)
            self._tell(Progress(doing="rows", done=self.done))
        upgrade(connection)
        # Whoever held a lease works on something else by now.
        connection.execute(update(effects).where(effects.c.owner != "").values(owner="", due=self._now))
        _count_on(connection)

    def _row(self, name: str, line: bytes) -> dict[str, Any]:
        values = msgspec.json.decode(line, type=list[Any])
        return {
            each.name: _moment(value) if each.kind == "moment" else value
            for each, value in zip(self._tables[name], values, strict=True)
        }


def _moment(number: int | None) -> datetime | None:
    return None if number is None else EPOCH + timedelta(microseconds=number)


def _in_line(rows: list[dict[str, Any]], last: int) -> int:
    """Give changes places in the order in which they were committed; returns the last one.

    The transactions in which another server wrote them mean nothing here: all of them are over.
    """
    for row in rows:
        last = row["seq"] = max(row["seq"], last + 1)
        row["tx"] = 0
    return last


def _count_on(connection: Connection) -> None:
    """Have the database give out numbers after those that are taken; SQLite looks for itself."""
    if connection.dialect.name != "postgresql":
        return
    for each in metadata.tables.values():
        if "seq" in each.columns:
            connection.execute(_next(each.name))


def _next(name: str) -> TextClause:
    return text(
        f"SELECT setval(pg_get_serial_sequence('{name}', 'seq'), coalesce(max(seq), 0) + 1, false) FROM {name}"  # noqa: S608 - a name of our own schema
    )
