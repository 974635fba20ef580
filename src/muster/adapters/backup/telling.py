"""What is told of a backup: how far it has come, and what came of it."""

from collections.abc import Callable

from muster.domain.record import Record


class Progress(Record):
    """How far something has come."""

    doing: str
    done: int
    total: int | None = None
    """None while nobody knows."""


Tell = Callable[[Progress], None]


class Saved(Record):
    """What is in a backup that was made."""

    rows: int
    files: int
    size: int
    """Bytes of the backup itself."""


class Restored(Record):
    """What was brought back."""

    rows: int
    files: int
    made_at: str
    """When the backup was made."""
