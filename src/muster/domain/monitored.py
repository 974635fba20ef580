"""The operators that an installation waits for, and how each of them is doing."""

from datetime import datetime
from enum import StrEnum

from .record import Record


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
    dependency_only: bool = False
    """Nobody has asked for it, but another operator cannot be without it."""
    source_bundles: tuple[str, ...] = ()
    """The bundles it was chosen with; none if it was chosen by itself."""
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
