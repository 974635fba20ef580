"""Giving hosts of the pool to clusters and taking them back."""

from muster.domain import host_events
from muster.domain.clusters import Cluster
from muster.domain.draft import Accepts, Draft
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.fields import require_none
from muster.domain.inputs.hosts import unfit_problems
from muster.domain.moves import move_host
from muster.domain.states.clusters import UPDATABLE
from muster.domain.states.hosts import IN_PREPARATION, INSTALLING, HostState
from muster.domain.triggers import BindHost, ReclaimHost, UnbindHost
from muster.domain.views import cluster_scope

HELD = IN_PREPARATION | INSTALLING | {HostState.PENDING_USER_ACTION}
"""States in which a host is not taken from its cluster."""


def bind(draft: Draft, asked: BindHost) -> None:
    """A host of the pool goes to a cluster. It is decided about in its own scope, the cluster is looked at beside."""
    host = draft.host(asked.host_id)
    if host.cluster_id is not None:
        raise Refused(f"Host {host.name} belongs to cluster {host.cluster_id} already; unbind it first")
    beside = draft.view.beside.get(cluster_scope(asked.cluster_id))
    cluster = beside.cluster if beside else None
    if cluster is None or cluster.deleted_at is not None:
        raise Invalid(f"cluster_id: there is no cluster {asked.cluster_id}")
    _require_fit(draft, host, cluster)
    if cluster.status not in UPDATABLE:
        raise Refused(f"Cluster {cluster.name} is {cluster.status} and takes in no new hosts")
    if not move_host(draft, host, asked):
        raise Refused(f"Host {host.name} is {host.status}; only a host that is {HostState.KNOWN_UNBOUND} can be bound")
    draft.tell(host_events.host_bind_succeeded(draft.view.hosts[host.id], cluster))


def _require_fit(draft: Draft, host: Host, cluster: Cluster) -> None:
    """The cluster can use such a machine in such a role."""
    infra_env: InfraEnv | None = draft.view.infra_envs.get(host.infra_env_id)
    mine = infra_env.cpu_architecture if infra_env else ""
    if mine and cluster.cpu_architecture not in ("", "multi", mine):
        raise Invalid(
            f"cluster_id: cluster {cluster.name} is for {cluster.cpu_architecture}, and host {host.name} is {mine}"
        )
    require_none(unfit_problems(host, cluster, draft.view.policy))


def unbind(draft: Draft, asked: UnbindHost) -> None:
    """A host goes back to the pool; the user starts the discovery image on it where it does not run any more."""
    host = draft.host(asked.host_id)
    if host.status in HELD:
        raise Refused(f"Host {host.name} is {host.status}; cancel the installation before taking it from its cluster")
    _take_back(draft, host, asked)


def reclaim(draft: Draft, asked: ReclaimHost) -> None:
    """A host goes back to the pool by itself if it can."""
    _take_back(draft, draft.host(asked.host_id), asked)


def _take_back(draft: Draft, host: Host, asked: UnbindHost | ReclaimHost) -> None:
    if host.cluster_id is None:
        raise Refused(f"Host {host.name} belongs to no cluster")
    infra_env = draft.view.infra_envs.get(host.infra_env_id)
    if infra_env is not None and infra_env.cluster_id:
        raise Refused(
            f"Host {host.name} was started from an image of cluster {infra_env.cluster_id}, to which it belongs;"
            " delete the host instead"
        )
    if not move_host(draft, host, asked):
        raise Refused(f"Host {host.name} is {host.status} and cannot be taken from its cluster")
    draft.tell(host_events.host_unbind_succeeded(host))


ACCEPTS: Accepts = {BindHost: bind, UnbindHost: unbind, ReclaimHost: reclaim}
