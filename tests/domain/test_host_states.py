"""Every row of the host's table: where it leads, and that its condition matters."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from builders import (
    NOW,
    a_machine,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    a_view_of,
    some_ready_hosts,
)
from moving import a_host_in, at_stage, host_move, host_rows, moved_host
from muster.domain.clusters import ClusterState
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus
from muster.domain.inventory import Truncation
from muster.domain.policy import Policy
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.domain.sightings import Sighting
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
    Ticked,
    Trigger,
    UnbindHost,
)
from muster.domain.views import View

H, C = HostState, ClusterState
MINUTE = timedelta(minutes=1)

TICKED = Ticked()
BACK = Registered(host_id="m1", infra_env_id="e1")
FAST = {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True, speed_ms=2)}
BROKEN = {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True, exit_code=1)}
FETCHED = {"release": ImageStatus(name="release", result="success")}
MISSING = {"release": ImageStatus(name="release", result="failure")}
TRIED = {"disk_speeds": FAST, "images": FETCHED}

BEFORE = [H.DISCOVERING, H.KNOWN, H.DISCONNECTED, H.INSUFFICIENT, H.PENDING_FOR_INPUT]
POOL = [H.DISCOVERING_UNBOUND, H.KNOWN_UNBOUND, H.INSUFFICIENT_UNBOUND, H.DISCONNECTED_UNBOUND]


class Case(NamedTuple):
    """A host in a situation, what happens, and where that leads."""

    view: View
    trigger: Trigger
    target: HostState
    words: str = ""


def silent(view: View) -> View:
    """The first host has not been heard of for ten minutes."""
    host = view.hosts["m1"].but(registered_at=NOW - 60 * MINUTE)
    return view.with_host(host).but(presence={**view.presence, "m1": NOW - 10 * MINUTE})


def in_pool(status: HostState, **changes) -> View:
    """A host without a cluster."""
    view = a_pool_view(a_ready_host("m1"))
    return view.but(hosts={"m1": view.hosts["m1"].but(status=status, **changes)})


def joining(status: HostState, cluster: ClusterState = C.ADDING_HOSTS, **changes) -> View:
    """A host that is to join a running cluster."""
    host = a_ready_host("m1", kind=HostKind.DAY2, role=Role.WORKER, status=status)
    return a_view(a_running_cluster(status=cluster), [host.but(**changes)])


def among(status: HostState, others: HostState, cluster: ClusterState, *, minutes: float = 0, **changes) -> View:
    """A worker next to three masters in another state."""
    first, *masters = some_ready_hosts(4)
    first = first.but(status=status, role=Role.WORKER, status_updated_at=NOW - timedelta(minutes=minutes), **changes)
    return a_view_of(cluster, [first, *(host.but(status=others) for host in masters)])


def stage(name: Stage, info: str = "") -> Progressed:
    return Progressed(host_id="m1", stage=name, info=info)


REGISTERED = [
    *(Case(a_host_in(each, C.PREPARING), BACK, H.KNOWN, "started again") for each in (H.PREPARING, H.PREPARED)),
    *(Case(a_host_in(each), BACK, H.DISCOVERING, "hardware") for each in (*BEFORE, H.RESETTING_PENDING, H.BINDING)),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.REBOOTING)),
        BACK,
        H.PENDING_USER_ACTION,
        "starts from disk sda (/dev/disk/by-id/wwn-0x1)",
    ),
    Case(joining(H.ADDED, progress=at_stage(Stage.DONE)), BACK, H.PENDING_USER_ACTION, "boot order"),
    Case(joining(H.ADDED, progress=at_stage(Stage.JOINED)), BACK, H.ADDED),
    Case(a_host_in(H.INSTALLING, C.INSTALLING), BACK, H.ERROR, "restarted unexpectedly before its first stage"),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.WRITING)),
        BACK,
        H.ERROR,
        "at stage Writing image to disk",
    ),
    Case(a_host_in(H.ERROR, C.INSTALLING), BACK, H.ERROR),
    Case(a_host_in(H.RESETTING, progress=at_stage(Stage.REBOOTING)), BACK, H.RESETTING),
    Case(a_host_in(H.RESETTING), BACK, H.DISCOVERING, "hardware"),
    *(
        Case(in_pool(each), BACK, H.DISCOVERING_UNBOUND, "hardware")
        for each in (*POOL, H.UNBINDING, H.UNBINDING_PENDING, H.RECLAIMING_REBOOTING)
    ),
    *(
        Case(a_host_in(each), BACK, each)
        for each in (H.PREPARING_FAILED, H.CANCELLED, H.DISABLED, H.PENDING_USER_ACTION)
    ),
    Case(in_pool(H.RECLAIMING), BACK, H.RECLAIMING),
]

PROGRESSED = [
    *(
        Case(
            a_host_in(each, C.INSTALLING, progress=at_stage(Stage.WRITING)),
            stage(Stage.WRITING),
            H.IN_PROGRESS,
            "Writing image",
        )
        for each in (H.INSTALLING, H.IN_PROGRESS, H.PENDING_USER_ACTION)
    ),
    *(
        Case(
            a_host_in(each, C.INSTALLING, progress=at_stage(Stage.WRITING)),
            stage(Stage.FAILED, "no disk"),
            H.ERROR,
            "no disk",
        )
        for each in (H.INSTALLING, H.IN_PROGRESS, H.PENDING_USER_ACTION)
    ),
    Case(a_host_in(H.IN_PROGRESS, C.INSTALLING), stage(Stage.FAILED), H.ERROR, "Failed"),
    Case(a_host_in(H.INSTALLING, C.INSTALLING, progress=at_stage(Stage.DONE)), stage(Stage.DONE), H.INSTALLED, "Done"),
    Case(a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.DONE)), stage(Stage.DONE), H.INSTALLED, "Done"),
    Case(
        a_host_in(H.PENDING_USER_ACTION, C.INSTALLING, progress=at_stage(Stage.DONE)),
        stage(Stage.DONE),
        H.INSTALLED,
        "Done",
    ),
    *(
        Case(joining(each, progress=at_stage(Stage.DONE)), stage(Stage.DONE), H.ADDED, "certificate")
        for each in (H.INSTALLING, H.IN_PROGRESS, H.PENDING_USER_ACTION)
    ),
    Case(joining(H.INSTALLING, progress=at_stage(Stage.REBOOTING)), stage(Stage.REBOOTING), H.IN_PROGRESS, "Rebooting"),
    Case(a_host_in(H.INSTALLED, C.INSTALLING, progress=at_stage(Stage.DONE)), stage(Stage.DONE), H.INSTALLED),
]

NO = Replied(host_id="m1", step="install", exit_code=1, error="no podman")
OTHERS = [
    *(Case(a_host_in(each, C.INSTALLING), NO, H.ERROR, "no podman") for each in (H.INSTALLING, H.IN_PROGRESS)),
    Case(a_host_in(H.INSTALLING, C.INSTALLING), NO.but(error=""), H.ERROR, "could not be started on the host"),
    Case(a_host_in(H.INSTALLED, C.INSTALLING), NO, H.INSTALLED),
    *(
        Case(a_host_in(each, C.INSTALLING), Cancel(), H.CANCELLED, "cancelled by the user")
        for each in (H.PENDING_USER_ACTION, H.INSTALLING, H.IN_PROGRESS, H.INSTALLED, H.ERROR)
    ),
    *(Case(a_host_in(each, C.PREPARING), Cancel(), H.KNOWN, "cancelled") for each in (H.PREPARING, H.PREPARED)),
    Case(a_host_in(H.KNOWN, C.PREPARING), Cancel(), H.KNOWN),
    Case(a_host_in(H.DISCONNECTED, C.PREPARING), Cancel(), H.DISCONNECTED),
    *(
        Case(a_host_in(each, C.ERROR), Reset(), H.RESETTING_PENDING, "discovery image")
        for each in (
            H.RESETTING, H.PENDING_USER_ACTION, H.INSTALLING, H.RESETTING_PENDING, H.IN_PROGRESS, H.INSTALLED,
            H.ERROR, H.CANCELLED, H.ADDED,
        )
    ),
    *(
        Case(a_host_in(each, C.PREPARING), Reset(), H.RESETTING, "registers again by itself")
        for each in (H.DISCOVERING, H.KNOWN, H.PREPARING, H.PREPARED, H.PREPARING_FAILED, H.PENDING_FOR_INPUT)
    ),
    Case(silent(a_host_in(H.PREPARED, C.PREPARING)), Reset(), H.RESETTING_PENDING, "discovery image"),
    *(Case(a_host_in(each), Reset(), each) for each in (H.DISCONNECTED, H.INSUFFICIENT, H.BINDING, H.DISABLED)),
    Case(joining(H.ADDED), ResetHost(host_id="m1"), H.RESETTING_PENDING, "discovery image"),
    Case(joining(H.DISCONNECTED), ResetHost(host_id="m1"), H.DISCONNECTED),
]  # fmt: skip

UNREADABLE = Replied(host_id="m1", step="inventory", exit_code=256)
MEDIA = [
    *(Case(a_host_in(each), UNREADABLE, H.DISCONNECTED, "boot media") for each in (*BEFORE, H.BINDING)),
    *(
        Case(a_host_in(each, C.INSTALLING, status_info="All was well"), UNREADABLE, H.ERROR, "that: All was well")
        for each in (H.PREPARING, H.PREPARED, H.PREPARING_FAILED, H.INSTALLING, H.IN_PROGRESS, H.ERROR)
    ),
    *(Case(in_pool(each), UNREADABLE, H.DISCONNECTED_UNBOUND, "boot media") for each in (*POOL, H.UNBINDING)),
    *(Case(a_host_in(each), UNREADABLE, each) for each in (H.INSTALLED, H.PENDING_USER_ACTION, H.CANCELLED)),
    Case(a_host_in(H.KNOWN), UNREADABLE.but(exit_code=1), H.KNOWN),
    Case(a_host_in(H.INSTALLING, C.INSTALLING), UNREADABLE.but(exit_code=1), H.INSTALLING),
    Case(in_pool(H.KNOWN_UNBOUND), UNREADABLE.but(exit_code=1), H.KNOWN_UNBOUND),
]

FETCHING = Replied(host_id="m1", step="download-boot-artifacts")
GIVEN = BindHost(host_id="m1", cluster_id="c9")
TAKEN = UnbindHost(host_id="m1")
RECLAIMED = ReclaimHost(host_id="m1")
GIVEN_AND_TAKEN = [
    Case(joining(H.KNOWN), InstallHost(host_id="m1"), H.INSTALLING, "told to install"),
    Case(joining(H.INSUFFICIENT), InstallHost(host_id="m1"), H.INSUFFICIENT),
    Case(a_host_in(H.KNOWN), InstallHost(host_id="m1"), H.KNOWN),
    Case(in_pool(H.KNOWN_UNBOUND), GIVEN, H.BINDING, "registers again"),
    *(Case(in_pool(each), GIVEN, each) for each in POOL if each is not H.KNOWN_UNBOUND),
    *(Case(a_host_in(each), asked, H.UNBINDING, "registers again") for each in BEFORE for asked in (TAKEN, RECLAIMED)),
    *(
        Case(a_host_in(each), TAKEN, H.UNBINDING_PENDING, "discovery image")
        for each in (
            H.PREPARING, H.PREPARED, H.PREPARING_FAILED, H.INSTALLING, H.IN_PROGRESS, H.PENDING_USER_ACTION,
            H.INSTALLED, H.ADDED, H.ERROR, H.CANCELLED,
        )
    ),
    *(Case(a_host_in(each), RECLAIMED, H.RECLAIMING, "return to the pool") for each in (H.INSTALLED, H.ADDED)),
    *(Case(a_host_in(each), RECLAIMED, H.UNBINDING_PENDING, "discovery image") for each in (H.ERROR, H.CANCELLED)),
    *(Case(a_host_in(each), asked, each) for each in (H.BINDING, H.DISABLED) for asked in (TAKEN, RECLAIMED)),
    Case(in_pool(H.RECLAIMING), FETCHING, H.RECLAIMING_REBOOTING, "restarts into it"),
    Case(in_pool(H.RECLAIMING), FETCHING.but(exit_code=1, error="404"), H.UNBINDING_PENDING, "by hand: 404"),
    Case(in_pool(H.RECLAIMING), FETCHING.but(step="inventory"), H.RECLAIMING),
    Case(
        in_pool(H.RECLAIMING_REBOOTING), FETCHING.but(step="reboot-for-reclaim", exit_code=1), H.UNBINDING_PENDING,
        "by hand",
    ),
    *(
        Case(in_pool(each, status_updated_at=NOW - 61 * MINUTE), TICKED, H.UNBINDING_PENDING, "by hand")
        for each in (H.RECLAIMING, H.RECLAIMING_REBOOTING)
    ),
    *(
        Case(in_pool(each, status_updated_at=NOW - 59 * MINUTE), TICKED, each)
        for each in (H.RECLAIMING, H.RECLAIMING_REBOOTING)
    ),
]  # fmt: skip

PREPARED = [
    Case(a_host_in(H.KNOWN, C.PREPARING), TICKED, H.PREPARING, "being tried out"),
    Case(a_host_in(H.KNOWN, C.PREPARING, role=Role.AUTO), TICKED, H.KNOWN, "ready"),
    Case(a_host_in(H.KNOWN, C.PREPARING, **TRIED | {"disk_speeds": BROKEN}), TICKED, H.PREPARING),
    Case(a_host_in(H.PREPARING, C.PREPARING), TICKED, H.PREPARING),
    Case(a_host_in(H.PREPARING, C.PREPARING, **TRIED), TICKED, H.PREPARED, "waits for the others"),
    Case(a_host_in(H.PREPARED, C.PREPARING, **TRIED), TICKED, H.PREPARED),
    Case(a_host_in(H.PREPARED, C.INSTALLING, **TRIED), TICKED, H.INSTALLING, "told to install"),
    Case(a_host_in(H.PREPARED, C.READY, **TRIED), TICKED, H.KNOWN, "has ended"),
    Case(a_host_in(H.PREPARING, C.READY), TICKED, H.KNOWN, "has ended"),
    Case(a_host_in(H.PREPARING, C.PREPARING, disk_speeds=BROKEN), TICKED, H.INSUFFICIENT, "cannot be installed"),
    Case(a_host_in(H.PREPARING_FAILED, C.PREPARING, disk_speeds=BROKEN), TICKED, H.INSUFFICIENT, "cannot be installed"),
    Case(a_host_in(H.KNOWN, C.READY, disk_speeds=BROKEN), TICKED, H.INSUFFICIENT, "cannot be installed"),
    Case(
        a_host_in(H.PREPARING, C.PREPARING, minutes=18),
        TICKED,
        H.PREPARING_FAILED,
        "Trying out the speed of the disk and container images took too long",
    ),
    Case(
        a_host_in(H.PREPARING, C.PREPARING, minutes=18, images=FETCHED),
        TICKED,
        H.PREPARING_FAILED,
        "Trying out the speed of the disk took too long",
    ),
    Case(
        a_host_in(H.PREPARING, C.PREPARING, minutes=18, disk_speeds=FAST),
        TICKED,
        H.PREPARING_FAILED,
        "Trying out container images took too long",
    ),
    Case(a_host_in(H.PREPARING, C.PREPARING, minutes=18, **TRIED), TICKED, H.PREPARED),
    Case(a_host_in(H.PREPARING, C.PREPARING, images=MISSING), TICKED, H.PREPARING_FAILED, "cannot fetch release"),
    Case(a_host_in(H.PREPARING_FAILED, C.PREPARING, images=MISSING), TICKED, H.PREPARING_FAILED),
    Case(a_host_in(H.PREPARING_FAILED, C.READY, images=MISSING), TICKED, H.KNOWN, "has ended"),
]

LOST = [
    *(
        Case(silent(a_host_in(each)), TICKED, H.DISCONNECTED, "stopped asking")
        for each in (*BEFORE, H.PREPARING_FAILED)
    ),
    *(Case(a_host_in(each, media_connected=False), TICKED, H.DISCONNECTED, "boot media") for each in BEFORE),
    Case(a_host_in(H.PREPARING_FAILED, C.PREPARING, media_connected=False), TICKED, H.DISCONNECTED, "boot media"),
    *(
        Case(a_host_in(each, C.PREPARING, media_connected=False), TICKED, H.DISCONNECTED, "lost")
        for each in (H.PREPARING, H.PREPARED)
    ),
    *(Case(silent(a_host_in(each, C.PREPARING)), TICKED, H.DISCONNECTED, "lost") for each in (H.PREPARING, H.PREPARED)),
    *(
        Case(a_host_in(each, C.ERROR), TICKED, H.ERROR, "installation of the cluster has failed")
        for each in (H.INSTALLING, H.IN_PROGRESS, H.INSTALLED, H.RESETTING_PENDING, H.PENDING_USER_ACTION)
    ),
    *(
        Case(a_host_in(each, C.INSTALLING), TICKED, each)
        for each in (H.INSTALLING, H.INSTALLED, H.RESETTING_PENDING, H.PENDING_USER_ACTION)
    ),
    Case(joining(H.INSTALLING, C.ERROR), TICKED, H.INSTALLING),
    Case(a_host_in(H.INSTALLING, C.INSTALLING, minutes=21), TICKED, H.ERROR, "has not reported anything since"),
    *(
        Case(
            silent(a_host_in(each, C.INSTALLING, progress=at_stage(Stage.WRITING))),
            TICKED,
            H.ERROR,
            "at stage Writing image",
        )
        for each in (H.INSTALLING, H.IN_PROGRESS)
    ),
    *(
        Case(silent(a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(after))), TICKED, H.IN_PROGRESS)
        for after in (Stage.REBOOTING, Stage.IGNITION, Stage.CONFIGURING, Stage.JOINED)
    ),
]

SOFT = Policy(soft_timeouts=True)


def softly(view: View) -> View:
    """The same, where time limits are soft."""
    return view.but(policy=SOFT)


def late(stage: Stage, minutes: float, *, told: bool = False) -> View:
    """A host that installs and has not got on for a while."""
    return a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(stage, minutes).but(stage_timed_out=told))


SOFTLY = [
    *(
        Case(softly(silent(a_host_in(each, C.INSTALLING))), TICKED, each, "not heard of any more before its first")
        for each in (H.INSTALLING, H.IN_PROGRESS)
    ),
    *(
        Case(softly(a_host_in(each, C.INSTALLING, connection_timed_out=True)), TICKED, each, "heard of again")
        for each in (H.INSTALLING, H.IN_PROGRESS)
    ),
    Case(softly(silent(a_host_in(H.IN_PROGRESS, C.INSTALLING, connection_timed_out=True))), TICKED, H.IN_PROGRESS),
    Case(silent(a_host_in(H.IN_PROGRESS, C.INSTALLING, wants={"org_soft_timeouts_enabled": False})), TICKED, H.ERROR),
    *(
        Case(softly(late(each, limit + 1)), TICKED, H.IN_PROGRESS, f"for more than {limit} minutes")
        for each, limit in ((Stage.WRITING, 30), (Stage.COPYING, 90), (Stage.CONFIGURING, 60))
    ),
    Case(softly(late(Stage.WRITING, 31, told=True)), TICKED, H.IN_PROGRESS),
    Case(softly(late(Stage.WRITING, 29)), TICKED, H.IN_PROGRESS),
    Case(softly(late(Stage.REBOOTING, 41)), TICKED, H.PENDING_USER_ACTION, "40 minutes"),
]

RESETS = [
    Case(a_host_in(H.RESETTING, C.INSUFFICIENT, minutes=4), TICKED, H.RESETTING_PENDING, "discovery image"),
    Case(
        a_host_in(H.RESETTING, C.INSUFFICIENT, progress=at_stage(Stage.REBOOTING)), TICKED, H.RESETTING_PENDING,
        "discovery image",
    ),
    Case(a_host_in(H.RESETTING, C.INSUFFICIENT, minutes=2), TICKED, H.RESETTING),
    Case(a_host_in(H.RESETTING, C.PENDING_FOR_INPUT, minutes=4), TICKED, H.RESETTING_PENDING, "discovery image"),
]  # fmt: skip

ALONE = {"control_plane_count": 1}
STAGES = [
    *(
        Case(
            a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(each, limit + 1)),
            TICKED,
            H.ERROR,
            f"no progress at stage {each} for more than {limit} minutes",
        )
        for each, limit in (
            (Stage.STARTING, 30), (Stage.WRITING, 30), (Stage.COPYING, 90), (Stage.IGNITION, 24 * 60),
            (Stage.CONTROL_PLANE, 60), (Stage.CONTROLLER, 60), (Stage.BOOTKUBE, 60), (Stage.INSTALLING, 60),
            (Stage.CONFIGURING, 60), (Stage.JOINED, 60),
        )
    ),
    Case(a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.WRITING, 29)), TICKED, H.IN_PROGRESS),
    Case(a_host_in(H.IN_PROGRESS, C.INSTALLING), TICKED, H.IN_PROGRESS),
    *(
        Case(a_host_in(H.IN_PROGRESS, C.PENDING_USER_ACTION, progress=at_stage(each, 600)), TICKED, H.IN_PROGRESS)
        for each in (Stage.CONTROL_PLANE, Stage.CONTROLLER, Stage.BOOTKUBE, Stage.REBOOTING)
    ),
    Case(a_host_in(H.IN_PROGRESS, C.PENDING_USER_ACTION, progress=at_stage(Stage.WRITING, 31)), TICKED, H.ERROR),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.REBOOTING, 41)),
        TICKED,
        H.PENDING_USER_ACTION,
        "for more than 40 minutes; check that it starts from disk sda (/dev/disk/by-id/wwn-0x1) and",
    ),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.REBOOTING, 41), inventory=None),
        TICKED,
        H.PENDING_USER_ACTION,
        "check that it starts from its installation disk and",
    ),
    Case(a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.REBOOTING, 39)), TICKED, H.IN_PROGRESS),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, wants=ALONE, progress=at_stage(Stage.REBOOTING, 79)),
        TICKED,
        H.IN_PROGRESS,
    ),
    Case(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, wants=ALONE, progress=at_stage(Stage.REBOOTING, 81)),
        TICKED,
        H.PENDING_USER_ACTION,
        "80 minutes",
    ),
    Case(
        among(H.PENDING_USER_ACTION, H.INSTALLED, C.PENDING_USER_ACTION, minutes=61),
        TICKED,
        H.ERROR,
        "not started from its disk in time",
    ),
    Case(
        among(H.PENDING_USER_ACTION, H.INSTALLED, C.PENDING_USER_ACTION, minutes=59), TICKED, H.PENDING_USER_ACTION
    ),
    Case(
        among(H.PENDING_USER_ACTION, H.IN_PROGRESS, C.PENDING_USER_ACTION, minutes=61), TICKED, H.PENDING_USER_ACTION
    ),
    *(
        Case(among(H.PENDING_USER_ACTION, H.INSTALLED, there, minutes=61), TICKED, H.PENDING_USER_ACTION)
        for there in (C.INSTALLED, C.ADDING_HOSTS)
    ),
]  # fmt: skip

SMALL = a_machine(cores=1)
CUT = a_machine().but(truncation=Truncation(type="full", reasons=("too large",)))
NO_UUID = {"wants": {"platform": a_running_cluster().platform.but(type="vsphere")}}

DISCOVERED = [
    *(
        Case(a_host_in(each, inventory=None), TICKED, H.DISCOVERING, "hardware")
        for each in (H.DISCOVERING, H.DISCONNECTED)
    ),
    *(
        Case(a_host_in(each, inventory=CUT), TICKED, H.DISCOVERING, "hardware")
        for each in (H.DISCOVERING, H.DISCONNECTED)
    ),
    *(
        Case(a_host_in(each, inventory=CUT), TICKED, H.INSUFFICIENT)
        for each in (H.KNOWN, H.INSUFFICIENT, H.PENDING_FOR_INPUT)
    ),
    *(Case(a_host_in(each, inventory=SMALL), TICKED, H.INSUFFICIENT, "minimum requirements: ") for each in BEFORE),
    *(
        Case(a_host_in(each, wants={"machine_networks": ()}), TICKED, H.PENDING_FOR_INPUT, "waiting for your input")
        for each in BEFORE
    ),
    *(Case(a_host_in(each, requested_hostname="m2"), TICKED, H.INSUFFICIENT, "cannot be installed") for each in BEFORE),
    *(Case(a_host_in(each, **NO_UUID), TICKED, H.INSUFFICIENT) for each in BEFORE),
    *(Case(a_host_in(each), TICKED, H.KNOWN, "ready to be installed") for each in BEFORE),
]

IN_POOL = [
    *(Case(silent(in_pool(each)), TICKED, H.DISCONNECTED_UNBOUND, "stopped asking") for each in (*POOL, H.UNBINDING)),
    *(Case(in_pool(each, media_connected=False), TICKED, each) for each in (*POOL, H.UNBINDING)),
    Case(in_pool(H.UNBINDING), TICKED, H.UNBINDING),
    *(
        Case(in_pool(each, inventory=None), TICKED, H.DISCOVERING_UNBOUND, "hardware")
        for each in (H.DISCOVERING_UNBOUND, H.DISCONNECTED_UNBOUND)
    ),
    *(Case(in_pool(each, inventory=SMALL), TICKED, H.INSUFFICIENT_UNBOUND, "cannot be") for each in POOL),
    *(Case(in_pool(each), TICKED, H.KNOWN_UNBOUND, "ready to be given") for each in POOL),
    Case(in_pool(H.KNOWN_UNBOUND, inventory=None), TICKED, H.KNOWN_UNBOUND),
]

TWO_MACHINES = {"sightings": tuple(Sighting(macs=(mac,), seen_at=NOW) for mac in "ab")}
ONE_IS_GONE = {"sightings": (Sighting(macs=("a",), seen_at=NOW - 6 * MINUTE), Sighting(macs=("b",), seen_at=NOW))}

CONTESTED = [
    *(Case(a_host_in(each, **TWO_MACHINES), BACK, each) for each in BEFORE),
    *(Case(in_pool(each, **TWO_MACHINES), BACK, each) for each in POOL),
    *(Case(a_host_in(each, **TWO_MACHINES), TICKED, H.INSUFFICIENT, "2 machines") for each in BEFORE),
    *(Case(in_pool(each, **TWO_MACHINES), TICKED, H.INSUFFICIENT_UNBOUND, "2 machines") for each in POOL),
    *(Case(a_host_in(each, **ONE_IS_GONE), TICKED, each) for each in BEFORE),
    *(Case(in_pool(each, **ONE_IS_GONE), TICKED, each) for each in POOL),
    Case(silent(a_host_in(H.KNOWN, **TWO_MACHINES)), TICKED, H.DISCONNECTED),
    Case(a_host_in(H.PREPARING, C.PREPARING, **TWO_MACHINES), TICKED, H.PREPARING),
]

LOGS = [
    *(Case(a_host_in(each, C.ERROR, minutes=3), TICKED, each) for each in (H.ERROR, H.CANCELLED)),
    *(Case(a_host_in(each, C.ERROR, minutes=1), TICKED, each) for each in (H.ERROR, H.CANCELLED)),
]

ALL = [
    *REGISTERED, *PROGRESSED, *OTHERS, *MEDIA, *GIVEN_AND_TAKEN, *PREPARED, *LOST, *SOFTLY, *RESETS, *STAGES,
    *DISCOVERED, *IN_POOL, *CONTESTED, *LOGS,
]  # fmt: skip


def named(case: Case) -> str:
    host = case.view.hosts["m1"]
    return f"{host.status}-{type(case.trigger).__name__}-{case.target}"


@pytest.mark.parametrize("case", ALL, ids=named)
def test_a_host_goes_where_its_row_leads(case):
    host = moved_host(case.view, case.trigger)
    assert host.status is case.target, host.status_info
    assert case.words in host.status_info


@pytest.mark.parametrize("case", ALL, ids=named)
def test_the_words_of_a_host_are_whole_sentences(case):
    info = moved_host(case.view, case.trigger).status_info
    assert not set("{}") & set(info)
    assert info == info.strip(" :;-,")
    assert len(info) < 2048


@pytest.mark.parametrize("case", ALL, ids=named)
def test_a_new_state_is_told_and_dated_and_an_old_one_is_not(case):
    before = case.view.hosts["m1"]
    host, told = host_move(case.view, case.trigger)
    names = [event.name for event in told]
    assert ("host_status_updated" in names) == (host.status is not before.status)
    assert host.status_updated_at == (NOW if host.status is not before.status else before.status_updated_at)


def test_every_row_of_the_host_table_was_taken_and_refused():
    assert host_rows((case.view, case.trigger) for case in ALL) == []
