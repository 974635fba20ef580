"""Every check of hosts and clusters. To add one, write one function in the module of its category."""

from functools import lru_cache
from typing import Any, TypeVar

from muster.domain.clusters import Cluster
from muster.domain.operators import OLM_OPERATORS
from muster.domain.verdicts import Finding
from muster.domain.views import ClusterView, HostView

from . import addresses, cluster_networks, clusters, domain_names, hardware, network, operators
from .registry import Assessment, Validation, assess

__all__ = [
    "CLUSTER_VALIDATIONS",
    "HOST_VALIDATIONS",
    "Assessment",
    "assess_cluster",
    "assess_host",
    "cluster_checks_of",
    "host_checks_of",
    "operators_of",
    "reassess_cluster",
    "reassess_host",
]

V = TypeVar("V")
Checks = tuple[Validation[V], ...]
Findings = dict[str, Finding]


def _collect(*modules: Any) -> tuple[Validation[Any], ...]:
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Validation))


HOST_VALIDATIONS: Checks[HostView] = (
    *_collect(hardware, network, domain_names, addresses),
    *operators.OF_HOSTS,
)
"""In the order in which clients list them."""

CLUSTER_VALIDATIONS: Checks[ClusterView] = tuple(
    sorted((*_collect(clusters, cluster_networks), *operators.OF_CLUSTERS), key=lambda check: check.id)
)
"""In the order in which clients list them: by id."""


def operators_of(cluster: Cluster | None) -> tuple[str, ...] | None:
    """What a cluster has of operators, by name; None for hosts without a cluster."""
    return tuple([operator.name for operator in cluster.operators]) if cluster else None


@lru_cache(maxsize=256)
def _of_hosts(selected: tuple[str, ...] | None) -> Checks[HostView]:
    """The checks of the hosts of a cluster with these operators, or of hosts without a cluster."""
    return tuple(
        check for check in HOST_VALIDATIONS if (check.in_pool if selected is None else _applies(check, selected))
    )


@lru_cache(maxsize=256)
def _of_clusters(selected: tuple[str, ...] | None) -> Checks[ClusterView]:
    """The checks of a cluster with these operators."""
    return tuple(check for check in CLUSTER_VALIDATIONS if _applies(check, selected or ()))


def _applies(check: Validation[Any], selected: tuple[str, ...]) -> bool:
    """Whether a check is one of all clusters, or of an operator that is selected."""
    return check.id not in OWNERS or OWNERS[check.id] in selected


OWNERS = {operator.check: operator.name for operator in OLM_OPERATORS.values()}
"""The operators that have checks of their own."""

LOOKED_AT_BY: dict[str, frozenset[str]] = {
    "clock_skew": frozenset({"time-synced-between-host-and-service"}),
    "connectivity": frozenset({
        "belongs-to-majority-group", "mtu-valid", "sufficient-network-latency-requirement-for-role",
        "sufficient-packet-loss-requirement-for-role",
    }),
    "free_addresses": frozenset(),
    "heard_at": frozenset(),
    "ntp_sources": frozenset({"ntp-synced"}),
    "resolutions": frozenset(check.id for check in _collect(domain_names)),
    "vip_checks": frozenset(),
}  # fmt: skip
"""Fields of a host that change most, and the checks of the host that look at them; any other may matter to all.

What only the evidence of a verdict tells does not count: evidence is worked out anew when someone asks for it.
"""

LOOKED_AT_BY_CLUSTERS: dict[str, frozenset[str]] = {
    "clock_skew": frozenset({"ntp-server-configured"}),
    "connectivity": frozenset(),
    "free_addresses": frozenset({"api-vips-valid", "ingress-vips-valid"}),
    "heard_at": frozenset(),
    "ntp_sources": frozenset(),
    "resolutions": frozenset(),
    "status": frozenset({"all-hosts-are-ready-to-install", "ntp-server-configured"}),
    "status_updated_at": frozenset(),
    "vip_checks": frozenset({"api-vips-valid", "ingress-vips-valid"}),
}
"""The same for the checks of the host's cluster."""

