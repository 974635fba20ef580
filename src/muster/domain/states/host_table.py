"""Every row of the host's state machine. First match wins; every row says why."""

from muster.domain.progress import Stage
from muster.domain.triggers import Cancel, Progressed, Registered, Replied, Reset, Ticked
from muster.domain.verdicts import Gate

from .cases import HostCase
from .host_conditions import (
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
    day2,
    disk_speed_may_be_fine,
    disks_are_known,
    fits,
    forgets_discovery,
    forgets_logs,
    forgets_progress,
    gives_logs_up,
    has_inventory,
    images_may_be_there,
    input_given,
    inventoried,
    is_open,
    is_told,
    keeps_stage_fresh,
    logs_are_overdue,
    may_be_fine,
    media_lost,
    never_started,
    preparation_took_too_long,
    reports_failure,
    role_is_settled,
    stage_took_too_long,
    sufficient,
    tells_of_disks,
    truncated,
    user_took_too_long,
)
from .hosts import BEFORE_INSTALL, FAILED, IN_POOL, IN_PREPARATION, INSTALLING
from .hosts import HostState as S
from .table import Table, Transition

READY = "The host is ready to be installed"
SILENT = "The host has stopped asking for instructions; check that it is switched on and reaches this service"
FAILING = "The host cannot be installed as it is: {failing}"
UNREADABLE = "The host can no longer read the image it was started from; reconnect its boot media"
OUTDATED = "Preparation has ended; the host is ready to be installed"

REGISTERED = (
    Transition(
        on=Registered,
        source=frozenset({S.PREPARING, S.PREPARED}),
        target=S.KNOWN,
        does=forgets_progress,
        because="The host started again while the installation was being prepared",
    ),
    Transition(
        on=Registered,
        source=BEFORE_INSTALL | {S.RESETTING_PENDING, S.BINDING},
        target=S.DISCOVERING,
        does=forgets_discovery,
        because="Waiting for the host to describe its hardware",
    ),
    Transition(
        on=Registered,
        source=frozenset({S.IN_PROGRESS, S.ADDED}),
        target=S.PENDING_USER_ACTION,
        when=at_stage(Stage.REBOOTING) | (day2 & at_stage(Stage.DONE)),
        because="The host started the discovery image again instead of its installed system; "
        "set its boot order so that it starts from {disk}, and restart it",
    ),
    Transition(
        on=Registered,
        source=INSTALLING,
        target=S.ERROR,
        because="The host restarted unexpectedly {at_stage}",
    ),
    Transition(on=Registered, source=frozenset({S.ERROR})),
    Transition(
        on=Registered,
        source=IN_POOL | {S.UNBINDING, S.UNBINDING_PENDING, S.RECLAIMING_REBOOTING},
        target=S.DISCOVERING_UNBOUND,
        does=forgets_discovery,
        because="Waiting for the host to describe its hardware",
    ),
)

PROGRESSED = (
    Transition(
        on=Progressed,
        source=INSTALLING | {S.PENDING_USER_ACTION},
        target=S.ERROR,
        when=reports_failure,
        because="Failed - {info}",
    ),
    Transition(
        on=Progressed,
        source=INSTALLING | {S.PENDING_USER_ACTION},
        target=S.ADDED,
        when=at_stage(Stage.DONE) & day2,
        because="The host has restarted into its installed system and joins the cluster; "
        "its certificate requests may have to be approved",
    ),
    Transition(on=Progressed, source=INSTALLING, target=S.INSTALLED, when=at_stage(Stage.DONE), because="{stage}"),
    Transition(on=Progressed, source=INSTALLING | {S.PENDING_USER_ACTION}, target=S.IN_PROGRESS, because="{stage}"),
)

INSTALL_FAILED = (
    Transition(
        on=Replied,
        source=INSTALLING,
        target=S.ERROR,
        because="The installation could not be started on the host: {error}",
    ),
)

CANCELLED = (
    Transition(
        on=Cancel,
        source=INSTALLING | {S.PENDING_USER_ACTION, S.INSTALLED, S.ERROR},
        target=S.CANCELLED,
        because="The installation was cancelled by the user",
    ),
    Transition(
        on=Cancel,
        source=frozenset({S.PREPARING, S.PREPARED}),
        target=S.KNOWN,
        because="The installation was cancelled by the user",
    ),
    Transition(on=Cancel, source=frozenset({S.KNOWN})),
)

RESET = (
    Transition(
        on=Reset,
        source=INSTALLING
        | {
            S.RESETTING,
            S.DISCOVERING,
            S.KNOWN,
            S.PENDING_USER_ACTION,
            S.PREPARING,
            S.PREPARED,
            S.PREPARING_FAILED,
            S.PENDING_FOR_INPUT,
            S.RESETTING_PENDING,
            S.INSTALLED,
            S.ERROR,
            S.CANCELLED,
            S.ADDED,
        },
        target=S.RESETTING_PENDING,
        because="Start the discovery image on the host to go on",
    ),
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
        source=IN_PREPARATION | INSTALLING,
        target=S.ERROR,
        when=media_lost,
        because=f"Failed - {UNREADABLE}",
    ),
    Transition(on=Ticked, source=BEFORE_INSTALL, target=S.DISCONNECTED, when=media_lost, because=UNREADABLE),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL | {S.PREPARING_FAILED},
        target=S.DISCONNECTED,
        when=~answering,
        because=SILENT,
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
        when=~answering,
        because="The host was lost while the installation was being prepared",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.ERROR,
        when=~answering,
        because="The host was lost while it was being installed, {at_stage}",
    ),
)

STAGES = (
    Transition(on=Ticked, source=frozenset({S.IN_PROGRESS}), when=clock_stands, does=keeps_stage_fresh),
    Transition(
        on=Ticked,
        source=frozenset({S.IN_PROGRESS}),
        target=S.ERROR,
        when=~at_stage(Stage.REBOOTING) & stage_took_too_long & ~clock_stands,
        because="The host has made no progress at stage {stage} for more than {minutes} minutes",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.IN_PROGRESS}),
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
)

DISCOVERY = (
    Transition(
        on=Ticked,
        source=frozenset({S.DISCONNECTED, S.DISCOVERING}),
        target=S.DISCOVERING,
        when=connected & ~inventoried,
        because="Waiting for the host to describe its hardware",
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
        source=IN_POOL | {S.UNBINDING},
        target=S.DISCONNECTED_UNBOUND,
        when=media_lost,
        because=UNREADABLE,
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
        because="Waiting for the host to describe its hardware",
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

HOST_TABLE: Table[HostCase] = Table(
    (
        *REGISTERED,
        *PROGRESSED,
        *INSTALL_FAILED,
        *CANCELLED,
        *RESET,
        *PREPARING,
        *LOST,
        *STAGES,
        *DISCOVERY,
        *POOL,
    )
)
