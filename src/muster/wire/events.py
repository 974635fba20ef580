"""Events as clients see them, and the questions they ask about them."""

from typing import Any, Literal

import msgspec

from muster.domain.events import Event, EventPage, EventQuery, Severity
from muster.domain.inputs.fields import Uuid
from muster.domain.record import Record

from .json import filled
from .moments import millis
from .query import Number


class EventsQuery(Record):
    """Which events a client wants."""

    cluster_id: Uuid | None = None
    infra_env_id: Uuid | None = None
    host_id: Uuid | None = None
    host_ids: tuple[Uuid, ...] = ()
    categories: tuple[str, ...] = ()
    severities: tuple[Severity, ...] = ()
    message: str = ""
    deleted_hosts: bool = False
    cluster_level: bool = False
    order: Literal["ascending", "descending"] = "ascending"
    limit: Number = 5000
    offset: Number = 0

    @property
    def wanted(self) -> EventQuery:
        """The same, as the store understands it."""
        return EventQuery(
            cluster_id=self.cluster_id,
            infra_env_id=None if self.cluster_id else self.infra_env_id,
            host_ids=(*self.host_ids, *((self.host_id,) if self.host_id else ())),
            categories=self.categories or ("user",),
            severities=self.severities,
            message=self.message if self.cluster_id else "",
            deleted_hosts=self.deleted_hosts,
            cluster_level=self.cluster_level,
            descending=self.order == "descending",
            limit=self.limit,
            offset=max(self.offset, 0),
        )


def event_out(event: Event) -> dict[str, Any]:
    """An event with everything clients may read of it."""
    return {
        **filled({"cluster_id": event.cluster_id, "host_id": event.host_id, "infra_env_id": event.infra_env_id}),
        "event_time": millis(event.at),
        "message": event.message,
        "name": event.name,
        "severity": event.severity,
    }


def page_out(page: EventPage) -> tuple[bytes, dict[str, str]]:
    """A page of events, and the headers that count them."""
    counts = {f"Severity-Count-{name.capitalize()}": str(count) for name, count in page.severities.items()}
    body = msgspec.json.encode([event_out(event) for event in page.events])
    return body, {**counts, "Event-Count": str(page.count)}
