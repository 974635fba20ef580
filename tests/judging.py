"""How tests ask for one verdict, and what they expect of every verdict there is."""

from typing import Any

from builders import a_cluster, a_view, cluster_view, host_view
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.verdicts import Status, Verdict

OF_HOSTS = {check.id: check for check in HOST_VALIDATIONS}
OF_CLUSTERS = {check.id: check for check in CLUSTER_VALIDATIONS}


def host_verdict(name: str, host: Host, *others: Host, cluster: Cluster | None = None, **view: Any) -> Verdict | None:
    """What one check says of a host among others."""
    return OF_HOSTS[name](host_view(a_view(cluster or a_cluster(), [host, *others], **view), host.id))


def cluster_verdict(name: str, cluster: Cluster, *hosts: Host, **view: Any) -> Verdict | None:
    """What one check says of a cluster with its hosts."""
    return OF_CLUSTERS[name](cluster_view(a_view(cluster, hosts, **view)))


def status_of(verdict: Verdict | None) -> Status | None:
    """How a check came out; None if it did not apply."""
    return verdict.status if verdict else None


def explained(verdict: Verdict | None) -> bool:
    """Whether a verdict says what was measured against what, and a bad one what to do."""
    if verdict is None:
        return True
    evidence = verdict.evidence
    told = bool(verdict.message and evidence.required)
    return told and (bool(evidence.fix) or verdict.status in {Status.SUCCESS, Status.PENDING})
