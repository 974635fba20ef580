"""Reads the history in an order that never lets a row appear before one already read.

On PostgreSQL transactions commit in another order than they begin, so a row is shown only once every
transaction up to its own is over. SQLite has one writer: every row has transaction 0 and shows at once.
"""

from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, literal, literal_column, select, true, tuple_

from muster.adapters.rows import cursor, position
from muster.domain.history import HistoryRow

from .schema import history

_rows = select(history).order_by(history.c.tx, history.c.seq)
_backwards = select(history.c.tx, history.c.seq).order_by(history.c.tx.desc(), history.c.seq.desc()).limit(1)

_SETTLED: dict[str, ColumnElement[bool]] = {
    "postgresql": history.c.tx < literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint"),
    "sqlite": true(),
}

_triggers = msgspec.json.Decoder(tuple[str, ...])
_patches = msgspec.json.Decoder(dict[str, Any])


def history_after(connection: Connection, after: str, scope: str, limit: int) -> tuple[HistoryRow, ...]:
    """Settled rows after a cursor, of one scope or of all."""
    wanted = _rows.where(_SETTLED[connection.dialect.name]).limit(limit)
    if after:
        here = tuple_(*(literal(number, BigInteger) for number in position(after)))
        wanted = wanted.where(tuple_(history.c.tx, history.c.seq) > here)
    if scope:
        wanted = wanted.where(history.c.scope == scope)
    return _read(connection, wanted)


def history_of(connection: Connection, kind: str, key: str, until: datetime | None) -> tuple[HistoryRow, ...]:
    """Every change of one record, oldest first."""
    wanted = _rows.where(history.c.kind == kind, history.c.key == key)
    return _read(connection, wanted if until is None else wanted.where(history.c.at <= until))


def last_cursor(connection: Connection) -> str:
    """The cursor of the newest settled row."""
    newest = connection.execute(_backwards.where(_SETTLED[connection.dialect.name])).one_or_none()
    return cursor(newest.tx, newest.seq) if newest else ""


def _read(connection: Connection, wanted: Select[Any]) -> tuple[HistoryRow, ...]:
    return tuple(_history_row(row) for row in connection.execute(wanted))


def _history_row(row: Row[Any]) -> HistoryRow:
    return HistoryRow(
        cursor=cursor(row.tx, row.seq),
        scope=row.scope,
        version=row.version,
        at=row.at,
        actor=row.actor,
        triggers=_triggers.decode(row.triggers),
        kind=row.kind,
        key=row.key,
        patch=_patches.decode(row.patch),
    )
