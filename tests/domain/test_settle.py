"""One decision: what follows, what is not done again, and what a refusal leaves alone."""

from datetime import timedelta

import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_machine,
    a_ready_host,
    a_ready_view,
    a_report,
    a_view,
    a_view_of,
    later,
    some_answers,
    some_ready_hosts,
)
from muster.domain import settle as settling
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import NotFound, Refused
from muster.domain.hosts import HostState, ImageStatus, VipCheck
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.triggers import (
    Cancel,
    CheckedIn,
    DeleteHost,
    Install,
    Registered,
    Replied,
    Reset,
    Ticked,
    Trigger,
    UpdateCluster,
)
from muster.domain.validations.registry import Assessment, assess, validation
from muster.domain.verdicts import Finding, Status, failed, passed, pending
from muster.domain.views import View, cluster_scope

H, C = HostState, ClusterState


def names(decision):
    return [event.name for event in decision.events]


# The decision


def test_a_decision_on_a_settled_view_is_empty():
    decision = decide(a_ready_view(), Ticked())
    assert not decision.changed
    assert (decision.changes, decision.events, decision.effects) == ((), (), ())
    assert decision.view.version == a_ready_view().version


def test_a_decision_counts_one_version_however_much_it_changes():
    view = a_ready_view()
    decision = decide(view, DeleteHost(host_id="m1"), DeleteHost(host_id="m2"))
    assert decision.view.version == view.version + 1


def test_every_changed_record_is_there_before_and_after_and_dated():
    view = later(a_ready_view(), seconds=9)
    decision = decide(view, DeleteHost(host_id="m1"))
    assert {type(after).__name__ for _, after in decision.changes} == {"Host", "Cluster"}
    for before, after in decision.changes:
        assert before != after
        assert after.updated_at == view.now
    assert decision.host("m1").updated_at == view.now


def test_what_is_told_is_dated():
    view = later(a_ready_view(), seconds=9)
    assert {event.at for event in decide(view, Install()).events} == {view.now}


def test_a_trigger_nobody_accepts_is_a_fault_of_ours():
    class Wished(Trigger):
        """Something nobody has thought of."""

    with pytest.raises(AssertionError, match="nobody accepts Wished"):
        decide(a_ready_view(), Wished())


def test_an_empty_view_decides_nothing():
    decision = decide(View(scope=cluster_scope("c9"), now=NOW, policy=a_ready_view().policy), Ticked())
    assert not decision.changed
    assert decision.deadline is None
    with pytest.raises(NotFound):
        decision.cluster  # noqa: B018 - looking is the point


# Many triggers together


def test_what_is_refused_leaves_the_others_alone():
    view = a_ready_view()
    decision = decide(
        view,
        CheckedIn(host_id="m1", clock_skew=1),
        CheckedIn(host_id="nobody"),
        Cancel(),
        CheckedIn(host_id="m2", clock_skew=2),
    )
    kinds = [type(error) for error in decision.outcomes]
    assert kinds == [type(None), NotFound, Refused, type(None)]
    assert (decision.host("m1").clock_skew, decision.host("m2").clock_skew) == (1, 2)
    assert decision.cluster.status is C.READY


def test_what_is_refused_tells_and_starts_nothing():
    hosts = [
        host.but(status=state)
        for host, state in zip(some_ready_hosts(), [H.PREPARING] * 2 + [H.DISCONNECTED], strict=True)
    ]
    view = a_view_of(C.PREPARING, hosts).but(presence={"m1": NOW, "m2": NOW, "m3": NOW - timedelta(hours=1)})
    decision = decide(view, Reset())
    assert isinstance(decision.outcomes[0], Refused)
    assert not {"host_installation_reset", "cluster_installation_reset"} & set(names(decision))
    assert decision.effects == ()
    assert decision.host("m1").status is not H.RESETTING_PENDING


