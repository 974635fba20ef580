"""What users ask of the description of a cluster."""

from muster.domain import events
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import DeleteFiles
from muster.domain.errors import Refused
from muster.domain.inputs.clusters import changed_cluster, new_cluster
from muster.domain.states.clusters import ClusterState
from muster.domain.triggers import DeleteCluster, RegisterCluster, UpdateCluster


def register(draft: Draft, asked: RegisterCluster) -> None:
    """A new cluster."""
    cluster = new_cluster(
        asked.inputs,
        cluster_id=asked.cluster_id,
        owner=asked.owner,
        now=draft.view.now,
        policy=draft.view.policy,
    )
    draft.put(cluster)
    draft.tell(events.cluster_registration_succeeded(cluster))


def update(draft: Draft, asked: UpdateCluster) -> None:
    """The same cluster, described differently."""
    before = draft.cluster
    after = changed_cluster(before, asked.changes, hosts=draft.view.living, policy=draft.view.policy)
    draft.put(after)
    if after.proxy != before.proxy:
        draft.tell(events.proxy_settings_changed(after))


def delete(draft: Draft, _: DeleteCluster) -> None:
    """Given up, with its hosts and its files."""
    cluster = draft.cluster
    if cluster.status is ClusterState.INSTALLING:
        raise Refused(f"Cluster {cluster.name} is being installed; cancel the installation before deleting it")
    now = draft.view.now
    for host in draft.view.living:
        draft.put(host.but(deleted_at=now))
        draft.tell(events.host_deregistered(host))
    draft.put(cluster.but(deleted_at=now))
    draft.tell(events.cluster_deregistered(cluster))
    draft.start(DeleteFiles(cluster_id=cluster.id, everything=True))


ACCEPTS: Accepts = {RegisterCluster: register, UpdateCluster: update, DeleteCluster: delete}
