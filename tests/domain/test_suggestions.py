"""Which role each host should have where the user has not said, and who carries the bootstrap."""

import pytest

from builders import NOW, a_cluster, a_disk, a_machine, a_ready_host, a_running_cluster, a_view, later
from muster.domain import settle as settling
from muster.domain import suggestions
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.inventory import Eligibility, Gpu, Inventory
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.policy import Policy
from muster.domain.roles import Role
from muster.domain.suggestions import bootstrap_among, suggested_roles, weight
from muster.domain.triggers import CheckedIn, Registered, Replied, Ticked

M, W, A = Role.MASTER, Role.WORKER, Role.ARBITER
GIB = 2**30
CARD = Gpu(vendor_id="10de")
FENCED = FencingCredentials(address="https://bmc", username="root", password="x")


def hosts(*machines, **changes):
    """Hosts h1, h2 ... whose roles are left to the service."""
    return [
        a_ready_host(f"h{number + 1}", 10 + number, role=Role.AUTO, inventory=machine, **changes)
        for number, machine in enumerate(machines)
    ]


def suggested(machines, cluster=None, *, forced=False, **policy):
    """The suggestions, in the order of the hosts."""
    view = a_view(cluster or a_cluster(), machines, Policy(**policy))
    return list(dict(sorted(suggested_roles(view, forced=forced).items())).values())


def sized(*cores, memory=32):
    return [a_machine(cores=count, memory_gib=memory) for count in cores]


def test_the_weakest_hosts_that_will_do_become_masters():
    assert suggested(hosts(*sized(32, 8, 16, 4, 64))) == [W, M, M, M, W]


def test_a_host_too_weak_for_a_master_is_a_worker():
    assert suggested(hosts(*sized(2, 8, 8, 8))) == [W, M, M, M]
    assert suggested(hosts(*sized(8, memory=8), *sized(8, 8, 8))) == [W, M, M, M]


def test_of_equal_hosts_the_first_become_masters():
    assert suggested(hosts(*sized(8, 8, 8, 8))) == [M, M, M, W]


def test_memory_and_disks_weigh_too():
    small, large = a_machine(memory_gib=32), a_machine(memory_gib=256)
    roomy = small.but(disks=(*small.disks, a_disk("sdb", size_bytes=4000 * GIB)))
    assert suggested(hosts(large, roomy, small, small), a_cluster(control_plane_count=3)) == [W, M, M, M]
    assert weight(roomy, 100) > weight(small, 100)


MACHINE = a_machine(cores=8, memory_gib=32)
MOUNTED = Eligibility(eligible=False, not_eligible_reasons=("it is mounted",))


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (MACHINE, 4 + 1.6 + 0.4),
        (MACHINE.but(cpu=MACHINE.cpu.but(count=2)), -2 + 1.6 + 0.4),
        (MACHINE.but(memory=MACHINE.memory.but(usable_bytes=16 * GIB - 1)), 4 - 0.1 + 0.4),
        (MACHINE.but(cpu=None), 0),
        (MACHINE.but(memory=None), 0),
        (MACHINE.but(disks=None), 4 + 1.6 - 0.4),
        (MACHINE.but(disks=(a_disk(size_bytes=60 * 10**9),)), 4 + 1.6 - 0.4),
        (MACHINE.but(disks=(a_disk(installation_eligibility=MOUNTED),)), 4 + 1.6 - 0.4),
        (Inventory(), 0),
    ],
)
def test_the_weight_of_a_machine(machine, expected):
    assert weight(machine, 100) == pytest.approx(expected)


def test_a_disk_weighs_the_same_in_every_role():
    disk = a_disk(size_bytes=150 * GIB)
    too_small = disk.but(
        installation_eligibility=Eligibility(eligible=False, not_eligible_reasons=("The disk is too small: 1 of 2",))
    )
    assert weight(MACHINE.but(disks=(disk,)), 100) == weight(MACHINE.but(disks=(too_small,)), 100)


