"""Fence Agents Remediation: nodes that are ill are switched off and on from outside."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="fence-agents-remediation",
    title="Fence Agents Remediation",
    namespace="openshift-workload-availability",
    subscription="fence-agents-remediation",
    dependencies=("node-healthcheck",),
    bundles=IN_VIRTUALIZATION,
)
