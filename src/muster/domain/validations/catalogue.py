"""Every check of hosts and clusters. To add one, write one function in the module of its category."""

from functools import lru_cache
from typing import Any

from muster.domain.operators import OLM_OPERATORS
from muster.domain.views import ClusterView, HostView

from . import addresses, cluster_networks, clusters, domain_names, hardware, network, operators
from .registry import Assessment, Validation, assess

__all__ = ["CLUSTER_VALIDATIONS", "HOST_VALIDATIONS", "Assessment", "assess_cluster", "assess_host", "reassess_host"]


def _collect(*modules: Any) -> tuple[Validation[Any], ...]:
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Validation))


HOST_VALIDATIONS: tuple[Validation[HostView], ...] = (
    *_collect(hardware, network, domain_names, addresses),
    *operators.OF_HOSTS,
)
"""In the order in which clients list them."""

CLUSTER_VALIDATIONS: tuple[Validation[ClusterView], ...] = tuple(
    sorted((*_collect(clusters, cluster_networks), *operators.OF_CLUSTERS), key=lambda check: check.id)
)
"""In the order in which clients list them: by id."""

POOL_VALIDATIONS = tuple(check for check in HOST_VALIDATIONS if check.in_pool)


GATES = {check.id: check.gates for check in HOST_VALIDATIONS}


def reassess_host(view: HostView, before: Assessment) -> Assessment:
    """Every verdict on a host of which only the others have changed since; the same object if all stay."""
    assert view.cluster is not None, "a host without a cluster has no others"
    checks = _of_others(tuple(operator.name for operator in view.cluster.operators))
    again = assess_host(view, tuple(checks.values()))
    ids = checks.keys()
    if again.held == before.held & ids and all(again.verdicts.get(name) == before.verdicts.get(name) for name in ids):
        return before
    kept = {name: verdict for name, verdict in before.verdicts.items() if name not in ids}
    held = (before.held - ids) | again.held
    return Assessment(
        verdicts=kept | again.verdicts,
        closed=frozenset().union(*(GATES[name] for name in held)),
        held=held,
        unspoken=before.unspoken,
    )


@lru_cache(maxsize=64)
def _of_others(operators: tuple[str, ...]) -> dict[str, Validation[HostView]]:
    """The checks that have to be made again when only other hosts have changed; operators count if selected."""
    selected = {OLM_OPERATORS[name].check for name in operators if name in OLM_OPERATORS}
    return {
        check.id: check
        for check in HOST_VALIDATIONS
        if check.of_others and (check.category != "operators" or check.id in selected)
    }


def assess_host(view: HostView, checks: tuple[Validation[HostView], ...] = ()) -> Assessment:
    """Every verdict on a host, or those of some checks only."""
    cluster = view.cluster
    ignored = cluster.ignored_host_validations if cluster else ()
    return assess(
        view,
        checks or (HOST_VALIDATIONS if cluster else POOL_VALIDATIONS),
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
