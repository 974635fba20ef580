"""What comes with a move of a host: what it forgets, what is noted, what is told."""

from typing import Any

from muster.domain import host_events
from muster.domain.events import Event
from muster.domain.hosts import Host, HostKind
from muster.domain.progress import HostProgress
from muster.domain.roles import Role
from muster.domain.sightings import is_first, still_there
from muster.domain.triggers import BindHost
from muster.domain.verdicts import Status

from .cases import HostCase
from .host_conditions import FRESHNESS

_NO_LOGS: dict[str, Any] = {"logs_info": "", "logs_started_at": None, "logs_collected_at": None}
_FRESH: dict[str, Any] = {"progress": HostProgress(), "connection_timed_out": False} | _NO_LOGS
"""What every new start clears."""

_UNSEEN: dict[str, Any] = {"inventory": None, "bootstrap": False, "images": {}}
"""What is known of a machine only as long as it runs the discovery image."""

_LEFT_BEHIND: dict[str, Any] = {
    "cluster_id": None,
    "kind": HostKind.HOST,
    "role": Role.AUTO,
    "suggested_role": None,
    "connectivity": None,
    "resolutions": None,
    "free_addresses": None,
    "vip_checks": (),
    "api_vip": None,
    "installation_disk_id": "",
    "installation_disk_path": "",
    "machine_config_pool_name": "",
}
"""What a host has only as part of a cluster."""


def forgets_discovery(case: HostCase) -> Host:
    """A machine that starts anew is looked at anew."""
    return case.host.but(**_UNSEEN, **_FRESH, ntp_sources=None, connectivity=None, kind=_kind_of(case))


def forgets_progress(case: HostCase) -> Host:
    """A machine that starts anew while its cluster prepares keeps what is known of it."""
    return case.host.but(images={}, ntp_sources=None, **_FRESH, kind=_kind_of(case))


def forgets_logs(case: HostCase) -> Host:
    """A new attempt has logs of its own, and failed images are tried again."""
    host = case.host.but(**_NO_LOGS)
    images = case.assessment.verdicts.get("container-images-available")
    if images is None or images.status is not Status.FAILURE:
        return host
    heard = {step: at for step, at in host.heard_at.items() if step != "container-image-availability"}
    return host.but(images={}, heard_at=heard)


def gives_logs_up(case: HostCase) -> Host:
    """Nobody waits for the logs any longer."""
    return case.host.but(logs_info="timeout")


def is_told(case: HostCase) -> Host:
    """The host installs with the installer of this moment."""
    return case.host.but(installer_version=case.policy.installer_image)


def keeps_stage_fresh(case: HostCase) -> Host:
    """While the cluster waits for the user the stage's clock does not run."""
    progress = case.host.progress
    old = progress.stage_updated_at
    if old is None or case.now - old < FRESHNESS:
        return case.host
    return case.host.but(progress=progress.but(stage_updated_at=case.now))


def forgets_the_gone(case: HostCase) -> Host:
    """A host is the machines that are left; what one that is gone has told counts no more."""
    host = case.host
    left = still_there(host.sightings, case.now, case.policy.identity_memory)
    is_known_by_one = is_first(left, host.sightings[0])
    return host.but(sightings=left, inventory=host.inventory if is_known_by_one else None)


def joins_cluster(case: HostCase) -> Host:
    """A host that is given to a cluster is looked at anew, as part of it."""
    assert isinstance(case.trigger, BindHost)
    return case.host.but(**_UNSEEN, progress=HostProgress(), cluster_id=case.trigger.cluster_id)


def leaves_cluster(case: HostCase) -> Host:
    """A host that is taken back belongs to nobody; what the user wrote about the machine itself stays."""
    return case.host.but(**_UNSEEN, **_FRESH, **_LEFT_BEHIND)


def is_missed(case: HostCase) -> Host:
    """The host is not heard of, and that has been said."""
    return case.host.but(connection_timed_out=True)


def is_back(case: HostCase) -> Host:
    """The host is heard of again."""
    return case.host.but(connection_timed_out=False)


def is_late(case: HostCase) -> Host:
    """The stage takes too long, and that has been said."""
    return case.host.but(progress=case.host.progress.but(stage_timed_out=True))


def tells_of_late_stage(host: Host) -> tuple[Event, ...]:
    """A stage takes longer than it should."""
    return (host_events.host_stage_timed_out(host),)


def tells_of_peace(host: Host) -> tuple[Event, ...]:
    """Whether one machine is left that reports as the host."""
    return () if host.contested else (host_events.host_identity_settled(host),)


def tells_of_restart(host: Host) -> tuple[Event, ...]:
    """Only the user can bring the host back into the discovery image."""
    return (host_events.user_required_complete_installation_reset(host),)


def tells_of_disks(host: Host) -> tuple[Event, ...]:
    """Which disks besides the installation disk are wiped, and which are left alone as asked."""
    wiped = host.wiped_disks
    return tuple(
        host_events.quick_disk_format_performed(host, disk)
        if disk in wiped
        else host_events.quick_disk_format_skipped(host, disk)
        for disk in host.disks_to_be_formatted
    )


def _kind_of(case: HostCase) -> HostKind:
    return HostKind.DAY2 if case.cluster is not None and case.cluster.day2 else HostKind.HOST
