"""OpenShift Logging: logs of the cluster are collected and sent on."""

from .manifests import SHORT, WATCHED, Manifests, Reach
from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="openshift-logging",
    title="Red Hat OpenShift Logging Operator",
    namespace="openshift-logging",
    subscription="cluster-logging",
    manifests=Manifests(stem="50_openshift-logging", names=SHORT, reach=Reach.EVERYWHERE, labels=WATCHED),
    dependencies=("loki",),
    bundles=IN_VIRTUALIZATION,
    first_version="4.17",
)
