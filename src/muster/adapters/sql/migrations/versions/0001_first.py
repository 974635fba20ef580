"""The first tables: scopes, records, events, effects, history, presence."""  # noqa: INP001 - Alembic loads this by path

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

MOMENT = sa.DateTime(timezone=True).with_variant(sa.BigInteger(), "sqlite")


def upgrade() -> None:
    """Create everything."""
    _scopes()
    _records()
    _events()
    _effects()
    _history()
    op.create_table("presence", sa.Column("key", sa.Text, primary_key=True), sa.Column("at", MOMENT, nullable=False))


def _seq() -> sa.Column[int]:
    return sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True)


def _words(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _scopes() -> None:
    op.create_table(
        "scopes",
        _seq(),
        *_words("id", "kind"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("deadline", MOMENT),
        sa.Column("live", sa.Boolean, nullable=False),
        sa.UniqueConstraint("id", name="scopes_id"),
    )
    op.create_index("scopes_deadline", "scopes", ["deadline"])


def _records() -> None:
    op.create_table(
        "records",
        _seq(),
        *_words("kind", "key", "id", "scope"),
        sa.Column("parent", sa.Text),
        sa.Column("gone", sa.Boolean, nullable=False),
        *_words("body"),
        sa.UniqueConstraint("kind", "key", name="records_kind_key"),
    )
    for column in ("scope", "parent", "id"):
        op.create_index(f"records_{column}", "records", [column])


def _events() -> None:
    places = ("cluster_id", "host_id", "infra_env_id")
    op.create_table(
        "events",
        _seq(),
        sa.Column("at", MOMENT, nullable=False),
        *_words("name", "severity", "category", "message"),
        *(sa.Column(place, sa.Text) for place in places),
        *_words("request_id"),
    )
    for place in places:
        op.create_index(f"events_{place}", "events", [place, "at"])
    op.create_index("events_at", "events", ["at"])


def _effects() -> None:
    op.create_table(
        "effects",
        _seq(),
        *_words("id", "scope", "body"),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due", MOMENT, nullable=False),
        *_words("owner", "error"),
        sa.UniqueConstraint("id", name="effects_id"),
    )
    op.create_index("effects_due", "effects", ["due"])


def _history() -> None:
    op.create_table(
        "history",
        _seq(),
        sa.Column("tx", sa.BigInteger, nullable=False),
        *_words("scope"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        *_words("actor", "triggers", "kind", "key", "patch"),
    )
    op.create_index("history_tx", "history", ["tx", "seq"])
    op.create_index("history_scope", "history", ["scope", "tx", "seq"])
    op.create_index("history_key", "history", ["kind", "key", "tx", "seq"])
