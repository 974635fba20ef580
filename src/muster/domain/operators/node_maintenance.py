"""Node Maintenance: nodes are emptied before work is done on them."""

from .manifests import Manifests, Reach
from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="node-maintenance",
    title="Node Maintenance Operator",
    namespace="openshift-workload-maintenance",
    subscription="node-maintenance-operator",
    manifests=Manifests(stem="50_node-maintenance", channel="stable", reach=Reach.EVERYWHERE),
    bundles=IN_VIRTUALIZATION,
)
