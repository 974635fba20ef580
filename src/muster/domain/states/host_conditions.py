"""Named booleans about a host, for the rows of its table, and what comes with a move."""

from datetime import datetime, timedelta

from muster.domain import events
from muster.domain.events import Event
from muster.domain.hosts import Host, HostKind
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import SETTLED_ROLES
from muster.domain.verdicts import Gate, Status

from .cases import WAITED_OUT, HostCase, enough, logs_clock
from .clusters import ClusterState
from .hosts import HostState as S
from .table import TICK, Condition, condition, since

_FRESHNESS = timedelta(minutes=1)
"""How often a standing clock is set anew."""

_FRESH = {
    "progress": HostProgress(),
    "logs_info": "",
    "logs_started_at": None,
    "logs_collected_at": None,
}
"""What every new start clears."""

# Conditions


@condition
def connected(case: HostCase) -> bool:
    """The agent is heard of, and can read what it was started from."""
    return case.connected and case.host.media_connected


connected.due = (lambda case: None if case.after_reboot else case.silent_at + TICK,)


@condition
def answering(case: HostCase) -> bool:
    """The agent is heard of."""
    return case.connected


answering.due = connected.due


@condition
def media_lost(case: HostCase) -> bool:
    """The agent cannot read what it was started from."""
    return not case.host.media_connected


def is_open(gate: Gate) -> Condition[HostCase]:
    """No check of this gate fails."""
    return Condition(f"{gate} checks pass", lambda case: gate not in case.assessment.closed)


def passes(check: str) -> Condition[HostCase]:
    """One check does not hold its gate."""
    return Condition(f"{check} passes", lambda case: check not in case.assessment.held)


def cluster_is(*states: ClusterState) -> Condition[HostCase]:
    """The host's cluster is in one of these states."""
    return Condition(
        f"cluster is {' or '.join(states)}",
        lambda case: case.cluster is not None and case.cluster.status in states,
    )


def at_stage(*stages: Stage) -> Condition[HostCase]:
    """The installation is at one of these stages."""
    return Condition(f"stage is {' or '.join(stages)}", lambda case: case.host.progress.current_stage in stages)


@condition
def has_inventory(case: HostCase) -> bool:
    """The machine has described itself."""
    return case.host.inventory is not None


@condition
def day2(case: HostCase) -> bool:
    """The host joins a running cluster."""
    return case.day2


@condition
def role_is_settled(case: HostCase) -> bool:
    """The host knows what it is to become."""
    return case.host.role in SETTLED_ROLES


@condition
def disk_is_fast(case: HostCase) -> bool:
    """The installation disk was tried out well, or must not be tried out."""
    return case.disk_is_fast


@condition
def images_are_there(case: HostCase) -> bool:
    """The container images were fetched."""
    return case.images_are_there


@condition
def reports_failure(case: HostCase) -> bool:
    """The host says that its installation has failed."""
    return getattr(case.trigger, "stage", None) == Stage.FAILED


@condition
def cluster_can_do_without(case: HostCase) -> bool:
    """The hosts already installed make up the cluster."""
    return case.cluster is not None and enough(case.cluster, case.view.living, {S.INSTALLED})


@condition
def clock_stands(case: HostCase) -> bool:
    """The stage's clock stands still because the cluster waits for the user."""
    return (
        case.cluster is not None
        and case.cluster.status is ClusterState.PENDING_USER_ACTION
        and case.host.progress.current_stage in WAITED_OUT
    )


def _stands_since(case: HostCase) -> datetime | None:
    """When a standing clock has to be set anew."""
    updated = case.host.progress.stage_updated_at
    return updated + _FRESHNESS if updated is not None and clock_stands.test(case) else None


clock_stands.due = (_stands_since,)

preparation_took_too_long = since(
    "preparation took too long", lambda case: (case.host.status_updated_at, case.policy.host_preparation)
)
never_started = since(
    "nothing reported for too long", lambda case: (case.host.status_updated_at, case.policy.start_of_installation)
)
user_took_too_long = since(
    "the user took too long", lambda case: (case.host.status_updated_at, case.policy.host_user_action)
)
stage_took_too_long = since(
    "the stage took too long",
    lambda case: (
        (stage_at, limit) if (limit := case.stage_limit) and (stage_at := case.host.progress.stage_updated_at) else None
    ),
)
logs_are_overdue = since(
    "the logs are overdue",
    lambda case: logs_clock(
        case.host.logs_info,
        case.policy.host_logs,
        failed_at=case.host.status_updated_at,
        started_at=case.host.logs_started_at,
        collected_at=case.host.logs_collected_at,
    ),
)

inventoried = is_open(Gate.INVENTORY)
fits = is_open(Gate.HARDWARE)
input_given = is_open(Gate.INPUT)
disks_are_known = is_open(Gate.DISK_UUID)
sufficient = is_open(Gate.INSTALL)
disk_speed_may_be_fine = passes("sufficient-installation-disk-speed")
images_may_be_there = passes("container-images-available")
truncated = ~passes("inventory-not-fully-truncated")
all_fine = disk_is_fast & images_are_there
may_be_fine = disk_speed_may_be_fine & images_may_be_there
cluster_prepares = cluster_is(ClusterState.PREPARING)
cluster_installs = cluster_is(ClusterState.INSTALLING)
cluster_failed = cluster_is(ClusterState.ERROR)
cluster_is_there = cluster_is(ClusterState.INSTALLED, ClusterState.ADDING_HOSTS)


# What comes with a move


def forgets_discovery(case: HostCase) -> Host:
    """A machine that starts anew is looked at anew."""
    return case.host.but(inventory=None, bootstrap=False, images={}, ntp_sources=None, **_FRESH, kind=_kind_of(case))


def forgets_progress(case: HostCase) -> Host:
    """A machine that starts anew while its cluster prepares keeps what is known of it."""
    return case.host.but(images={}, ntp_sources=None, **_FRESH, kind=_kind_of(case))


def forgets_logs(case: HostCase) -> Host:
    """A new attempt has logs of its own, and failed images are tried again."""
    host = case.host.but(logs_info="", logs_started_at=None, logs_collected_at=None)
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
    if old is None or case.now - old < _FRESHNESS:
        return case.host
    return case.host.but(progress=progress.but(stage_updated_at=case.now))


def tells_of_disks(host: Host) -> tuple[Event, ...]:
    """Which disks besides the installation disk are wiped, and which are left alone as asked."""
    wiped = host.wiped_disks
    return tuple(
        events.quick_disk_format_performed(host, disk)
        if disk in wiped
        else events.quick_disk_format_skipped(host, disk)
        for disk in host.disks_to_be_formatted
    )


def _kind_of(case: HostCase) -> HostKind:
    return HostKind.DAY2 if case.cluster is not None and case.cluster.day2 else HostKind.HOST
