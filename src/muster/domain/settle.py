"""From what was just learnt to everything that follows from it, until nothing moves any more.

Cluster and hosts settle together: each round derives, judges and moves all of them once. What has not
changed since the last settled view is not judged again.
"""

from datetime import datetime
from typing import Any

from . import events, host_events
from .clusters import Cluster
from .derive import derive_disks, derive_groups, derive_networks, derive_progress, derive_roles
from .draft import Draft
from .hosts import Host
from .moves import NO_ASSESSMENT, move_cluster, move_host
from .record import Record
from .states.cases import ClusterCase, HostCase
from .states.cluster_table import CLUSTER_TABLE
from .states.clusters import JUDGED
from .states.host_table import HOST_TABLE
from .states.table import TICK
from .triggers import Ticked
from .validations.catalogue import Assessment, assess_cluster, assess_host, reassess_host
from .verdicts import Finding, Status
from .views import ClusterView, HostView, Peers, View, peers_of

ROUNDS = 12
"""More than any chain of consequences needs; not settling by then is a fault in the tables."""

TICKED = Ticked()

MOVING = frozenset({"status", "status_info", "status_updated_at", "updated_at", "verdicts", "progress", "preparation"})
"""Fields of a cluster that no check of a host looks at."""

TOGETHER = ("majority_groups", "ip_collisions")
"""Fields of a cluster that say how its hosts find each other: what the others are to a host."""

LOOKED_AT = tuple(name for name in Cluster.__struct_fields__ if name not in MOVING.union(TOGETHER))


class Judged(Record):
    """A host as it was judged, and the outcome."""

    host: Host
    connected: bool
    assessment: Assessment


class Memo(Record):
    """What the last settling worked out."""

    cluster: Cluster | None = None
    infra_envs: Any = None
    peers: Peers = Peers()
    hosts: dict[str, Judged] = {}
    roster: Any = None
    """The hosts as they were when the cluster was judged."""
    cluster_assessment: Assessment = Assessment()


def settle(draft: Draft) -> None:
    """Let everything follow that follows."""
    for _ in range(ROUNDS):
        before = draft.view
        _derive(draft)
        _judge_and_move(draft)
        if draft.view.cluster is before.cluster and draft.view.hosts is before.hosts:
            return
    raise AssertionError(f"{draft.view.scope} does not settle")


def _derive(draft: Draft) -> None:
    memo: Memo = draft.view.memo or Memo()
    known = {host_id: judged.host for host_id, judged in memo.hosts.items()}
    fresh = [host for host in draft.view.living if known.get(host.id) is not host]
    cluster = draft.view.cluster
    for host in fresh if _same_to_hosts(cluster, memo.cluster) else draft.view.living:
        draft.put(derive_disks(draft, host))
    if cluster is None or cluster.deleted_at is not None:
        return
    derive_roles(draft)
    cluster = derive_groups(draft.view, derive_networks(draft.view, cluster))
    draft.put(derive_progress(draft.view, cluster))


def _same_to_hosts(cluster: Cluster | None, before: Cluster | None, fields: tuple[str, ...] = LOOKED_AT) -> bool:
    """Whether two versions of a cluster look the same to the checks of its hosts, in some fields."""
    if cluster is before:
        return True
    if cluster is None or before is None:
        return False
    return all(getattr(cluster, name) is getattr(before, name) for name in fields)


