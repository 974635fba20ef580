"""Self Node Remediation: nodes that are ill start themselves again."""

from .manifests import Manifests, Reach
from .operator import Operator

OPERATOR = Operator(
    name="self-node-remediation",
    title="Self Node Remediation",
    namespace="openshift-workload-availability",
    subscription="self-node-remediation",
    manifests=Manifests(stem="50_self-node-remediation", channel="stable", reach=Reach.GUEST),
    dependencies=("node-healthcheck",),
)
