"""OpenShift Logging: logs of the cluster are collected and sent on."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="openshift-logging",
    title="Red Hat OpenShift Logging Operator",
    namespace="openshift-logging",
    subscription="cluster-logging",
    dependencies=("loki",),
    bundles=IN_VIRTUALIZATION,
    first_version="4.17",
)
