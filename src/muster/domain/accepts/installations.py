"""Install, cancel, reset, and the answer of the generator."""

from muster.domain import events, host_events
from muster.domain.clusters import Cluster, PreparationStatus
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import DeleteFiles, GenerateFiles
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host
from muster.domain.moves import move_cluster, move_host
from muster.domain.settle import settle
from muster.domain.states.clusters import ClusterState
from muster.domain.states.hosts import HostState
from muster.domain.suggestions import bootstrap_among, suggested_roles
from muster.domain.triggers import Cancel, Install, PreparationReported, Prepared, Reset

from .names import withdraw_names


class StuckHost(Refused):
    """A host is in the way of what was asked of its cluster."""

    def __init__(self, host: Host, words: str) -> None:
        super().__init__(words)
        self.host = host


def install(draft: Draft, asked: Install) -> None:
    """Settle every role, choose the bootstrap, and begin to prepare."""
    draft.cluster  # noqa: B018 - raises where there is no cluster
    _settle_roles(draft)
    cluster = draft.cluster
    if cluster.status is not ClusterState.READY:
        raise Refused(f"Cluster {cluster.name} cannot be installed while it is {cluster.status}: {cluster.status_info}")
    _choose_bootstrap(draft)
    move_cluster(draft, cluster, asked)
    if cluster.validations_ignored:
        draft.tell(events.validations_ignored(cluster))
    draft.start(GenerateFiles(cluster_id=cluster.id, attempt=draft.cluster.preparation.attempt))


def _choose_bootstrap(draft: Draft) -> None:
    """One control plane host carries the bootstrap; who was to carry it before and has another role now does not."""
    hosts, cluster = draft.view.living, draft.cluster
    chosen = bootstrap_among(hosts)
    if chosen is None:
        raise Refused(f"Cluster {cluster.name} has no control plane host that could carry the bootstrap")
    for host in hosts:
        draft.put(host.but(bootstrap=host.id == chosen.id))
    if not chosen.bootstrap:
        draft.tell(host_events.host_bootstrap_set(draft.host(chosen.id)))


def _settle_roles(draft: Draft) -> None:
    """Every host gets a role. Where some have been left to the service, all have to be ready for that."""
    roles = suggested_roles(draft.view, forced=True)
    hosts = draft.view.living
    waiting = [f"{host.name} is {host.status}" for host in hosts if host.status is not HostState.KNOWN]
    if roles and waiting and all(host.inventory for host in hosts):
        raise Invalid(
            f"The roles of the hosts cannot be settled: {', '.join(waiting)}, and all must be {HostState.KNOWN};"
            " put right what is said against them"
        )
    for host_id, role in roles.items():
        draft.put(draft.host(host_id).but(role=role, suggested_role=role))
    if roles:
        settle(draft)


def cancel(draft: Draft, asked: Cancel) -> None:
    """Stop, on the cluster and on every host."""
    cluster = draft.cluster
    if not move_cluster(draft, cluster, asked):
        raise Refused(f"Cluster {cluster.name} is {cluster.status}; there is no installation to cancel")
    for host in draft.view.living:
        if not move_host(draft, host, asked):
            raise StuckHost(host, f"The installation cannot be cancelled while host {host.name} is {host.status}")
        draft.tell(host_events.host_installation_cancelled(host))
    draft.tell(events.cluster_installation_canceled(draft.cluster))


def reset(draft: Draft, asked: Reset) -> None:
    """Go back to the description. Hosts that were told to install need the discovery image; others register again."""
    cluster = draft.cluster
    if not move_cluster(draft, cluster, asked):
        raise Refused(f"Cluster {cluster.name} is {cluster.status}; there is no installation to reset")
    for host in draft.view.living:
        if not move_host(draft, host, asked):
            raise StuckHost(host, f"The installation cannot be reset while host {host.name} is {host.status}")
        draft.tell(host_events.host_installation_reset(host))
        if draft.host(host.id).status is HostState.RESETTING_PENDING:
            draft.tell(host_events.user_required_complete_installation_reset(host))
    withdraw_names(draft)
    draft.start(DeleteFiles(cluster_id=cluster.id, attempt=cluster.preparation.attempt))
    draft.tell(events.cluster_installation_reset(draft.cluster))


def preparation_reported(draft: Draft, happened: PreparationReported) -> None:
    """How far the files have come is shown until they are there; what is said of an attempt that is over is ignored."""
    cluster = draft.cluster
    if _is_awaited(cluster, happened.attempt) and cluster.preparation.status is PreparationStatus.NOT_STARTED:
        images = happened.images or cluster.preparation.images
        draft.put(cluster.but(preparation=cluster.preparation.but(reason=happened.words, images=images)))


def _is_awaited(cluster: Cluster, attempt: int) -> bool:
    return cluster.status is ClusterState.PREPARING and cluster.preparation.attempt == attempt


def prepared(draft: Draft, happened: Prepared) -> None:
    """The files are there, or cannot be had; the answer to an attempt that is over is ignored."""
    cluster = draft.cluster
    if not _is_awaited(cluster, happened.attempt):
        return
    if happened.failure:
        outcome = cluster.preparation.but(status=PreparationStatus.FAILED, reason=happened.failure)
        draft.tell(events.prepare_installation_failed(cluster, happened.failure))
    else:
        outcome = cluster.preparation.but(status=PreparationStatus.SUCCESS, reason="")
        cluster = cluster.but(openshift_cluster_id=happened.openshift_cluster_id)
        draft.tell(events.cluster_prepare_installation_started(cluster))
    draft.put(cluster.but(preparation=outcome))


ACCEPTS: Accepts = {
    Install: install,
    Cancel: cancel,
    Reset: reset,
    PreparationReported: preparation_reported,
    Prepared: prepared,
}
