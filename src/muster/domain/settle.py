"""From what was just learnt to everything that follows from it, until nothing moves any more.

Cluster and hosts settle together: each round derives, judges and moves all of them once. What has not changed since
the last round, of this settling or of the one before, is neither derived nor judged again, nor does it move.
"""

from datetime import datetime
from typing import Any

from . import events, host_events
from .clusters import Cluster
from .derive import derive_disks, derive_groups, derive_networks, derive_progress, derive_roles
from .draft import Draft
from .hosts import Host
from .moves import NO_ASSESSMENT, move_cluster, move_host
from .record import Record, differences
from .states.cases import ClusterCase, HostCase
from .states.cluster_table import CLUSTER_TABLE
from .states.clusters import JUDGED
from .states.host_table import HOST_TABLE
from .states.hosts import BEFORE_INSTALL, IN_POOL
from .states.table import TICK
from .triggers import Ticked
from .validations.catalogue import (
    LOOKED_AT_BY,
    Assessment,
    assess_cluster,
    assess_host,
    cluster_checks_of,
    host_checks_of,
    operators_of,
    reassess_cluster,
    reassess_host,
)
from .validations.operators import spoken
from .validations.registry import Validation
from .verdicts import Finding, Status
from .views import ClusterView, HostView, Peers, View, peers_of

ROUNDS = 12
"""More than any chain of consequences needs; not settling by then is a fault in the tables."""

TICKED = Ticked()

WORDS = frozenset({"status_info", "updated_at", "verdicts"})
"""Fields of a record that say what is so; nothing follows from them."""

STATE = frozenset({"status", "status_updated_at"})

HOST_FIELDS = tuple(name for name in Host.__struct_fields__ if name not in WORDS)
CLUSTER_FIELDS = tuple(name for name in Cluster.__struct_fields__ if name not in WORDS)

TOGETHER = ("majority_groups", "ip_collisions")
"""Fields of a cluster that say how its hosts find each other: what the others are to a host."""

OWN = frozenset({
    "api_vip_lease", "api_vips", "ingress_vip_lease", "ingress_vips", "machine_network_updated_at", "preparation",
    "progress", "schedulable_masters_forced_true", "vips_overdue",
})  # fmt: skip
"""Fields of a cluster that are no affair of its hosts."""

LOOKED_AT = tuple(name for name in CLUSTER_FIELDS if name not in STATE.union(TOGETHER, OWN))
"""Fields of a cluster that the checks, the disks and the roles of its hosts depend on."""

MET = ("status", "role", "suggested_role", "cluster_id", "deleted_at", "fencing_credentials")
"""Fields of a host that the moves of others depend on."""

AROUND = tuple(name for name in CLUSTER_FIELDS if name not in OWN)
"""Fields of a cluster that the moves of its hosts depend on."""

SAID = tuple(name for name in Host.__struct_fields__ if name != "updated_at")
"""All that is said of a host; when something was last said counts for nothing."""

MEASURED = frozenset(LOOKED_AT_BY)
"""Fields of a host that its disks and its role do not depend on."""

CHOOSING = BEFORE_INSTALL | IN_POOL
"""States in which disks and roles are still chosen."""


class Judged(Record):
    """A host as it was judged, and the outcome."""

    host: Host
    connected: bool
    assessment: Assessment
    seen_at: datetime
    due: datetime | None = None
    """When something may follow from time alone."""

    def stands(self, view: View, host: Host) -> bool:
        """Whether nothing would come of judging and moving the host again, if all around it is as it was."""
        in_time = self.due is None or view.now < self.due
        return in_time and view.seen_at(host) == self.seen_at and not differences(host, self.host, SAID)


class Memo(Record):
    """What the last round worked out."""

    cluster: Cluster | None = None
    infra_envs: Any = None
    peers: Peers = Peers()
    hosts: dict[str, Judged] = {}
    met: dict[str, Host] = {}
    """The hosts as they were when they were judged."""
    roster: dict[str, Host] = {}
    """The hosts as they were when the cluster was judged."""
    cluster_assessment: Assessment = Assessment()


NO_MEMO = Memo()


def settle(draft: Draft) -> None:
    """Let everything follow that follows."""
    for _ in range(ROUNDS):
        _derive(draft)
        derived = draft.view
        _judge_and_move(draft)
        if not _has_moved(draft.view, derived):
            return
    raise AssertionError(f"{draft.view.scope} does not settle")


