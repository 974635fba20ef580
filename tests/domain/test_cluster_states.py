"""Every row of the cluster's table: where it leads, and that its condition matters."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from builders import NOW, a_cluster, a_machine, a_ready_cluster, a_view, a_view_of, some_ready_hosts
from moving import cluster_move, cluster_rows, moved_cluster
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.networks import Vip
from muster.domain.operators import CONSOLE, MonitoredOperator, OperatorStatus, OperatorType
from muster.domain.progress import ClusterProgress, FinalizingStage
from muster.domain.roles import Role
from muster.domain.triggers import Cancel, Install, Reset, Ticked, Trigger
from muster.domain.views import View

H, C = HostState, ClusterState
MINUTE = timedelta(minutes=1)
TICKED = Ticked()

BEFORE = [C.PENDING_FOR_INPUT, C.INSUFFICIENT, C.READY]
GENERATED = Preparation(attempt=1, status=PreparationStatus.SUCCESS)
UNGENERATED = Preparation(attempt=1, status=PreparationStatus.FAILED, reason="the disk is full")

UP = CONSOLE.but(status=OperatorStatus.AVAILABLE)
ODF = MonitoredOperator(name="odf", operator_type=OperatorType.OLM, timeout_seconds=1800)
LSO = MonitoredOperator(name="lso", operator_type=OperatorType.OLM, timeout_seconds=4200)


class Case(NamedTuple):
    """A cluster in a situation, what happens, and where that leads."""

    view: View
    trigger: Trigger
    target: ClusterState
    words: str = ""
    told: tuple[str, ...] = ()


def of(status: ClusterState, *hosts: HostState, minutes: float = 0, workers: int = 0, **changes) -> View:
    """A cluster in a state for so many minutes, its hosts in theirs; the last ones are workers."""
    made = some_ready_hosts(len(hosts) - workers, workers)
    made = [host.but(status=state) for host, state in zip(made, hosts, strict=True)]
    return a_view_of(status, made, status_updated_at=NOW - timedelta(minutes=minutes), **changes)


def described(status: ClusterState, **changes) -> View:
    """A cluster that could be installed, but for the changes."""
    hosts = [host.but(status=H.KNOWN) for host in some_ready_hosts()]
    return a_view(a_ready_cluster(hosts, status=status).but(**changes), hosts)


def at(stage: FinalizingStage, minutes: float, *, late: bool = False) -> ClusterProgress:
    """A finalizing stage that began so many minutes ago."""
    return ClusterProgress(
        finalizing_stage=stage,
        finalizing_stage_started_at=NOW - timedelta(minutes=minutes),
        finalizing_stage_timed_out=late,
    )


def finalizing(stage: FinalizingStage, minutes: float, *, late: bool = False, **changes) -> View:
    """A cluster that comes up, at a stage."""
    return of(C.FINALIZING, *[H.INSTALLED] * 3, progress=at(stage, minutes, late=late), **changes)


ALL_IN = {state: [state] * 3 for state in H}
DHCP = {"vip_dhcp_allocation": True, "api_vips": (), "ingress_vips": ()}
FAILED = ("cluster_status_updated", "cluster_installation_failed")
COMPLETED = ("cluster_status_updated", "cluster_installation_completed")
MOVED = ("cluster_status_updated",)

ASKED = [
    *(
        Case(of(each, *ALL_IN[H.INSTALLING]), Cancel(), C.CANCELLED, "cancelled by the user", MOVED)
        for each in (C.INSTALLING, C.PENDING_USER_ACTION, C.ERROR, C.FINALIZING)
    ),
    Case(of(C.PREPARING, *ALL_IN[H.PREPARING]), Cancel(), C.READY, "cancelled by the user", MOVED),
    *(Case(of(each), Cancel(), each) for each in (*BEFORE, C.INSTALLED, C.CANCELLED, C.ADDING_HOSTS, C.UNMONITORED)),
    *(
        Case(of(each, *ALL_IN[H.ERROR]), Reset(), C.INSUFFICIENT, "reset by the user", MOVED)
        for each in (C.PREPARING, C.INSTALLING, C.PENDING_USER_ACTION, C.ERROR, C.CANCELLED, C.FINALIZING)
    ),
    *(Case(of(each), Reset(), each) for each in (*BEFORE, C.INSTALLED, C.ADDING_HOSTS, C.UNMONITORED)),
    Case(of(C.READY, *ALL_IN[H.KNOWN]), Install(), C.PREPARING, "being prepared", MOVED),
    *(Case(of(each), Install(), each) for each in C if each is not C.READY),
]

DESCRIBED = [
    *(Case(described(each, api_vips=()), TICKED, C.PENDING_FOR_INPUT, "your input: ") for each in BEFORE),
    *(Case(described(each, base_dns_domain=""), TICKED, C.PENDING_FOR_INPUT, "your input: ") for each in BEFORE),
    *(Case(described(each, pull_secret="", **DHCP), TICKED, C.PENDING_FOR_INPUT, "your input") for each in BEFORE),
    *(Case(described(each, network_type="?"), TICKED, C.INSUFFICIENT, "not ready to be installed: ") for each in BEFORE),
    *(Case(described(each, **DHCP), TICKED, C.INSUFFICIENT, "not ready to be installed") for each in BEFORE),
    *(Case(described(each), TICKED, C.READY, "ready to be installed", MOVED) for each in BEFORE[:2]),
    Case(described(C.READY, status_info="it was cancelled"), TICKED, C.READY, "it was cancelled"),
    *(Case(of(each), TICKED, each) for each in (C.INSTALLED, C.ADDING_HOSTS, C.UNMONITORED)),
]  # fmt: skip

PREPARED = [
    Case(of(C.PREPARING, *ALL_IN[H.PREPARING]), TICKED, C.PREPARING),
    Case(of(C.PREPARING, *ALL_IN[H.PREPARED]), TICKED, C.PREPARING),
    Case(of(C.PREPARING, preparation=GENERATED), TICKED, C.PREPARING),
    Case(of(C.PREPARING, *ALL_IN[H.PREPARING], preparation=GENERATED), TICKED, C.PREPARING),
    Case(of(C.PREPARING, *ALL_IN[H.PREPARED], preparation=GENERATED), TICKED, C.INSTALLING, "being installed", MOVED),
    Case(
        of(C.PREPARING, *ALL_IN[H.PREPARING], minutes=19),
        TICKED,
        C.READY,
        "took too long",
        ("cluster_status_updated", "installation_preparing_timed_out"),
    ),
    Case(of(C.PREPARING, H.PREPARING_FAILED, H.PREPARED, minutes=19), TICKED, C.READY, "could not be prepared", MOVED),
    Case(of(C.PREPARING, H.PREPARING_FAILED, H.KNOWN), TICKED, C.READY, "could not be prepared", MOVED),
    *(
        Case(of(C.PREPARING, H.PREPARED, each), TICKED, C.INSUFFICIENT, "no longer ready", MOVED)
        for each in (H.DISCONNECTED, H.INSUFFICIENT, H.ERROR, H.DISCOVERING, H.PENDING_FOR_INPUT)
    ),
    Case(
        of(C.PREPARING, *ALL_IN[H.PREPARED], preparation=UNGENERATED),
        TICKED,
        C.READY,
        "could not be generated: the disk is full",
        MOVED,
    ),
    Case(
        of(C.PREPARING, *ALL_IN[H.PREPARED], preparation=UNGENERATED.but(reason="")),
        TICKED,
        C.READY,
        "could not be generated",
        MOVED,
    ),
]

PUA = H.PENDING_USER_ACTION
UNDERWAY = [
    *(
        Case(of(C.INSTALLING, H.INSTALLED, each, H.INSTALLED), TICKED, C.INSTALLING)
        for each in (H.PREPARED, H.INSTALLING, H.IN_PROGRESS)
    ),
    Case(
        of(C.INSTALLING, H.IN_PROGRESS, H.ERROR, H.IN_PROGRESS),
        TICKED,
        C.ERROR,
        "Too few hosts are left to make up the cluster; those that failed: m2",
        FAILED,
    ),
    Case(of(C.INSTALLING, H.IN_PROGRESS, H.KNOWN, H.IN_PROGRESS), TICKED, C.ERROR, "those that failed: none", FAILED),
    Case(of(C.INSTALLING, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up", MOVED),
    Case(of(C.INSTALLING, PUA, H.IN_PROGRESS, PUA), TICKED, C.PENDING_USER_ACTION, "help these hosts: m1, m3", MOVED),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], PUA, workers=1), TICKED, C.PENDING_USER_ACTION, "w1", MOVED),
    Case(of(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2), TICKED, C.PENDING_USER_ACTION, "help these hosts: m1"),
    Case(of(C.PENDING_USER_ACTION, *ALL_IN[H.IN_PROGRESS]), TICKED, C.INSTALLING, "being installed", MOVED),
    Case(of(C.PENDING_USER_ACTION, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up", MOVED),
    Case(of(C.PENDING_USER_ACTION, PUA, H.ERROR, H.IN_PROGRESS), TICKED, C.ERROR, "those that failed: m2", FAILED),
    Case(
        of(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2, install_started_at=NOW - timedelta(hours=25)),
        TICKED,
        C.ERROR,
        "took too long to help the waiting hosts: m1",
        FAILED,
    ),
    Case(
        of(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2, install_started_at=None), TICKED, C.PENDING_USER_ACTION
    ),
    Case(of(C.INSTALLING, *ALL_IN[H.IN_PROGRESS], install_started_at=NOW - timedelta(days=9)), TICKED, C.INSTALLING),
]

DONE = {"kubeconfig_published": True, "operators": (UP,)}
FINALIZED = [
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up"),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"kubeconfig_published": False}), TICKED, C.FINALIZING),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], H.IN_PROGRESS, workers=1, **DONE), TICKED, C.FINALIZING),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP, ODF)}), TICKED, C.FINALIZING),
    Case(
        of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP.but(status=OperatorStatus.FAILED),)}),
        TICKED,
        C.FINALIZING,
    ),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE), TICKED, C.INSTALLED, "The cluster is installed", COMPLETED),
    Case(of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": ()}), TICKED, C.INSTALLED),
    Case(
        of(C.FINALIZING, *ALL_IN[H.INSTALLED], H.ERROR, workers=1, **DONE),
        TICKED,
        C.INSTALLED,
        "these hosts are missing: w1",
        COMPLETED,
    ),
    Case(
        of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP, ODF.but(status=OperatorStatus.FAILED))}),
        TICKED,
        C.INSTALLED,
        "these operators did not come up: odf",
        ("cluster_status_updated", "cluster_degraded_OLM_operators_failed", "cluster_installation_completed"),
    ),
    Case(
        of(C.FINALIZING, *ALL_IN[H.INSTALLED], minutes=301),
        TICKED,
        C.ERROR,
        "its last stage: none reported yet",
        FAILED,
    ),
    *(
        Case(finalizing(stage, limit + 1), TICKED, C.ERROR, f"stage {stage} took more than {limit} minutes", FAILED)
        for stage, limit in (
            (FinalizingStage.OPERATORS, 600),
            (FinalizingStage.ROUTER_CA, 70),
            (FinalizingStage.OLM_JOBS, 10),
            (FinalizingStage.DONE, 70),
        )
    ),
    *(
        Case(
            finalizing(stage, limit + 1),
            TICKED,
            C.FINALIZING,
            f"stage {stage} has been going on for more than {limit} minutes",
            ("finalizing_stage_timed_out",),
        )
        for stage, limit in (
            (FinalizingStage.OLM_MANIFESTS, 10),
            (FinalizingStage.OLM_INIT, 70),
            (FinalizingStage.OLM_CSV, 70),
        )
    ),
    *(Case(finalizing(stage, 9), TICKED, C.FINALIZING, "coming up") for stage in FinalizingStage),
    Case(finalizing(FinalizingStage.OLM_JOBS, 29, operators=(CONSOLE, ODF)), TICKED, C.FINALIZING),
    Case(finalizing(FinalizingStage.OLM_JOBS, 31, operators=(CONSOLE, ODF)), TICKED, C.ERROR, "30 minutes"),
    Case(finalizing(FinalizingStage.OLM_JOBS, 69, operators=(LSO, ODF)), TICKED, C.FINALIZING),
    Case(
        finalizing(FinalizingStage.OLM_CSV, 99, late=True, status_info="it is late"), TICKED, C.FINALIZING, "it is late"
    ),
]

LOGS = [
    *(Case(of(each, minutes=11), TICKED, each) for each in (C.ERROR, C.CANCELLED)),
    *(Case(of(each, minutes=9), TICKED, each) for each in (C.ERROR, C.CANCELLED)),
]

ALL = [*ASKED, *DESCRIBED, *PREPARED, *UNDERWAY, *FINALIZED, *LOGS]


def named(case: Case) -> str:
    return f"{case.view.cluster.status}-{type(case.trigger).__name__}-{case.target}"


@pytest.mark.parametrize("case", ALL, ids=named)
def test_a_cluster_goes_where_its_row_leads(case):
    cluster = moved_cluster(case.view, case.trigger)
    assert cluster.status is case.target, cluster.status_info
    assert case.words in cluster.status_info


@pytest.mark.parametrize("case", ALL, ids=named)
def test_the_words_of_a_cluster_are_whole_sentences(case):
    info = moved_cluster(case.view, case.trigger).status_info
    assert not set("{}") & set(info)
    assert info == info.strip(" :;-,")


@pytest.mark.parametrize("case", ALL, ids=named)
def test_a_new_state_is_told_and_dated(case):
    before = case.view.cluster
    cluster, told = cluster_move(case.view, case.trigger)
    names = tuple(event.name for event in told)
    assert ("cluster_status_updated" in names) == (cluster.status is not before.status)
    assert not case.told or names == case.told
    assert cluster.status_updated_at == (NOW if cluster.status is not before.status else before.status_updated_at)


def test_every_row_of_the_cluster_table_was_taken_and_refused():
    assert cluster_rows((case.view, case.trigger) for case in ALL) == []


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
    cluster = moved_cluster(of(C.READY, *ALL_IN[H.KNOWN], **old), Install())
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
        "progress": at(FinalizingStage.DONE, 1),
    }  # fmt: skip
    cluster = moved_cluster(of(C.ERROR, *ALL_IN[H.ERROR], **old), Reset())
    assert cluster.progress == ClusterProgress()
    assert (cluster.logs_info, cluster.controller_logs_started_at, cluster.openshift_cluster_id) == ("", None, "")
    assert cluster.preparation == Preparation(attempt=1, status=PreparationStatus.NOT_STARTED)
    assert cluster.operators == (CONSOLE,)
    assert cluster.api_vips == old.get("api_vips", a_ready_cluster([]).api_vips)


def test_the_first_tenth_is_done_once_the_hosts_are_prepared():
    cluster = moved_cluster(of(C.PREPARING, *ALL_IN[H.PREPARED], preparation=GENERATED), TICKED)
    assert cluster.progress == ClusterProgress(preparing_for_installation_stage_percentage=100, total_percentage=10)
    assert cluster.api_vips == (a_ready_cluster([]).api_vips)


SINGLE = {"control_plane_count": 1, "api_vips": (), "ingress_vips": (), "user_managed_networking": True}


def test_the_own_address_of_a_single_node_serves_as_its_virtual_addresses():
    view = of(C.PREPARING, H.PREPARED, preparation=GENERATED, **SINGLE)
    cluster = moved_cluster(view, TICKED)
    assert (cluster.api_vips, cluster.ingress_vips) == ((Vip(ip="192.168.1.10"),), (Vip(ip="192.168.1.10"),))
    assert moved_cluster(view.but(cluster=cluster), Reset()).api_vips == ()


def test_a_single_node_without_an_address_in_its_machine_network_has_no_virtual_addresses():
    view = of(C.PREPARING, H.PREPARED, preparation=GENERATED, **SINGLE)
    elsewhere = view.hosts["m1"].but(inventory=a_machine(address="10.0.0.1/24"))
    assert moved_cluster(view.with_host(elsewhere), TICKED).api_vips == ()
    nowhere = view.but(cluster=view.cluster.but(machine_networks=()))
    assert moved_cluster(nowhere, TICKED).api_vips == ()


def test_a_preparation_that_takes_too_long_has_failed():
    cluster = moved_cluster(of(C.PREPARING, *ALL_IN[H.PREPARING], minutes=19), TICKED)
    assert cluster.preparation.status is PreparationStatus.FAILED
    assert "too long" in cluster.preparation.reason


def test_the_clock_of_a_finalizing_stage_starts_anew_only_after_the_user_was_waited_for():
    late = at(FinalizingStage.OPERATORS, 500, late=True)
    again = moved_cluster(of(C.PENDING_USER_ACTION, *ALL_IN[H.INSTALLED], progress=late), TICKED).progress
    assert (again.finalizing_stage_started_at, again.finalizing_stage_timed_out) == (NOW, False)
    assert moved_cluster(of(C.INSTALLING, *ALL_IN[H.INSTALLED]), TICKED).progress.finalizing_stage_started_at is None


def test_a_late_stage_is_told_once():
    view = finalizing(FinalizingStage.OLM_CSV, 71)
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
    assert moved_cluster(of(status, *hosts, **DONE), trigger).install_completed_at == NOW


def test_an_installed_cluster_is_complete_to_the_last_percent():
    progress = moved_cluster(of(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE), TICKED).progress
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
    assert moved_cluster(of(state, **logs), TICKED).logs_info == outcome


def test_what_a_cluster_is_told_to_ignore_is_known():
    assert not a_cluster().validations_ignored
    assert a_cluster(ignored_host_validations=("all",)).validations_ignored
