"""Kubernetes NMState: the networks of nodes are set up from within the cluster."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="nmstate",
    title="Kubernetes NMState Operator",
    namespace="openshift-nmstate",
    subscription="kubernetes-nmstate-operator",
    timeout_seconds=3600,
    bundles=IN_VIRTUALIZATION,
    first_version="4.12",
)
