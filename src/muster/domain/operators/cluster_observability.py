"""Cluster Observability: monitoring stacks of the user's own."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="cluster-observability",
    title="Cluster Observability",
    namespace="openshift-cluster-observability-operator",
    subscription="cluster-observability-operator",
    dependencies=("openshift-logging",),
    bundles=IN_VIRTUALIZATION,
)
