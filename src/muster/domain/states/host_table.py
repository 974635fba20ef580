"""Every row of the host's state machine: here those that apply by themselves. First match wins; every row says why."""

from muster.domain.progress import Stage
from muster.domain.triggers import Ticked
from muster.domain.verdicts import Gate

from .cases import HostCase
from .host_asked import ASKED_AND_TOLD, COULD_NOT_RETURN, TO_BE_RESTARTED, UNREADABLE, WAITING
from .host_changes import (
    forgets_logs,
    forgets_the_gone,
    gives_logs_up,
    is_back,
    is_late,
    is_missed,
    is_told,
    keeps_stage_fresh,
    leaves_cluster,
    tells_of_disks,
    tells_of_late_stage,
    tells_of_peace,
    tells_of_restart,
)
from .host_conditions import (
    a_machine_is_gone,
    all_fine,
    answering,
    at_stage,
    clock_stands,
    cluster_can_do_without,
    cluster_failed,
    cluster_installs,
    cluster_is_there,
    cluster_prepares,
    connected,
    contested,
    day2,
    disk_speed_may_be_fine,
    disks_are_known,
    fits,
    has_inventory,
    images_may_be_there,
    input_given,
    inventoried,
    is_open,
    is_past_reboot,
    lateness_was_told,
    limits_are_soft,
    logs_are_overdue,
    may_be_fine,
    media_lost,
    never_started,
    preparation_took_too_long,
    reclaiming_took_too_long,
    resetting_took_too_long,
    role_is_settled,
    silence_was_told,
    stage_took_too_long,
    sufficient,
    truncated,
    user_took_too_long,
)
from .hosts import BEFORE_INSTALL, FAILED, IN_POOL, INSTALLING
from .hosts import HostState as S
from .table import Table, Transition

READY = "The host is ready to be installed"
SILENT = "The host has stopped asking for instructions; check that it is switched on and reaches this service"
FAILING = "The host cannot be installed as it is: {failing}"
OUTDATED = "Preparation has ended; the host is ready to be installed"
IN_PROGRESS = frozenset({S.IN_PROGRESS})

CONTEST = (
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL | IN_POOL,
        when=a_machine_is_gone,
        does=forgets_the_gone,
        tells=tells_of_peace,
    ),
    Transition(on=Ticked, source=BEFORE_INSTALL, target=S.INSUFFICIENT, when=connected & contested, because=FAILING),
    Transition(on=Ticked, source=IN_POOL, target=S.INSUFFICIENT_UNBOUND, when=connected & contested, because=FAILING),
)

PREPARING = (
    Transition(
        on=Ticked,
        source=frozenset({S.KNOWN}),
        target=S.PREPARING,
        when=role_is_settled & connected & cluster_prepares,
        does=forgets_logs,
        because="The host's disk and its access to container images are being tried out",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING}),
        target=S.PREPARED,
        when=connected & all_fine & cluster_prepares,
        because="The host is prepared and waits for the others",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARED}),
        target=S.INSTALLING,
        when=connected & cluster_installs,
        does=is_told,
        tells=tells_of_disks,
        because="The host is told to install",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING}),
        target=S.KNOWN,
        when=connected & may_be_fine & ~cluster_prepares,
        because=OUTDATED,
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING, S.PREPARING_FAILED, S.KNOWN}),
        target=S.INSUFFICIENT,
        when=connected & ~disk_speed_may_be_fine,
        because=FAILING,
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING}),
        target=S.PREPARING_FAILED,
        when=connected & preparation_took_too_long & ~all_fine & may_be_fine,
        because="Trying out {untried} took too long",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING}),
        target=S.PREPARING_FAILED,
        when=connected & ~images_may_be_there,
        because="The host cannot be prepared: {failing}",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING_FAILED}),
        target=S.KNOWN,
        when=connected & ~cluster_prepares,
        because=OUTDATED,
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARED}),
        target=S.KNOWN,
        when=connected & ~cluster_prepares & ~cluster_installs,
        because=OUTDATED,
    ),
)

