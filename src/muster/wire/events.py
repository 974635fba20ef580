"""Events as clients see them, and the questions they ask about them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from muster.domain.events import Event, EventPage, EventQuery, Severity
from muster.domain.inputs.fields import Input, Uuid
from muster.domain.record import Record

from .json import filled
from .moments import millis
from .query import Number

COUNTERS = {severity.value: f"Severity-Count-{severity.capitalize()}" for severity in Severity}
COUNTS = (*COUNTERS.values(), "Event-Count")
"""The headers that count the events of an answer, by severity and all together."""


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


LONGEST = 4096
"""Characters of a message; what is longer is cut."""

Moment = Annotated[
    str,
    Meta(
        pattern=r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}"
        r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?\Z"
    ),
]
"""A moment as anybody may write it."""


class EventReport(Input):
    """Something that happened elsewhere and is to be told here. When it happened is taken from the service's clock."""

    severity: Severity
    message: str
    event_time: Moment
    name: str = ""
    category: Literal["user", "metrics"] = "user"
    cluster_id: Uuid | None = None
    host_id: Uuid | None = None
    infra_env_id: Uuid | None = None
    request_id: Uuid | None = None
    props: str = ""

    @property
    def event(self) -> Event:
        """The same, as it is told."""
        return Event(
            name=self.name,
            severity=self.severity,
            message=self.message[:LONGEST],
            cluster_id=self.cluster_id,
            host_id=self.host_id,
            infra_env_id=self.infra_env_id,
            category=self.category,
            props=_object(self.props),
        )


def _object(props: str) -> str:
    """What was told besides, as a JSON object; "" if it is neither one nor a list of keys and values in turn."""
    try:
        found = msgspec.json.decode(props)
    except (msgspec.DecodeError, RecursionError):
        return ""
    if isinstance(found, list) and len(found) % 2 == 0 and all(isinstance(key, str) for key in found[::2]):
        found = dict(zip(found[::2], found[1::2], strict=True))
    return msgspec.json.encode(found).decode() if isinstance(found, dict) and found else ""


def event_out(event: Event) -> dict[str, Any]:
    """An event with everything clients may read of it."""
    return {
        **filled({"cluster_id": event.cluster_id, "host_id": event.host_id, "infra_env_id": event.infra_env_id}),
        "event_time": millis(event.at),
        "message": event.message,
        "name": event.name,
        **filled({"props": event.props}),
        "severity": event.severity,
    }


def page_out(page: EventPage) -> tuple[bytes, dict[str, str]]:
    """A page of events, and the headers that count them."""
    counts = {COUNTERS[severity]: str(count) for severity, count in page.severities.items()}
    body = msgspec.json.encode([event_out(event) for event in page.events])
    return body, {**counts, COUNTS[-1]: str(page.count)}
