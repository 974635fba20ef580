"""Finds events in a list; the twin of `sql/events.py`."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from muster.domain.events import Event, EventPage, EventQuery, Severity

_NONE = {severity.value: 0 for severity in Severity}


def told_since(events: Sequence[Event], event: Event, since: datetime) -> bool:
    """Whether an event of that name was told of the same cluster, host and infra-env after a moment."""
    return any(each.alike == event.alike and each.at is not None and each.at > since for each in events)


def find_events(events: Sequence[Event], living: Collection[str], query: EventQuery) -> EventPage:
    """The page asked for, and how many events fit it; nothing is counted for a query of everything."""
    fitting = [event for event in events if _fits(event, living, query)]
    wanted = [event for event in fitting if not query.severities or event.severity in query.severities]
    narrowed = bool(query.cluster_id or query.infra_env_id or query.host_ids)
    counts = _NONE | Counter(event.severity.value for event in fitting)
    ordered = sorted(enumerate(wanted), key=lambda pair: (pair[1].at, pair[0]), reverse=query.descending)
    page = [event for _, event in ordered][max(query.offset, 0) :]
    return EventPage(
        events=tuple(page if query.limit < 0 else page[: query.limit]),
        count=len(wanted) if narrowed else 0,
        severities=counts if query.cluster_id else _NONE,
    )


def _fits(event: Event, living: Collection[str], query: EventQuery) -> bool:
    if query.categories and event.category not in query.categories:
        return False
    return _fits_cluster(event, living, query) if query.cluster_id else _fits_others(event, living, query)


def _fits_cluster(event: Event, living: Collection[str], query: EventQuery) -> bool:
    if event.cluster_id != query.cluster_id or query.message.lower() not in event.message.lower():
        return False
    groups = (
        bool(query.host_ids) and event.host_id in query.host_ids,
        query.deleted_hosts and event.host_id is not None and event.host_id not in living,
        query.cluster_level and event.host_id is None,
    )
    return any(groups) or not (query.host_ids or query.deleted_hosts or query.cluster_level)


def _fits_others(event: Event, living: Collection[str], query: EventQuery) -> bool:
    if query.infra_env_id and event.infra_env_id != query.infra_env_id:
        return False
    return not query.host_ids or (event.host_id in query.host_ids and event.host_id in living)
