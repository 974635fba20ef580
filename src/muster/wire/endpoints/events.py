"""Calls about what was told."""

from muster.wire.answers.events import EventOut
from muster.wire.events import COUNTS, EventReport, EventsQuery

from .endpoint import AGENT, LINK, READER, WATCHER, v2

LIST_EVENTS = v2(
    "v2ListEvents", "GET /events", READER, LINK, WATCHER, query=EventsQuery, answers=tuple[EventOut, ...], counts=COUNTS
)
TRIGGER_EVENT = v2("v2TriggerEvent", "POST /events", AGENT, status=201, body=EventReport)
