"""The names of a cluster in the DNS: which it is about to have, and which go when it goes."""

from muster.domain.draft import Accepts, Draft
from muster.domain.effects import WithdrawNames
from muster.domain.states.clusters import ClusterState
from muster.domain.triggers import NamesChosen, NamesWithdrawn


def withdraw_names(draft: Draft) -> None:
    """Let the names go that the service has created for the cluster."""
    cluster = draft.cluster
    if cluster.dns_names:
        attempt = cluster.preparation.attempt
        draft.start(WithdrawNames(cluster_id=cluster.id, attempt=attempt, names=cluster.dns_names))


def chosen(draft: Draft, happened: NamesChosen) -> None:
    """Whatever becomes of the installation, it is known which names may be there; an attempt that is over has none."""
    cluster = draft.cluster
    if cluster.status is ClusterState.PREPARING and cluster.preparation.attempt == happened.attempt:
        draft.put(cluster.but(dns_names=happened.names))


def withdrawn(draft: Draft, happened: NamesWithdrawn) -> None:
    """Names that are gone are not withdrawn again."""
    cluster = draft.view.cluster
    if cluster is not None:
        left = tuple(each for each in cluster.dns_names if each not in happened.names)
        draft.put(cluster.but(dns_names=left))


ACCEPTS: Accepts = {NamesChosen: chosen, NamesWithdrawn: withdrawn}
