"""How tests ask for one verdict, and what they expect of every verdict there is."""

from typing import Any

from builders import a_cluster, a_pool_view, a_view, cluster_view, host_view
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.verdicts import Status, Verdict

OF_HOSTS = {check.id: check for check in HOST_VALIDATIONS}
OF_CLUSTERS = {check.id: check for check in CLUSTER_VALIDATIONS}


def host_verdict(name: str, host: Host, *others: Host, cluster: Cluster | None = None, **view: Any) -> Verdict | None:
    """What one check says of a host among others."""
    return OF_HOSTS[name](host_view(a_view(cluster or a_cluster(), [host, *others], **view), host.id))


def pool_verdict(name: str, host: Host, **view: Any) -> Verdict | None:
    """What one check says of a host that belongs to no cluster."""
    return OF_HOSTS[name](host_view(a_pool_view(host, **view), host.id))


def cluster_verdict(name: str, cluster: Cluster, *hosts: Host, **view: Any) -> Verdict | None:
    """What one check says of a cluster with its hosts."""
    return OF_CLUSTERS[name](cluster_view(a_view(cluster, hosts, **view)))


def status_of(verdict: Verdict | None) -> Status | None:
    """How a check came out; None if it did not apply."""
    return verdict.status if verdict else None


EXPLAINED_BY = {
    Status.SUCCESS: ("required",),
    Status.DISABLED: ("required", "source"),
    Status.PENDING: ("required", "source"),
    Status.FAILURE: ("measured", "required", "source", "fix"),
    Status.ERROR: ("measured", "required", "source", "fix"),
}
"""What evidence every verdict must have, by how it came out."""


def explained(verdict: Verdict | None) -> bool:
    """Whether a verdict says what was measured against what, who said so, and a bad one what to do."""
    if verdict is None:
        return True
    return bool(verdict.message) and all(getattr(verdict.evidence, name) for name in EXPLAINED_BY[verdict.status])
