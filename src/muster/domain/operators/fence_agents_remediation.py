"""Fence Agents Remediation: nodes that are ill are switched off and on from outside."""

from .manifests import Manifests, Reach
from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="fence-agents-remediation",
    title="Fence Agents Remediation",
    namespace="openshift-workload-availability",
    subscription="fence-agents-remediation",
    manifests=Manifests(stem="50_fence-agents-remediation", channel="stable", reach=Reach.GUEST),
    dependencies=("node-healthcheck",),
    bundles=IN_VIRTUALIZATION,
)
