"""Node Healthcheck: nodes that are ill are found and handed to a remedy."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="node-healthcheck",
    title="Node Healthcheck",
    namespace="openshift-workload-availability",
    subscription="node-healthcheck-operator",
    bundles=IN_VIRTUALIZATION,
)
