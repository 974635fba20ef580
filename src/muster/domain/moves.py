"""Moving a host or a cluster along its table, with the words and events that belong to it."""

from typing import TypeVar

from . import events, host_events
from .clusters import Cluster
from .draft import Draft
from .hosts import Host
from .states.cases import ClusterCase, HostCase
from .states.cluster_table import CLUSTER_TABLE
from .states.host_table import HOST_TABLE
from .states.table import Transition
from .triggers import Trigger
from .validations.catalogue import Assessment
from .views import NO_PEERS, Peers

LONGEST_WORDS = 2040
"""Clients cut longer status lines."""

NO_ASSESSMENT = Assessment()


R = TypeVar("R", Host, Cluster)


def _words(row: Transition, case: HostCase | ClusterCase, old: str) -> str:
    if row.because is None:
        return old
    if "{" not in row.because:
        return row.because
    return row.because.format_map(case).removesuffix(": ").removesuffix(" - ")[:LONGEST_WORDS]


def _moved(row: Transition, case: HostCase | ClusterCase, record: R) -> R:
    """The record as the row leaves it."""
    moved: R = row.does(case) if row.does else record
    moved = moved.but(status_info=_words(row, case, record.status_info))
    if row.target is None or row.target is record.status:
        return moved
    return moved.but(status=row.target, status_updated_at=case.now)


def move_host(
    draft: Draft, host: Host, trigger: Trigger, assessment: Assessment = NO_ASSESSMENT, peers: Peers = NO_PEERS
) -> bool:
    """Take the first row that applies to a host; False if there is none."""
    case = HostCase(draft.view, host, peers, assessment, trigger)
    row = HOST_TABLE.matching(type(trigger), host.status, case)
    if row is None:
        return False
    moved = _moved(row, case, host)
    draft.put(moved)
    if moved.status is not host.status:
        # A host that leaves its cluster is told of there.
        draft.tell(
            host_events.host_status_updated(moved.but(cluster_id=moved.cluster_id or host.cluster_id), host.status)
        )
    draft.tell(*(row.tells(moved) if row.tells else ()))
    return True


def move_cluster(
    draft: Draft, cluster: Cluster, trigger: Trigger, assessment: Assessment = NO_ASSESSMENT, peers: Peers = NO_PEERS
) -> bool:
    """Take the first row that applies to a cluster; False if there is none."""
    case = ClusterCase(draft.view, cluster, peers, assessment, trigger)
    row = CLUSTER_TABLE.matching(type(trigger), cluster.status, case)
    if row is None:
        return False
    moved = _moved(row, case, cluster)
    draft.put(moved)
    if moved.status is not cluster.status:
        draft.tell(events.cluster_status_updated(moved))
    draft.tell(*(row.tells(moved) if row.tells else ()))
    return True
