"""Every row of the cluster's table: where it leads, and that its condition matters."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from builders import NOW, a_ready_cluster, a_view, some_ready_hosts
from moving import a_cluster_in, a_finalizing_view, cluster_move, cluster_rows, moved_cluster
from muster.domain.clusters import ClusterKind, ClusterState, Preparation, PreparationStatus
from muster.domain.hosts import HostState
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorStatus, OperatorType
from muster.domain.policy import Policy
from muster.domain.progress import FinalizingStage
from muster.domain.triggers import AllowAddHosts, Cancel, Install, Reset, Ticked, Trigger
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


def described(status: ClusterState, **changes) -> View:
    """A cluster that could be installed, but for the changes."""
    hosts = [host.but(status=H.KNOWN) for host in some_ready_hosts()]
    return a_view(a_ready_cluster(hosts, status=status).but(**changes), hosts)


ALL_IN = {state: [state] * 3 for state in H}
DHCP = {"vip_dhcp_allocation": True, "api_vips": (), "ingress_vips": ()}
UNLEASED = {**DHCP, "machine_network_updated_at": NOW - 3 * MINUTE}
FAILED = ("cluster_status_updated", "cluster_installation_failed")
COMPLETED = ("cluster_status_updated", "cluster_installation_completed")
MOVED = ("cluster_status_updated",)

ASKED = [
    *(
        Case(a_cluster_in(each, *ALL_IN[H.INSTALLING]), Cancel(), C.CANCELLED, "cancelled by the user", MOVED)
        for each in (C.INSTALLING, C.PENDING_USER_ACTION, C.ERROR, C.FINALIZING)
    ),
    Case(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING]), Cancel(), C.READY, "cancelled by the user", MOVED),
    *(
        Case(a_cluster_in(each), Cancel(), each)
        for each in (*BEFORE, C.INSTALLED, C.CANCELLED, C.ADDING_HOSTS, C.UNMONITORED)
    ),
    *(
        Case(a_cluster_in(each, *ALL_IN[H.ERROR]), Reset(), C.INSUFFICIENT, "reset by the user", MOVED)
        for each in (C.PREPARING, C.INSTALLING, C.PENDING_USER_ACTION, C.ERROR, C.CANCELLED, C.FINALIZING)
    ),
    *(Case(a_cluster_in(each), Reset(), each) for each in (*BEFORE, C.INSTALLED, C.ADDING_HOSTS, C.UNMONITORED)),
    Case(a_cluster_in(C.READY, *ALL_IN[H.KNOWN]), Install(), C.PREPARING, "being prepared", MOVED),
    *(Case(a_cluster_in(each), Install(), each) for each in C if each is not C.READY),
    Case(a_cluster_in(C.INSTALLED, *ALL_IN[H.INSTALLED]), AllowAddHosts(), C.ADDING_HOSTS, "more hosts", MOVED),
    Case(a_cluster_in(C.INSTALLED, kind=ClusterKind.ADD_HOSTS), AllowAddHosts(), C.INSTALLED),
    *(Case(a_cluster_in(each), AllowAddHosts(), each) for each in C if each is not C.INSTALLED),
]

DESCRIBED = [
    *(Case(described(each, api_vips=()), TICKED, C.PENDING_FOR_INPUT, "your input: ") for each in BEFORE),
    *(Case(described(each, base_dns_domain=""), TICKED, C.PENDING_FOR_INPUT, "your input: ") for each in BEFORE),
    *(Case(described(each, pull_secret="", **DHCP), TICKED, C.PENDING_FOR_INPUT, "your input") for each in BEFORE),
    *(Case(described(each, network_type="?"), TICKED, C.INSUFFICIENT, "not ready to be") for each in BEFORE),
    *(Case(described(each, **DHCP), TICKED, C.INSUFFICIENT, "not ready to be installed") for each in BEFORE),
    *(Case(described(each, **UNLEASED), TICKED, each, told=("api_ingress_vip_timed_out",)) for each in BEFORE),
    Case(described(C.READY, vips_overdue=True, **UNLEASED), TICKED, C.INSUFFICIENT, "within 2 minutes", MOVED),
    *(Case(described(each), TICKED, C.READY, "ready to be installed", MOVED) for each in BEFORE[:2]),
    Case(described(C.READY, status_info="it was cancelled"), TICKED, C.READY, "it was cancelled"),
    *(Case(a_cluster_in(each), TICKED, each) for each in (C.INSTALLED, C.ADDING_HOSTS, C.UNMONITORED)),
]  # fmt: skip

PREPARED = [
    Case(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING]), TICKED, C.PREPARING),
    Case(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARED]), TICKED, C.PREPARING),
    Case(a_cluster_in(C.PREPARING, preparation=GENERATED), TICKED, C.PREPARING),
    Case(a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING], preparation=GENERATED), TICKED, C.PREPARING),
    Case(
        a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARED], preparation=GENERATED),
        TICKED,
        C.INSTALLING,
        "being installed",
        MOVED,
    ),
    Case(
        a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARING], minutes=19),
        TICKED,
        C.READY,
        "took more than 18 minutes; still missing: the files for the installation, m1 is preparing-for-installation",
        ("cluster_status_updated", "installation_preparing_timed_out"),
    ),
    Case(
        a_cluster_in(C.PREPARING, H.PREPARING_FAILED, H.PREPARED, minutes=19),
        TICKED,
        C.READY,
        "could not be prepared",
        MOVED,
    ),
    Case(a_cluster_in(C.PREPARING, H.PREPARING_FAILED, H.KNOWN), TICKED, C.READY, "could not be prepared", MOVED),
    Case(
        a_cluster_in(C.PREPARING, H.PREPARED, H.PREPARING, minutes=19, preparation=GENERATED),
        TICKED,
        C.READY,
        "18 minutes; still missing: m2 is preparing-for-installation. Put that right and install again",
        ("cluster_status_updated", "installation_preparing_timed_out"),
    ),
    *(
        Case(
            a_cluster_in(C.PREPARING, H.PREPARED, each),
            TICKED,
            C.INSUFFICIENT,
            f"ready to be installed any more: m2 is {each}",
            MOVED,
        )
        for each in (H.DISCONNECTED, H.INSUFFICIENT, H.ERROR, H.DISCOVERING, H.PENDING_FOR_INPUT)
    ),
    Case(
        a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARED], preparation=UNGENERATED),
        TICKED,
        C.READY,
        "could not be generated: the disk is full",
        MOVED,
    ),
    Case(
        a_cluster_in(C.PREPARING, *ALL_IN[H.PREPARED], preparation=UNGENERATED.but(reason="")),
        TICKED,
        C.READY,
        "could not be generated",
        MOVED,
    ),
]

PUA = H.PENDING_USER_ACTION
UNDERWAY = [
    *(
        Case(a_cluster_in(C.INSTALLING, H.INSTALLED, each, H.INSTALLED), TICKED, C.INSTALLING)
        for each in (H.PREPARED, H.INSTALLING, H.IN_PROGRESS)
    ),
    Case(
        a_cluster_in(C.INSTALLING, H.IN_PROGRESS, H.ERROR, H.IN_PROGRESS),
        TICKED,
        C.ERROR,
        "Too few hosts are left to make up the cluster; those that failed: m2",
        FAILED,
    ),
    Case(
        a_cluster_in(C.INSTALLING, H.IN_PROGRESS, H.KNOWN, H.IN_PROGRESS),
        TICKED,
        C.ERROR,
        "those that failed: none",
        FAILED,
    ),
    Case(a_cluster_in(C.INSTALLING, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up", MOVED),
    Case(
        a_cluster_in(C.INSTALLING, PUA, H.IN_PROGRESS, PUA),
        TICKED,
        C.PENDING_USER_ACTION,
        "help these hosts: m1, m3",
        MOVED,
    ),
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], PUA, workers=1), TICKED, C.PENDING_USER_ACTION, "w1", MOVED),
    Case(
        a_cluster_in(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2),
        TICKED,
        C.PENDING_USER_ACTION,
        "help these hosts: m1",
    ),
    Case(a_cluster_in(C.PENDING_USER_ACTION, *ALL_IN[H.IN_PROGRESS]), TICKED, C.INSTALLING, "being installed", MOVED),
    Case(a_cluster_in(C.PENDING_USER_ACTION, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up", MOVED),
    Case(
        a_cluster_in(C.PENDING_USER_ACTION, PUA, H.ERROR, H.IN_PROGRESS),
        TICKED,
        C.ERROR,
        "those that failed: m2",
        FAILED,
    ),
    Case(
        a_cluster_in(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2, install_started_at=NOW - timedelta(hours=25)),
        TICKED,
        C.ERROR,
        "took too long to help the waiting hosts: m1",
        FAILED,
    ),
    Case(
        a_cluster_in(C.PENDING_USER_ACTION, PUA, *[H.IN_PROGRESS] * 2, install_started_at=None),
        TICKED,
        C.PENDING_USER_ACTION,
    ),
    Case(
        a_cluster_in(C.INSTALLING, *ALL_IN[H.IN_PROGRESS], install_started_at=NOW - timedelta(days=9)),
        TICKED,
        C.INSTALLING,
    ),
]

DONE = {"kubeconfig_published": True, "operators": (UP,)}
FINALIZED = [
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED]), TICKED, C.FINALIZING, "coming up"),
    Case(
        a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"kubeconfig_published": False}), TICKED, C.FINALIZING
    ),
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], H.IN_PROGRESS, workers=1, **DONE), TICKED, C.FINALIZING),
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP, ODF)}), TICKED, C.FINALIZING),
    Case(
        a_cluster_in(
            C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP.but(status=OperatorStatus.FAILED),)}
        ),
        TICKED,
        C.FINALIZING,
    ),
    Case(
        a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE),
        TICKED,
        C.INSTALLED,
        "The cluster is installed",
        COMPLETED,
    ),
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": ()}), TICKED, C.INSTALLED),
    Case(
        a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], H.ERROR, workers=1, **DONE),
        TICKED,
        C.INSTALLED,
        "these hosts are missing: w1",
        COMPLETED,
    ),
    Case(
        a_cluster_in(
            C.FINALIZING, *ALL_IN[H.INSTALLED], **DONE | {"operators": (UP, ODF.but(status=OperatorStatus.FAILED))}
        ),
        TICKED,
        C.INSTALLED,
        "these operators did not come up: odf",
        ("cluster_status_updated", "cluster_degraded_OLM_operators_failed", "cluster_installation_completed"),
    ),
    Case(
        a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], minutes=301),
        TICKED,
        C.ERROR,
        "its last stage: none reported yet",
        FAILED,
    ),
    *(
        Case(
            a_finalizing_view(stage, limit + 1),
            TICKED,
            C.ERROR,
            f"stage {stage} took more than {limit} minutes",
            FAILED,
        )
        for stage, limit in (
            (FinalizingStage.OPERATORS, 600),
            (FinalizingStage.ROUTER_CA, 70),
            (FinalizingStage.OLM_JOBS, 10),
            (FinalizingStage.DONE, 70),
        )
    ),
    *(
        Case(
            a_finalizing_view(stage, limit + 1),
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
    *(Case(a_finalizing_view(stage, 9), TICKED, C.FINALIZING, "coming up") for stage in FinalizingStage),
    Case(a_finalizing_view(FinalizingStage.OLM_JOBS, 29, operators=(CONSOLE, ODF)), TICKED, C.FINALIZING),
    Case(a_finalizing_view(FinalizingStage.OLM_JOBS, 31, operators=(CONSOLE, ODF)), TICKED, C.ERROR, "30 minutes"),
    Case(a_finalizing_view(FinalizingStage.OLM_JOBS, 69, operators=(LSO, ODF)), TICKED, C.FINALIZING),
    Case(
        a_finalizing_view(FinalizingStage.OLM_CSV, 99, late=True, status_info="it is late"),
        TICKED,
        C.FINALIZING,
        "it is late",
    ),
]

LOGS = [
    *(Case(a_cluster_in(each, minutes=11), TICKED, each) for each in (C.ERROR, C.CANCELLED)),
    *(Case(a_cluster_in(each, minutes=9), TICKED, each) for each in (C.ERROR, C.CANCELLED)),
]

SOFT = Policy(soft_timeouts=True)
DAY = {"install_started_at": NOW - timedelta(hours=25)}
SOFTLY = [
    *(
        Case(a_cluster_in(each, *ALL_IN[H.INSTALLED], **DAY).but(policy=SOFT), TICKED, C.ERROR, "took too long", FAILED)
        for each in (C.INSTALLING, C.FINALIZING)
    ),
    Case(a_cluster_in(C.INSTALLING, *ALL_IN[H.IN_PROGRESS], **DAY), TICKED, C.INSTALLING),
    Case(a_cluster_in(C.FINALIZING, *ALL_IN[H.INSTALLED], minutes=301).but(policy=SOFT), TICKED, C.FINALIZING),
    Case(
        a_finalizing_view(FinalizingStage.ROUTER_CA, 71).but(policy=SOFT),
        TICKED,
        C.FINALIZING,
        "stage Adding router ca has been going on for more than 70 minutes",
        ("finalizing_stage_timed_out",),
    ),
]

ALL = [*SOFTLY, *ASKED, *DESCRIBED, *PREPARED, *UNDERWAY, *FINALIZED, *LOGS]


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


# What a tired person reads


def test_a_cluster_whose_hosts_fail_says_why_they_did():
    view = a_cluster_in(C.INSTALLING, H.IN_PROGRESS, H.ERROR, H.IN_PROGRESS)
    view = view.with_host(view.hosts["m2"].but(status_info="Failed - the disk is broken"))
    said = moved_cluster(view, TICKED).status_info
    assert "those that failed: m2 (Failed - the disk is broken); once that is put right, reset" in said


def test_a_cluster_that_could_not_be_prepared_keeps_what_was_said_of_the_host():
    view = a_cluster_in(C.PREPARING, H.PREPARED, H.PREPARING_FAILED, H.PREPARED)
    view = view.with_host(view.hosts["m2"].but(status_info="The host cannot be prepared: no image can be fetched"))
    said = moved_cluster(view, TICKED).status_info
    assert "These hosts could not be prepared: m2 (The host cannot be prepared: no image can be fetched)" in said


@pytest.mark.parametrize(
    ("console", "said"),
    [
        (CONSOLE, "; operators that are not up: console (not heard of); once"),
        (CONSOLE.but(status=OperatorStatus.PROGRESSING), "; operators that are not up: console (progressing); once"),
        (CONSOLE.but(status_info="no route"), "; operators that are not up: console (no route); once"),
        (UP, "minutes; once that is put right, reset the installation"),
    ],
)
def test_a_cluster_that_does_not_come_up_names_the_operators_it_waits_for(console, said):
    view = a_finalizing_view(FinalizingStage.ROUTER_CA, 71)
    cluster = view.cluster.but(operators=(console,))
    assert said in moved_cluster(view.but(cluster=cluster), TICKED).status_info


def test_a_cluster_that_is_there_without_operators_and_hosts_names_both():
    operators = (UP, ODF.but(status=OperatorStatus.FAILED))
    view = a_cluster_in(
        C.FINALIZING, *ALL_IN[H.INSTALLED], H.ERROR, workers=1, kubeconfig_published=True, operators=operators
    )
    said = moved_cluster(view, TICKED).status_info
    assert said.endswith("these operators did not come up: odf; these hosts are missing: w1")
