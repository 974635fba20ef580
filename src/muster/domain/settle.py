"""From what was just learnt to everything that follows from it, until nothing moves any more.

Cluster and hosts settle together: each round derives, judges and moves all of them once. What has not changed since
the last round, of this settling or of the one before, is neither derived nor judged again, nor does it move.
"""

from datetime import datetime
from typing import Any

from msgspec.structs import asdict, replace

from . import events, host_events
from .clusters import Cluster
from .derive import derive_disks, derive_groups, derive_networks, derive_progress, derive_roles
from .draft import Draft
from .hosts import Host
from .moves import NO_ASSESSMENT, move_cluster, move_host
from .record import NO_FIELDS, Record, differences
from .states.cases import ClusterCase, HostCase
from .states.cluster_table import CLUSTER_TABLE
from .states.clusters import JUDGED
from .states.host_table import HOST_TABLE
from .states.hosts import CHOOSING, HostState
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
from .validations.operators import UNSELECTED, spoken
from .validations.registry import Validation
from .verdicts import Finding, Status
from .views import TOGETHER, ClusterView, HostView, Peers, View, peers_of

ROUNDS = 12
"""More than any chain of consequences needs; not settling by then is a fault in the tables."""

TICKED = Ticked()

STAMP = frozenset({"updated_at"})

WORDS = STAMP | {"status_info", "verdicts"}
"""Fields of a record that say what is so; nothing follows from them."""

STATE = frozenset({"status", "status_updated_at"})

HOST_FIELDS = frozenset(Host.__struct_fields__) - WORDS
CLUSTER_FIELDS = frozenset(Cluster.__struct_fields__) - WORDS

OWN = frozenset({
    "api_vip_lease", "api_vips", "ingress_vip_lease", "ingress_vips", "machine_network_updated_at", "preparation",
    "progress", "schedulable_masters_forced_true", "vips_overdue",
})  # fmt: skip
"""Fields of a cluster that are no affair of its hosts."""

LOOKED_AT = CLUSTER_FIELDS - STATE - TOGETHER - OWN
"""Fields of a cluster that the checks, the disks and the roles of its hosts depend on."""

AROUND = LOOKED_AT | STATE
"""Fields of a cluster that the moves of its hosts depend on."""

MINDFUL = frozenset({HostState.PENDING_USER_ACTION})
"""States in which the moves of a host depend on other hosts."""

MET = frozenset({"status", "role", "suggested_role", "cluster_id", "deleted_at", "fencing_credentials"})
"""Fields of those others that they depend on."""

UNJUDGED = STATE | TOGETHER
"""Fields of a cluster that its own checks do not look at."""

MEASURED = frozenset(LOOKED_AT_BY)
"""Fields of a host that its disks and its role do not depend on."""


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
        return in_time and view.seen_at(host) == self.seen_at and differences(host, self.host) <= STAMP


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
    if _news_of(view.cluster, before.cluster) or not _have_met(view.hosts, before.hosts):
        return True
    return any(_news(host, before.hosts[key]) for key, host in view.hosts.items())


def _news_of(cluster: Cluster | None, before: Cluster | None) -> frozenset[str]:
    """The fields in which a cluster is not what it was, and from which something may follow."""
    if cluster is None or before is None:
        return NO_FIELDS if cluster is before else CLUSTER_FIELDS
    return differences(cluster, before) - WORDS


def _derive(draft: Draft) -> None:
    """Work out what follows from the facts, as far as they are not those that were judged last."""
    view, memo = draft.view, draft.view.memo or NO_MEMO
    living = view.living
    news = _news_of(view.cluster, memo.cluster)
    same = view.infra_envs is memo.infra_envs and LOOKED_AT.isdisjoint(news)
    others = memo.hosts.keys() != {host.id for host in living}
    told = [(host, _news(host, memo.hosts[host.id].host if host.id in memo.hosts else None)) for host in living]
    fresh = [host for host, fields in told if not (same and fields <= MEASURED)]
    if fresh or others:
        _derive_hosts(draft, fresh)
    cluster = draft.view.cluster
    if cluster is None or cluster.deleted_at is not None:
        return
    if news or fresh or others or any(fields for _, fields in told):
        cluster = derive_groups(draft.view, derive_networks(draft.view, cluster))
        draft.put(derive_progress(draft.view, cluster))


def _news(host: Host, before: Host | None) -> frozenset[str]:
    """The fields in which a host is not what it was, and from which something may follow.

    It moves as far as it goes at once, so its state counts only if disks and roles are no longer, or now, chosen.
    """
    if host is before:
        return NO_FIELDS
    if before is None:
        return HOST_FIELDS
    fields = differences(host, before) - WORDS
    return fields - STATE if (host.status in CHOOSING) == (before.status in CHOOSING) else fields


def _derive_hosts(draft: Draft, fresh: list[Host]) -> None:
    """Disks and roles of hosts: a role needs certain disks, and which disks will do depends on the role."""
    for host in fresh:
        draft.put(derive_disks(draft, host))
    cluster = draft.view.cluster
    if cluster is None or cluster.deleted_at is not None:
        return
    for _ in range(ROUNDS):
        judged_otherwise = derive_roles(draft)
        assigned = draft.view.hosts
        for host in judged_otherwise:
            draft.put(derive_disks(draft, host))
        if draft.view.hosts is assigned:
            return
    raise AssertionError(f"the roles of {draft.view.scope} do not settle")


