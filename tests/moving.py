"""How tests take one step along a state table, and how they see that every row was taken."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from builders import cluster_view, host_view
from muster.domain.clusters import Cluster
from muster.domain.draft import Draft
from muster.domain.events import Event
from muster.domain.hosts import Host
from muster.domain.moves import move_cluster, move_host
from muster.domain.states.cases import ClusterCase, HostCase
from muster.domain.states.cluster_table import CLUSTER_TABLE
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.table import Table, Transition
from muster.domain.triggers import Trigger
from muster.domain.validations import assess_cluster, assess_host
from muster.domain.views import View


class Move(NamedTuple):
    """What became of a record, and what was told."""

    record: Any
    events: list[Event]


def moved_host(view: View, trigger: Trigger, host_id: str = "m1") -> Host:
    """The host after one row of its table, if any applies."""
    return host_move(view, trigger, host_id).record


def host_move(view: View, trigger: Trigger, host_id: str = "m1") -> Move:
    """One row of a host's table, if any applies."""
    case, draft = host_case(view, trigger, host_id), Draft(view)
    move_host(draft, case.host, trigger, case.assessment, case.peers)
    return Move(draft.view.hosts[host_id], draft.events)


def cluster_move(view: View, trigger: Trigger) -> Move:
    """One row of the cluster's table, if any applies."""
    case, draft = cluster_case(view, trigger), Draft(view)
    move_cluster(draft, case.cluster, trigger, case.assessment, case.peers)
    return Move(draft.cluster, draft.events)


def moved_cluster(view: View, trigger: Trigger) -> Cluster:
    """The cluster after one row of its table, if any applies."""
    return cluster_move(view, trigger).record


def host_case(view: View, trigger: Trigger, host_id: str = "m1") -> HostCase:
    """What the rows of a host's table see."""
    seen = host_view(view, host_id)
    return HostCase(view, seen.host, seen.peers, assess_host(seen), trigger)


def cluster_case(view: View, trigger: Trigger) -> ClusterCase:
    """What the rows of the cluster's table see."""
    seen = cluster_view(view)
    return ClusterCase(view, seen.cluster, seen.peers, assess_cluster(seen), trigger)


def host_rows(situations: Iterable[tuple[View, Trigger]]) -> list[str]:
    """The rows of the host table that these situations leave unproven."""
    return _unproven(HOST_TABLE, [(host_case(*each), host_case(*each).host.status) for each in situations])


def cluster_rows(situations: Iterable[tuple[View, Trigger]]) -> list[str]:
    """The rows of the cluster table that these situations leave unproven."""
    return _unproven(CLUSTER_TABLE, [(cluster_case(*each), each[0].cluster.status) for each in situations])


def _unproven(table: Table[Any], cases: list[tuple[Any, Any]]) -> list[str]:
    """Rows that no case takes, and conditions that are never false where the row might be taken."""
    taken: set[int] = set()
    refused: set[int] = set()
    for case, state in cases:
        on = type(case.trigger)
        match = table.matching(on, state, case)
        for number, row in enumerate(table.rows):
            if row is match:
                taken.add(number)
            elif row.on is on and state in row.source and not row.when.test(case):
                refused.add(number)
    missing = [f"never taken: {_named(row)}" for number, row in enumerate(table.rows) if number not in taken]
    return missing + [
        f"never refused: {_named(row)}"
        for number, row in enumerate(table.rows)
        if number not in refused and row.when.name != "always"
    ]


def _named(row: Transition) -> str:
    return f"{row.on.__name__} {sorted(row.source)} -> {row.target} when {row.when.name}"