def test_what_is_asked_is_judged_by_what_went_before():
    view = a_ready_view()
    decision = decide(view, DeleteHost(host_id="m1"), Install())
    assert isinstance(decision.outcomes[1], Refused)
    assert "insufficient" in str(decision.outcomes[1])
    decision = decide(view, Install(), Install())
    assert isinstance(decision.outcomes[1], Refused)
    assert len(decision.effects) == 1


def all_told(view, hosts):
    """Everything that hosts say once they have started, in the order of a morning."""
    said = [
        Registered(host_id=each, infra_env_id=INFRA_ENV_ID, agent_version=view.policy.agent_image) for each in hosts
    ]
    machines = {each: a_ready_host(each, 10 + number).inventory.but(hostname=each) for number, each in enumerate(hosts)}
    said += [Replied(host_id=each, step="inventory", reply=machine) for each, machine in machines.items()]
    known = [a_ready_host(each, inventory=machine) for each, machine in machines.items()]
    free = tuple(
        VipCheck(vip=vip.ip, verification="succeeded") for vip in (*view.cluster.api_vips, *view.cluster.ingress_vips)
    )
    for host in known:
        said += [
            Replied(host_id=host.id, step="connectivity-check", reply=a_report(host, known)),
            Replied(host_id=host.id, step="domain-resolution", reply=DomainReply(resolutions=some_answers())),
            Replied(host_id=host.id, step="verify-vips", reply=free),
            CheckedIn(host_id=host.id, clock_skew=0),
        ]
    return said


def test_what_is_taken_together_ends_as_what_is_taken_one_by_one():
    start = a_view(a_cluster(status=C.INSUFFICIENT))
    said = all_told(start, [f"h{number}" for number in range(5)])
    together = decide(start, *said).view
    one_by_one = start
    for each in said:
        one_by_one = decide(one_by_one, each).view
    assert {host.id: host.status for host in together.living} == {host.id: H.KNOWN for host in one_by_one.living}
    assert {host.id: host.suggested_role for host in together.living} == {
        host.id: host.suggested_role for host in one_by_one.living
    }
    assert (together.cluster.status, one_by_one.cluster.status) == (C.READY, C.READY)
    assert together.cluster.verdicts == one_by_one.cluster.verdicts
    assert together.hosts == one_by_one.hosts


def test_what_is_taken_together_is_told_less_often():
    start = a_view(a_cluster(status=C.INSUFFICIENT))
    said = all_told(start, ["h1", "h2", "h3"])
    assert names(decide(start, *said)).count("cluster_status_updated") <= 2


# Verdicts


def test_verdicts_are_written_down_and_turns_are_told():
    view = a_ready_view()
    decision = decide(view, Replied(host_id="m1", step="inventory", reply=a_machine(cores=1)))
    assert decision.host("m1").verdicts["has-min-cpu-cores"].status is Status.FAILURE
    told = [event for event in decision.events if event.name == "host_validation_failed"]
    assert any("has-min-cpu-cores" in event.message for event in told)
    assert all(event.severity == "warning" for event in told)
    good = view.hosts["m1"].inventory
    fixed = decide(decision.view, Replied(host_id="m1", step="inventory", reply=good))
    assert any(event.name == "host_validation_fixed" and "has-min-cpu-cores" in event.message for event in fixed.events)


def test_turns_of_the_cluster_are_told_too():
    decision = decide(a_ready_view(), DeleteHost(host_id="m1"))
    assert "cluster_validation_failed" in names(decision)
    back = decision.view.with_host(a_ready_view().hosts["m1"])
    assert "cluster_validation_fixed" in names(decide(back, Ticked()))


def test_a_host_in_any_state_keeps_what_was_found_out_and_hears_it_once():
    for state in (H.ERROR, H.CANCELLED, H.INSTALLED, H.PREPARED):
        hosts = [host.but(status=state) for host in some_ready_hosts()]
        view = decide(a_view_of(C.CANCELLED, hosts), Ticked()).view
        decision = decide(view, DeleteHost(host_id="m1"))
        assert "host_validation_failed" in names(decision), state
        assert not decide(decision.view.but(memo=None), Ticked()).changed, state


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (Status.SUCCESS, Status.FAILURE, True),
        (Status.PENDING, Status.FAILURE, True),
        (Status.FAILURE, Status.SUCCESS, True),
        (Status.FAILURE, Status.PENDING, False),
        (Status.PENDING, Status.SUCCESS, False),
        (Status.FAILURE, Status.DISABLED, False),
        (None, Status.FAILURE, False),
    ],
)
def test_what_counts_as_a_turn(was, now, told):
    before = {} if was is None else {"x": Finding(status=was, message="a")}
    after = {"x": Finding(status=now, message="b")}
    assert bool(settling._turns(before, after)) == told