LOST = (
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL | {S.PREPARING_FAILED},
        target=S.DISCONNECTED,
        when=~answering,
        because=SILENT,
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL | {S.PREPARING_FAILED},
        target=S.DISCONNECTED,
        when=media_lost,
        because=UNREADABLE,
    ),
    Transition(
        on=Ticked,
        source=INSTALLING | {S.INSTALLED, S.RESETTING_PENDING, S.PENDING_USER_ACTION},
        target=S.ERROR,
        when=cluster_failed & ~day2,
        because="The installation of the cluster has failed",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.INSTALLING}),
        target=S.ERROR,
        when=never_started,
        because="The host was told to install but has not reported anything since",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PREPARING, S.PREPARED}),
        target=S.DISCONNECTED,
        when=~connected,
        because="The host was lost while the installation was being prepared",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.ERROR,
        when=~answering & ~limits_are_soft,
        because="The host was lost while it was being installed, {at_stage}",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        when=~answering & limits_are_soft & ~silence_was_told,
        does=is_missed,
        because="The host is not heard of any more {at_stage}; check that it runs and reaches this service",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        when=answering & limits_are_soft & silence_was_told,
        does=is_back,
        because="The host is heard of again, {at_stage}",
    ),
)

STAGES = (
    Transition(on=Ticked, source=IN_PROGRESS, when=clock_stands, does=keeps_stage_fresh),
    Transition(
        on=Ticked,
        source=IN_PROGRESS,
        target=S.ERROR,
        when=~limits_are_soft & ~at_stage(Stage.REBOOTING) & stage_took_too_long,
        because="The host has made no progress at stage {stage} for more than {minutes} minutes",
    ),
    Transition(
        on=Ticked,
        source=IN_PROGRESS,
        when=limits_are_soft & ~lateness_was_told & ~at_stage(Stage.REBOOTING) & stage_took_too_long,
        does=is_late,
        tells=tells_of_late_stage,
        because="The host installs on, but has made no progress at stage {stage} for more than {minutes} minutes",
    ),
    Transition(
        on=Ticked,
        source=IN_PROGRESS,
        target=S.PENDING_USER_ACTION,
        when=at_stage(Stage.REBOOTING) & stage_took_too_long,
        because="The host has not come back for more than {minutes} minutes; check that it starts from {disk} "
        "and reaches the API of the cluster",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.PENDING_USER_ACTION}),
        target=S.ERROR,
        when=user_took_too_long & cluster_can_do_without & ~cluster_is_there,
        because="The host was not started from its disk in time",
    ),
    Transition(on=Ticked, source=FAILED, when=logs_are_overdue, does=gives_logs_up),
    Transition(
        on=Ticked,
        source=frozenset({S.RESETTING}),
        target=S.RESETTING_PENDING,
        when=resetting_took_too_long | is_past_reboot,
        tells=tells_of_restart,
        because=TO_BE_RESTARTED,
    ),
)

DISCOVERY = (
    Transition(
        on=Ticked,
        source=frozenset({S.DISCONNECTED, S.DISCOVERING}),
        target=S.DISCOVERING,
        when=connected & ~inventoried,
        because=WAITING,
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.INSUFFICIENT,
        when=connected & inventoried & ~fits,
        because="The host does not meet the minimum requirements: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.PENDING_FOR_INPUT,
        when=connected & inventoried & disks_are_known & fits & ~input_given,
        because="The host is fine so far; waiting for your input: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.INSUFFICIENT,
        when=connected & has_inventory & (fits | truncated) & (~disks_are_known | (input_given & ~sufficient)),
        because=FAILING,
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.KNOWN,
        when=connected & inventoried & fits & input_given & sufficient & disks_are_known,
        because=READY,
    ),
)

POOL = (
    Transition(
        on=Ticked,
        source=frozenset({S.RECLAIMING, S.RECLAIMING_REBOOTING}),
        target=S.UNBINDING_PENDING,
        when=reclaiming_took_too_long,
        does=leaves_cluster,
        because=COULD_NOT_RETURN,
    ),
    Transition(
        on=Ticked,
        source=IN_POOL | {S.UNBINDING},
        target=S.DISCONNECTED_UNBOUND,
        when=~answering,
        because=SILENT,
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.DISCONNECTED_UNBOUND, S.DISCOVERING_UNBOUND}),
        target=S.DISCOVERING_UNBOUND,
        when=connected & ~inventoried,
        because=WAITING,
    ),
    Transition(
        on=Ticked,
        source=IN_POOL,
        target=S.INSUFFICIENT_UNBOUND,
        when=connected & inventoried & ~is_open(Gate.POOL),
        because=FAILING,
    ),
    Transition(
        on=Ticked,
        source=IN_POOL,
        target=S.KNOWN_UNBOUND,
        when=connected & inventoried & is_open(Gate.POOL),
        because="The host is ready to be given to a cluster",
    ),
)

HOST_TABLE: Table[HostCase] = Table((*ASKED_AND_TOLD, *CONTEST, *PREPARING, *LOST, *STAGES, *DISCOVERY, *POOL))
