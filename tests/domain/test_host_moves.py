"""What comes with a move of a host: what it forgets, what is told, and which clocks run."""

from datetime import timedelta

import pytest

from builders import NOW, a_machine, a_nic, a_pool_view, a_ready_host, a_running_cluster, a_view, later
from moving import a_host_in, at_stage, host_move, moved_host
from muster.domain.clusters import ClusterState
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus
from muster.domain.inventory import Boot
from muster.domain.joining import ApiVipReply
from muster.domain.policy import Policy
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.triggers import BindHost, Registered, Ticked, UnbindHost

H, C = HostState, ClusterState
MINUTE = timedelta(minutes=1)
TICKED = Ticked()
BACK = Registered(host_id="m1", infra_env_id="e1")
FAST = {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True, speed_ms=2)}
FETCHED = {"release": ImageStatus(name="release", result="success")}
MISSING = {"release": ImageStatus(name="release", result="failure")}
TRIED = {"disk_speeds": FAST, "images": FETCHED}


def test_a_host_that_starts_anew_is_looked_at_anew():
    old = {
        "images": FETCHED, "bootstrap": True, "progress": at_stage(Stage.REBOOTING), "logs_info": "completed",
        "logs_started_at": NOW, "logs_collected_at": NOW, "requested_hostname": "node", "disk_speeds": FAST,
    }  # fmt: skip
    host = moved_host(a_host_in(H.RESETTING_PENDING, **old), BACK)
    assert host.inventory is None
    assert host.ntp_sources is None
    assert (host.images, host.bootstrap, host.progress) == ({}, False, HostProgress())
    assert (host.logs_info, host.logs_started_at, host.logs_collected_at) == ("", None, None)
    assert (host.requested_hostname, host.disk_speeds, host.role) == ("node", FAST, Role.MASTER)


def test_a_host_that_starts_anew_while_its_cluster_prepares_stays_what_it_is():
    host = moved_host(a_host_in(H.PREPARED, C.PREPARING, bootstrap=True, **TRIED), BACK)
    assert host.inventory is not None
    assert host.bootstrap
    assert host.images == {}


def test_a_host_that_starts_anew_in_a_running_cluster_is_one_of_its_added_hosts():
    assert moved_host(a_view(a_running_cluster(), [a_ready_host("m1")]), BACK).kind is HostKind.DAY2
    assert moved_host(a_host_in(H.KNOWN, kind=HostKind.DAY2), BACK).kind is HostKind.HOST


def test_a_new_attempt_has_logs_of_its_own_and_tries_failed_images_again():
    logs = {"logs_info": "completed", "logs_started_at": NOW, "logs_collected_at": NOW}
    host = moved_host(a_host_in(H.KNOWN, C.PREPARING, images=MISSING, **logs), TICKED)
    assert (host.logs_info, host.logs_started_at, host.logs_collected_at) == ("", None, None)
    assert host.images == {}
    assert moved_host(a_host_in(H.KNOWN, C.PREPARING, images=FETCHED), TICKED).images == FETCHED


def test_a_failed_image_that_the_user_ignores_is_tried_again_as_well():
    ignoring = {"ignored_host_validations": ("container-images-available",)}
    assert moved_host(a_host_in(H.KNOWN, C.PREPARING, wants=ignoring, images=MISSING), TICKED).images == {}
    assert moved_host(
        a_host_in(H.PREPARING, C.PREPARING, wants=ignoring, **TRIED | {"images": MISSING}), TICKED
    ).status is (H.PREPARED)


def test_a_host_that_is_told_to_install_remembers_by_which_installer():
    host = moved_host(a_host_in(H.PREPARED, C.INSTALLING), TICKED)
    assert host.installer_version == "quay.io/edge-infrastructure/assisted-installer:latest"


def test_it_is_told_which_disks_are_wiped_and_which_are_kept():
    disks = {"disks_to_be_formatted": ("/dev/a", "/dev/b"), "skip_formatting_disks": ("/dev/b",)}
    told = host_move(a_host_in(H.PREPARED, C.INSTALLING, **disks), TICKED).events
    assert [(event.name, event.message) for event in told[1:]] == [
        ("quick_disk_format_performed", "Host m1: disk /dev/a will be wiped so that it cannot be booted"),
        ("quick_disk_format_skipped", "Host m1: disk /dev/b is left as it is, as asked"),
    ]


def test_the_clock_of_a_stage_stands_while_the_cluster_waits_for_the_user():
    waiting = a_host_in(H.IN_PROGRESS, C.PENDING_USER_ACTION, progress=at_stage(Stage.REBOOTING, 10))
    assert moved_host(waiting, TICKED).progress.stage_updated_at == NOW


def test_a_standing_clock_is_set_anew_once_a_minute_at_most():
    waiting = a_host_in(H.IN_PROGRESS, C.PENDING_USER_ACTION, progress=at_stage(Stage.REBOOTING, 0.5))
    assert moved_host(waiting, TICKED).progress == waiting.hosts["m1"].progress


