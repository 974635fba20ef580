"""Which role each host should have where the user has not said, and who carries the bootstrap."""

import pytest

from builders import NOW, a_cluster, a_disk, a_machine, a_ready_host, a_running_cluster, a_view
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.hosts import HostState
from muster.domain.inventory import Gpu, Inventory
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.roles import Role
from muster.domain.suggestions import bootstrap_among, suggested_roles, weight
from muster.domain.triggers import Ticked

M, W, A = Role.MASTER, Role.WORKER, Role.ARBITER
GIB = 2**30
CARD = Gpu(vendor_id="10de")


def hosts(*machines, **changes):
    """Hosts h1, h2 ... whose roles are left to the service."""
    return [
        a_ready_host(f"h{number + 1}", 10 + number, role=Role.AUTO, inventory=machine, **changes)
        for number, machine in enumerate(machines)
    ]


def suggested(machines, cluster=None):
    """The suggestions, in the order of the hosts."""
    return list(dict(sorted(suggested_roles(a_view(cluster or a_cluster(), machines)).items())).values())


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
    assert weight(hosts(roomy)[0]) > weight(hosts(small)[0])


def test_the_weight_of_a_machine():
    machine = a_machine(cores=8, memory_gib=32)
    assert weight(hosts(machine)[0]) == pytest.approx(4 + 1.6 + 0.4)
    assert weight(hosts(None)[0]) == 0
    assert weight(hosts(machine.but(cpu=None))[0]) == 0
    assert weight(hosts(machine.but(memory=None))[0]) == 0
    assert weight(hosts(machine.but(disks=None))[0]) == pytest.approx(4 + 1.6 - 0.4)


def test_hosts_with_a_gpu_are_kept_for_workloads():
    with_card = a_machine(cores=4).but(gpus=(CARD,))
    assert suggested(hosts(with_card, *sized(16, 16, 16))) == [W, M, M, M]
    assert suggested(hosts(with_card, *sized(16, 16))) == [M, M, M]


def test_an_arbiter_is_the_weakest_host_that_is_left():
    cluster = a_cluster(control_plane_count=2)
    machines = [*sized(8, 8), a_machine(cores=2, memory_gib=8), *sized(16)]
    assert suggested(hosts(*machines), cluster) == [M, M, A, W]
    assert suggested(hosts(*sized(8, 8, 1)), cluster) == [M, M, W]


def test_an_arbiter_that_was_asked_for_is_enough():
    first, *others = hosts(*sized(8, 8, 8, 8))
    assert suggested([first.but(role=A), *others], a_cluster(control_plane_count=2)) == [M, M, W]


def test_roles_that_were_asked_for_count():
    first, second, *others = hosts(*sized(8, 8, 8, 8))
    assert suggested([first.but(role=M), second.but(role=W), *others]) == [M, M]
    assert suggested([first.but(role=Role.BOOTSTRAP), second.but(role=M), *others]) == [M, W]


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


def olm(*names):
    return a_cluster(
        operators=(CONSOLE, *(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names))
    )


def test_masters_must_be_able_to_carry_their_operators():
    plain = a_machine(cores=6)
    virtual = a_machine(cores=16).but(cpu=a_machine(cores=16).cpu.but(flags=("vmx",)))
    assert suggested(hosts(plain, virtual, virtual, virtual), olm("cnv")) == [W, M, M, M]
    assert suggested(hosts(plain, virtual, virtual, virtual), olm("lso")) == [M, M, M, W]


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


def test_a_machine_that_says_nothing_has_no_suggestion_of_weight():
    assert weight(a_ready_host("h1", inventory=Inventory(), created_at=NOW)) == 0
