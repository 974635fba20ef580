"""When time alone changes something: the deadline falls just behind the limit, and what it was set for happens."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from builders import (
    NOW,
    a_pool_view,
    a_ready_host,
    a_ready_view,
    a_view_of,
    later,
    some_ready_hosts,
)
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.decide import decide
from muster.domain.hosts import DiskSpeed, HostState, ImageStatus
from muster.domain.progress import ClusterProgress, FinalizingStage, HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.triggers import CheckedIn, DeleteCluster, Registered, Ticked
from muster.domain.views import View

H, C = HostState, ClusterState
TICK = timedelta(milliseconds=1)
MINUTE = timedelta(minutes=1)
INACTIVITY = timedelta(hours=480) + TICK
TRIED = {
    "disk_speeds": {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True)},
    "images": {"release": ImageStatus(name="release", result="success")},
}


def at(stage: Stage) -> HostProgress:
    return HostProgress(current_stage=stage, stage_started_at=NOW, stage_updated_at=NOW)


def of(cluster: ClusterState, *hosts: HostState, workers: int = 0, wants=None, **changes) -> View:
    """A cluster and its hosts that came to their states just now; the changes are those of the first host."""
    made = some_ready_hosts(len(hosts) - workers, workers)
    made = [host.but(status=state) for host, state in zip(made, hosts, strict=True)]
    made[0] = made[0].but(**changes)
    return a_view_of(cluster, made, **{"install_started_at": NOW} | (wants or {}))


class Case(NamedTuple):
    """A view, the minutes after which time changes it, and what it becomes of the host or the cluster."""

    view: View
    minutes: float
    target: HostState | ClusterState
    seen: bool = True
    host: str = "m1"


def single(view: View) -> View:
    return view.but(cluster=view.cluster.but(control_plane_count=1))


OTHERS = [H.IN_PROGRESS] * 2
CASES = {
    "silence": Case(of(C.READY, *[H.KNOWN] * 3), 3, H.DISCONNECTED, seen=False),
    "silence of the bootstrap": Case(of(C.READY, H.KNOWN, bootstrap=True), 5, H.DISCONNECTED, seen=False),
    "silence of a prepared host": Case(of(C.PREPARING, *[H.PREPARED] * 3, **TRIED), 3, H.DISCONNECTED, seen=False),
    "silence of a host that installs": Case(
        of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.WRITING)), 3, H.ERROR, seen=False
    ),
    "silence in the pool": Case(a_pool_view(a_ready_host("m1")), 3, H.DISCONNECTED_UNBOUND, seen=False),
    "host preparation": Case(of(C.PREPARING, *[H.PREPARING] * 3), 17, H.KNOWN),
    "cluster preparation": Case(of(C.PREPARING, *[H.PREPARED] * 3), 18, C.READY),
    "start of the installation": Case(of(C.INSTALLING, H.INSTALLING, *OTHERS), 20, H.ERROR),
    "starting": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.STARTING)), 30, H.ERROR),
    "writing": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.WRITING)), 30, H.ERROR),
    "copying": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.COPYING)), 90, H.ERROR),
    "configuring": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.CONFIGURING)), 60, H.ERROR),
    "ignition": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.IGNITION)), 24 * 60, H.ERROR),
    "reboot": Case(of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.REBOOTING)), 40, H.PENDING_USER_ACTION),
    "reboot of a single node": Case(
        single(of(C.INSTALLING, H.IN_PROGRESS, progress=at(Stage.REBOOTING))), 80, H.PENDING_USER_ACTION
    ),
    "the user at a host": Case(
        of(C.PENDING_USER_ACTION, *[H.INSTALLED] * 3, H.PENDING_USER_ACTION, workers=1), 60, H.ERROR, host="w1"
    ),
    "the user at a cluster": Case(of(C.PENDING_USER_ACTION, H.PENDING_USER_ACTION, *OTHERS), 24 * 60, C.ERROR),
    "finalizing": Case(of(C.FINALIZING, *[H.INSTALLED] * 3), 300, C.ERROR),
    "a finalizing stage": Case(
        of(
            C.FINALIZING,
            *[H.INSTALLED] * 3,
            wants={
                "progress": ClusterProgress(finalizing_stage=FinalizingStage.ROUTER_CA, finalizing_stage_started_at=NOW)
            },
        ),
        70,
        C.ERROR,
    ),
}


def until(view: View, moment, *, seen: bool) -> View:
    """The view at a moment, all deadlines before it kept."""
    while True:
        decision = decide(view, Ticked())
        if decision.deadline is None or decision.deadline >= moment:
            return decision.view
        view = decision.view.but(now=decision.deadline)
        if seen:
            view = view.but(presence=dict.fromkeys(view.hosts, view.now))


def became(view: View, case: Case):
    return view.hosts[case.host].status if isinstance(case.target, HostState) else view.cluster.status


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_limit_is_a_deadline_and_its_moment_changes_what_it_was_set_for(case):
    limit = NOW + timedelta(minutes=case.minutes)
    before = until(case.view, limit, seen=case.seen)
    assert became(before, case) is not case.target
    at_limit = decide(before.but(now=limit), Ticked())
    assert became(at_limit.view, case) is not case.target
    assert decide(before, Ticked()).deadline == limit + TICK
    after = decide(before.but(now=limit + TICK), Ticked()).view
    assert became(after, case) is case.target


def test_nothing_is_ever_due_in_the_past():
    for case in CASES.values():
        view = case.view
        for _ in range(12):
            decision = decide(view, Ticked())
            assert decision.deadline is None or decision.deadline > view.now
            if decision.deadline is None:
                break
            view = decision.view.but(now=decision.deadline)


def test_a_sign_of_life_moves_the_deadline():
    view = a_ready_view()
    assert decide(view, Ticked()).deadline == NOW + 3 * MINUTE + TICK
    assert decide(later(view, minutes=2), Ticked()).deadline == NOW + 5 * MINUTE + TICK


def test_the_first_of_many_deadlines_counts():
    view = a_ready_view()
    view = view.with_host(view.hosts["m2"].but(registered_at=NOW - 9 * MINUTE))
    presence = {**view.presence, "m2": NOW - MINUTE}
    assert decide(view.but(presence=presence), Ticked()).deadline == NOW + 2 * MINUTE + TICK


def test_a_host_that_was_never_heard_of_is_waited_for_since_it_registered():
    view = a_ready_view().but(presence={})
    assert decide(view, Ticked()).deadline == NOW + 3 * MINUTE + TICK


@pytest.mark.parametrize("state", [C.INSTALLED, C.ADDING_HOSTS, C.UNMONITORED])
def test_a_cluster_that_rests_is_not_looked_at_before_it_has_rested_for_too_long(state):
    view = of(state, *[H.INSTALLED] * 3)
    view = view.but(hosts={key: host.but(progress=at(Stage.DONE)) for key, host in view.hosts.items()})
    assert decide(view, Ticked()).deadline == NOW + INACTIVITY


@pytest.mark.parametrize("state", [H.ERROR, H.CANCELLED, H.RESETTING_PENDING])
def test_the_silence_of_a_host_is_noticed_in_every_state(state):
    view = of(C.CANCELLED, *[state] * 3, logs_info="completed")
    view = view.but(hosts={key: host.but(logs_info="completed") for key, host in view.hosts.items()})
    decision = decide(view, Ticked())
    assert decision.deadline == NOW + 3 * MINUTE + TICK
    after = decide(decision.view.but(now=decision.deadline), Ticked())
    assert after.host("m1").verdicts["connected"].status == "failure"


def test_hosts_that_are_gone_are_not_waited_for_again():
    gone = decide(later(a_ready_view(), seen=False, minutes=4), Ticked())
    assert {host.status for host in gone.view.living} == {H.DISCONNECTED}
    assert gone.deadline == gone.view.now + INACTIVITY


def test_a_cluster_that_was_given_up_is_looked_at_again_when_it_is_to_be_forgotten():
    assert decide(a_ready_view(), DeleteCluster()).deadline == NOW + timedelta(hours=72) + TICK


def test_a_view_that_was_never_settled_has_deadlines_too():
    view = of(C.INSTALLING, H.IN_PROGRESS, *OTHERS, progress=at(Stage.WRITING)).but(presence={})
    assert decide(view).deadline == NOW + 3 * MINUTE + TICK


def test_the_stage_of_a_host_after_its_reboot_is_all_that_is_waited_for():
    view = of(C.INSTALLING, *[H.IN_PROGRESS] * 3)
    view = view.but(hosts={key: host.but(progress=at(Stage.JOINED)) for key, host in view.hosts.items()})
    assert decide(view, Ticked()).deadline == NOW + 60 * MINUTE + TICK


def test_a_standing_clock_is_set_anew_every_minute():
    view = of(C.PENDING_USER_ACTION, H.IN_PROGRESS, H.PENDING_USER_ACTION, H.IN_PROGRESS)
    hosts = {key: host.but(progress=at(Stage.REBOOTING)) for key, host in view.hosts.items()}
    view = decide(view.but(hosts=hosts), Ticked())
    assert view.deadline == NOW + MINUTE
    after = decide(view.view.but(now=view.deadline), Ticked())
    assert after.host("m1").progress.stage_updated_at == NOW + MINUTE
    assert after.deadline == NOW + 2 * MINUTE


@pytest.mark.parametrize(("state", "first"), [(C.ERROR, timedelta(minutes=2)), (C.CANCELLED, timedelta(minutes=2))])
def test_logs_have_a_deadline_of_their_own(state, first):
    view = of(state, *[H.ERROR if state is C.ERROR else H.CANCELLED] * 3)
    view = view.but(hosts={key: host.but(progress=at(Stage.REBOOTING)) for key, host in view.hosts.items()})
    decision = decide(view, Ticked())
    assert decision.deadline == NOW + first + TICK
    decision = decide(decision.view.but(now=decision.deadline), Ticked())
    assert {host.logs_info for host in decision.view.living} == {"timeout"}
    assert decision.deadline == NOW + 10 * MINUTE + TICK
    decision = decide(decision.view.but(now=decision.deadline), Ticked())
    assert (decision.cluster.logs_info, decision.deadline) == ("timeout", decision.view.now + INACTIVITY)


def test_a_host_that_comes_back_just_in_time_stays():
    view = later(a_ready_view(), seen=False, minutes=2, seconds=59)
    back = decide(view.but(presence=dict.fromkeys(view.hosts, view.now)), CheckedIn(host_id="m1"))
    assert back.host("m1").status is H.KNOWN
    assert back.deadline == view.now + 3 * MINUTE + TICK


def test_an_attempt_that_generates_no_files_ends_with_its_deadline():
    view = of(C.PREPARING, *[H.PREPARED] * 3, wants={"preparation": Preparation(attempt=1)}, **TRIED)
    hosts = {key: host.but(**TRIED) for key, host in view.hosts.items()}
    view = later(view.but(hosts=hosts), minutes=18, milliseconds=1)
    decision = decide(view, Ticked())
    assert decision.cluster.preparation.status is PreparationStatus.FAILED
    assert {host.status for host in decision.view.living} == {H.KNOWN}


def test_a_new_host_is_waited_for_as_soon_as_it_registers():
    view = a_ready_view(masters=0)
    decision = decide(view, Registered(host_id="h9", infra_env_id=next(iter(view.infra_envs))))
    assert decision.host("h9").role is Role.AUTO
    assert decision.deadline == NOW + 3 * MINUTE + TICK
