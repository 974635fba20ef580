"""The figures and switches of this installation of muster that decisions depend on."""

from datetime import timedelta

from .progress import OTHER_STAGE_LIMIT, SINGLE_NODE_REBOOT_LIMIT, STAGE_LIMITS, Stage
from .record import Record
from .releases import Catalogue
from .requirements import Requirements


class LogLimits(Record):
    """How long logs are waited for."""

    first: timedelta
    """From the failure until someone asks for them."""
    upload: timedelta
    """From then on until they come."""
    more: timedelta
    """From one upload to the next."""


class Policy(Record):
    """What the operator of the service has set; everything else is in the records."""

    requirements: Requirements = Requirements()
    catalogue: Catalogue = Catalogue()
    disabled_host_validations: frozenset[str] = frozenset()
    disabled_cluster_validations: frozenset[str] = frozenset()
    disabled_steps: frozenset[str] = frozenset()
    public_registries: frozenset[str] = frozenset({"quay.io", "registry.ci.openshift.org", "lab.muster.local"})

    agent_image: str = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
    installer_image: str = "quay.io/edge-infrastructure/assisted-installer:latest"
    controller_image: str = "quay.io/edge-infrastructure/assisted-installer-controller:latest"
    image_service_url: str = "http://127.0.0.1:8090"
    check_cluster_version: bool = False
    ntp_default: str = ""
    upgrade_agents: bool = True
    single_node_dnsmasq: bool = True

    disconnection: timedelta = timedelta(minutes=3)
    bootstrap_grace: timedelta = timedelta(minutes=2)
    host_preparation: timedelta = timedelta(minutes=17)
    cluster_preparation: timedelta = timedelta(minutes=18)
    start_of_installation: timedelta = timedelta(minutes=20)
    host_user_action: timedelta = timedelta(minutes=60)
    installation: timedelta = timedelta(hours=24)
    finalizing: timedelta = timedelta(hours=5)
    disk_check: timedelta = timedelta(minutes=8)
    image_availability: timedelta = timedelta(minutes=16)
    host_logs: LogLimits = LogLimits(
        first=timedelta(minutes=2), upload=timedelta(minutes=10), more=timedelta(minutes=2)
    )
    cluster_logs: LogLimits = LogLimits(
        first=timedelta(minutes=10), upload=timedelta(minutes=60), more=timedelta(minutes=60)
    )
    stage_limits: dict[Stage, timedelta] = {}
    """Limits set by the operator; stages not named here keep their own."""

    def stage_limit(self, stage: Stage, *, single_node: bool) -> timedelta:
        """How long a stage may go without news."""
        if single_node and stage is Stage.REBOOTING:
            return SINGLE_NODE_REBOOT_LIMIT
        return self.stage_limits.get(stage) or STAGE_LIMITS.get(stage, OTHER_STAGE_LIMIT)
