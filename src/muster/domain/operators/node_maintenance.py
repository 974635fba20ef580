"""Node Maintenance: nodes are emptied before work is done on them."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="node-maintenance",
    title="Node Maintenance Operator",
    namespace="openshift-workload-maintenance",
    subscription="node-maintenance-operator",
    bundles=IN_VIRTUALIZATION,
)
