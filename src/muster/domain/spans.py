"""The nouns of a timeline, for `timeline.py`, which makes them, and `critical_path.py`, which follows them."""

from datetime import datetime
from enum import StrEnum

from .record import Record
from .roles import Role

OVER = frozenset({Role.MASTER, Role.ARBITER, Role.BOOTSTRAP})
"""Roles of hosts that others wait for."""


class SpanKind(StrEnum):
    """What a span is a while of."""

    ATTEMPT = "attempt"
    HOST = "host"
    STATE = "state"
    STAGE = "stage"
    EFFECT = "effect"
    LOGS = "logs"


class Result(StrEnum):
    """How a span ended."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RESET = "reset"
    STOPPED = "stopped"


class Span(Record):
    """A while in which one thing stayed the same."""

    kind: SpanKind
    name: str
    start: datetime
    id: int = 0
    parent: int | None = None
    subject: str = ""
    """The id of the host; "" for the cluster itself."""
    end: datetime | None = None
    """None if it is still going on."""
    actor: str = ""
    """Who made it begin."""
    ended_by: str = ""
    result: Result = Result.RUNNING
    because: str = ""
    """What was said when it ended."""
    critical: bool = False
    """Whether it is on the critical path."""