OF_CLUSTERS_ALONE = frozenset({
    "api-vips-defined", "cluster-cidr-defined", "custom-manifests-requirements-satisfied", "dns-domain-defined",
    "ingress-vips-defined", "network-type-valid", "networks-same-address-families", "no-cidrs-overlapping",
    "platform-requirements-satisfied", "pull-secret-set", "service-cidr-defined",
})  # fmt: skip
"""Checks of a cluster that do not look at its hosts."""

OF_SHARES = frozenset({"has-cpu-cores-for-role", "has-memory-for-role"})
"""Checks that look at the other hosts only to see what each operator needs of this one."""


@lru_cache(maxsize=1024)
def host_checks_of(
    fields: frozenset[str], others: frozenset[str], operators: tuple[str, ...] | None
) -> Checks[HostView] | None:
    """The checks to make again of a host that differs in some fields, and whose others do in some; None if all are."""
    if not fields <= LOOKED_AT_BY.keys():
        return None
    ids = frozenset().union(*(LOOKED_AT_BY[name] for name in fields))
    unshared = frozenset() if OLM_OPERATORS.keys() & set(operators or ()) else OF_SHARES
    return tuple(
        check
        for check in _of_hosts(operators)
        if check.id in ids or (check.of_others & others and check.id not in unshared)
    )


@lru_cache(maxsize=256)
def cluster_checks_of(fields: frozenset[str], operators: tuple[str, ...] | None) -> Checks[ClusterView]:
    """The checks to make again of a cluster whose hosts differ in some fields."""
    checks = _of_clusters(operators)
    if not fields <= LOOKED_AT_BY_CLUSTERS.keys():
        return tuple(check for check in checks if check.id not in OF_CLUSTERS_ALONE)
    ids = frozenset().union(*(LOOKED_AT_BY_CLUSTERS[name] for name in fields))
    return tuple(check for check in checks if check.id in ids)


def reassess_host(view: HostView, before: Assessment, checks: Checks[HostView]) -> Assessment:
    """Every verdict on a host of which only some checks have to be made again; the same object if all stay."""
    again = assess_host(view, checks, before=before.verdicts)
    return _updated(before, again, checks, _every_check(view))


def reassess_cluster(view: ClusterView, before: Assessment, checks: Checks[ClusterView]) -> Assessment:
    """Every verdict on a cluster of which only some checks have to be made again; the same object if all stay."""
    again = assess_cluster(view, checks, before=before.verdicts)
    return _updated(before, again, checks, _of_clusters(operators_of(view.cluster)))


def _updated(before: Assessment, again: Assessment, made: Checks[V], every: Checks[V]) -> Assessment:
    """An assessment with some of its checks made again."""
    ids = {check.id for check in made}
    old, new = before.verdicts, again.verdicts
    if again.held == before.held & ids and all(new.get(name) == old.get(name) for name in ids):
        return before
    held = (before.held - ids) | again.held
    return Assessment(
        verdicts={name: verdict for name, verdict in old.items() if name not in ids or name in new} | new,
        closed=frozenset().union(*[check.gates for check in every if check.id in held]),
        held=held,
        unspoken=before.unspoken,
    )


def assess_host(view: HostView, checks: Checks[HostView] = (), before: Findings | None = None) -> Assessment:
    """Every verdict on a host, or those of some checks only; without evidence if it is told what was found before."""
    cluster = view.cluster
    ignored = cluster.ignored_host_validations if cluster else ()
    return assess(
        view,
        checks or _every_check(view),
        before=before,
        disabled=frozenset() if ignored else view.policy.disabled_host_validations,
        ignored=ignored,
        stage=view.host.progress.current_stage,
    )


def _every_check(view: HostView) -> Checks[HostView]:
    return _of_hosts(operators_of(view.cluster))


def assess_cluster(view: ClusterView, checks: Checks[ClusterView] = (), before: Findings | None = None) -> Assessment:
    """Every verdict on a cluster, or those of some checks only; without evidence if told what was found before."""
    ignored = view.cluster.ignored_cluster_validations
    return assess(
        view,
        checks or _of_clusters(operators_of(view.cluster)),
        before=before,
        disabled=frozenset() if ignored else view.policy.disabled_cluster_validations,
        ignored=ignored,
    )
