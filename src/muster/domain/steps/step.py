"""What a step is: work asked of an agent, and what is learnt from its reply."""

from collections.abc import Callable, Iterable
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.events import Event
from muster.domain.hosts import Host
from muster.domain.record import Record
from muster.domain.triggers import Replied
from muster.domain.views import HostView

Args = tuple[Any, ...]
"""The arguments of a step: text as it is, anything else to be written as JSON."""


class Step(Record):
    """One kind of work.

    `ask` gives the arguments, or None when there is nothing to ask now. `reads` is what a good reply
    is decoded as; `learn` is what it makes of the host, `learn_cluster` what it makes of the cluster, and
    `tells` what the user is told about it, from the host before and after. `fail` is what a bad reply
    makes of the host. What a step learns it may also refuse.
    """

    kind: str
    ask: Callable[[HostView], Args | None]
    reads: Any = None
    learn: Callable[[HostView, Any], Host] | None = None
    learn_cluster: Callable[[Cluster, Any], Cluster] | None = None
    fail: Callable[[Host, Replied], Host] | None = None
    tells: Callable[[HostView, HostView, Any], Iterable[Event]] | None = None
    tolerant: bool = False
    """A failed reply still carries output worth reading; an empty one means the step already runs."""
