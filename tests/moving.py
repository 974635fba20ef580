"""Hosts and clusters in the situations that a state table is about, and one step along the table."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from builders import NOW, a_view_of, cluster_view, host_view, some_ready_hosts
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.draft import Draft
from muster.domain.events import Event
from muster.domain.hosts import Host, HostState
from muster.domain.moves import move_cluster, move_host
from muster.domain.progress import ClusterProgress, FinalizingStage, HostProgress, Stage
from muster.domain.states.cases import ClusterCase, HostCase
from muster.domain.states.cluster_table import CLUSTER_TABLE
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.table import Table, Transition
from muster.domain.triggers import Trigger
from muster.domain.validations.catalogue import assess_cluster, assess_host
from muster.domain.views import View

# Situations


def at_stage(stage: Stage | None, minutes: float = 0) -> HostProgress:
    """A stage that was last heard of so many minutes ago."""
    moment = NOW - timedelta(minutes=minutes)
    return HostProgress(current_stage=stage, stage_started_at=moment, stage_updated_at=moment)


def a_host_in(
    status: HostState, cluster: ClusterState = ClusterState.READY, *, minutes: float = 0, wants=None, **changes
) -> View:
    """A cluster of three, its first host in a state for so many minutes."""
    first, *others = some_ready_hosts()
    first = first.but(status=status, status_updated_at=NOW - timedelta(minutes=minutes), **changes)
    return a_view_of(cluster, [first, *others], **(wants or {}))


def a_cluster_in(status: ClusterState, *hosts: HostState, minutes: float = 0, workers: int = 0, **changes) -> View:
    """A cluster in a state for so many minutes, its hosts in theirs; the last ones are workers."""
    made = some_ready_hosts(len(hosts) - workers, workers)
    made = [host.but(status=state) for host, state in zip(made, hosts, strict=True)]
    return a_view_of(status, made, status_updated_at=NOW - timedelta(minutes=minutes), **changes)


def finalizing_at(stage: FinalizingStage, minutes: float, *, late: bool = False) -> ClusterProgress:
    """A finalizing stage that began so many minutes ago."""
    return ClusterProgress(
        finalizing_stage=stage,
        finalizing_stage_started_at=NOW - timedelta(minutes=minutes),
        finalizing_stage_timed_out=late,
    )


def a_finalizing_view(stage: FinalizingStage, minutes: float, *, late: bool = False, **changes) -> View:
    """A cluster that comes up, at a stage."""
    return a_cluster_in(
        ClusterState.FINALIZING,
        *[HostState.INSTALLED] * 3,
        progress=finalizing_at(stage, minutes, late=late),
        **changes,
    )


# Moves


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
