"""What makes up a cluster, and what comes with its moves."""

from datetime import timedelta

import pytest

from builders import NOW, a_cluster, a_machine, a_ready_cluster, a_view_of, some_ready_hosts
from moving import a_cluster_in, a_finalizing_view, cluster_move, finalizing_at, moved_cluster
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.monitored import CONSOLE, OperatorStatus
from muster.domain.networks import Vip
from muster.domain.progress import ClusterProgress, FinalizingStage
from muster.domain.roles import Role
from muster.domain.triggers import Cancel, Install, Reset, Ticked

H, C = HostState, ClusterState
MINUTE = timedelta(minutes=1)
TICKED = Ticked()
ALL_IN = {state: [state] * 3 for state in H}
GENERATED = Preparation(attempt=1, status=PreparationStatus.SUCCESS)
UNGENERATED = Preparation(attempt=1, status=PreparationStatus.FAILED, reason="the disk is full")
UP = CONSOLE.but(status=OperatorStatus.AVAILABLE)
DONE = {"kubeconfig_published": True, "operators": (UP,)}


# Enough hosts


def roles(*names: str) -> list[Role]:
    return [{"m": Role.MASTER, "w": Role.WORKER, "a": Role.ARBITER, "b": Role.BOOTSTRAP}[name] for name in names]


@pytest.mark.parametrize(
    ("wanted", "there", "count", "enough"),
    [
        ("mmm", "mmm", 3, True),
        ("mmm", "mm", 3, False),
        ("mmmmm", "mmm", 5, False),
        ("mmb", "mmb", 3, True),
        ("mmmw", "mmm", 3, True),
        ("mmmww", "mmm", 3, False),
        ("mmmww", "mmmw", 3, False),
        ("mmmwww", "mmmww", 3, True),
        ("m", "m", 1, True),
        ("mw", "mw", 1, False),
        ("m", "", 1, False),
        ("mma", "mma", 2, True),
        ("mma", "mm", 2, False),
        ("mm", "mm", 2, False),
    ],
)
def test_what_makes_up_a_cluster(wanted, there, count, enough):
    hosts = some_ready_hosts(len(wanted))
    left = list(there)
    made = []
    for host, name, role in zip(hosts, wanted, roles(*wanted), strict=True):
        is_there = name in left
        if is_there:
            left.remove(name)
        made.append(host.but(role=role, status=H.INSTALLED if is_there else H.ERROR))
    cluster = moved_cluster(a_view_of(C.INSTALLING, made, control_plane_count=count), TICKED)
    assert cluster.status is (C.FINALIZING if enough else C.ERROR)


def test_two_masters_that_can_switch_each_other_off_make_up_a_cluster():
    fenced = [
        host.but(status=H.INSTALLED, fencing_credentials=FencingCredentials(address="redfish"))
        for host in some_ready_hosts(2)
    ]
    assert moved_cluster(a_view_of(C.INSTALLING, fenced, control_plane_count=2), TICKED).status is C.FINALIZING
    assert moved_cluster(a_view_of(C.INSTALLING, fenced, control_plane_count=3), TICKED).status is C.ERROR


# What comes with a move


def test_a_new_attempt_begins_with_nothing_of_the_last_one():
    old = {
        "logs_info": "completed", "controller_logs_started_at": NOW, "controller_logs_collected_at": NOW,
        "kubeconfig_published": True, "preparation": UNGENERATED, "install_completed_at": NOW,
    }  # fmt: skip
    cluster = moved_cluster(a_cluster_in(C.READY, *ALL_IN[H.KNOWN], **old), Install())
    assert (cluster.install_started_at, cluster.install_completed_at) == (NOW, None)
    assert (cluster.logs_info, cluster.controller_logs_started_at, cluster.controller_logs_collected_at) == (
        "",
        None,
        None,
    )
    assert cluster.preparation == Preparation(attempt=2, status=PreparationStatus.NOT_STARTED)
    assert not cluster.kubeconfig_published


def test_a_reset_leaves_only_what_the_user_wrote():
    old = {
        "logs_info": "completed", "controller_logs_started_at": NOW, "kubeconfig_published": True,
        "openshift_cluster_id": "o", "preparation": UNGENERATED, "operators": (UP,),
        "progress": finalizing_at(FinalizingStage.DONE, 1),
    }  # fmt: skip
    cluster = moved_cluster(a_cluster_in(C.ERROR, *ALL_IN[H.ERROR], **old), Reset())
    assert cluster.progress == ClusterProgress()
    assert (cluster.logs_info, cluster.controller_logs_started_at, cluster.openshift_cluster_id) == ("", None, "")
    assert cluster.preparation == Preparation(attempt=1, status=PreparationStatus.NOT_STARTED)
    assert cluster.operators == (CONSOLE,)
    assert cluster.api_vips == old.get("api_vips", a_ready_cluster([]).api_vips)


def test_the_first_tenth_is_done_once_the_hosts_are_prepared():
    cluster = moved_cluster(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARED], preparation=GENERATED), TICKED)
    assert cluster.progress == ClusterProgress(preparing_for_installation_stage_percentage=100, total_percentage=10)
    assert cluster.api_vips == (a_ready_cluster([]).api_vips)


