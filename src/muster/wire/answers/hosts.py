"""What answers about hosts look like."""

from typing import Literal

from msgspec import UNSET

from muster.domain.hosts import HostKind, HostState
from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.roles import Role

from .forms import Document, GivenId, Id, Maybe, Moment

LogsState = Literal["requested", "collecting", "completed", "timeout"]


class HostProgressOut(Record):
    """Where the installation of a host is."""

    stage_started_at: Moment
    stage_updated_at: Moment
    current_stage: Maybe[Stage] = UNSET
    installation_percentage: Maybe[int] = UNSET
    progress_info: Maybe[str] = UNSET
    stage_timed_out: Maybe[bool] = UNSET


class HostFields(Record, kw_only=True):
    """What is told of a host everywhere."""

    id: GivenId
    kind: HostKind
    href: str
    status: HostState
    status_info: str
    status_updated_at: Moment
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | None
    registered_at: Moment
    checked_in_at: Moment
    logs_collected_at: Moment
    logs_started_at: Moment
    stage_started_at: Moment
    stage_updated_at: Moment
    progress_stages: tuple[Stage, ...] | None
    api_vip_connectivity: Maybe[Document] = UNSET
    bootstrap: Maybe[bool] = UNSET
    cluster_id: Maybe[Id] = UNSET
    connection_timed_out: Maybe[bool] = UNSET
    connectivity: Maybe[Document] = UNSET
    discovery_agent_version: Maybe[str] = UNSET
    disks_info: Maybe[Document] = UNSET
    disks_to_be_formatted: Maybe[str] = UNSET
    domain_name_resolutions: Maybe[Document] = UNSET
    fencing_credentials: Maybe[Document] = UNSET
    ignition_config_overrides: Maybe[Document] = UNSET
    ignition_endpoint_token_set: Maybe[bool] = UNSET
    images_status: Maybe[Document] = UNSET
    infra_env_id: Maybe[Id] = UNSET
    installation_disk_id: Maybe[str] = UNSET
    installation_disk_path: Maybe[str] = UNSET
    installer_args: Maybe[Document] = UNSET
    installer_version: Maybe[str] = UNSET
    inventory: Maybe[Document] = UNSET
    logs_info: Maybe[LogsState] = UNSET
    machine_config_pool_name: Maybe[str] = UNSET
    media_status: Maybe[Literal["connected", "disconnected"]] = UNSET
    node_labels: Maybe[Document] = UNSET
    ntp_sources: Maybe[Document] = UNSET
    requested_hostname: Maybe[str] = UNSET
    role: Maybe[Role] = UNSET
    skip_formatting_disks: Maybe[str] = UNSET
    suggested_role: Maybe[Role] = UNSET
    tang_connectivity: Maybe[str] = UNSET
    timestamp: Maybe[int] = UNSET
    user_name: Maybe[str] = UNSET


class HostOut(HostFields, kw_only=True):
    """A host."""

    progress: HostProgressOut
    validations_info: Maybe[Document] = UNSET


class NextStepRunner(Record):
    """What an agent runs next."""

    args: tuple[str, ...]


class RegistrationOut(HostFields, kw_only=True):
    """A host that has just registered, and what its agent runs next."""

    next_step_runner_command: NextStepRunner


class IgnitionOut(Record):
    """An Ignition configuration."""

    config: Document
