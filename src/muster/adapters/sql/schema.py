"""The tables, the same on SQLite and PostgreSQL. `migrate.py` creates them, or lets `migrations` bring older ones here.

Every table has `seq`, which says what came first. Keys are what the domain knows records by.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Moment(TypeDecorator[datetime]):
    """A point in time in UTC: `timestamptz` on PostgreSQL, microseconds since 1970 on SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite has no time with a zone; numbers keep the order."""
        return dialect.type_descriptor(BigInteger() if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """The moment as the database keeps it."""
        if value is None or dialect.name != "sqlite":
            return value
        return as_number(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - the value tells
        """The moment as we know it."""
        if value is None or isinstance(value, datetime):
            return value
        return EPOCH + timedelta(microseconds=value)


def as_number(moment: datetime) -> int:
    """A moment as SQLite keeps it."""
    return (moment - EPOCH) // MICROSECOND


def _seq() -> Column[int]:
    return Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True)


metadata = MetaData()

scopes = Table(
    "scopes",
    metadata,
    _seq(),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("deadline", Moment),
    Column("live", Boolean, nullable=False),
    UniqueConstraint("id", name="scopes_id"),
    Index("scopes_deadline", "deadline"),
)

records = Table(
    "records",
    metadata,
    _seq(),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("parent", Text),
    Column("gone", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("kind", "key", name="records_kind_key"),
    Index("records_scope", "scope"),
    Index("records_parent", "parent"),
    Index("records_id", "id"),
)

events = Table(
    "events",
    metadata,
    _seq(),
    Column("at", Moment, nullable=False),
    Column("name", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("cluster_id", Text),
    Column("host_id", Text),
    Column("infra_env_id", Text),
    Column("request_id", Text, nullable=False),
    Column("props", Text),
    Index("events_cluster_id", "cluster_id", "at"),
    Index("events_host_id", "host_id", "at"),
    Index("events_infra_env_id", "infra_env_id", "at"),
    Index("events_at", "at"),
)

effects = Table(
    "effects",
    metadata,
    _seq(),
    Column("id", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due", Moment, nullable=False),
    Column("owner", Text, nullable=False),
    Column("error", Text, nullable=False),
    UniqueConstraint("id", name="effects_id"),
    Index("effects_due", "due"),
)

history = Table(
    "history",
    metadata,
    _seq(),
    Column("tx", BigInteger, nullable=False),
    Column("scope", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("at", Moment, nullable=False),
    Column("actor", Text, nullable=False),
    Column("triggers", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("patch", Text, nullable=False),
    Index("history_tx", "tx", "seq"),
    Index("history_scope", "scope", "tx", "seq"),
    Index("history_key", "kind", "key", "tx", "seq"),
)

presence = Table(
    "presence",
    metadata,
    Column("key", Text, primary_key=True),
    Column("at", Moment, nullable=False),
)

LARGE = (records.c.body, history.c.patch)
"""What is large and often written."""

_CAN_LZ4 = text("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")


def compress_large_texts(connection: Connection) -> None:
    """Have what is large compressed quickly, where the database can: the usual way takes longer than writing it."""
    if connection.dialect.name != "postgresql" or not connection.execute(_CAN_LZ4).scalar():
        return
    for each in LARGE:
        connection.exec_driver_sql(f"ALTER TABLE {each.table.name} ALTER COLUMN {each.name} SET COMPRESSION lz4")
