"""Calls about what was told."""

from muster.wire.events import EventsQuery

from .endpoint import LINK, READER, WATCHER, v2

LIST_EVENTS = v2("v2ListEvents", "GET /events", READER, LINK, WATCHER, query=EventsQuery)
