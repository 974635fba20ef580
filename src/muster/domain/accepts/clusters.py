"""What users ask of the description of a cluster."""

from muster.domain import events, host_events
from muster.domain.cluster_names import check_unused
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import DeleteFiles
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host
from muster.domain.inputs.clusters import changed_cluster, new_cluster
from muster.domain.inputs.clusters_elsewhere import disconnected_cluster, imported_cluster
from muster.domain.inputs.install_configs import with_overrides
from muster.domain.moves import move_host
from muster.domain.states.clusters import ClusterState
from muster.domain.triggers import (
    DeleteCluster,
    FilesDeleted,
    ImportCluster,
    KeepUiSettings,
    OverrideInstallConfig,
    RegisterCluster,
    RegisterDisconnectedCluster,
    UnbindHost,
    UpdateCluster,
)

from .names import withdraw_names


def register(draft: Draft, asked: RegisterCluster) -> None:
    """A new cluster."""
    cluster = new_cluster(
        asked.inputs,
        cluster_id=asked.cluster_id,
        owner=asked.owner,
        now=draft.view.now,
        policy=draft.view.policy,
    )
    draft.put(cluster.but(**asked.ownership))
    draft.tell(events.cluster_registration_succeeded(cluster))


def take_over(draft: Draft, asked: ImportCluster) -> None:
    """A cluster that runs, to which hosts are to be added. Some clients choose its id themselves."""
    if draft.view.cluster is not None:
        raise Invalid(f"id: there is, or has been, a cluster {asked.cluster_id} already; choose another id")
    cluster = imported_cluster(asked.inputs, cluster_id=asked.cluster_id, owner=asked.owner, now=draft.view.now)
    draft.put(cluster.but(**asked.ownership))
    draft.tell(events.cluster_registration_succeeded(cluster))


def register_disconnected(draft: Draft, asked: RegisterDisconnectedCluster) -> None:
    """A cluster that is installed without this service."""
    cluster = disconnected_cluster(asked.inputs, cluster_id=asked.cluster_id, owner=asked.owner, now=draft.view.now)
    draft.put(cluster.but(**asked.ownership))
    draft.tell(events.cluster_registration_succeeded(cluster))


def override_install_config(draft: Draft, asked: OverrideInstallConfig) -> None:
    """The install-config as the user wants it."""
    cluster = with_overrides(draft.cluster, asked.overrides, draft.view)
    draft.put(cluster)
    draft.tell(events.install_config_applied(cluster))


def keep_ui_settings(draft: Draft, asked: KeepUiSettings) -> None:
    """What a user interface wants kept, as it is."""
    draft.put(draft.cluster.but(ui_settings=asked.settings))


def update(draft: Draft, asked: UpdateCluster) -> None:
    """The same cluster, described differently."""
    before = draft.cluster
    after = changed_cluster(before, asked.changes, draft.view)
    check_unused(after, asked.found)
    draft.put(after)
    if after.proxy != before.proxy:
        draft.tell(events.proxy_settings_changed(after))


def delete(draft: Draft, _: DeleteCluster) -> None:
    """Given up, unless it is being installed."""
    cluster = draft.cluster
    if cluster.status is ClusterState.INSTALLING:
        raise Refused(f"Cluster {cluster.name} is being installed; cancel the installation before deleting it")
    withdraw_names(draft)
    give_up(draft)


def give_up(draft: Draft) -> None:
    """Given up, with the hosts of its own images; hosts that were given to it go back to the pool.

    Of its files, keys and passwords go at once; logs and the user's own manifests go when it is forgotten.
    """
    cluster, now = draft.cluster, draft.view.now
    for host in draft.view.living:
        if _was_given(draft, host) and move_host(draft, host, UnbindHost(host_id=host.id)):
            draft.tell(host_events.host_unbind_succeeded(host))
        else:
            draft.put(host.but(deleted_at=now))
            draft.tell(host_events.host_deregistered(host))
    draft.put(cluster.but(deleted_at=now))
    draft.tell(events.cluster_deregistered(cluster))
    draft.start(DeleteFiles(cluster_id=cluster.id, attempt=cluster.preparation.attempt))


def forget(draft: Draft, _: FilesDeleted) -> None:
    """Nothing is kept of a cluster that was given up, now that its files are gone."""
    if draft.view.cluster is not None and draft.view.cluster.deleted_at is not None:
        draft.forget()


def _was_given(draft: Draft, host: Host) -> bool:
    """Whether a host came from the pool, and not from an image that is the cluster's own."""
    infra_env = draft.view.infra_envs.get(host.infra_env_id)
    return infra_env is not None and not infra_env.deleted and infra_env.cluster_id is None


ACCEPTS: Accepts = {
    RegisterCluster: register,
    ImportCluster: take_over,
    RegisterDisconnectedCluster: register_disconnected,
    UpdateCluster: update,
    OverrideInstallConfig: override_install_config,
    KeepUiSettings: keep_ui_settings,
    DeleteCluster: delete,
    FilesDeleted: forget,
}
