"""What answers about clusters look like."""

from typing import Literal

import msgspec
from msgspec import UNSET

from muster.domain.clusters import ClusterKind, ClusterState, PlatformType, PreparationStatus
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.clusters import NetworkType
from muster.domain.inputs.endpoints import Roles
from muster.domain.monitored import OperatorStatus, OperatorType
from muster.domain.networks import VipVerification
from muster.domain.progress import FinalizingStage
from muster.domain.record import Record
from muster.domain.releases import Architecture

from .forms import Document, GivenId, Id, Maybe, Moment
from .hosts import HostOut, LogsState


class VipOut(Record):
    """A virtual address."""

    ip: str
    cluster_id: Id
    verification: Maybe[VipVerification] = UNSET


class ClusterNetworkOut(Record):
    """A range for pods."""

    cidr: str
    cluster_id: Id
    host_prefix: int


class NetworkOut(Record):
    """A range for services or machines."""

    cidr: str
    cluster_id: Id


class HostNetworkOut(Record):
    """A network and the hosts that have an address in it."""

    cidr: str
    host_ids: tuple[GivenId, ...]


class ImageOut(Record):
    """The discovery image that is the cluster's own, if there is one."""

    created_at: Moment
    expires_at: Moment
    download_url: Maybe[str] = UNSET
    ssh_public_key: Maybe[str] = UNSET
    static_network_config: Maybe[str] = UNSET
    type: Maybe[ImageType] = UNSET


class ExternalPlatformOut(Record):
    """A platform that is known by its name."""

    platform_name: Maybe[str] = UNSET
    cloud_controller_manager: Maybe[Literal["", "External"]] = UNSET


class PlatformOut(Record):
    """What the machines run on."""

    type: PlatformType
    external: ExternalPlatformOut


class DiskEncryptionOut(Record):
    """Which disks are encrypted and where the key comes from."""

    enable_on: Maybe[Roles] = UNSET
    mode: Maybe[Literal["tpmv2", "tang"]] = UNSET
    tang_servers: Maybe[Document] = UNSET


class IgnitionEndpointOut(Record):
    """Where hosts added later fetch their configuration."""

    url: Maybe[str] = UNSET
    ca_certificate: Maybe[str] = UNSET


class LoadBalancerOut(Record):
    """Who runs the load balancer."""

    type: Literal["cluster-managed", "user-managed"]


class PreparationOut(Record):
    """How the generation of the files ended."""

    status: Maybe[PreparationStatus] = UNSET
    reason: Maybe[str] = UNSET


class ClusterProgressOut(Record):
    """How far a cluster has come."""

    finalizing_stage_started_at: Moment
    finalizing_stage: Maybe[FinalizingStage] = UNSET
    finalizing_stage_percentage: Maybe[int] = UNSET
    finalizing_stage_timed_out: Maybe[bool] = UNSET
    installing_stage_percentage: Maybe[int] = UNSET
    preparing_for_installation_stage_percentage: Maybe[int] = UNSET
    total_percentage: Maybe[int] = UNSET


class MonitoredOperatorOut(Record):
    """An operator that a cluster waits for."""

    name: str
    cluster_id: Id
    operator_type: OperatorType
    status_updated_at: Moment
    bundles: tuple[str, ...] | None
    source_bundles: tuple[str, ...] | None
    dependency_only: Maybe[bool] = UNSET
    namespace: Maybe[str] = UNSET
    properties: Maybe[str] = UNSET
    status: Maybe[OperatorStatus] = UNSET
    status_info: Maybe[str] = UNSET
    subscription_name: Maybe[str] = UNSET
    timeout_seconds: Maybe[int] = UNSET
    version: Maybe[str] = UNSET


class ChosenBundleOut(Record):
    """A bundle that was chosen, as it can be written again."""

    id: str
    optional_operators: tuple[str, ...]


class ClusterOut(Record):
    """A cluster."""

    id: Id
    kind: ClusterKind
    href: str
    status: ClusterState
    status_info: str
    status_updated_at: Moment
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | None
    install_started_at: Moment
    install_completed_at: Moment
    controller_logs_started_at: Moment
    controller_logs_collected_at: Moment
    api_vips: tuple[VipOut, ...] | None
    ingress_vips: tuple[VipOut, ...] | None
    cluster_networks: tuple[ClusterNetworkOut, ...] | None
    service_networks: tuple[NetworkOut, ...] | None
    machine_networks: tuple[NetworkOut, ...] | None
    host_networks: tuple[HostNetworkOut, ...] | None
    hosts: tuple[HostOut, ...] | None
    image_info: ImageOut
    disk_encryption: DiskEncryptionOut
    ignition_endpoint: IgnitionEndpointOut
    load_balancer: LoadBalancerOut
    platform: PlatformOut
    progress: ClusterProgressOut
    preparation: PreparationOut = msgspec.field(name="last-installation-preparation")
    monitored_operators: tuple[MonitoredOperatorOut, ...]
    operator_bundles: tuple[ChosenBundleOut, ...] | None
    schedulable_masters: bool
    schedulable_masters_forced_true: bool
    user_managed_networking: bool
    vip_dhcp_allocation: bool
    feature_usage: Document
    additional_ntp_source: Maybe[str] = UNSET
    api_vip_dns_name: Maybe[str] = UNSET
    base_dns_domain: Maybe[str] = UNSET
    connectivity_majority_groups: Maybe[Document] = UNSET
    control_plane_count: Maybe[int] = UNSET
    cpu_architecture: Maybe[Architecture] = UNSET
    email_domain: Maybe[str] = UNSET
    enabled_host_count: Maybe[int] = UNSET
    high_availability_mode: Maybe[Literal["Full", "None"]] = UNSET
    http_proxy: Maybe[str] = UNSET
    https_proxy: Maybe[str] = UNSET
    hyperthreading: Maybe[Roles] = UNSET
    ignored_cluster_validations: Maybe[Document] = UNSET
    ignored_host_validations: Maybe[Document] = UNSET
    imported: Maybe[bool] = UNSET
    install_config_overrides: Maybe[Document] = UNSET
    ip_collisions: Maybe[Document] = UNSET
    logs_info: Maybe[LogsState] = UNSET
    name: Maybe[str] = UNSET
    network_type: Maybe[NetworkType] = UNSET
    no_proxy: Maybe[str] = UNSET
    ntp_sources: Maybe[str] = UNSET
    ocp_release_image: Maybe[str] = UNSET
    openshift_cluster_id: Maybe[GivenId] = UNSET
    openshift_version: Maybe[str] = UNSET
    org_id: Maybe[str] = UNSET
    org_soft_timeouts_enabled: Maybe[bool] = UNSET
    pull_secret_set: Maybe[bool] = UNSET
    ready_host_count: Maybe[int] = UNSET
    ssh_public_key: Maybe[str] = UNSET
    tags: Maybe[str] = UNSET
    total_host_count: Maybe[int] = UNSET
    user_name: Maybe[str] = UNSET
    validations_info: Maybe[Document] = UNSET


class ClusterOutV1(ClusterOut):
    """A cluster as it was told before, with what there was one of beside each list."""

    api_vip: Maybe[str] = UNSET
    ingress_vip: Maybe[str] = UNSET
    cluster_network_cidr: Maybe[str] = UNSET
    cluster_network_host_prefix: Maybe[int] = UNSET
    service_network_cidr: Maybe[str] = UNSET
    machine_network_cidr: Maybe[str] = UNSET


class CredentialsOut(Record):
    """How to sign in to a new cluster."""

    username: str
    password: str
    console_url: Maybe[str] = UNSET
