"""A host: a machine that booted the discovery image, and all that is known and wanted of it."""

from datetime import datetime
from enum import StrEnum
from ipaddress import ip_network

from .connectivity import ConnectivityReport
from .inventory import Inventory
from .joining import ApiVipReply, TangReply
from .networks import FreeAddresses, NtpSource, Resolution
from .progress import (
    BOOTSTRAP_STAGES,
    MASTER_STAGES,
    SINGLE_NODE_STAGES,
    WORKER_STAGES,
    HostProgress,
    Stage,
)
from .record import Record
from .roles import Role
from .sightings import Sighting
from .states.hosts import HostState
from .verdicts import Finding

__all__ = ["Host", "HostKind", "HostState"]


class HostKind(StrEnum):
    """Whether a host belongs to a new cluster or joins one that runs."""

    HOST = "Host"
    DAY2 = "AddToExistingClusterHost"


class DiskSpeed(Record):
    """How fast an installation disk proved to be."""

    tested: bool = False
    exit_code: int = 0
    speed_ms: int = 0


class ImageStatus(Record):
    """How a container image came down."""

    name: str = ""
    size_bytes: float = 0.0
    time: float = 0.0
    download_rate: float = 0.0
    result: str = ""


class VipCheck(Record):
    """What one host found on a virtual address."""

    vip: str
    vip_type: str = ""
    verification: str = ""


class FencingCredentials(Record):
    """How to switch a machine off from outside."""

    address: str = ""
    username: str = ""
    password: str = ""
    certificate_verification: str = ""
    mac_address: str = ""


class Host(Record):
    """A machine, identified by itself, seen through its agent."""

    id: str
    infra_env_id: str
    status: HostState
    status_updated_at: datetime
    created_at: datetime
    updated_at: datetime
    registered_at: datetime
    deleted_at: datetime | None = None
    cluster_id: str | None = None
    kind: HostKind = HostKind.HOST
    user_name: str = "admin"

    status_info: str = ""
    verdicts: dict[str, Finding] = {}

    # What the user wants.
    role: Role = Role.AUTO
    requested_hostname: str = ""
    installation_disk_id: str = ""
    skip_formatting_disks: tuple[str, ...] = ()
    machine_config_pool_name: str = ""
    ignition_endpoint_token: str = ""
    ignition_endpoint_http_headers: dict[str, str] = {}
    ignition_config_overrides: str = ""
    installer_args: tuple[str, ...] = ()
    node_labels: dict[str, str] = {}
    fencing_credentials: FencingCredentials | None = None

    # What follows from all that is known.
    suggested_role: Role | None = None
    bootstrap: bool = False
    installation_disk_path: str = ""
    disks_to_be_formatted: tuple[str, ...] = ()
    installer_version: str = ""
    ignition_stored: bool = False
    """Whether a host that joins a running cluster finds its configuration in storage, so that it can begin."""

    # What the host has told.
    discovery_agent_version: str = ""
    upgrade_told_at: datetime | None = None
    """When the user was last told that the agent is being exchanged for the one the service expects."""
    clock_skew: int | None = None
    media_connected: bool = True
    connection_timed_out: bool = False
    """The host is being installed and not heard of, and time limits are soft: the user has been told."""
    heard_at: dict[str, datetime] = {}
    """When each step last told something new."""
    sightings: tuple[Sighting, ...] = ()
    """The machines that describe themselves as this host; more than one contest it."""
    inventory: Inventory | None = None
    connectivity: ConnectivityReport | None = None
    free_addresses: tuple[FreeAddresses, ...] | None = None
    ntp_sources: tuple[NtpSource, ...] | None = None
    resolutions: tuple[Resolution, ...] | None = None
    vip_checks: tuple[VipCheck, ...] = ()
    api_vip: ApiVipReply | None = None
    tang: TangReply | None = None
    images: dict[str, ImageStatus] = {}
    disk_speeds: dict[str, DiskSpeed] = {}
    progress: HostProgress = HostProgress()

    # Logs.
    logs_info: str = ""
    logs_started_at: datetime | None = None
    logs_collected_at: datetime | None = None

    @property
    def effective_role(self) -> Role:
        """The asked role, or the suggested one where nothing was asked."""
        if self.role is Role.AUTO and self.suggested_role is not None:
            return self.suggested_role
        return self.role

    @property
    def hostname(self) -> str:
        """The name the host goes by: asked, else its own."""
        return self.requested_hostname or (self.inventory.hostname if self.inventory else "")

    @property
    def name(self) -> str:
        """What to call the host in a sentence: its hostname, or its id while it has none."""
        return self.hostname or self.id

    @property
    def contested(self) -> bool:
        """More than one machine reports as this host."""
        return len(self.sightings) > 1

    @property
    def keeps_partitions(self) -> bool:
        """The user has said to keep partitions of the installation disk, so nothing else may touch it."""
        return any(arg.startswith(KEEPING) for arg in self.installer_args)

    @property
    def wiped_disks(self) -> tuple[str, ...]:
        """The disks that are made unbootable, those the user wants kept excepted."""
        kept = {*self.skip_formatting_disks, *([self.installation_disk_id] if self.keeps_partitions else [])}
        return tuple(disk for disk in self.disks_to_be_formatted if disk not in kept)

    def address_in(self, network: str) -> str:
        """The host's first address inside a network; "" if it has none."""
        wanted = ip_network(network)
        addresses = self.inventory.networks if self.inventory else ()
        return next((str(each.ip) for each in addresses if each.version == wanted.version and each.ip in wanted), "")

    def stages(self, *, single_node: bool, kube_api: bool = False) -> tuple[Stage, ...]:
        """The stages this host goes through, in order.

        A host that joins a running cluster is out of sight after its restart, unless the cluster is watched from
        within (`kube_api`).
        """
        if self.bootstrap or self.role is Role.BOOTSTRAP:
            return SINGLE_NODE_STAGES if single_node else BOOTSTRAP_STAGES
        stages = _STAGES_BY_ROLE.get(self.role, ())
        if self.kind is HostKind.DAY2 and not kube_api and stages:
            return stages[: stages.index(Stage.REBOOTING) + 1]
        return stages


KEEPING = ("--save-partlabel", "--save-partindex")
"""Arguments of the program that writes the disk which keep partitions."""

_STAGES_BY_ROLE = {Role.MASTER: MASTER_STAGES, Role.ARBITER: MASTER_STAGES, Role.WORKER: WORKER_STAGES}

SECRETS = frozenset(
    {
        "api_vip",
        "fencing_credentials",
        "ignition_config_overrides",
        "ignition_endpoint_http_headers",
        "ignition_endpoint_token",
    }
)
"""Fields whose value history must not show."""
