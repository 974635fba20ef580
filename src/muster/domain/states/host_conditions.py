"""Named booleans about a host, for the rows of its table."""

from datetime import datetime, timedelta

from muster.domain.progress import Stage
from muster.domain.roles import SETTLED_ROLES
from muster.domain.triggers import Progressed, Replied
from muster.domain.verdicts import Gate

from .cases import WAITED_OUT, HostCase, enough, logs_clock
from .clusters import ClusterState
from .hosts import HostState as S
from .table import TICK, Condition, condition, since

FRESHNESS = timedelta(minutes=1)
"""How often a standing clock is set anew."""


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
def contested(case: HostCase) -> bool:
    """More than one machine reports as this host."""
    return case.host.contested


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
    return isinstance(case.trigger, Progressed) and case.trigger.stage == Stage.FAILED


MEDIA_LOST = 256
"""The exit code of an agent that cannot read what it was started from."""

ALREADY_RUNS = 125
"""The exit code of an install step on a host that installs already."""


@condition
def loses_media(case: HostCase) -> bool:
    """The host says that it cannot read what it was started from."""
    return isinstance(case.trigger, Replied) and case.trigger.exit_code == MEDIA_LOST


@condition
def cannot_start(case: HostCase) -> bool:
    """The host says that it cannot install; that it does so already is no failure."""
    told = case.trigger
    if not isinstance(told, Replied) or told.step != "install" or told.exit_code in (0, MEDIA_LOST):
        return False
    return not (told.exit_code == ALREADY_RUNS and "is already in use" in told.error)


@condition
def has_fetched_the_image(case: HostCase) -> bool:
    """An installed host says that it has fetched the discovery image."""
    told = case.trigger
    return isinstance(told, Replied) and told.step == "download-boot-artifacts" and told.exit_code == 0


@condition
def cannot_fetch_the_image(case: HostCase) -> bool:
    """An installed host says that it cannot fetch the discovery image, or not start it."""
    told = case.trigger
    return isinstance(told, Replied) and told.step in RETURNING and told.exit_code != 0


RETURNING = frozenset({"download-boot-artifacts", "reboot-for-reclaim"})
"""Steps that bring an installed host back into the discovery image."""


@condition
def limits_are_soft(case: HostCase) -> bool:
    """Taking too long is told and not punished."""
    return case.cluster is not None and case.policy.soft_timeouts and case.cluster.org_soft_timeouts_enabled


@condition
def silence_was_told(case: HostCase) -> bool:
    """The user knows that the host is not heard of."""
    return case.host.connection_timed_out


@condition
def lateness_was_told(case: HostCase) -> bool:
    """The user knows that the stage takes too long."""
    return case.host.progress.stage_timed_out


@condition
def is_past_reboot(case: HostCase) -> bool:
    """The host has left the discovery image."""
    return case.after_reboot


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
    return updated + FRESHNESS if updated is not None and clock_stands.test(case) else None


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
reclaiming_took_too_long = since(
    "finding back took too long", lambda case: (case.host.status_updated_at, case.policy.reclaim)
)
resetting_took_too_long = since(
    "resetting took too long", lambda case: (case.host.status_updated_at, case.policy.resetting)
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

a_machine_is_gone = since(
    "a machine that reported as this host is not heard of any more",
    lambda case: (
        (min(each.seen_at for each in case.host.sightings), case.policy.identity_memory)
        if case.host.contested
        else None
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