def _has_moved(view: View, before: View) -> bool:
    """Whether anything has changed from which more may follow."""
    if not _same(view.cluster, before.cluster, CLUSTER_FIELDS):
        return True
    return any(differences(host, before.hosts[key], HOST_FIELDS) for key, host in view.hosts.items())


def _same(cluster: Cluster | None, before: Cluster | None, fields: tuple[str, ...]) -> bool:
    """Whether two versions of a cluster are the same in some fields."""
    if cluster is None or before is None:
        return cluster is before
    return not differences(cluster, before, fields)


def _derive(draft: Draft) -> None:
    """Work out what follows from the facts, as far as they are not those that were judged last."""
    view, memo = draft.view, draft.view.memo or NO_MEMO
    living = view.living
    same = view.infra_envs is memo.infra_envs and _same(view.cluster, memo.cluster, LOOKED_AT)
    others = memo.hosts.keys() != {host.id for host in living}
    news = [(host, _news(host, memo)) for host in living]
    fresh = [host for host, fields in news if not (same and fields <= MEASURED)]
    if fresh or others:
        _derive_hosts(draft, fresh)
    cluster = draft.view.cluster
    if cluster is None or cluster.deleted_at is not None:
        return
    if fresh or others or any(fields for _, fields in news) or not _same(cluster, memo.cluster, CLUSTER_FIELDS):
        cluster = derive_groups(draft.view, derive_networks(draft.view, cluster))
        draft.put(derive_progress(draft.view, cluster))


def _news(host: Host, memo: Memo) -> frozenset[str]:
    """The fields in which a host is not what was judged; its state counts if disks are no longer, or now, chosen."""
    judged = memo.hosts.get(host.id)
    if judged is None:
        return EVERYTHING
    fields = differences(host, judged.host, HOST_FIELDS)
    return fields - STATE if (host.status in CHOOSING) == (judged.host.status in CHOOSING) else fields


EVERYTHING = frozenset(HOST_FIELDS)


def _derive_hosts(draft: Draft, fresh: list[Host]) -> None:
    """Disks and roles of hosts: a role needs certain disks, and which disks will do depends on the role."""
    for host in fresh:
        draft.put(derive_disks(draft, host))
    cluster = draft.view.cluster
    if cluster is None or cluster.deleted_at is not None:
        return
    for _ in range(ROUNDS):
        before = draft.view.hosts
        derive_roles(draft)
        assigned = draft.view.hosts
        for host in [host for key, host in assigned.items() if host is not before[key]]:
            draft.put(derive_disks(draft, host))
        if draft.view.hosts is assigned:
            return
    raise AssertionError(f"the roles of {draft.view.scope} do not settle")


def _judge_and_move(draft: Draft) -> None:
    view, memo = draft.view, draft.view.memo or NO_MEMO
    peers = peers_of(view.living)
    if peers == memo.peers:
        peers = memo.peers
    same = view.infra_envs is memo.infra_envs and _same(view.cluster, memo.cluster, LOOKED_AT)
    same_others = peers is memo.peers and _same(view.cluster, memo.cluster, TOGETHER)
    still = same and same_others and _same(view.cluster, memo.cluster, AROUND) and _have_met(view.hosts, memo.met)
    judged: dict[str, Judged] = {}
    for host in view.living:
        before = memo.hosts.get(host.id) if same else None
        if still and before is not None and before.stands(view, host):
            judged[host.id] = before
        else:
            judged[host.id] = _judge_and_move_host(draft, HostView(view, host, peers), before, same_others=same_others)
    assessment = NO_ASSESSMENT
    cluster, roster = draft.view.cluster, draft.view.hosts
    if cluster is not None and cluster.deleted_at is None:
        assessment = _judge_cluster(draft, ClusterView(draft.view, cluster, peers), memo)
        move_cluster(draft, draft.cluster, TICKED, assessment, peers)
        if _same(draft.view.cluster, cluster, CLUSTER_FIELDS):
            cluster = draft.view.cluster
    draft.view = draft.view.but(
        memo=Memo(
            cluster=cluster,
            infra_envs=view.infra_envs,
            peers=peers,
            hosts=judged,
            met=view.hosts,
            roster=roster,
            cluster_assessment=assessment,
        )
    )


