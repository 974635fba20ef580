"""Hands out effects to workers and takes them back. A lease is a `due` that lies ahead."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import Connection, bindparam, func, select, update

from muster.adapters.rows import printable
from muster.domain.effects import AnyEffect
from muster.ports import Lease

from .schema import effects

_bodies: msgspec.json.Decoder[AnyEffect] = msgspec.json.Decoder(AnyEffect)

_due = (
    select(effects.c.seq)
    .where(effects.c.due <= bindparam("now"))
    .order_by(effects.c.due, effects.c.seq)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("ready")
)
_CLAIM = (
    update(effects)
    .where(effects.c.seq.in_(select(_due.c.seq)))
    .values(due=bindparam("until"), owner=bindparam("worker"), attempts=effects.c.attempts + 1)
    .returning(effects.c.seq, effects.c.id, effects.c.scope, effects.c.body, effects.c.attempts)
)
_mine = effects.c.owner == bindparam("worker")
_BEAT = (
    update(effects)
    .where(_mine, effects.c.id.in_(bindparam("ids", expanding=True)))
    .values(due=bindparam("until"))
    .returning(effects.c.id)
)
_RETRY = (
    update(effects)
    .where(_mine, effects.c.id == bindparam("effect"))
    .values(due=bindparam("again"), owner="", error=bindparam("reason"))
)
_RELEASE = update(effects).where(_mine).values(due=bindparam("now"), owner="")
_NEXT = select(func.min(effects.c.due))


def claim_effects(connection: Connection, owner: str, now: datetime, lease: timedelta, limit: int) -> tuple[Lease, ...]:
    """Take due effects, oldest first; whoever held one before has let its lease run out."""
    rows = connection.execute(_CLAIM, {"now": now, "until": now + lease, "worker": owner, "most": limit}).all()
    return tuple(
        Lease(id=row.id, scope=row.scope, effect=_bodies.decode(row.body), attempts=row.attempts)
        for row in sorted(rows, key=lambda row: row.seq)
    )


def beat(connection: Connection, owner: str, ids: Sequence[str], until: datetime) -> frozenset[str]:
    """Stretch the leases that are still this owner's; which they are."""
    return frozenset(connection.execute(_BEAT, {"worker": owner, "ids": list(ids), "until": until}).scalars())


def retry_effect(connection: Connection, owner: str, effect_id: str, due: datetime, error: str) -> None:
    """Give an effect back, unless it is someone else's by now."""
    connection.execute(_RETRY, {"worker": owner, "effect": effect_id, "again": due, "reason": printable(error)})


def release_effects(connection: Connection, owner: str, now: datetime) -> None:
    """Give back all that a worker holds."""
    connection.execute(_RELEASE, {"worker": owner, "now": now})


def next_effect(connection: Connection) -> datetime | None:
    """When the next effect may be claimed."""
    return connection.execute(_NEXT).scalar()
