"""Operators: what is watched while the cluster comes up, and what OLM adds to it."""

from datetime import datetime
from enum import StrEnum

from muster.domain.record import Record


class OperatorType(StrEnum):
    """Who installs an operator."""

    BUILTIN = "builtin"
    OLM = "olm"


class OperatorStatus(StrEnum):
    """How an operator is doing."""

    FAILED = "failed"
    PROGRESSING = "progressing"
    AVAILABLE = "available"


class MonitoredOperator(Record):
    """An operator the installation waits for."""

    name: str
    operator_type: OperatorType
    timeout_seconds: int = 3600
    namespace: str = ""
    subscription_name: str = ""
    version: str = ""
    properties: str = ""
    status: OperatorStatus | None = None
    status_info: str = ""
    status_updated_at: datetime | None = None

    @property
    def settled(self) -> bool:
        """Whether the installation need not wait for it any longer."""
        return self.status is OperatorStatus.AVAILABLE or (
            self.operator_type is OperatorType.OLM and self.status is OperatorStatus.FAILED
        )


CONSOLE = MonitoredOperator(name="console", operator_type=OperatorType.BUILTIN)
"""The web console, which every cluster waits for."""

CLUSTER_VERSION = MonitoredOperator(name="cvo", operator_type=OperatorType.BUILTIN)
"""The cluster version itself, waited for where the service is set up to."""

OLM_OPERATORS = {
    "amd-gpu": 1800,
    "authorino": 1800,
    "cluster-observability": 1800,
    "cnv": 3600,
    "fence-agents-remediation": 1800,
    "kmm": 1800,
    "kube-descheduler": 1800,
    "loki": 1800,
    "lso": 4200,
    "lvm": 1800,
    "mce": 3600,
    "metallb": 1800,
    "mtv": 3600,
    "nmstate": 3600,
    "node-feature-discovery": 1800,
    "node-healthcheck": 1800,
    "node-maintenance": 1800,
    "numaresources": 1800,
    "nvidia-gpu": 1800,
    "oadp": 1800,
    "odf": 1800,
    "openshift-ai": 1800,
    "openshift-logging": 1800,
    "osc": 3600,
    "pipelines": 1800,
    "self-node-remediation": 1800,
    "serverless": 1800,
    "servicemesh": 1800,
}
"""Every operator OLM can add, and how many seconds the installation waits for it."""


class Bundle(Record):
    """Operators that are chosen together, and those that may be chosen with them."""

    operators: tuple[str, ...]
    optional: tuple[str, ...] = ()


BUNDLES = {
    "virtualization": Bundle(
        operators=(
            "cluster-observability", "cnv", "fence-agents-remediation", "kube-descheduler", "loki", "metallb", "mtv",
            "nmstate", "node-healthcheck", "node-maintenance", "numaresources", "oadp", "openshift-logging",
        )
    ),
    "openshift-ai": Bundle(
        operators=("authorino", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh"),
        optional=("amd-gpu", "nvidia-gpu"),
    ),
}  # fmt: skip
"""Every bundle by its id."""