def _judge_and_move(draft: Draft) -> None:
    view, memo = draft.view, draft.view.memo or NO_MEMO
    living = view.living
    peers = memo.peers.but(**asdict(peers_of(living)))
    news = _news_of(view.cluster, memo.cluster)
    others = differences(peers, memo.peers) | (news & TOGETHER)
    same = view.infra_envs is memo.infra_envs and LOOKED_AT.isdisjoint(news)
    still = same and AROUND.isdisjoint(news) and _have_met(view.hosts, memo.met)
    judged: dict[str, Judged] = {}
    for host in living:
        before = memo.hosts.get(host.id) if same else None
        stands = still and before is not None and before.stands(view, host)
        if before is not None and stands and not others:
            judged[host.id] = before
        else:
            case = HostView(view, host, peers)
            judged[host.id] = _judge_and_move_host(draft, case, before, others, stands=stands)
    assessment = NO_ASSESSMENT
    cluster, roster = draft.view.cluster, draft.view.hosts
    if cluster is not None and cluster.deleted_at is None:
        assessment = _judge_cluster(draft, ClusterView(draft.view, cluster, peers), memo)
        move_cluster(draft, draft.cluster, TICKED, assessment, peers)
        if not _news_of(draft.view.cluster, cluster):
            cluster = draft.view.cluster
    draft.view = replace(
        draft.view,
        memo=Memo(
            cluster=cluster,
            infra_envs=view.infra_envs,
            peers=peers,
            hosts=judged,
            met=view.hosts,
            roster=roster,
            cluster_assessment=assessment,
        ),
    )


def _have_met(hosts: dict[str, Host], met: dict[str, Host]) -> bool:
    """Whether the hosts are to each other what they were, or do not mind."""
    if not any(host.status in MINDFUL for host in hosts.values()):
        return True
    return hosts.keys() == met.keys() and not any(differences(host, met[key]) & MET for key, host in hosts.items())


def _judge_and_move_host(
    draft: Draft, case: HostView, before: Judged | None, others: frozenset[str], *, stands: bool
) -> Judged:
    """What a host is judged to be, and where it goes; one that stands goes nowhere unless it is judged otherwise."""
    host, peers = case.host, case.peers
    outcome = _judge(case, before, others)
    if stands and outcome is before:
        return outcome
    if before is None or outcome.assessment is not before.assessment or host.verdicts is not before.host.verdicts:
        _remember(draft, host, outcome.assessment)
    moved = _moved_on(draft, host.id, outcome.assessment, peers)
    return outcome.but(
        # A move may change what is looked at; then the outcome is of the host as it was, and does not last.
        host=host if _news(moved, host) else moved,
        seen_at=case.seen_at,
        due=_due(HostCase(draft.view, moved, peers, outcome.assessment, TICKED)),
    )


def _moved_on(draft: Draft, host_id: str, assessment: Assessment, peers: Peers) -> Host:
    """Let a host move as far as it goes by what it is judged to be, which does not depend on its state alone."""
    for _ in range(ROUNDS):
        host = draft.view.hosts[host_id]
        move_host(draft, host, TICKED, assessment, peers)
        moved = draft.view.hosts[host_id]
        if moved.status is host.status or _news(moved, host):
            return moved
    raise AssertionError(f"host {host_id} does not come to rest")


def _judge(case: HostView, before: Judged | None, others: frozenset[str]) -> Judged:
    """The assessment of a host, worked out only as far as something it depends on has changed."""
    if before is None or before.connected != case.connected:
        assessment = assess_host(case, before=case.host.verdicts)
        return Judged(host=case.host, connected=case.connected, assessment=assessment, seen_at=case.seen_at)
    fields = differences(case.host, before.host) - WORDS - STATE
    checks = host_checks_of(fields, others, operators_of(case.cluster))
    if checks is None:
        return before.but(assessment=assess_host(case, before=case.host.verdicts))
    return before.but(assessment=reassess_host(case, before.assessment, checks)) if checks else before


def _judge_cluster(draft: Draft, case: ClusterView, memo: Memo) -> Assessment:
    """The assessment of a cluster, worked out and written down only as far as something has changed."""
    cluster, before = case.cluster, memo.cluster_assessment
    if cluster.status not in JUDGED:
        return before
    checks = _cluster_checks(case, memo)
    if checks is None:
        assessment = assess_cluster(case, before=cluster.verdicts)
    else:
        assessment = reassess_cluster(case, before, checks) if checks else before
    if assessment is not before or memo.cluster is None or cluster.verdicts is not memo.cluster.verdicts:
        _remember_cluster(draft, cluster, assessment)
    return assessment


def _cluster_checks(case: ClusterView, memo: Memo) -> tuple[Validation[ClusterView], ...] | None:
    """The checks of a cluster that have to be made again; None if all have."""
    if not _news_of(case.cluster, memo.cluster) <= UNJUDGED:
        return None
    hosts, roster, fields = case.view.hosts, memo.roster, HOST_FIELDS
    if case.peers is memo.peers and hosts.keys() == roster.keys():
        fields = frozenset().union(*(differences(host, roster[key]) for key, host in hosts.items())) - WORDS
    return cluster_checks_of(fields, operators_of(case.cluster))


def _remember(draft: Draft, host: Host, assessment: Assessment) -> None:
    """Write the verdicts on a host down; turning points are told."""
    findings = assessment.spoken
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
    findings = assessment.spoken
    for name, finding in _turns(cluster.verdicts, findings):
        failed = finding.status is Status.FAILURE
        tell = events.cluster_validation_failed if failed else events.cluster_validation_fixed
        draft.tell(tell(cluster, name, finding.message))
    draft.put(cluster.but(verdicts=findings))


def _turns(before: dict[str, Finding], after: dict[str, Finding]) -> list[tuple[str, Finding]]:
    """The checks that began to fail and those that pass again; what is judged for the first time is no turn."""
    if before.keys() != after.keys() and not UNSELECTED.keys().isdisjoint(before.keys() ^ after.keys()):
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