def test_an_arbiter_whose_smaller_disk_will_do_does_not_become_too_heavy_to_be_one():
    two_disks = a_machine(disks=(a_disk("sda"), a_disk("sdb", size_bytes=60 * 10**9)))
    view = a_view(a_cluster(control_plane_count=2), hosts(*sized(4, 4), two_disks, *sized(8)))
    settled = decide(view, Ticked()).view
    assert [host.suggested_role for host in settled.living] == [M, M, A, W]
    assert not decide(settled.but(memo=None), Ticked()).changed


def test_hosts_with_a_gpu_are_kept_for_workloads():
    with_card = a_machine(cores=4).but(gpus=(CARD,))
    assert suggested(hosts(with_card, *sized(16, 16, 16))) == [W, M, M, M]
    assert suggested(hosts(with_card, *sized(16, 16))) == [M, M, M]


def test_an_arbiter_is_the_weakest_host_that_is_left():
    cluster = a_cluster(control_plane_count=2)
    machines = [*sized(8, 8), a_machine(cores=2, memory_gib=8), *sized(16)]
    assert suggested(hosts(*machines), cluster) == [M, M, A, W]
    assert suggested(hosts(*sized(8, 8, 1)), cluster) == [M, M, W]


SIZES = [
    (1, (8,), [M]),
    (2, (8, 8, 8), [M, M, A]),
    (2, (8, 8), [M, M]),
    (2, (8, 8, 8, 8, 8), [M, M, A, W, W]),
    (3, (8, 8, 8), [M, M, M]),
    (3, (8, 8), [M, M]),
    (3, (8, 8, 8, 8, 8), [M, M, M, W, W]),
    (4, (8, 8, 8, 8, 8), [M, M, M, M, W]),
    (5, (8, 8, 8, 8, 8, 8), [M, M, M, M, M, W]),
]


@pytest.mark.parametrize(("count", "cores", "expected"), SIZES)
def test_the_control_plane_is_filled_to_its_size(count, cores, expected):
    assert suggested(hosts(*sized(*cores)), a_cluster(control_plane_count=count)) == expected


def test_no_arbiter_is_suggested_where_the_service_has_none():
    assert suggested(hosts(*sized(8, 8, 8)), a_cluster(control_plane_count=2), arbiters=False) == [M, M, W]


# Pairs that can switch each other off


def fenced(members, *numbers):
    return [
        host.but(fencing_credentials=FENCED) if number in numbers else host
        for number, host in enumerate(members, start=1)
    ]


PAIRS = [
    ("two fenced hosts need no arbiter", fenced(hosts(*sized(8, 8, 8)), 1, 2), [M, M, W]),
    ("fenced hosts come first even if they are stronger", fenced(hosts(*sized(8, 16, 32)), 2, 3), [W, M, M]),
    ("one fenced host is no pair", fenced(hosts(*sized(8, 8, 8)), 1), [M, M, A]),
    ("a fenced host that is too weak is no half of a pair", fenced(hosts(*sized(2, 8, 16)), 1, 2), [A, M, M]),
    ("without credentials there is an arbiter", hosts(*sized(8, 8, 8)), [M, M, A]),
]


@pytest.mark.parametrize(("members", "expected"), [case[1:] for case in PAIRS], ids=[case[0] for case in PAIRS])
def test_a_pair_that_can_switch_each_other_off_needs_no_arbiter(members, expected):
    assert suggested(members, a_cluster(control_plane_count=2), fencing=True) == expected


def test_credentials_matter_only_where_the_service_installs_fenced_pairs():
    members = fenced(hosts(*sized(8, 16, 32)), 2, 3)
    assert suggested(members, a_cluster(control_plane_count=2)) == [M, M, A]
    assert suggested(members, a_cluster(control_plane_count=3), fencing=True) == [M, M, M]


def test_roles_that_were_asked_for_decide_whether_there_is_a_pair():
    two = a_cluster(control_plane_count=2)
    first, *others = fenced(hosts(*sized(8, 8, 16, 16)), 1, 2)
    assert suggested([first.but(role=M), *others], two, fencing=True) == [M, W, W]
    assert suggested([first.but(role=M, fencing_credentials=None), *others], two, fencing=True) == [M, A, W]
    assert suggested([first.but(role=A), *others], two, fencing=True) == [M, M, W]