def test_a_verdict_that_says_the_same_is_the_same():
    old = {"a": Finding(status=Status.FAILURE, message="m"), "b": Finding(status=Status.FAILURE, message="m")}
    judged = {"a": failed("m"), "b": failed("other"), "c": passed("n")}
    checks = [validation(name, category="any")(lambda judged: judged) for name in judged]
    found = {check.id: assess(judged[check.id], [check], before=old).verdicts[check.id] for check in checks}
    assert found["a"] is old["a"]
    assert found["b"] == Finding(status=Status.FAILURE, message="other")
    assert found["c"] == Finding(status=Status.SUCCESS, message="n")


def test_what_nobody_wants_to_read_at_a_stage_is_not_written_down():
    assessment = Assessment(verdicts={"a": failed("m"), "b": passed("n")}, unspoken=frozenset({"a"}))
    assert list(assessment.spoken) == ["b"]


def test_what_fails_comes_before_what_is_waited_for():
    verdicts = {"a": failed("b fails"), "b": failed("a fails"), "c": pending("wait"), "d": passed("fine")}
    assert Assessment(verdicts=verdicts, held=frozenset("abc")).failing == "a fails ; b fails"
    waiting = {"c": pending("wait for c"), "e": pending("wait for e"), "d": passed("fine")}
    assert Assessment(verdicts=waiting, held=frozenset({"c"})).failing == "wait for c"
    assert Assessment(verdicts={"d": passed("fine")}).failing == ""


def test_what_the_user_ignores_fails_without_consequence():
    hosts = some_ready_hosts()
    view = a_view_of(C.READY, [hosts[0].but(requested_hostname="m2"), *hosts[1:]])
    assert decide(view, Ticked()).host("m1").status is H.INSUFFICIENT
    small = view.with_host(hosts[0].but(inventory=hosts[0].inventory.but(cpu=hosts[0].inventory.cpu.but(count=3))))
    assert decide(small, Ticked()).host("m1").status is H.INSUFFICIENT
    forgiven = small.but(cluster=small.cluster.but(ignored_host_validations=("has-cpu-cores-for-role",)))
    decision = decide(forgiven, Ticked())
    assert decision.host("m1").status is H.KNOWN
    assert decision.host("m1").verdicts["has-cpu-cores-for-role"].status is Status.FAILURE


def test_what_cannot_be_ignored_is_not():
    hosts = some_ready_hosts()
    view = a_view_of(C.READY, [hosts[0].but(requested_hostname="m2"), *hosts[1:]], ignored_host_validations=("all",))
    assert decide(view, Ticked()).host("m1").status is H.INSUFFICIENT


def test_a_check_that_is_switched_off_holds_nothing_back():
    view = a_ready_view()
    off = view.policy.but(disabled_host_validations=frozenset({"has-cpu-cores-for-role"}))
    machine = view.hosts["m1"].inventory
    reply = Replied(host_id="m1", step="inventory", reply=machine.but(cpu=machine.cpu.but(count=3)))
    decision = decide(view.but(policy=off), reply)
    assert decision.host("m1").status is H.KNOWN
    assert decision.host("m1").verdicts["has-cpu-cores-for-role"].status is Status.DISABLED


# What is not done again


def test_a_host_is_not_judged_again_when_only_its_words_change(monkeypatch):
    view = a_ready_view()
    judged = []
    real = settling.assess_host
    monkeypatch.setattr(settling, "assess_host", lambda case, **told: judged.append(case.host.id) or real(case, **told))
    assert not decide(view, Ticked()).changed
    assert judged == []
    decide(view.with_host(view.hosts["m1"].but(status_info="other words")), Ticked())
    assert judged == []


