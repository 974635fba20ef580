"""Finds and hands out the scopes whose time has come; the ticker's side of the table `scopes`."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, func, or_, select, update

from muster.domain.cleaning import Horizon

from .schema import scopes

_due = (
    select(scopes.c.seq)
    .where(scopes.c.deadline <= bindparam("now"))
    .order_by(scopes.c.deadline)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("due")
)
_CLAIM = (
    update(scopes)
    .where(scopes.c.seq.in_(select(_due.c.seq)))
    .values(deadline=bindparam("until"))
    .returning(scopes.c.seq, scopes.c.id)
)
_NEXT = select(func.min(scopes.c.deadline))
_SET = (
    update(scopes)
    .where(scopes.c.id == bindparam("scope"), scopes.c.version == bindparam("was"))
    .values(deadline=bindparam("due"))
)

_is_cluster, _is_infra_env = scopes.c.kind == "cluster", scopes.c.kind == "infra-env"
_WAKE = (
    update(scopes)
    .where(
        or_(
            scopes.c.deadline.is_(None) & or_(_is_cluster, scopes.c.live & _is_infra_env),
            _is_cluster & scopes.c.live & (scopes.c.deadline > bindparam("clusters")),
            _is_infra_env & scopes.c.live & (scopes.c.deadline > bindparam("infra_envs")),
            or_(_is_cluster, _is_infra_env) & ~scopes.c.live & (scopes.c.deadline > bindparam("gone")),
        )
    )
    .values(deadline=bindparam("now"))
)


def claim_due(connection: Connection, now: datetime, lease: timedelta, limit: int) -> tuple[str, ...]:
    """Take due scopes, oldest first; their deadline moves on so that they come back if nobody gets to them."""
    rows = connection.execute(_CLAIM, {"now": now, "until": now + lease, "most": limit}).all()
    return tuple(scope for _, scope in sorted((row.seq, row.id) for row in rows))


def next_deadline(connection: Connection) -> datetime | None:
    """The earliest deadline of any scope."""
    return connection.execute(_NEXT).scalar()


def wake(connection: Connection, now: datetime, horizon: Horizon) -> None:
    """Let a deadline come for clusters and live infra-envs that have none, and for those that have one too late."""
    connection.execute(
        _WAKE,
        {"now": now, "clusters": horizon.clusters, "infra_envs": horizon.infra_envs, "gone": horizon.gone},
    )


def set_deadline(connection: Connection, scope: str, version: int, deadline: datetime | None) -> None:
    """Note the deadline of a scope unless it has changed since."""
    connection.execute(_SET, {"scope": scope, "was": version, "due": deadline})
