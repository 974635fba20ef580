"""Local Storage: disks of hosts become volumes."""

from .operator import Operator

OPERATOR = Operator(
    name="lso",
    title="Local Storage Operator",
    namespace="openshift-local-storage",
    subscription="local-storage-operator",
    timeout_seconds=4200,
)
