"""Kube Descheduler: pods are moved to where there is more room."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="kube-descheduler",
    title="Kube Descheduler",
    namespace="openshift-kube-descheduler-operator",
    subscription="cluster-kube-descheduler-operator",
    bundles=IN_VIRTUALIZATION,
)
