"""What a step is: work asked of an agent, and what is learnt from its reply."""

from collections.abc import Callable
from typing import Any

from muster.domain.hosts import Host
from muster.domain.record import Record
from muster.domain.views import HostView

Args = tuple[Any, ...]
"""The arguments of a step: text as it is, anything else to be written as JSON."""


class Step(Record):
    """One kind of work.

    `ask` gives the arguments, or None when there is nothing to ask now. `reads` is what a good reply
    is decoded as, `learn` what it changes about the host. `fail` is what a bad reply changes.
    """

    kind: str
    ask: Callable[[HostView], Args | None]
    reads: Any = None
    learn: Callable[[Host, Any], Host] | None = None
    fail: Callable[[Host, int], Host] | None = None
    tolerant: bool = False
    """A failed reply still carries output worth reading; an empty one means the step already runs."""
