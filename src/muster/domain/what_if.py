"""What would follow if something were changed: the same decision as ever, on a changed view, and nothing is kept.

Turns a view and what a user supposes into the difference between now and then; the API calls it.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, UnsetType

from .clusters import SECRETS as CLUSTER_SECRETS
from .clusters import Cluster
from .decide import decide
from .hosts import SECRETS as HOST_SECRETS
from .hosts import Host
from .inputs.clusters import ClusterUpdate
from .inputs.fields import Input, given
from .inputs.hosts import HostUpdate
from .record import Record, record_patch
from .states.hosts import HostState
from .triggers import DeleteHost, Ticked, Trigger, UpdateCluster, UpdateHost
from .validations.catalogue import assess_cluster, assess_host
from .verdicts import NO_EVIDENCE, Evidence, Finding, evidence_of
from .views import ClusterView, HostView, Peers, View, peers_of


class Supposition(Input):
    """What might be changed: the cluster, some of its hosts, and which hosts belong to it."""

    cluster: ClusterUpdate | UnsetType = UNSET
    hosts: dict[str, HostUpdate] | UnsetType = UNSET
    """By the id of the host."""
    add: tuple[str, ...] | UnsetType = UNSET
    """Hosts of the pool, each as the id of its infra-env, a slash, and its own id."""
    remove: tuple[str, ...] | UnsetType = UNSET
    """Hosts of the cluster, by id."""

    @property
    def added(self) -> tuple[str, ...]:
        """The hosts of the pool that are supposed to be the cluster's."""
        return given(self.add, ())


class Turn(Record):
    """A check that would come out differently, or say something else; None where it would not be made."""

    id: str
    before: Finding | None
    after: Finding | None
    evidence: Evidence = NO_EVIDENCE
    """What the verdict after the change rests on."""


class Difference(Record):
    """What would become of a cluster or a host."""

    id: str
    name: str
    before: str | None
    """Its state now; None if it is not there."""
    after: str | None
    """Its state then."""
    because: str = ""
    """Why, in words."""
    verdicts: tuple[Turn, ...] = ()
    facts: dict[str, Any] = {}
    """Everything else that would differ, as a merge patch: roles, disks, networks."""

    @property
    def matters(self) -> bool:
        """Whether there is any difference at all."""
        return self.before != self.after or bool(self.verdicts or self.facts)


class Outcome(Record):
    """All that would differ."""

    cluster: Difference
    hosts: tuple[Difference, ...] = ()
    """Those of which anything would differ."""


def what_if(view: View, supposed: Supposition, added: tuple[Host, ...] = ()) -> Outcome:
    """The difference that a change would make. Raises what the change itself would be refused with."""
    now = decide(view, Ticked()).view
    supposing = now
    for host in added:
        supposing = supposing.with_host(_taken_in(host, now))
    decision = decide(supposing, *_triggers(supposed))
    for refusal in decision.outcomes:
        if refusal is not None:
            raise refusal
    return _outcome(now, decision.view)


def _taken_in(host: Host, view: View) -> Host:
    """A host of the pool as if the cluster had it; what the others are to it is not known yet."""
    assert view.cluster is not None, "only clusters take in hosts"
    return host.but(cluster_id=view.cluster.id, status=HostState.DISCOVERING)


def _triggers(supposed: Supposition) -> list[Trigger]:
    """What a user would ask for, in an order in which each makes sense; time passes if nothing is asked."""
    asked: list[Trigger] = [DeleteHost(host_id=host_id) for host_id in given(supposed.remove, ())]
    asked += [UpdateHost(host_id=key, changes=changes) for key, changes in given(supposed.hosts, {}).items()]
    if supposed.cluster is not UNSET:
        asked.append(UpdateCluster(changes=supposed.cluster))
    return asked or [Ticked()]


def _outcome(now: View, then: View) -> Outcome:
    before = {host.id: host for host in now.living}
    after = {host.id: host for host in then.living}
    peers = peers_of(then.living)
    judged = {key: assess_host(HostView(then, host, peers)).verdicts for key, host in after.items()}
    hosts = (_difference(before.get(key), after.get(key), judged.get(key, {})) for key in {**before, **after})
    return Outcome(
        cluster=_difference(now.cluster, then.cluster, _judged_cluster(then, peers)),
        hosts=tuple(each for each in hosts if each.matters),
    )


def _judged_cluster(then: View, peers: Peers) -> dict[str, Finding]:
    """What is judged of the cluster then, with its evidence."""
    assert then.cluster is not None, "a supposition is about a cluster"
    return assess_cluster(ClusterView(then, then.cluster, peers)).verdicts


WORDED = frozenset({"status", "status_info", "status_updated_at", "updated_at", "verdicts", "deleted_at"})
"""Fields that are told in their own words, or are of no interest."""


def _difference(before: Cluster | Host | None, after: Cluster | Host | None, judged: dict[str, Finding]) -> Difference:
    there = after or before
    assert there is not None, "something is there now or then"
    findings = after.verdicts if after else {}
    return Difference(
        id=there.id,
        name=there.name,
        before=before.status if before else None,
        after=after.status if after else None,
        because=after.status_info if after else "",
        verdicts=tuple(_turns(before.verdicts if before else {}, findings, judged)),
        facts=_facts(before, after) if before and after else {},
    )


def _facts(before: Cluster | Host, after: Cluster | Host) -> dict[str, Any]:
    hidden = CLUSTER_SECRETS if isinstance(after, Cluster) else HOST_SECRETS
    patch = record_patch(before, after, hidden=hidden)
    return {name: value for name, value in patch.items() if name not in WORDED}


def _turns(before: dict[str, Finding], after: dict[str, Finding], judged: dict[str, Finding]) -> Iterator[Turn]:
    """What would differ: first what would come out differently, then what would only say something else."""
    turns = [(before.get(name), after.get(name), name) for name in {**before, **after}]
    for old, new, name in sorted((each for each in turns if each[0] != each[1]), key=_only_words):
        evidence = evidence_of(judged[name]) if name in judged else NO_EVIDENCE
        yield Turn(id=name, before=old, after=new, evidence=evidence)


def _only_words(turn: tuple[Finding | None, Finding | None, str]) -> bool:
    old, new, _ = turn
    return old is not None and new is not None and old.status is new.status
