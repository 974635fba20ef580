"""The real present moment and ids that nobody has; `runtime/wiring.py` hands them to the engine."""

from datetime import UTC, datetime
from uuid import uuid4


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


def new_id() -> str:
    """An id that nobody has."""
    return str(uuid4())
