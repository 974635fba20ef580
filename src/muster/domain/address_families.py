"""Which families of addresses a cluster has, and which of them comes first.

Rules for input, features and the answers of the API ask here, so that all mean the same by "both families".
"""

from .clusters import Cluster
from .networks import families, family


def texts_of(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    """The addresses and networks of a cluster by field, as texts."""
    return {
        "machine_networks": cluster.machine_networks,
        "api_vips": tuple(vip.ip for vip in cluster.api_vips),
        "ingress_vips": tuple(vip.ip for vip in cluster.ingress_vips),
        "service_networks": cluster.service_networks,
        "cluster_networks": tuple(network.cidr for network in cluster.cluster_networks),
    }


def leading_list(cluster: Cluster) -> tuple[str, int | None]:
    """The first list of the cluster with both families, and the family that comes first in it; "" if there is none."""
    mixed = ((field, family(texts[0])) for field, texts in texts_of(cluster).items() if len(families(texts)) > 1)
    return next(mixed, ("", None))


def dual_stack(cluster: Cluster) -> bool:
    """Whether any list of the cluster has both families."""
    return bool(leading_list(cluster)[0])
