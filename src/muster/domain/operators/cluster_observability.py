"""Cluster Observability: monitoring stacks of the user's own."""

from typing import TYPE_CHECKING

from .manifests import Manifests, Reach, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView
NAMESPACE = "openshift-cluster-observability-operator"
MARK = {"app.kubernetes.io/part-of": "cluster-observability"}
"""The label by which queries find the stack."""


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """A stack that measures what asks for it in its namespace, and queries over all such stacks."""
    replicas = {"prometheusConfig": {"replicas": 1}} if view.cluster.single_node else {}
    return (
        _monitoring("MonitoringStack", "monitoring-stack", {"resourceSelector": {}, "retention": "1d", **replicas}),
        _monitoring("ThanosQuerier", "thanos-querier", {"selector": {"matchLabels": MARK}}),
    )


def _monitoring(kind: str, name: str, spec: Tree) -> Tree:
    plain = resource("monitoring.rhobs/v1alpha1", kind, name, NAMESPACE, spec)
    return plain | {"metadata": plain["metadata"] | {"labels": MARK}}


OPERATOR = Operator(
    name="cluster-observability",
    title="Cluster Observability",
    namespace=NAMESPACE,
    subscription="cluster-observability-operator",
    manifests=Manifests(stem="50_cluster-observability", channel="stable", reach=Reach.EVERYWHERE, later=later),
    dependencies=("openshift-logging",),
    bundles=IN_VIRTUALIZATION,
)
