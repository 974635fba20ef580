"""Self Node Remediation: nodes that are ill start themselves again."""

from .operator import Operator

OPERATOR = Operator(
    name="self-node-remediation",
    title="Self Node Remediation",
    namespace="openshift-workload-availability",
    subscription="self-node-remediation",
    dependencies=("node-healthcheck",),
)
