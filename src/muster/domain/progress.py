"""How far an installation has come: stages of hosts and clusters, and the percentages they make."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from .record import Record


class Stage(StrEnum):
    """A stage of one host's installation."""

    STARTING = "Starting installation"
    CONTROL_PLANE = "Waiting for control plane"
    BOOTKUBE = "Waiting for bootkube"
    CONTROLLER = "Waiting for controller"
    INSTALLING = "Installing"
    WRITING = "Writing image to disk"
    COPYING = "Copying registry data to disk"
    REBOOTING = "Rebooting"
    IGNITION = "Waiting for ignition"
    CONFIGURING = "Configuring"
    JOINED = "Joined"
    DONE = "Done"
    FAILED = "Failed"


BOOTSTRAP_STAGES = (
    Stage.STARTING, Stage.INSTALLING, Stage.WRITING, Stage.COPYING, Stage.CONTROL_PLANE, Stage.BOOTKUBE,
    Stage.CONTROLLER, Stage.REBOOTING, Stage.CONFIGURING, Stage.JOINED, Stage.DONE,
)  # fmt: skip
SINGLE_NODE_STAGES = (
    Stage.STARTING, Stage.INSTALLING, Stage.BOOTKUBE, Stage.WRITING, Stage.COPYING, Stage.REBOOTING,
    Stage.JOINED, Stage.DONE,
)  # fmt: skip
MASTER_STAGES = (
    Stage.STARTING, Stage.INSTALLING, Stage.WRITING, Stage.COPYING, Stage.REBOOTING, Stage.CONFIGURING,
    Stage.JOINED, Stage.DONE,
)  # fmt: skip
WORKER_STAGES = (
    Stage.STARTING, Stage.INSTALLING, Stage.WRITING, Stage.CONTROL_PLANE, Stage.REBOOTING, Stage.IGNITION,
    Stage.CONFIGURING, Stage.JOINED, Stage.DONE,
)  # fmt: skip

AFTER_REBOOT = frozenset({Stage.REBOOTING, Stage.IGNITION, Stage.CONFIGURING, Stage.JOINED, Stage.DONE})
"""Stages in which no agent runs on the host any more: silence means nothing."""

STAGE_LIMITS = {
    Stage.STARTING: timedelta(minutes=30),
    Stage.CONTROL_PLANE: timedelta(minutes=60),
    Stage.BOOTKUBE: timedelta(minutes=60),
    Stage.CONTROLLER: timedelta(minutes=60),
    Stage.INSTALLING: timedelta(minutes=60),
    Stage.WRITING: timedelta(minutes=30),
    Stage.COPYING: timedelta(minutes=90),
    Stage.REBOOTING: timedelta(minutes=40),
    Stage.IGNITION: timedelta(hours=24),
    Stage.CONFIGURING: timedelta(minutes=60),
    Stage.JOINED: timedelta(minutes=60),
}
"""How long a stage may go without news, unless the operator of the service sets another limit."""

OTHER_STAGE_LIMIT = timedelta(minutes=60)
SINGLE_NODE_REBOOT_LIMIT = timedelta(minutes=80)


class HostProgress(Record):
    """Where one host's installation is."""

    current_stage: Stage | None = None
    progress_info: str = ""
    installation_percentage: int = 0
    stage_started_at: datetime | None = None
    stage_updated_at: datetime | None = None
    stage_timed_out: bool = False


class FinalizingStage(StrEnum):
    """A stage of what the new cluster does once its nodes are there."""

    OPERATORS = "Waiting for cluster operators"
    ROUTER_CA = "Adding router ca"
    OLM_INIT = "Waiting for olm operators csv initialization"
    OLM_MANIFESTS = "Applying olm manifests"
    OLM_CSV = "Waiting for olm operators csv"
    OLM_JOBS = "Waiting for OLM operator setup jobs"
    DONE = "Done"


SOFT_FINALIZING_LIMITS = {
    FinalizingStage.OPERATORS: timedelta(minutes=70),
    FinalizingStage.ROUTER_CA: timedelta(minutes=70),
    FinalizingStage.OLM_INIT: timedelta(minutes=70),
    FinalizingStage.OLM_MANIFESTS: timedelta(minutes=10),
    FinalizingStage.OLM_CSV: timedelta(minutes=70),
    FinalizingStage.OLM_JOBS: timedelta(minutes=10),
    FinalizingStage.DONE: timedelta(minutes=70),
}
"""How long a stage of the new cluster may take where whoever is late is only warned."""

FINALIZING_LIMITS = SOFT_FINALIZING_LIMITS | {FinalizingStage.OPERATORS: timedelta(hours=10)}
"""How long a stage of the new cluster may take where being late is a failure."""

AS_LONG_AS_OLM = frozenset({FinalizingStage.OLM_INIT, FinalizingStage.OLM_CSV, FinalizingStage.OLM_JOBS})
"""Stages that may take at least as long as the slowest of the operators that OLM adds."""

MAY_TAKE_LONGER = frozenset({FinalizingStage.OLM_MANIFESTS, FinalizingStage.OLM_INIT, FinalizingStage.OLM_CSV})
"""Stages that are only warned about: the cluster is there without what they wait for."""


def finalizing_limit(
    stage: FinalizingStage, olm: timedelta, *, soft: bool, overrides: Mapping[FinalizingStage, timedelta]
) -> timedelta:
    """How long a stage of the new cluster may take, where the slowest operator of OLM takes `olm`.

    `soft` says that being late is only warned about; `overrides` are the limits set by the operator of the service.
    """
    limits = SOFT_FINALIZING_LIMITS if soft else FINALIZING_LIMITS
    limit = overrides.get(stage, limits[stage])
    return max(limit, olm) if stage in AS_LONG_AS_OLM else limit


class ClusterProgress(Record):
    """Where the cluster's installation is."""

    total_percentage: int = 0
    preparing_for_installation_stage_percentage: int = 0
    installing_stage_percentage: int = 0
    finalizing_stage_percentage: int = 0
    finalizing_stage: FinalizingStage | None = None
    finalizing_stage_started_at: datetime | None = None
    finalizing_stage_timed_out: bool = False

    @property
    def total(self) -> int:
        """The weighted sum: a tenth for preparing, seven for installing, one and a half for finalizing."""
        return int(0.7 * self.installing_stage_percentage) + int(
            0.1 * self.preparing_for_installation_stage_percentage + 0.15 * self.finalizing_stage_percentage
        )
