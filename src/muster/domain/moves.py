"""Moving a host or a cluster along its table, with the words and events that belong to it."""

from . import events
from .clusters import Cluster
from .draft import Draft
from .hosts import Host
from .states.cases import ClusterCase, HostCase
from .states.cluster_table import CLUSTER_TABLE
from .states.clusters import ClusterState
from .states.host_table import HOST_TABLE
from .states.table import Transition
from .triggers import Trigger
from .validations import Assessment
from .views import Peers

LONGEST_WORDS = 2040
"""Clients cut longer status lines."""

NO_ASSESSMENT = Assessment()
NO_PEERS = Peers()


def _words(row: Transition, case: HostCase | ClusterCase, old: str) -> str:
    if row.because is None:
        return old
    if "{" not in row.because:
        return row.because
    return row.because.format_map(case.words()).removesuffix(": ")[:LONGEST_WORDS]


def move_host(
    draft: Draft, host: Host, trigger: Trigger, assessment: Assessment = NO_ASSESSMENT, peers: Peers = NO_PEERS
) -> bool:
    """Take the first row that applies to a host; False if there is none."""
    case = HostCase(draft.view, host, peers, assessment, trigger)
    row = HOST_TABLE.matching(type(trigger), host.status, case)
    if row is None:
        return False
    info = _words(row, case, host.status_info)
    moved = (row.does(case) if row.does else host).but(status_info=info)
    if row.target is not None and row.target is not host.status:
        moved = moved.but(status=row.target, status_updated_at=draft.view.now)
        draft.tell(events.host_status_updated(moved, host.status))
    draft.put(moved)
    return True


def move_cluster(
    draft: Draft, cluster: Cluster, trigger: Trigger, assessment: Assessment = NO_ASSESSMENT, peers: Peers = NO_PEERS
) -> bool:
    """Take the first row that applies to a cluster; False if there is none."""
    case = ClusterCase(draft.view, cluster, peers, assessment, trigger)
    row = CLUSTER_TABLE.matching(type(trigger), cluster.status, case)
    if row is None:
        return False
    info = _words(row, case, cluster.status_info)
    moved = (row.does(case) if row.does else cluster).but(status_info=info)
    if row.target is not None and row.target is not cluster.status:
        moved = moved.but(status=row.target, status_updated_at=draft.view.now)
        draft.tell(events.cluster_status_updated(moved))
        if row.target in LAST_WORDS:
            draft.tell(LAST_WORDS[row.target](moved))
    draft.put(moved)
    return True


LAST_WORDS = {
    ClusterState.ERROR: events.cluster_installation_failed,
    ClusterState.INSTALLED: events.cluster_installation_completed,
}
"""What is told in addition when an installation ends."""
