"""A clock that goes only when it is told to, and ids that count; for tests that must come out the same."""

from datetime import datetime, timedelta
from itertools import count
from uuid import UUID

from muster.ports import NewId


class FakeClock:
    """A clock that stands still."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        """The time it was last set to."""
        return self._now

    def advance(self, delta: timedelta) -> datetime:
        """Move on by so much; returns the new time."""
        self._now += delta
        return self._now


def counting_ids() -> NewId:
    """Ids that begin at one and count up."""
    numbers = count(1)
    return lambda: str(UUID(int=next(numbers)))
