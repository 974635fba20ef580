"""The figures and switches of this installation of muster that decisions depend on."""

from datetime import timedelta

from .discovery_settings import DiscoverySettings
from .managed_domains import ManagedDomain
from .network_defaults import NetworkDefaults
from .operators.settings import OperatorSettings
from .progress import OTHER_STAGE_LIMIT, SINGLE_NODE_REBOOT_LIMIT, STAGE_LIMITS, FinalizingStage, Stage
from .record import Record
from .releases import Catalogue, ReleaseSource
from .requirements import SHIPPED, VersionedRequirements
from .trust import Trust


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

    requirements: VersionedRequirements = SHIPPED
    edge_products: frozenset[str] = frozenset({"BlueField SoC"})
    """Machines that serve as a worker at the edge of a network, by product name."""
    minutes_apart: int = 4
    """By how much the clocks of two hosts of a cluster may differ."""
    operators: OperatorSettings = OperatorSettings()
    networks: NetworkDefaults = NetworkDefaults()
    discovery: DiscoverySettings = DiscoverySettings()
    trust: Trust = Trust()
    catalogue: Catalogue = Catalogue()
    release_sources: tuple[ReleaseSource, ...] = ()
    release_tag: str = ""
    managed_domains: tuple[ManagedDomain, ...] = ()
    disabled_host_validations: frozenset[str] = frozenset()
    disabled_cluster_validations: frozenset[str] = frozenset()
    disabled_steps: frozenset[str] = frozenset()
    public_registries: frozenset[str] = frozenset({"quay.io", "registry.ci.openshift.org", "lab.muster.local"})

    agent_image: str = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
    installer_image: str = "quay.io/edge-infrastructure/assisted-installer:latest"
    controller_image: str = "quay.io/edge-infrastructure/assisted-installer-controller:latest"
    must_gather_images: dict[str, dict[str, str]] = {}
    """By version (`4.20`, or `4.20-arm64`) and component, the images that gather what went wrong."""
    service_url: str = "http://127.0.0.1:8090"
    """Where agents, scripts and links find the service."""
    image_service_url: str = "http://127.0.0.1:8090"
    plain_service_url: str = ""
    """Where firmware that knows no TLS finds the service; "" if there is no other place."""
    plain_image_service_url: str = ""
    """The same for images."""
    check_cluster_version: bool = False
    ntp_default: str = ""
    upgrade_agents: bool = True
    single_node_dnsmasq: bool = True
    disk_encryption_cipher: str = ""
    """With what disks are encrypted; "" leaves it to the service."""
    service_fips: bool = False
    """Whether the service itself may use approved ciphers only."""
    soft_timeouts: bool = False
    arbiters: bool = True
    fencing: bool = False
    ipv6: bool = True
    disk_encryption: bool = True
    auto_assign: bool = True
    skip_mco_reboot: bool = True
    virtual_interfaces: bool = False
    kube_api: bool = False
    bootstrap_mac: str = ""
    inventory_max_size: int = 0
    inventory_disk_min_size: int = 0

    inactivity: timedelta = timedelta(hours=480)
    """How long a cluster may go without any change before it is given up."""
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
    reclaim: timedelta = timedelta(minutes=60)
    resetting: timedelta = timedelta(minutes=3)
    dhcp_lease: timedelta = timedelta(minutes=2)
    identity_memory: timedelta = timedelta(minutes=5)
    """How long a machine is remembered that reports as the same host as another."""
    host_logs: LogLimits = LogLimits(
        first=timedelta(minutes=2), upload=timedelta(minutes=10), more=timedelta(minutes=2)
    )
    cluster_logs: LogLimits = LogLimits(
        first=timedelta(minutes=10), upload=timedelta(minutes=60), more=timedelta(minutes=60)
    )
    stage_limits: dict[Stage, timedelta] = {}
    """Limits set by the operator; stages not named here keep their own."""
    finalizing_limits: dict[FinalizingStage, timedelta] = {}
    """The same for the stages of the new cluster."""
    event_limits: dict[str, timedelta] = {}
    """At least how far apart events of a name are told of the same thing; what is not named here keeps its own."""
    deleted_kept: timedelta = timedelta(hours=72)
    """How long what was given up is remembered, with its logs and manifests."""
    infra_env_inactivity: timedelta = timedelta(hours=480)
    """How long an infra-env that no cluster needs may go without any change before it is given up."""
    deregister_inactive: bool = True
    forgets: bool = True
    """Whether what was given up is forgotten some time later."""

    @property
    def gives_up_clusters(self) -> bool:
        """Whether clusters that nobody touches are given up; where Kubernetes resources rule, these say what goes."""
        return self.deregister_inactive and not self.kube_api

    @property
    def gives_up_infra_envs(self) -> bool:
        """The same for infra-envs; they have no switch of their own, but go with the others."""
        return (self.deregister_inactive or self.forgets) and not self.kube_api

    @property
    def boot_url(self) -> str:
        """Where the parts of images are fetched from by what may know no TLS."""
        return (self.plain_image_service_url or self.image_service_url).rstrip("/")

    def stage_limit(self, stage: Stage, *, single_node: bool) -> timedelta:
        """How long a stage may go without news."""
        if single_node and stage is Stage.REBOOTING:
            return SINGLE_NODE_REBOOT_LIMIT
        return self.stage_limits.get(stage, STAGE_LIMITS.get(stage, OTHER_STAGE_LIMIT))

    def event_limit(self, name: str) -> timedelta | None:
        """At least how far apart events of a name are told of the same thing; None if that does not matter."""
        return self.event_limits.get(name, EVENT_LIMITS.get(name))


EVENT_LIMITS = dict.fromkeys(
    ("upgrade_agent_started", "upgrade_agent_finished", "upgrade_agent_failed"), timedelta(hours=1)
) | dict.fromkeys(("host_registration_failed", "kubeconfig_delayed"), timedelta(minutes=10))
"""What would be told again and again, and how often it is told at most: agents that are refused ask every minute."""

HOST_GRACE = timedelta(minutes=1)
CLUSTER_GRACE = timedelta(minutes=2)


def with_time_to_prepare(policy: Policy) -> Policy:
    """The policy, where preparing may take at least as long as the steps it waits for."""
    longest = max(policy.disk_check, policy.image_availability)
    return policy.but(
        host_preparation=max(policy.host_preparation, longest + HOST_GRACE),
        cluster_preparation=max(policy.cluster_preparation, longest + CLUSTER_GRACE),
    )