def _judge_and_move(draft: Draft) -> None:
    view = draft.view
    memo: Memo = view.memo or Memo()
    peers = peers_of(view.living)
    if peers == memo.peers:
        peers = memo.peers
    same = view.infra_envs is memo.infra_envs and _same_to_hosts(view.cluster, memo.cluster)
    same_others = peers is memo.peers and _same_to_hosts(view.cluster, memo.cluster, TOGETHER)
    judged: dict[str, Judged] = {}
    for host in view.living:
        before = memo.hosts.get(host.id) if same else None
        outcome = _judge(HostView(view, host, peers), before, same_others=same_others)
        if outcome is not before or host.verdicts is not before.host.verdicts:
            _remember(draft, host, outcome.assessment)
        move_host(draft, draft.view.hosts[host.id], TICKED, outcome.assessment, peers)
        moved = draft.view.hosts[host.id]
        # A move may change what is looked at; then the outcome is of the host as it was, and does not last.
        lasts = moved.status is host.status and _same_to_checks(moved, host)
        judged[host.id] = outcome.but(host=moved if lasts else host)
    assessment = NO_ASSESSMENT
    cluster = draft.view.cluster
    if cluster is not None and cluster.deleted_at is None:
        assessment = memo.cluster_assessment
        unchanged = cluster is memo.cluster and draft.view.hosts is memo.roster
        if cluster.status in JUDGED and not unchanged:
            assessment = assess_cluster(ClusterView(draft.view, cluster, peers))
            _remember_cluster(draft, cluster, assessment)
        cluster = draft.cluster
        move_cluster(draft, cluster, TICKED, assessment, peers)
    draft.view = draft.view.but(
        memo=Memo(
            # As it was judged: a move may change what is looked at.
            cluster=cluster,
            infra_envs=draft.view.infra_envs,
            peers=peers,
            hosts=judged,
            roster=draft.view.hosts,
            cluster_assessment=assessment,
        )
    )


def _judge(case: HostView, before: Judged | None, *, same_others: bool) -> Judged:
    """The assessment of a host, worked out only as far as something it depends on has changed."""
    if before is None or before.connected != case.connected or not _same_to_checks(case.host, before.host):
        return Judged(host=case.host, connected=case.connected, assessment=assess_host(case))
    if same_others:
        return before
    assessment = reassess_host(case, before.assessment)
    return before if assessment is before.assessment else before.but(host=case.host, assessment=assessment)


def _same_to_checks(host: Host, before: Host) -> bool:
    """Whether two versions of a host look the same to its checks: all but its state and its words."""
    if host is before:
        return True
    return all(getattr(host, name) is getattr(before, name) for name in HOST_LOOKED_AT)


HOST_LOOKED_AT = tuple(
    name
    for name in Host.__struct_fields__
    if name not in {"status", "status_info", "status_updated_at", "updated_at", "verdicts"}
)


def _remember(draft: Draft, host: Host, assessment: Assessment) -> None:
    """Write the verdicts on a host down; turning points are told."""
    findings = assessment.findings(host.verdicts)
    for name, finding in _turns(host.verdicts, findings):
        tell = (
            host_events.host_validation_failed
            if finding.status is Status.FAILURE
            else host_events.host_validation_fixed
        )
        draft.tell(tell(host, name, finding.message))
    draft.put(host.but(verdicts=findings))


def _remember_cluster(draft: Draft, cluster: Cluster, assessment: Assessment) -> None:
    """Write the verdicts on a cluster down; turning points are told."""
    findings = assessment.findings(cluster.verdicts)
    for name, finding in _turns(cluster.verdicts, findings):
        failed = finding.status is Status.FAILURE
        tell = events.cluster_validation_failed if failed else events.cluster_validation_fixed
        draft.tell(tell(cluster, name, finding.message))
    draft.put(cluster.but(verdicts=findings))


def _turns(before: dict[str, Finding], after: dict[str, Finding]) -> list[tuple[str, Finding]]:
    """The checks that began to fail and those that pass again; what is judged for the first time is no turn."""
    return [
        (name, now)
        for name, now in after.items()
        if (was := before.get(name)) is not None
        and was is not now
        and (was.status is Status.FAILURE) != (now.status is Status.FAILURE)
        and now.status in TOLD
    ]


TOLD = frozenset({Status.FAILURE, Status.SUCCESS})


def next_deadline(view: View) -> datetime | None:
    """The next moment at which something may follow from time alone."""
    memo: Memo = view.memo or Memo()
    dues = []
    for host in view.living:
        outcome = memo.hosts.get(host.id)
        case = HostCase(view, host, memo.peers, outcome.assessment if outcome else NO_ASSESSMENT, TICKED)
        dues.append(HOST_TABLE.next_due(Ticked, host.status, case, view.now))
        if case.connected and not case.after_reboot:
            # In every state the verdict on its silence changes by time alone.
            dues.append(case.silent_at + TICK)
    if view.cluster is not None and view.cluster.deleted_at is None:
        case_of_cluster = ClusterCase(view, view.cluster, memo.peers, memo.cluster_assessment, TICKED)
        dues.append(CLUSTER_TABLE.next_due(Ticked, view.cluster.status, case_of_cluster, view.now))
    return min((due for due in dues if due is not None), default=None)
