"""The news of a commit on its way between replicas: what a PostgreSQL notification carries.

The store sends it within the commit (`sql/postgres.py`), the bus of every other process reads it
(`bus.py`). A process leaves out what it sent itself: its own `publish` has told that already.
"""

import msgspec

from muster.domain.record import Record
from muster.ports import Committed

CHANNEL = "muster"
"""The channel all replicas listen on."""

LIMIT = 7999
"""The bytes PostgreSQL takes in one notification."""


class Notice(Record):
    """News with its sender; without any if there was too much of it to send."""

    origin: str
    news: Committed | None = None


_notices = msgspec.json.Decoder(Notice)


def encoded(notice: Notice) -> str:
    """The notice as text that fits into a notification."""
    text = msgspec.json.encode(notice)
    if len(text) > LIMIT:
        text = msgspec.json.encode(Notice(origin=notice.origin))
    return text.decode()


def decoded(text: str) -> Notice:
    """The notice in a notification."""
    return _notices.decode(text)
