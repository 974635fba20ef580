"""Moments as clients read them."""

from datetime import datetime
from functools import lru_cache

NEVER = "0001-01-01T00:00:00.000Z"
"""A moment that has not come: clients expect it to be written, not left out."""

NEVER_CREATED = "0001-01-01T00:00:00Z"


REMEMBERED = 4096
"""How many moments are kept as text: lists show the same ones again and again, and writing them takes a while."""


@lru_cache(maxsize=REMEMBERED)
def millis(moment: datetime | None) -> str:
    """With exactly three digits after the second."""
    if moment is None:
        return NEVER
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@lru_cache(maxsize=REMEMBERED)
def micros(moment: datetime) -> str:
    """With as many digits after the second as it takes, as creation and change are written."""
    text = moment.isoformat(timespec="microseconds").replace("+00:00", "")
    return text.rstrip("0").rstrip(".") + "Z"