def test_a_pair_is_found_among_hosts_that_carry_operators():
    members = fenced(hosts(*sized(16, 16, 32)), 1, 3)
    assert suggested(members, olm("mtv").but(control_plane_count=2), fencing=True) == [M, W, M]


# What was asked


def test_an_arbiter_that_was_asked_for_is_enough():
    first, *others = hosts(*sized(8, 8, 8, 8))
    assert suggested([first.but(role=A), *others], a_cluster(control_plane_count=2)) == [M, M, W]


def test_roles_that_were_asked_for_count():
    first, second, *others = hosts(*sized(8, 8, 8, 8))
    assert suggested([first.but(role=M), second.but(role=W), *others]) == [M, M]
    assert suggested([first.but(role=Role.BOOTSTRAP), second.but(role=M), *others]) == [M, W]


def test_a_role_that_can_no_longer_change_counts_as_it_is():
    first, *others = hosts(*sized(8, 8, 8, 8))
    stays = first.but(status=HostState.BINDING, suggested_role=M)
    assert suggested([stays, *others]) == [M, M, W]


def test_a_single_node_needs_the_figures_of_one():
    cluster = a_cluster(control_plane_count=1)
    assert suggested(hosts(*sized(8)), cluster) == [M]
    assert suggested(hosts(*sized(7)), cluster) == [W]


def test_hosts_that_join_a_running_cluster_are_workers():
    assert suggested(hosts(*sized(8), None), a_running_cluster()) == [W, W]


def test_nothing_is_suggested_while_a_host_has_not_described_itself():
    assert suggested(hosts(*sized(8, 8), None)) == []


def test_nothing_is_suggested_without_a_cluster_or_without_a_question():
    assert suggested_roles(a_view(hosts=hosts(*sized(8))).but(cluster=None)) == {}
    assert suggested([each.but(role=M) for each in hosts(*sized(8, 8, 8))]) == []


@pytest.mark.parametrize("state", [HostState.PREPARING, HostState.INSTALLED, HostState.ERROR])
def test_nothing_is_suggested_once_the_installation_has_begun(state):
    assert suggested(hosts(*sized(8, 8, 8), status=state)) == []


# Where the service suggests nothing


def test_a_service_that_assigns_no_roles_suggests_none_before_the_installation():
    members = hosts(*sized(8, 8, 8, 8))
    assert suggested(members, auto_assign=False) == []
    assert suggested(members, auto_assign=False, forced=True) == [M, M, M, W]
    view = a_view(a_cluster(status=ClusterState.INSUFFICIENT), members, Policy(auto_assign=False))
    assert {host.suggested_role for host in decide(view, Ticked()).view.living} == {None}


# Operators


def olm(*names):
    return a_cluster(
        operators=(CONSOLE, *(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names))
    )


def test_masters_must_be_able_to_carry_their_operators():
    plain = a_machine(cores=6)
    virtual = a_machine(cores=16).but(cpu=a_machine(cores=16).cpu.but(flags=("vmx",)))
    assert suggested(hosts(plain, virtual, virtual, virtual), olm("cnv")) == [W, M, M, M]
    assert suggested(hosts(plain, virtual, virtual, virtual), olm("lso")) == [M, M, M, W]


def test_a_check_that_the_user_ignores_is_no_reason_against_a_master():
    cluster = a_cluster(ignored_host_validations=("has-cpu-cores-for-role",))
    assert suggested(hosts(*sized(2, 8, 8, 8)), cluster) == [M, M, M, W]


def test_a_control_plane_without_workloads_needs_no_disk_for_their_volumes():
    plain = sized(8, 8, 8)
    spare = [machine.but(disks=(*machine.disks, a_disk("sdb"))) for machine in sized(16, 16)]
    assert suggested(hosts(*plain, *spare), olm("lvm")) == [M, M, M, W, W]
    assert suggested(hosts(*plain, *spare[:1]), olm("lvm")) == [W, W, W, M]


