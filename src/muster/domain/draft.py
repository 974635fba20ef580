"""A decision in the making: the view as it changes, and what is told and set going on the way."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from .clusters import Cluster
from .effects import AnyEffect
from .errors import MusterError, NotFound
from .events import Event
from .hosts import Host
from .infra_envs import InfraEnv
from .record import Record
from .triggers import Trigger
from .views import View, scope_of

AnyRecord = Cluster | Host | InfraEnv


class Decision(Record):
    """The core's answer: the records that changed, what to tell, what to do next, and when to look again."""

    view: View
    """The settled view after the decision."""
    changes: tuple[tuple[AnyRecord | None, AnyRecord], ...] = ()
    """Every changed record, before and after."""
    events: tuple[Event, ...] = ()
    effects: tuple[AnyEffect, ...] = ()
    deadline: datetime | None = None
    forgotten: bool = False
    """Whether nothing of the scope is to be kept any more."""
    outcomes: tuple[MusterError | None, ...] = ()
    """For each trigger, why it was not accepted; None if it was."""

    @property
    def changed(self) -> bool:
        """Whether there is anything to write down."""
        return bool(self.changes or self.events or self.effects or self.forgotten)

    def host(self, host_id: str) -> Host:
        """A host as it is after the decision."""
        return self.view.hosts[host_id]

    @property
    def cluster(self) -> Cluster:
        """The cluster as it is after the decision."""
        if self.view.cluster is None:
            raise NotFound("There is no such cluster")
        return self.view.cluster


class Draft:
    """Mutable on the inside of one decision only."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.events: list[Event] = []
        self.effects: list[AnyEffect] = []
        self.forgotten = False

    @property
    def cluster(self) -> Cluster:
        """The cluster of the view."""
        if self.view.cluster is None or self.view.cluster.deleted_at is not None:
            raise NotFound(f"There is no cluster {self.view.scope.partition(':')[2]}")
        return self.view.cluster

    def host(self, host_id: str) -> Host:
        """A living host of the view."""
        host = self.view.hosts.get(host_id)
        if host is None or host.deleted_at is not None or scope_of(host) != self.view.scope:
            raise NotFound(f"There is no host {host_id}")
        return host

    @property
    def infra_env(self) -> InfraEnv:
        """The infra-env whose own view this is."""
        infra_env = self.view.own_infra_env
        if infra_env is None or infra_env.deleted:
            raise NotFound(f"There is no infra-env {self.view.scope.partition(':')[2]}")
        return infra_env

    def put(self, record: AnyRecord) -> None:
        """Change or add a record."""
        if isinstance(record, Cluster):
            self.view = self.view.with_cluster(record)
        elif isinstance(record, Host):
            self.view = self.view.with_host(record)
        else:
            self.view = self.view.but(infra_envs={**self.view.infra_envs, record.id: record})

    def tell(self, *events: Event) -> None:
        """Tell the user."""
        self.events += [event.but(at=self.view.now) for event in events]

    def start(self, effect: AnyEffect) -> None:
        """Set work going."""
        self.effects.append(effect)

    def forget(self) -> None:
        """Keep nothing of the scope: neither records nor what was told of them."""
        self.forgotten = True

    def mark(self) -> tuple[View, int, int]:
        """Where the draft stands, to come back to."""
        return self.view, len(self.events), len(self.effects)

    def back_to(self, mark: tuple[View, int, int]) -> None:
        """Undo everything since the mark."""
        self.view = mark[0]
        del self.events[mark[1] :]
        del self.effects[mark[2] :]


Accepts = dict[type[Trigger], Callable[[Draft, Any], None]]
"""Triggers with the functions that accept them, or refuse by raising."""
