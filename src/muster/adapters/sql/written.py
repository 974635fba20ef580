"""Turns a commit into the rows it writes, for `sqlite.py` and `postgres.py` to put into their tables."""

from datetime import datetime
from typing import Any

import msgspec

from muster.adapters.rows import Filed, Neighbour, filed, neighbours, news_of, printable
from muster.domain.effects import AnyEffect
from muster.domain.events import Event
from muster.domain.record import Record
from muster.ports import AnyRecord, Commit, Committed, NewId

Row = dict[str, Any]
"""A row by the names of its columns."""

_json = msgspec.json.Encoder()


def as_text(value: Any) -> str:
    """A value as JSON text."""
    return _json.encode(value).decode()


class Written(Record):
    """All rows of one commit, worked out before the first statement."""

    commit: Commit
    neighbours: tuple[Neighbour, ...]
    news: Committed
    records: list[Row]
    events: list[Row]
    effects: list[Row]
    history: list[Row]


def written(commit: Commit, new_id: NewId) -> Written:
    """The rows of a commit; what did not change leaves no history."""
    changes = [filed(change) for change in commit.changes]
    triggers = as_text(commit.triggers)
    return Written(
        commit=commit,
        neighbours=neighbours(commit, changes),
        news=news_of(commit, changes),
        records=[_record(change, change.record) for change in changes],
        events=[event_row(event, commit.at, commit.request_id) for event in commit.events],
        effects=[_effect(commit, effect, new_id()) for effect in commit.effects],
        history=[_history(commit, change, triggers) for change in changes if change.patch],
    )


def _record(change: Filed, record: AnyRecord) -> Row:
    return {
        "kind": change.kind,
        "key": change.key,
        "id": record.id,
        "scope": change.scope,
        "parent": change.parent,
        "gone": change.gone,
        "body": as_text(record),
    }


def event_row(event: Event, at: datetime, request_id: str = "") -> Row:
    """An event as it is kept; `at` is when it happened unless it says so itself."""
    return {
        "at": event.at or at,
        "name": event.name,
        "severity": event.severity.value,
        "category": event.category,
        "message": printable(event.message),
        "cluster_id": event.cluster_id,
        "host_id": event.host_id,
        "infra_env_id": event.infra_env_id,
        "request_id": request_id,
        "props": printable(event.props) or None,
    }


def _effect(commit: Commit, effect: AnyEffect, effect_id: str) -> Row:
    return {
        "id": effect_id,
        "scope": commit.scope,
        "body": as_text(effect),
        "attempts": 0,
        "due": commit.at + effect.wait,
        "owner": "",
        "error": "",
    }


def _history(commit: Commit, change: Filed, triggers: str) -> Row:
    return {
        "scope": commit.scope,
        "version": commit.version + 1,
        "at": commit.at,
        "actor": commit.actor,
        "triggers": triggers,
        "kind": change.kind,
        "key": change.key,
        "patch": as_text(change.patch),
    }
