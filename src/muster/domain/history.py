"""What is kept of every change. Stores write and read it; the stream, audit, timelines and recordings show it."""

from datetime import datetime
from typing import Any

from .record import Record


class HistoryRow(Record):
    """One change of one record, as it is kept."""

    cursor: str
    scope: str
    version: int
    at: datetime
    actor: str
    triggers: tuple[str, ...]
    kind: str
    key: str
    patch: dict[str, Any]