@pytest.mark.parametrize(
    ("state", "logs", "outcome"),
    [
        (H.ERROR, {"minutes": 1}, ""),
        (H.ERROR, {"minutes": 3}, "timeout"),
        (H.CANCELLED, {"minutes": 3}, "timeout"),
        (H.INSTALLED, {"minutes": 3}, ""),
        (H.ERROR, {"logs_info": "requested", "logs_started_at": NOW - 9 * MINUTE}, "requested"),
        (H.ERROR, {"logs_info": "requested", "logs_started_at": NOW - 11 * MINUTE}, "timeout"),
        (
            H.ERROR,
            {
                "logs_info": "requested",
                "logs_started_at": NOW - 20 * MINUTE,
                "logs_collected_at": NOW - 9 * MINUTE,
            },
            "requested",
        ),
        (H.ERROR, {"logs_info": "requested"}, "requested"),
        (H.ERROR, {"logs_info": "collecting", "logs_collected_at": NOW - 1 * MINUTE}, "collecting"),
        (H.ERROR, {"logs_info": "collecting", "logs_collected_at": NOW - 3 * MINUTE}, "timeout"),
        (H.ERROR, {"logs_info": "completed", "logs_collected_at": NOW - 3 * MINUTE}, "completed"),
        (H.ERROR, {"minutes": 3, "logs_started_at": NOW}, ""),
    ],
)
def test_logs_are_waited_for_only_so_long(state, logs, outcome):
    assert moved_host(a_host_in(state, C.ERROR, **logs), TICKED).logs_info == outcome


@pytest.mark.parametrize(
    "changes",
    [
        {"installer_args": ("--save-partlabel", "data*")},
        {"installer_args": ("--save-partindex", "5-")},
        {"inventory": a_machine().but(boot=Boot(device_type="persistent"))},
    ],
    ids=["partitions by label", "partitions by number", "started from its disk"],
)
def test_a_disk_that_must_not_be_written_to_is_not_waited_for(changes):
    assert moved_host(a_host_in(H.PREPARING, C.PREPARING, images=FETCHED, **changes), TICKED).status is H.PREPARED


def test_a_host_at_the_very_limit_of_silence_is_still_there():
    view = later(a_host_in(H.KNOWN), seen=False, minutes=3)
    assert moved_host(view, TICKED).status is H.KNOWN
    assert moved_host(later(view, seen=False, milliseconds=1), TICKED).status is H.DISCONNECTED


def test_the_bootstrap_may_be_silent_two_minutes_longer():
    view = later(
        a_host_in(H.IN_PROGRESS, C.INSTALLING, bootstrap=True, progress=at_stage(Stage.BOOTKUBE)), seen=False, minutes=5
    )
    assert moved_host(view, TICKED).status is H.IN_PROGRESS
    assert moved_host(later(view, seen=False, milliseconds=1), TICKED).status is H.ERROR


def test_a_long_list_of_failures_is_cut():
    nics = tuple(a_nic(f"eth{n}", f"10.0.{n}.1/24") for n in range(200))
    view = a_host_in(H.KNOWN, inventory=a_machine(cores=1, hostname="x" * 3000, interfaces=nics), requested_hostname="")
    assert len(moved_host(view, TICKED).status_info) <= 2040


def test_a_host_that_is_given_to_a_cluster_is_looked_at_anew():
    view = a_pool_view(a_ready_host("m1", status=H.KNOWN_UNBOUND, images=FETCHED, requested_hostname="node"))
    host = moved_host(view, BindHost(host_id="m1", cluster_id="c9"))
    assert (host.cluster_id, host.inventory, host.images, host.requested_hostname) == ("c9", None, {}, "node")


def test_a_host_that_is_taken_back_keeps_only_what_was_said_about_the_machine():
    known = {
        "requested_hostname": "node", "node_labels": {"rack": "7"}, "installer_args": ("-n",), "disk_speeds": FAST,
        "skip_formatting_disks": ("/dev/b",), "installation_disk_id": "/dev/a", "machine_config_pool_name": "infra",
        "bootstrap": True, "progress": at_stage(Stage.DONE), "logs_info": "completed", "api_vip": ApiVipReply(),
    }  # fmt: skip
    host = moved_host(a_host_in(H.INSTALLED, C.INSTALLED, **known), UnbindHost(host_id="m1"))
    assert (host.cluster_id, host.kind, host.role, host.suggested_role) == (None, HostKind.HOST, Role.AUTO, None)
    assert (host.inventory, host.connectivity, host.resolutions, host.free_addresses) == (None, None, None, None)
    assert (host.installation_disk_id, host.machine_config_pool_name, host.bootstrap) == ("", "", False)
    assert (host.progress, host.logs_info, host.api_vip) == (HostProgress(), "", None)
    assert (host.requested_hostname, host.node_labels, host.installer_args) == ("node", {"rack": "7"}, ("-n",))
    assert (host.disk_speeds, host.skip_formatting_disks) == (FAST, ("/dev/b",))


def test_a_host_that_takes_its_time_is_told_of_once():
    view = a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.WRITING, 31)).but(
        policy=Policy(soft_timeouts=True)
    )
    host, told = host_move(view, TICKED)
    assert host.progress.stage_timed_out
    assert [(event.name, event.severity) for event in told] == [("host_stage_timed_out", "warning")]
    assert host_move(view.with_host(host), TICKED).events == []


def test_a_host_that_is_silent_while_limits_are_soft_is_marked_until_it_is_back():
    view = a_host_in(H.IN_PROGRESS, C.INSTALLING, progress=at_stage(Stage.WRITING)).but(
        policy=Policy(soft_timeouts=True)
    )
    missed = moved_host(later(view, seen=False, minutes=4), TICKED)
    assert missed.connection_timed_out
    assert not moved_host(view.with_host(missed), TICKED).connection_timed_out
