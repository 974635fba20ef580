"""Node Healthcheck: nodes that are ill are found and handed to a remedy."""

from typing import TYPE_CHECKING

from .manifests import Manifests, Reach, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView
NAMESPACE = "openshift-workload-availability"


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """Workers that have been ill for too long start themselves again, as long as enough others are well."""
    settings = view.policy.operators
    ill = {"False": settings.node_healthcheck_unready, "Unknown": settings.node_healthcheck_unknown}
    template = {
        "apiVersion": "self-node-remediation.medik8s.io/v1alpha1",
        "kind": "SelfNodeRemediationTemplate",
        "name": settings.self_node_remediation_template,
        "namespace": NAMESPACE,
    }
    spec = {
        "minHealthy": settings.node_healthcheck_min_healthy,
        "remediationTemplate": template,
        "selector": {"matchExpressions": [{"key": "node-role.kubernetes.io/worker", "operator": "Exists"}]},
        "unhealthyConditions": [
            {"type": "Ready", "status": status, "duration": f"{time.total_seconds():.0f}s"}
            for status, time in ill.items()
        ],
    }
    return (resource("remediation.medik8s.io/v1alpha1", "NodeHealthCheck", "workers", spec=spec),)


OPERATOR = Operator(
    name="node-healthcheck",
    title="Node Healthcheck",
    namespace=NAMESPACE,
    subscription="node-healthcheck-operator",
    manifests=Manifests(stem="50_node-healthcheck", channel="stable", reach=Reach.EVERYWHERE, later=later),
    bundles=IN_VIRTUALIZATION,
)
