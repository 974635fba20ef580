"""Rows of the host's state machine for what agents tell and what users ask."""

from muster.domain.progress import Stage
from muster.domain.triggers import (
    BindHost,
    Cancel,
    InstallHost,
    Progressed,
    ReclaimHost,
    Registered,
    Replied,
    Reset,
    ResetHost,
    UnbindHost,
)

from .host_changes import forgets_discovery, forgets_progress, is_told, joins_cluster, leaves_cluster, tells_of_disks
from .host_conditions import (
    answering,
    at_stage,
    cannot_fetch_the_image,
    cannot_start,
    contested,
    day2,
    has_fetched_the_image,
    loses_media,
    reports_failure,
)
from .hosts import BEFORE_INSTALL, FAILED, IN_POOL, IN_PREPARATION, INSTALLING, UNTOUCHED
from .hosts import HostState as S
from .table import Transition

WAITING = "Waiting for the host to describe its hardware"
UNREADABLE = "The host can no longer read the image it was started from; reconnect its boot media"
BY_THE_USER = "The installation was cancelled by the user"
TO_BE_RESTARTED = "Start the discovery image on the host to go on"
TAKEN_BACK = "The host was taken from its cluster and registers again"
COULD_NOT_RETURN = "The host could not find back into the discovery image by itself; start it there by hand"

UNDER_WAY = INSTALLING | {S.PENDING_USER_ACTION}

REGISTERED = (
    # Machines that contest a host start again and again; each time would be another beginning.
    Transition(on=Registered, source=BEFORE_INSTALL | IN_POOL, when=contested),
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
        because=WAITING,
    ),
    Transition(on=Registered, source=frozenset({S.RESETTING}), when=at_stage(Stage.REBOOTING)),
    Transition(
        on=Registered,
        source=frozenset({S.RESETTING}),
        target=S.DISCOVERING,
        does=forgets_discovery,
        because=WAITING,
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
        because=WAITING,
    ),
)

PROGRESSED = (
    Transition(
        on=Progressed,
        source=UNDER_WAY,
        target=S.ERROR,
        when=reports_failure,
        because="Failed - {info}",
    ),
    Transition(
        on=Progressed,
        source=UNDER_WAY,
        target=S.ADDED,
        when=at_stage(Stage.DONE) & day2,
        because="The host has restarted into its installed system and joins the cluster; "
        "its certificate requests may have to be approved",
    ),
    Transition(on=Progressed, source=UNDER_WAY, target=S.INSTALLED, when=at_stage(Stage.DONE), because="{stage}"),
    Transition(on=Progressed, source=UNDER_WAY, target=S.IN_PROGRESS, because="{stage}"),
)

REPLIED = (
    Transition(
        on=Replied,
        source=BEFORE_INSTALL | {S.BINDING},
        target=S.DISCONNECTED,
        when=loses_media,
        because=UNREADABLE,
    ),
    Transition(
        on=Replied,
        source=IN_PREPARATION | INSTALLING | {S.ERROR},
        target=S.ERROR,
        when=loses_media,
        because=f"Failed - {UNREADABLE}. Before that: {{before}}",
    ),
    Transition(
        on=Replied,
        source=IN_POOL | {S.UNBINDING},
        target=S.DISCONNECTED_UNBOUND,
        when=loses_media,
        because=UNREADABLE,
    ),
    Transition(
        on=Replied,
        source=INSTALLING,
        target=S.ERROR,
        when=cannot_start,
        because="The installation could not be started on the host: {error}",
    ),
    Transition(
        on=Replied,
        source=frozenset({S.RECLAIMING}),
        target=S.RECLAIMING_REBOOTING,
        when=has_fetched_the_image,
        because="The host has fetched the discovery image and restarts into it",
    ),
    Transition(
        on=Replied,
        source=frozenset({S.RECLAIMING, S.RECLAIMING_REBOOTING}),
        target=S.UNBINDING_PENDING,
        when=cannot_fetch_the_image,
        does=leaves_cluster,
        because=COULD_NOT_RETURN + ": {error}",
    ),
)

ENDED = (
    Transition(
        on=Cancel,
        source=UNDER_WAY | {S.INSTALLED, S.ERROR},
        target=S.CANCELLED,
        because=BY_THE_USER,
    ),
    Transition(on=Cancel, source=frozenset({S.PREPARING, S.PREPARED}), target=S.KNOWN, because=BY_THE_USER),
    Transition(on=Cancel, source=frozenset({S.KNOWN})),
    Transition(
        on=Reset,
        source=UNTOUCHED,
        target=S.RESETTING,
        when=answering,
        because="Nothing was written to the host; it registers again by itself",
    ),
    *(
        Transition(
            on=trigger,
            source=UNDER_WAY | UNTOUCHED | FAILED | {S.RESETTING, S.RESETTING_PENDING, S.INSTALLED, S.ADDED},
            target=S.RESETTING_PENDING,
            because=TO_BE_RESTARTED,
        )
        for trigger in (Reset, ResetHost)
    ),
)

GIVEN_AND_TAKEN = (
    Transition(
        on=InstallHost,
        source=frozenset({S.KNOWN}),
        target=S.INSTALLING,
        when=day2,
        does=is_told,
        tells=tells_of_disks,
        because="The host is told to install",
    ),
    Transition(
        on=BindHost,
        source=frozenset({S.KNOWN_UNBOUND}),
        target=S.BINDING,
        does=joins_cluster,
        because="The host was given to a cluster and registers again",
    ),
    Transition(
        on=ReclaimHost,
        source=frozenset({S.INSTALLED, S.ADDED}),
        target=S.RECLAIMING,
        does=leaves_cluster,
        because="The host fetches the discovery image to return to the pool",
    ),
    *(
        Transition(on=trigger, source=BEFORE_INSTALL, target=S.UNBINDING, does=leaves_cluster, because=TAKEN_BACK)
        for trigger in (UnbindHost, ReclaimHost)
    ),
    Transition(
        on=UnbindHost,
        source=UNDER_WAY | IN_PREPARATION | FAILED | {S.INSTALLED, S.ADDED},
        target=S.UNBINDING_PENDING,
        does=leaves_cluster,
        because=TO_BE_RESTARTED,
    ),
    Transition(
        on=ReclaimHost,
        source=FAILED,
        target=S.UNBINDING_PENDING,
        does=leaves_cluster,
        because=TO_BE_RESTARTED,
    ),
)

ASKED_AND_TOLD = (*REGISTERED, *PROGRESSED, *REPLIED, *ENDED, *GIVEN_AND_TAKEN)
"""All of them."""
