"""Every check of hosts and clusters. To add one, write one function in the module of its category."""

from typing import Any

from muster.domain.views import ClusterView, HostView

from . import addresses, clusters, domain_names, hardware, network, operators
from .registry import Assessment, Validation, assess

__all__ = ["CLUSTER_VALIDATIONS", "HOST_VALIDATIONS", "Assessment", "assess_cluster", "assess_host"]


def _collect(*modules: Any) -> tuple[Validation[Any], ...]:
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Validation))


HOST_VALIDATIONS: tuple[Validation[HostView], ...] = (
    *_collect(hardware, network, domain_names, addresses),
    *operators.OF_HOSTS,
)
"""In the order in which clients list them."""

CLUSTER_VALIDATIONS: tuple[Validation[ClusterView], ...] = tuple(
    sorted((*_collect(clusters), *operators.OF_CLUSTERS), key=lambda check: check.id)
)
"""In the order in which clients list them: by id."""

POOL_VALIDATIONS = tuple(check for check in HOST_VALIDATIONS if check.in_pool)


def assess_host(view: HostView) -> Assessment:
    """Every verdict on a host."""
    cluster = view.cluster
    ignored = cluster.ignored_host_validations if cluster else ()
    return assess(
        view,
        HOST_VALIDATIONS if cluster else POOL_VALIDATIONS,
        disabled=frozenset() if ignored else view.policy.disabled_host_validations,
        ignored=ignored,
        stage=view.host.progress.current_stage,
    )


def assess_cluster(view: ClusterView) -> Assessment:
    """Every verdict on a cluster."""
    ignored = view.cluster.ignored_cluster_validations
    return assess(
        view,
        CLUSTER_VALIDATIONS,
        disabled=frozenset() if ignored else view.policy.disabled_cluster_validations,
        ignored=ignored,
    )
