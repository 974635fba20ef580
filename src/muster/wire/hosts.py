"""Hosts as clients see them."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from muster.domain.hosts import Host
from muster.domain.inputs.fields import Uuid
from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.validations.catalogue import HOST_VALIDATIONS
from muster.domain.verdicts import Finding

from .json import filled, text
from .moments import NEVER, NEVER_CREATED, micros, millis

ROOT = "/api/assisted-install/v2"

Clock = Annotated[int, Meta(ge=-62_135_596_800, le=253_402_300_799)]
"""Seconds since 1970 by the clock of a host, from the year 1 to the year 9999."""

CATEGORIES = {check.id: check.category for check in HOST_VALIDATIONS}


class HostCreate(Record, forbid_unknown_fields=True):
    """An agent registers its machine."""

    host_id: Uuid
    discovery_agent_version: str = ""


class Binding(Record, forbid_unknown_fields=True):
    """The cluster that a host is to belong to."""

    cluster_id: Uuid


class HostProgressReport(Record, forbid_unknown_fields=True):
    """Where the installation of a host is."""

    current_stage: Stage
    progress_info: str = ""


class InstructionsQuery(Record):
    """What an agent says of itself when it asks what to do."""

    timestamp: Clock = 0


class LogsProgress(Record, forbid_unknown_fields=True):
    """How far the collection of logs has come."""

    logs_state: Literal["requested", "collecting", "completed", "timeout", ""]


def validations_text(verdicts: dict[str, Finding], categories: dict[str, str]) -> str:
    """All verdicts, by category, as JSON text; "" before the first judgement.

    Verdicts seldom change and are read often, so the text is kept for as long as they are the very same.
    """
    known = _VERDICTS.get(id(verdicts))
    if known is not None and known[0] is verdicts:
        return known[1]
    if len(_VERDICTS) >= MOST_VERDICTS:
        _VERDICTS.clear()
    written = _written(verdicts, categories) if verdicts else ""
    _VERDICTS[id(verdicts)] = verdicts, written
    return written


MOST_VERDICTS = 10_000
"""For how many hosts and clusters the text of their verdicts is kept."""

_VERDICTS: dict[int, tuple[dict[str, Finding], str]] = {}


def _written(verdicts: dict[str, Finding], categories: dict[str, str]) -> str:
    grouped: dict[str, list[dict[str, str]]] = {}
    for name, finding in verdicts.items():
        entry = {"id": name, "status": finding.status, "message": finding.message}
        grouped.setdefault(categories.get(name, "operators"), []).append(entry)
    return msgspec.json.encode(grouped).decode()


def host_out(
    host: Host, seen_at: datetime | None = None, *, single_node: bool = False, full: bool = True
) -> dict[str, Any]:
    """A host with everything clients may read of it. `full` False is the form it has within lists of clusters."""
    seen_at = seen_at or host.registered_at
    name = host.name if full else host.requested_hostname
    return {
        **filled(_texts(host)),
        **filled(_scalars(host, seen_at)),
        "checked_in_at": millis(seen_at),
        "created_at": micros(host.created_at),
        "deleted_at": millis(host.deleted_at) if host.deleted_at else None,
        "href": f"{ROOT}/infra-envs/{host.infra_env_id}/hosts/{host.id}",
        "id": host.id,
        "kind": host.kind,
        "logs_collected_at": millis(host.logs_collected_at),
        "logs_started_at": millis(host.logs_started_at),
        "progress": progress_out(host),
        "progress_stages": host.stages(single_node=single_node) if full else None,
        "registered_at": millis(host.registered_at),
        **filled({"requested_hostname": name}),
        "stage_started_at": NEVER,
        "stage_updated_at": NEVER,
        "status": host.status,
        "status_info": host.status_info,
        "status_updated_at": millis(host.status_updated_at),
        "updated_at": micros(host.updated_at),
    }


def _scalars(host: Host, seen_at: datetime) -> dict[str, Any]:
    return {
        "bootstrap": host.bootstrap,
        "cluster_id": host.cluster_id,
        "connection_timed_out": host.connection_timed_out,
        "discovery_agent_version": host.discovery_agent_version,
        "disks_to_be_formatted": ",".join(host.disks_to_be_formatted),
        "ignition_config_overrides": host.ignition_config_overrides,
        "ignition_endpoint_token_set": bool(host.ignition_endpoint_token),
        "infra_env_id": host.infra_env_id,
        "installation_disk_id": host.installation_disk_id,
        "installation_disk_path": host.installation_disk_path,
        "installer_version": host.installer_version,
        "logs_info": host.logs_info,
        "machine_config_pool_name": host.machine_config_pool_name,
        "media_status": "" if host.media_connected else "disconnected",
        "role": host.role,
        "skip_formatting_disks": ",".join(host.skip_formatting_disks),
        "suggested_role": host.suggested_role,
        "timestamp": int(seen_at.timestamp()) + host.clock_skew if host.clock_skew is not None else 0,
        "user_name": host.user_name,
    }


def _texts(host: Host) -> dict[str, Any]:
    """The fields that hold a document as text."""
    return {
        "api_vip_connectivity": text(host.api_vip) if host.api_vip is not None else "",
        "connectivity": text(host.connectivity) if host.connectivity else "",
        "disks_info": _disks_info(host),
        "domain_name_resolutions": text({"resolutions": host.resolutions}) if host.resolutions is not None else "",
        "images_status": text(host.images) if host.images else "",
        "installer_args": text(host.installer_args) if host.installer_args else "",
        "inventory": text(host.inventory) if host.inventory else "",
        "node_labels": text(host.node_labels) if host.node_labels else "",
        "ntp_sources": text(host.ntp_sources) if host.ntp_sources is not None else "",
        "tang_connectivity": (host.tang.error or text(host.tang)) if host.tang is not None else "",
        "validations_info": validations_text(host.verdicts, CATEGORIES),
    }


def _disks_info(host: Host) -> str:
    if not host.disk_speeds:
        return ""
    return text({path: {"path": path, "disk_speed": speed} for path, speed in host.disk_speeds.items()})


def progress_out(host: Host) -> dict[str, Any]:
    """Where the installation of a host is."""
    progress = host.progress
    return {
        **filled(
            {
                "current_stage": progress.current_stage,
                "installation_percentage": progress.installation_percentage,
                "progress_info": progress.progress_info,
                "stage_timed_out": progress.stage_timed_out,
            }
        ),
        "stage_started_at": millis(progress.stage_started_at),
        "stage_updated_at": millis(progress.stage_updated_at),
    }


def registration_out(host: Host, agent_image: str, *, single_node: bool = False) -> dict[str, Any]:
    """The answer to an agent that registers: its host, not yet judged, and what to run next."""
    known = host_out(host, single_node=single_node)
    out = {key: value for key, value in known.items() if key not in {"progress", "validations_info"}}
    args = text({"agent_version": agent_image, "host_id": host.id, "infra_env_id": host.infra_env_id})
    return {
        **out,
        "created_at": NEVER_CREATED,
        "updated_at": NEVER_CREATED,
        "next_step_runner_command": {"args": [args]},
    }
