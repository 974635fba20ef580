"""Finds events and counts them, in SQL; the rules are those of the events API. Called by `store.py`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, exists, func, insert, or_, select

from muster.domain.events import Event, EventPage, EventQuery, Severity

from .schema import events, records
from .written import Row as Values

Conditions = list[ColumnElement[bool]]

_ADD = insert(events)
_NONE = {severity.value: 0 for severity in Severity}
_host_lives = exists().where(records.c.kind == "host", records.c.id == events.c.host_id, records.c.gone.is_(False))


def add_event(connection: Connection, row: Values) -> None:
    """Keep one event."""
    connection.execute(_ADD, row)


def told_since(connection: Connection, event: Event, since: datetime) -> bool:
    """Whether an event of that name was told of the same cluster, host and infra-env after a moment."""
    same = [
        events.c[name].is_not_distinct_from(getattr(event, name)) for name in ("cluster_id", "host_id", "infra_env_id")
    ]
    found = select(exists().where(events.c.name == event.name, events.c.at > since, *same))
    return bool(connection.execute(found).scalar())


def find_events(connection: Connection, query: EventQuery) -> EventPage:
    """The page asked for, and how many events fit it; nothing is counted for a query of everything."""
    conditions = _conditions(query)
    narrowed = query.cluster_id or query.infra_env_id or query.host_ids
    counts = _counts(connection, conditions) if narrowed else _NONE
    return EventPage(
        events=_page(connection, query, conditions) if query.limit else (),
        count=sum(counts[severity] for severity in counts if not query.severities or severity in query.severities),
        severities=counts if query.cluster_id else _NONE,
    )


def _conditions(query: EventQuery) -> Conditions:
    """All that a query asks for, severities aside: those do not change the counts."""
    conditions = _of_cluster(query) if query.cluster_id else _of_others(query)
    if query.categories:
        conditions.append(events.c.category.in_(query.categories))
    return conditions


def _of_cluster(query: EventQuery) -> Conditions:
    """Events of one cluster; the groups asked for add up."""
    conditions: Conditions = [events.c.cluster_id == query.cluster_id]
    groups: Conditions = []
    if query.host_ids:
        groups.append(events.c.host_id.in_(query.host_ids))
    if query.deleted_hosts:
        groups.append(events.c.host_id.is_not(None) & ~_host_lives)
    if query.cluster_level:
        groups.append(events.c.host_id.is_(None))
    if groups:
        conditions.append(or_(*groups))
    if query.message:
        conditions.append(events.c.message.icontains(query.message, autoescape=True))
    return conditions


def _of_others(query: EventQuery) -> Conditions:
    """Events of an infra-env, of some of its hosts, of living hosts wherever they are, or all."""
    conditions: Conditions = []
    if query.infra_env_id:
        conditions.append(events.c.infra_env_id == query.infra_env_id)
    if query.host_ids:
        conditions += [events.c.host_id.in_(query.host_ids), _host_lives]
    return conditions


def _counts(connection: Connection, conditions: Conditions) -> dict[str, int]:
    counted = select(events.c.severity, func.count().label("many")).where(*conditions).group_by(events.c.severity)
    return _NONE | {row.severity: row.many for row in connection.execute(counted)}


def _page(connection: Connection, query: EventQuery, conditions: Conditions) -> tuple[Event, ...]:
    order = (events.c.at.desc(), events.c.seq.desc()) if query.descending else (events.c.at, events.c.seq)
    wanted = select(events).where(*conditions).order_by(*order).offset(max(query.offset, 0))
    if query.severities:
        wanted = wanted.where(events.c.severity.in_(query.severities))
    if query.limit > 0:
        wanted = wanted.limit(query.limit)
    return _read(connection.execute(wanted).all())


def _read(rows: Sequence[Row[Any]]) -> tuple[Event, ...]:
    return tuple(
        Event(
            name=row.name,
            severity=Severity(row.severity),
            message=row.message,
            cluster_id=row.cluster_id,
            host_id=row.host_id,
            infra_env_id=row.infra_env_id,
            category=row.category,
            at=row.at,
            props=row.props or "",
        )
        for row in rows
    )