def test_what_operators_need_on_the_control_plane_is_added_to_what_a_master_needs():
    virtual = [machine.but(cpu=machine.cpu.but(flags=("svm",))) for machine in sized(6, 8, 8, 8)]
    assert suggested(hosts(*virtual), olm("cnv")) == [W, M, M, M]


# The same machines, the same roles


def test_suggestions_do_not_depend_on_the_order_in_which_hosts_are_listed():
    members = hosts(*sized(8, 8, 8, 8, 8))
    assert suggested(list(reversed(members))) == suggested(members) == [M, M, M, W, W]


def test_suggestions_stay_while_a_host_that_started_again_describes_itself():
    view = decide(a_view(a_cluster(), hosts(*sized(8, 8, 8, 8))), Ticked()).view
    again = decide(later(view, seconds=9), Registered(host_id="h4", infra_env_id=view.hosts["h4"].infra_env_id))
    assert [host.suggested_role for host in again.view.living] == [M, M, M, W]


def test_a_new_host_changes_the_suggestions_of_the_others_once_it_has_described_itself():
    *three, weakest = hosts(*sized(16, 16, 16, 4))
    view = decide(a_view(a_cluster(), three), Ticked()).view
    assert [host.suggested_role for host in view.living] == [M, M, M]
    joined = decide(view.with_host(weakest).but(presence={**view.presence, "h4": NOW}), Ticked())
    assert [host.suggested_role for host in joined.view.living] == [M, M, W, M]
    assert [event.host_id for event in joined.events if event.name == "host_role_updated"] == ["h4", "h3"]


def test_a_reply_of_one_host_makes_no_other_host_be_judged_again(monkeypatch):
    view = decide(a_view(a_cluster(), hosts(*sized(*[8] * 12))), Ticked()).view
    weighed, judged = [], []
    real = settling.assess_host
    monkeypatch.setattr(settling, "assess_host", lambda case, **told: judged.append(case.host.id) or real(case, **told))
    monkeypatch.setattr(
        suggestions, "assess_host", lambda case, checks: weighed.append(case.host.id) or real(case, checks)
    )
    decide(view, CheckedIn(host_id="h7", clock_skew=3))
    assert (judged, weighed) == ([], [])
    machine = view.hosts["h7"].inventory
    decide(view, Replied(host_id="h7", step="inventory", reply=machine.but(cpu=machine.cpu.but(count=9))))
    assert (set(judged), weighed) == ({"h7"}, [])


def test_suggestions_do_not_chase_each_other():
    no_spare_disk = sized(8, 8, 8, 8, 8)
    view = a_view(olm("lvm").but(status=ClusterState.INSUFFICIENT), hosts(*no_spare_disk))
    settled = decide(view, Ticked()).view
    assert not decide(settled.but(memo=None), Ticked()).changed


def test_a_new_suggestion_is_told():
    view = a_view(a_cluster(status=ClusterState.INSUFFICIENT), hosts(*sized(8, 8, 8)))
    decision = decide(view, Ticked())
    told = [event.message for event in decision.events if event.name == "host_role_updated"]
    assert told == [f"Host h{number}: suggested role is master" for number in (1, 2, 3)]
    assert {host.role for host in decision.view.living} == {Role.AUTO}


# The bootstrap


def masters(*states, **changes):
    return [a_ready_host(f"m{number}", status=state, **changes) for number, state in enumerate(states)]


def test_the_last_master_carries_the_bootstrap():
    known = masters(HostState.KNOWN, HostState.PREPARING, HostState.INSUFFICIENT)
    assert bootstrap_among(known).id == "m1"


def test_a_master_by_suggestion_will_do():
    known = masters(HostState.KNOWN, HostState.KNOWN, role=Role.AUTO, suggested_role=M)
    assert bootstrap_among([*known, a_ready_host("w1", role=W)]).id == "m1"


def test_an_earlier_choice_stays():
    first, second = masters(HostState.KNOWN, HostState.KNOWN)
    assert bootstrap_among([first.but(bootstrap=True), second]).id == "m0"


def test_nobody_carries_the_bootstrap_where_there_is_no_master():
    assert bootstrap_among([a_ready_host("w1", role=W)]) is None
    assert bootstrap_among(masters(HostState.DISCONNECTED)) is None