def test_a_reply_makes_only_its_host_be_judged_again(monkeypatch):
    view = a_ready_view()
    judged = []
    real = settling.assess_host
    monkeypatch.setattr(settling, "assess_host", lambda case, **told: judged.append(case.host.id) or real(case, **told))
    machine = view.hosts["m2"].inventory
    decide(view, Replied(host_id="m2", step="inventory", reply=machine.but(cpu=machine.cpu.but(count=9))))
    assert judged == ["m2"]


def test_of_what_was_measured_anew_only_the_checks_are_made_again_that_look_at_it(monkeypatch):
    view = a_ready_view()
    made = []
    for name in ("reassess_host", "reassess_cluster"):
        real = getattr(settling, name)
        monkeypatch.setattr(
            settling,
            name,
            lambda case, before, checks, real=real: (
                made.extend(check.id for check in checks) or real(case, before, checks)
            ),
        )
    monkeypatch.setattr(settling, "assess_host", pytest.fail)
    monkeypatch.setattr(settling, "assess_cluster", pytest.fail)
    assert decide(view, CheckedIn(host_id="m2", clock_skew=3)).changed
    assert made == ["time-synced-between-host-and-service", "ntp-server-configured"]


def test_verdicts_keep_their_order_when_some_are_given_anew():
    view = a_ready_view()
    decision = decide(view, CheckedIn(host_id="m2", clock_skew=9000))
    assert list(decision.host("m2").verdicts) == list(view.hosts["m2"].verdicts)
    assert list(decision.cluster.verdicts) == list(view.cluster.verdicts)


def test_a_change_of_the_cluster_makes_all_hosts_be_judged_again(monkeypatch):
    view = a_ready_view()
    judged = []
    real = settling.assess_host
    monkeypatch.setattr(settling, "assess_host", lambda case, **told: judged.append(case.host.id) or real(case, **told))
    decide(view, UpdateCluster(changes=ClusterUpdate(name="other")))
    assert set(judged) == {"m1", "m2", "m3"}


def test_a_table_that_never_comes_to_rest_is_a_fault_of_ours(monkeypatch):
    def restless(draft, host, *_):
        draft.put(host.but(logs_info=host.logs_info + "."))

    monkeypatch.setattr(settling, "move_host", restless)
    with pytest.raises(AssertionError, match=f"cluster:{CLUSTER_ID} does not settle"):
        decide(a_ready_view(), Ticked())


def test_a_host_that_never_comes_to_rest_is_a_fault_of_ours(monkeypatch):
    def restless(draft, host, *_):
        draft.put(host.but(status=H.KNOWN if host.status is H.INSUFFICIENT else H.INSUFFICIENT))

    view = a_ready_view()
    monkeypatch.setattr(settling, "move_host", restless)
    with pytest.raises(AssertionError, match="host m1 does not come to rest"):
        decide(view.with_host(view.hosts["m1"].but(clock_skew=9)), Ticked())


def test_a_host_moves_on_only_by_what_it_is_judged_to_be_now():
    imageless = {"quay.io/a:1": ImageStatus(name="quay.io/a:1", result="failure")}
    view = a_view_of(C.PREPARING, some_ready_hosts(images=imageless))
    decision = decide(view, Ticked())
    assert decision.host("m1").images == {}
    assert decision.host("m1").status is H.PREPARING


def test_roles_that_never_come_to_rest_are_a_fault_of_ours(monkeypatch):
    def restless(draft):
        return [draft.view.hosts["m1"]]

    monkeypatch.setattr(settling, "derive_roles", restless)
    monkeypatch.setattr(settling, "derive_disks", lambda _, host: host.but(user_name=host.user_name + "."))
    with pytest.raises(AssertionError, match=f"roles of cluster:{CLUSTER_ID} do not settle"):
        decide(a_view_of(C.READY, some_ready_hosts()), Ticked())
