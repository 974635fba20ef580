"""Every host is told why it has its role, or is to have it."""

import pytest

from builders import a_cluster, a_day2_host, a_machine, a_pool_view, a_ready_host, a_running_cluster, a_view
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.inventory import Gpu, Inventory
from muster.domain.policy import Policy
from muster.domain.role_reasons import ASKED, JOINS, NO_CLUSTER, NOT_SUGGESTED, SETTLED, WHOLE, role_reasons
from muster.domain.roles import Role

FENCED = FencingCredentials(address="https://bmc", username="root", password="hunter2")


def hosts(*machines, **changes):
    return [
        a_ready_host(f"h{number + 1}", 10 + number, **{"role": Role.AUTO, "inventory": machine} | changes)
        for number, machine in enumerate(machines)
    ]


def sized(*cores):
    return [a_machine(cores=count, memory_gib=32) for count in cores]


def reasons(members, cluster=None, **policy):
    return role_reasons(a_view(cluster or a_cluster(), members, Policy(**policy)))


def test_a_master_is_told_its_place_among_those_that_fit_and_what_it_is_weighed_by():
    told = reasons(hosts(*sized(16, 8, 2, 12, 10)))
    assert told["h2"] == (
        "Of the hosts that fit the control plane, weakest first, this is number 1 of 4"
        " (weight 6.0: 8 cores, 32 GiB, 200 GiB on disks); 3 are needed"
    )
    assert "number 3 of 4" in told["h4"]


def test_a_worker_is_told_that_the_control_plane_is_complete_or_that_it_does_not_fit():
    told = reasons(hosts(*sized(16, 8, 2, 12, 10)))
    assert told["h1"].startswith("The control plane is complete with hosts that come before this one")
    assert told["h3"] == (
        "The host does not fit the control plane: The host has 2 CPU cores; the role master needs at least 4"
    )


def test_an_arbiter_is_told_that_there_are_two_masters():
    told = reasons(hosts(*sized(8, 8), a_machine(cores=2, memory_gib=8)), a_cluster(control_plane_count=2))
    assert told["h3"].startswith("A control plane of two needs an arbiter; this is the weakest host left that fits")


def test_a_fenced_pair_is_told_that_it_is_one_and_nothing_secret():
    members = [host.but(fencing_credentials=FENCED) for host in hosts(*sized(8, 8))]
    told = reasons(members, a_cluster(control_plane_count=2), fencing=True)
    assert "can switch each other off" in told["h1"]
    assert "hunter2" not in " ".join(told.values())


def test_a_host_with_a_gpu_is_told_that_it_comes_last():
    told = reasons(hosts(*sized(16, 16), a_machine(cores=4).but(gpus=(Gpu(),))))
    assert "number 3 of 3" in told["h3"]
    assert "with a GPU and therefore last" in told["h3"]


def test_a_machine_of_unknown_size_is_not_sized():
    told = reasons(hosts(Inventory(), *sized(8, 8)))
    assert told["h1"].startswith("The host does not fit the control plane: Waiting for")
    ignoring = a_cluster(ignored_host_validations=("all",))
    assert "(of unknown size)" in reasons(hosts(Inventory(), *sized(8, 8)), ignoring)["h1"]


def test_a_host_waits_for_those_that_have_not_described_themselves():
    told = reasons(hosts(*sized(8, 8), None))
    assert told["h1"].endswith("still waited for: h3")


@pytest.mark.parametrize(
    ("host", "cluster", "policy", "expected"),
    [
        (a_ready_host("h1", role=Role.WORKER), a_cluster(), {}, ASKED),
        (a_ready_host("h1", role=Role.MASTER), a_cluster(control_plane_count=1), {}, WHOLE),
        (a_ready_host("h1", role=Role.WORKER), a_cluster(control_plane_count=1), {}, ASKED),
        (a_day2_host("h1"), a_running_cluster(), {}, JOINS),
        (a_day2_host("h1", role=Role.MASTER), a_running_cluster(), {}, ASKED),
        (a_day2_host("h1", role=Role.AUTO), a_running_cluster(), {}, JOINS),
        (a_ready_host("h1", role=Role.AUTO), a_cluster(), {"auto_assign": False}, NOT_SUGGESTED),
        (a_ready_host("h1", status=HostState.INSTALLED), a_cluster(), {}, SETTLED),
    ],
)
def test_a_role_that_is_not_suggested_has_a_reason_too(host, cluster, policy, expected):
    assert reasons([host], cluster, **policy) == {"h1": expected}


def test_a_host_of_the_pool_has_no_role():
    assert role_reasons(a_pool_view(a_ready_host("h1"))) == {"h1": NO_CLUSTER}
