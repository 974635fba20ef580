"""Hosts as clients see them."""

from datetime import datetime
from operator import itemgetter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from muster.domain.hosts import Host
from muster.domain.inputs.fields import Uuid
from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.validations.catalogue import HOST_VALIDATIONS
from muster.domain.validations.operators import UNSELECTED
from muster.domain.verdicts import Finding

from .json import filled, text
from .moments import NEVER, NEVER_CREATED, micros, millis

ROOT = "/api/assisted-install/v2"

Clock = Annotated[int, Meta(ge=-62_135_596_800, le=253_402_300_799)]
"""Seconds since 1970 by the clock of a host, from the year 1 to the year 9999."""

CATEGORIES = {check.id: check.category for check in HOST_VALIDATIONS}
POOLED = frozenset(check.id for check in HOST_VALIDATIONS if check.in_pool)
"""All that is judged of hosts without a cluster."""

WHOLE: frozenset[str] = frozenset()
"""What is left out of a host that is shown whole."""


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


def validations_text(verdicts: dict[str, Finding], categories: dict[str, str], *, pooled: bool = False) -> str:
    """All verdicts, by category, as JSON text; "" before the first judgement.

    Clients expect a word on every operator there is; of hosts that were judged without a cluster, `pooled`, on none.
    """
    if not verdicts:
        return ""
    grouped: dict[str, Any] = {}
    for name, finding in verdicts.items():
        grouped.setdefault(categories.get(name, OPERATORS), []).append(_entry(name, finding))
    if not pooled:
        grouped[OPERATORS] = _with_unselected(grouped.get(OPERATORS))
    return msgspec.json.encode(grouped).decode()


def _with_unselected(selected: list[dict[str, str]] | None) -> Any:
    if selected is None:
        return NONE_SELECTED
    known = {each["id"] for each in selected}
    others = [_entry(name, finding) for name, finding in UNSELECTED.items() if name not in known]
    return sorted([*selected, *others], key=itemgetter("id"))


def _entry(name: str, finding: Finding) -> dict[str, str]:
    return {"id": name, "status": finding.status, "message": finding.message}


OPERATORS = "operators"
NONE_SELECTED = msgspec.Raw(msgspec.json.encode([_entry(*each) for each in sorted(UNSELECTED.items())]))
"""What is said of operators where none is selected, as it nearly always is, written once."""


def host_out(
    host: Host, seen_at: datetime | None = None, *, single_node: bool = False, full: bool = True
) -> dict[str, Any]:
    """A host with everything clients may read of it. `full` False is the form it has within lists of clusters."""
    return _passing(host, seen_at or host.registered_at, single_node=single_node, full=full) | _lasting(host)


def host_written(
    host: Host, seen_at: datetime, *, single_node: bool = False, full: bool = True, without: frozenset[str] = WHOLE
) -> msgspec.Raw:
    """The same as JSON, for those who show many hosts: what stays as long as the host does is written once.

    `without` names fields that follow from the record and are not wanted.
    """
    lasting = WRITTEN.of(host, without)
    passing = msgspec.json.encode(_passing(host, seen_at, single_node=single_node, full=full))
    return msgspec.Raw(b"".join((passing[:-1], b",", lasting[1:])))


class WrittenHosts:
    """What lasts of hosts, as JSON, for as long as the record is the very same; up to a number of bytes.

    When it is full it stays as it is: lists go through all hosts again and again, so whatever made room for another
    would be asked for before it. It begins anew once what it holds is not asked for any more.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._in_vain = 0
        self._known: dict[tuple[str, frozenset[str]], tuple[Host, bytes]] = {}

    def of(self, host: Host, without: frozenset[str] = WHOLE) -> bytes:
        """What lasts of a host, without some of it."""
        place = host.id, without
        known = self._known.get(place)
        if known is not None and known[0] is host:
            self._in_vain = 0
            return known[1]
        written = msgspec.json.encode({key: value for key, value in _lasting(host).items() if key not in without})
        self._keep(place, host, written)
        return written

    def _keep(self, place: tuple[str, frozenset[str]], host: Host, written: bytes) -> None:
        self._in_vain += 1
        if self._in_vain > PATIENCE * (1 + len(self._known)):
            self._known.clear()
            self._bytes = self._in_vain = 0
        _, before = self._known.pop(place, (host, b""))
        self._bytes += len(written) - len(before)
        if self._bytes > self._most_bytes:
            self._bytes -= len(written)
        else:
            self._known[place] = host, written


PATIENCE = 8
"""How many times as many others are asked for in a row before what is kept counts as forgotten."""

WRITTEN = WrittenHosts(most_bytes=8 * 2**20)


def _passing(host: Host, seen_at: datetime, *, single_node: bool, full: bool) -> dict[str, Any]:
    """What depends on when the host was heard of, and on who asks."""
    name = host.name if full else host.requested_hostname
    timestamp = int(seen_at.timestamp()) + host.clock_skew if host.clock_skew is not None else 0
    return {
        **filled({"requested_hostname": name, "timestamp": timestamp}),
        "checked_in_at": millis(seen_at),
        "progress_stages": host.stages(single_node=single_node) if full else None,
    }


def _lasting(host: Host) -> dict[str, Any]:
    """What follows from the record alone."""
    verdicts = {"validations_info": validations_text(host.verdicts, CATEGORIES, pooled=host.verdicts.keys() <= POOLED)}
    return {**_unjudged(host), **filled(verdicts), "progress": progress_out(host)}


def _unjudged(host: Host) -> dict[str, Any]:
    """The same before the host was judged and its installation has begun."""
    return {
        **filled(_texts(host)),
        **filled(_scalars(host)),
        "created_at": micros(host.created_at),
        "deleted_at": millis(host.deleted_at) if host.deleted_at else None,
        "href": f"{ROOT}/infra-envs/{host.infra_env_id}/hosts/{host.id}",
        "id": host.id,
        "kind": host.kind,
        "logs_collected_at": millis(host.logs_collected_at),
        "logs_started_at": millis(host.logs_started_at),
        "registered_at": millis(host.registered_at),
        "stage_started_at": NEVER,
        "stage_updated_at": NEVER,
        "status": host.status,
        "status_info": host.status_info,
        "status_updated_at": millis(host.status_updated_at),
        "updated_at": micros(host.updated_at),
    }


def _scalars(host: Host) -> dict[str, Any]:
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
    args = text({"agent_version": agent_image, "host_id": host.id, "infra_env_id": host.infra_env_id})
    return {
        **_passing(host, host.registered_at, single_node=single_node, full=True),
        **_unjudged(host),
        "created_at": NEVER_CREATED,
        "updated_at": NEVER_CREATED,
        "next_step_runner_command": {"args": [args]},
    }
