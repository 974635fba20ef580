"""A cluster: what the user wants, what follows from it, and how far it has come."""

from datetime import datetime
from enum import StrEnum

from .connectivity import MajorityGroups
from .monitored import MonitoredOperator
from .names import DnsName
from .networks import ClusterNetwork, Proxy, Vip
from .progress import ClusterProgress
from .record import Record
from .releases import ReleaseImages
from .states.clusters import ClusterState
from .verdicts import Finding

__all__ = ["Cluster", "ClusterKind", "ClusterState", "PlatformType"]


class ClusterKind(StrEnum):
    """What the service does with a cluster."""

    CLUSTER = "Cluster"
    ADD_HOSTS = "AddHostsCluster"
    DISCONNECTED = "DisconnectedCluster"


class PlatformType(StrEnum):
    """What the machines run on."""

    BAREMETAL = "baremetal"
    NUTANIX = "nutanix"
    VSPHERE = "vsphere"
    NONE = "none"
    EXTERNAL = "external"


class Platform(Record):
    """The platform and, for an external one, its name."""

    type: PlatformType = PlatformType.BAREMETAL
    platform_name: str = ""
    cloud_controller_manager: str = ""


class DiskEncryption(Record):
    """Which disks are encrypted and where the key comes from."""

    enable_on: str = "none"
    mode: str = "tpmv2"
    tang_servers: str = ""


class IgnitionEndpoint(Record):
    """Where hosts added later fetch their configuration."""

    url: str = ""
    ca_certificate: str = ""


class PreparationStatus(StrEnum):
    """How the generation of the files ended."""

    NOT_STARTED = "not_started"
    FAILED = "failed"
    SUCCESS = "success"


class Preparation(Record):
    """The last attempt to generate the files of an installation."""

    attempt: int = 0
    status: PreparationStatus | None = None
    reason: str = ""
    images: ReleaseImages | None = None
    """What the release says of its images; None until it has been read."""


class Cluster(Record):
    """A cluster in the making, or made."""

    id: str
    name: str
    status: ClusterState
    status_updated_at: datetime
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    kind: ClusterKind = ClusterKind.CLUSTER
    user_name: str = "admin"
    org_id: str = ""
    email_domain: str = "Unknown"

    status_info: str = ""
    verdicts: dict[str, Finding] = {}

    # What the user wants.
    openshift_version: str = ""
    ocp_release_image: str = ""
    cpu_architecture: str = "x86_64"
    pull_secret: str = ""
    ssh_public_key: str = ""
    base_dns_domain: str = ""
    high_availability_mode: str = "Full"
    control_plane_count: int = 3
    platform: Platform = Platform()
    user_managed_networking: bool = False
    vip_dhcp_allocation: bool = False
    api_vips: tuple[Vip, ...] = ()
    ingress_vips: tuple[Vip, ...] = ()
    cluster_networks: tuple[ClusterNetwork, ...] = ()
    service_networks: tuple[str, ...] = ()
    machine_networks: tuple[str, ...] = ()
    network_type: str = "OVNKubernetes"
    load_balancer: str = "cluster-managed"
    proxy: Proxy = Proxy()
    additional_ntp_source: str = ""
    ntp_sources: str = ""
    hyperthreading: str = "all"
    disk_encryption: DiskEncryption = DiskEncryption()
    ignition_endpoint: IgnitionEndpoint = IgnitionEndpoint()
    schedulable_masters: bool = False
    tags: str = ""
    operators: tuple[MonitoredOperator, ...] = ()
    ignored_host_validations: tuple[str, ...] = ()
    ignored_cluster_validations: tuple[str, ...] = ()
    install_config_overrides: str = ""
    ui_settings: str = ""
    """What a user interface wants kept; it means nothing here and is shown to nobody else."""
    custom_manifests: bool = False
    """Whether the user has added manifests."""
    api_vip_dns_name: str = ""
    imported: bool = False
    org_soft_timeouts_enabled: bool = True
    """Whether time limits may be soft for this cluster, where the service has soft ones at all."""

    # What follows from it.
    schedulable_masters_forced_true: bool = True
    machine_network_updated_at: datetime | None = None
    """When the machine networks last changed; addresses are leased from then on."""
    vips_overdue: bool = False
    """The DHCP server has leased no virtual addresses in time, and the user has been told."""
    api_vip_lease: str = ""
    ingress_vip_lease: str = ""
    """What the DHCP client has written down of the virtual addresses, for the nodes to go on with."""
    majority_groups: MajorityGroups | None = None
    ip_collisions: dict[str, tuple[str, ...]] | None = None

    # How far it has come.
    progress: ClusterProgress = ClusterProgress()
    preparation: Preparation = Preparation()
    openshift_cluster_id: str = ""
    install_started_at: datetime | None = None
    install_completed_at: datetime | None = None
    kubeconfig_published: bool = False
    logs_info: str = ""
    controller_logs_started_at: datetime | None = None
    controller_logs_collected_at: datetime | None = None
    dns_names: tuple[DnsName, ...] = ()
    """Names that the service has created for it in a domain of its own, or is about to."""
    forgetting: bool = False
    """Given up long ago; it is forgotten as soon as its last files are gone."""

    @property
    def single_node(self) -> bool:
        """One machine is the whole cluster."""
        return self.control_plane_count == 1

    @property
    def user_managed_load_balancer(self) -> bool:
        """The virtual addresses live on a load balancer of the user's."""
        return self.load_balancer == "user-managed"

    @property
    def day2(self) -> bool:
        """The cluster runs and takes in more hosts."""
        return self.kind is ClusterKind.ADD_HOSTS

    @property
    def awaits_leases_since(self) -> datetime | None:
        """Since when a DHCP server is to lease the virtual addresses; None if they are there, or come another way."""
        if not (self.vip_dhcp_allocation and self.machine_networks) or (self.api_vips and self.ingress_vips):
            return None
        return self.machine_network_updated_at or self.created_at

    @property
    def domain(self) -> str:
        """The name under which the cluster is found."""
        return f"{self.name}.{self.base_dns_domain}"

    @property
    def validations_ignored(self) -> bool:
        """The user has said to go on in spite of some verdicts."""
        return bool(self.ignored_host_validations or self.ignored_cluster_validations)


SECRETS = frozenset({"pull_secret", "proxy", "install_config_overrides", "ui_settings"})
"""Fields whose value history must not show."""