def _have_met(hosts: dict[str, Host], met: dict[str, Host]) -> bool:
    """Whether the hosts are to each other what they were."""
    return hosts.keys() == met.keys() and not any(differences(host, met[key], MET) for key, host in hosts.items())


def _judge_and_move_host(draft: Draft, case: HostView, before: Judged | None, *, same_others: bool) -> Judged:
    host, peers = case.host, case.peers
    outcome = _judge(case, before, same_others=same_others)
    if before is None or outcome.assessment is not before.assessment or host.verdicts is not before.host.verdicts:
        _remember(draft, host, outcome.assessment)
    move_host(draft, draft.view.hosts[host.id], TICKED, outcome.assessment, peers)
    moved = draft.view.hosts[host.id]
    return outcome.but(
        # A move may change what is looked at; then the outcome is of the host as it was, and does not last.
        host=host if differences(moved, host, HOST_FIELDS) else moved,
        seen_at=case.seen_at,
        due=_due(HostCase(draft.view, moved, peers, outcome.assessment, TICKED)),
    )


def _judge(case: HostView, before: Judged | None, *, same_others: bool) -> Judged:
    """The assessment of a host, worked out only as far as something it depends on has changed."""
    if before is None or before.connected != case.connected:
        assessment = assess_host(case)
        return Judged(host=case.host, connected=case.connected, assessment=assessment, seen_at=case.seen_at)
    fields = differences(case.host, before.host, HOST_FIELDS) - STATE
    checks = host_checks_of(fields, None if same_others else operators_of(case.cluster))
    if checks is None:
        return before.but(assessment=assess_host(case))
    return before.but(assessment=reassess_host(case, before.assessment, checks)) if checks else before


def _judge_cluster(draft: Draft, case: ClusterView, memo: Memo) -> Assessment:
    """The assessment of a cluster, worked out and written down only as far as something has changed."""
    cluster, before = case.cluster, memo.cluster_assessment
    if cluster.status not in JUDGED:
        return before
    checks = _cluster_checks(case, memo)
    if checks is None:
        assessment = assess_cluster(case)
    else:
        assessment = reassess_cluster(case, before, checks) if checks else before
    if assessment is not before or memo.cluster is None or cluster.verdicts is not memo.cluster.verdicts:
        _remember_cluster(draft, cluster, assessment)
    return assessment


def _cluster_checks(case: ClusterView, memo: Memo) -> tuple[Validation[ClusterView], ...] | None:
    """The checks of a cluster that have to be made again; None if all have."""
    hosts, roster = case.view.hosts, memo.roster
    if (
        case.peers is not memo.peers
        or hosts.keys() != roster.keys()
        or not _same(case.cluster, memo.cluster, CLUSTER_FIELDS)
    ):
        return None
    return cluster_checks_of(
        frozenset().union(*(differences(host, roster[key], HOST_FIELDS) for key, host in hosts.items()))
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
    if before.keys() != after.keys():
        before, after = spoken(before), spoken(after)
    return [
        (name, now)
        for name, now in after.items()
        if (was := before.get(name)) is not now
        and was is not None
        and (was.status is Status.FAILURE) != (now.status is Status.FAILURE)
        and now.status in TOLD
    ]


TOLD = frozenset({Status.FAILURE, Status.SUCCESS})


def _due(case: HostCase) -> datetime | None:
    """The next moment at which something may follow for a host from time alone."""
    due = HOST_TABLE.next_due(Ticked, case.host.status, case, case.now)
    if not case.connected or case.after_reboot:
        return due
    # In every state the verdict on its silence changes by time alone.
    silent = case.silent_at + TICK
    return silent if due is None else min(due, silent)


def next_deadline(view: View) -> datetime | None:
    """The next moment at which something may follow from time alone."""
    memo: Memo = view.memo or Memo()
    dues = [each.due for each in memo.hosts.values()]
    if view.cluster is not None and view.cluster.deleted_at is None:
        case_of_cluster = ClusterCase(view, view.cluster, memo.peers, memo.cluster_assessment, TICKED)
        dues.append(CLUSTER_TABLE.next_due(Ticked, view.cluster.status, case_of_cluster, view.now))
    return min((due for due in dues if due is not None), default=None)