SINGLE = {"control_plane_count": 1, "api_vips": (), "ingress_vips": (), "user_managed_networking": True}


def test_the_own_address_of_a_single_node_serves_as_its_virtual_addresses():
    view = a_cluster_in(C.PREPARING, H.PREPARED, preparation=GENERATED, **SINGLE)
    cluster = moved_cluster(view, TICKED)
    assert (cluster.api_vips, cluster.ingress_vips) == ((Vip(ip="192.168.1.10"),), (Vip(ip="192.168.1.10"),))
    assert moved_cluster(view.but(cluster=cluster), Reset()).api_vips == ()


def test_a_single_node_without_an_address_in_its_machine_network_has_no_virtual_addresses():
    view = a_cluster_in(C.PREPARING, H.PREPARED, preparation=GENERATED, **SINGLE)
    elsewhere = view.hosts["m1"].but(inventory=a_machine(address="10.0.0.1/24"))
    assert moved_cluster(view.with_host(elsewhere), TICKED).api_vips == ()
    nowhere = view.but(cluster=view.cluster.but(machine_networks=()))
    assert moved_cluster(nowhere, TICKED).api_vips == ()


def test_a_preparation_that_takes_too_long_has_failed():
    cluster = moved_cluster(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING], minutes=19), TICKED)
    assert cluster.preparation.status is PreparationStatus.FAILED
    assert "too long" in cluster.preparation.reason


def test_the_clock_of_a_finalizing_stage_starts_anew_only_after_the_user_was_waited_for():
    late = finalizing_at(FinalizingStage.OPERATORS, 500, late=True)
    again = moved_cluster(a_cluster_in(C.PENDING_USER_ACTION, *ALL_IN[H.INSTALLED], progress=late), TICKED).progress
    assert (again.finalizing_stage_started_at, again.finalizing_stage_timed_out) == (NOW, False)
    assert (
        moved_cluster(a_cluster_in(C.INSTALLING, *ALL_IN[H.INSTALLED]), TICKED).progress.finalizing_stage_started_at
        is None
    )


def test_a_late_stage_is_told_once():
    view = a_finalizing_view(FinalizingStage.OLM_CSV, 71)
    late = moved_cluster(view, TICKED)
    assert late.progress.finalizing_stage_timed_out
    again, told = cluster_move(view.but(cluster=late), TICKED)
    assert (again, told) == (late, [])


@pytest.mark.parametrize(
    ("status", "hosts", "trigger"),
    [
        (C.INSTALLING, ALL_IN[H.ERROR], TICKED),
        (C.INSTALLING, ALL_IN[H.ERROR], Cancel()),
        (C.FINALIZING, ALL_IN[H.INSTALLED], TICKED),
    ],
)
def test_an_attempt_that_is_over_has_an_end(status, hosts, trigger):
    assert moved_cluster(a_cluster_in(status, *hosts, **DONE), trigger).install_completed_at == NOW


def test_an_installed_cluster_is_complete_to_the_last_percent():
    progress = moved_cluster(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE), TICKED).progress
    assert (progress.finalizing_stage_percentage, progress.total_percentage) == (100, 100)


@pytest.mark.parametrize(
    ("state", "logs", "outcome"),
    [
        (C.ERROR, {"minutes": 9}, ""),
        (C.ERROR, {"minutes": 11}, "timeout"),
        (C.CANCELLED, {"minutes": 11}, "timeout"),
        (C.INSTALLED, {"minutes": 11}, ""),
        (C.ERROR, {"logs_info": "requested", "controller_logs_started_at": NOW - 59 * MINUTE}, "requested"),
        (C.ERROR, {"logs_info": "requested", "controller_logs_started_at": NOW - 61 * MINUTE}, "timeout"),
        (C.ERROR, {"logs_info": "collecting", "controller_logs_collected_at": NOW - 59 * MINUTE}, "collecting"),
        (C.ERROR, {"logs_info": "collecting", "controller_logs_collected_at": NOW - 61 * MINUTE}, "timeout"),
        (C.ERROR, {"logs_info": "collecting", "minutes": 11}, "collecting"),
        (C.ERROR, {"logs_info": "completed", "minutes": 11}, "completed"),
    ],
)
def test_logs_of_the_controller_are_waited_for_only_so_long(state, logs, outcome):
    assert moved_cluster(a_cluster_in(state, **logs), TICKED).logs_info == outcome


def test_what_a_cluster_is_told_to_ignore_is_known():
    assert not a_cluster().validations_ignored
    assert a_cluster(ignored_host_validations=("all",)).validations_ignored


@pytest.mark.parametrize(("words", "told"), [("half of it", "; the last that was heard: half of it"), ("", "")])
def test_where_preparing_got_stuck_is_told_when_it_took_too_long(words, told):
    stuck = Preparation(attempt=1, status=PreparationStatus.NOT_STARTED, reason=words)
    late = moved_cluster(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING], minutes=19, preparation=stuck), TICKED)
    assert late.preparation.status is PreparationStatus.FAILED
    assert late.preparation.reason == f"preparing the installation took too long{told}"
