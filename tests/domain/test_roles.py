"""How many hosts of each role there are, and whether a host is machine enough for one."""

import pytest

from builders import GIB, a_host, a_machine
from muster.domain.hosts import FencingCredentials
from muster.domain.requirements import Requirements, has_cpu_and_memory_for
from muster.domain.roles import Headcount, Role, headcount
from muster.domain.views import peers_of

M, W, A, AUTO = Role.MASTER, Role.WORKER, Role.ARBITER, Role.AUTO


def hosts(*roles: Role, **changes):
    return [a_host(f"h{number}", role=role, **changes) for number, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("roles", "control_plane", "expected"),
    [
        ((), 3, Headcount()),
        ((M, M, Role.BOOTSTRAP, W), 3, Headcount(masters=3, workers=1)),
        ((AUTO, AUTO, AUTO, AUTO), 3, Headcount(masters=3, workers=1)),
        ((AUTO, AUTO, AUTO, AUTO), 2, Headcount(masters=2, arbiters=1, workers=1)),
        ((AUTO, AUTO, A), 2, Headcount(masters=2, arbiters=1)),
    ],
)
def test_hosts_without_a_role_take_the_places_that_are_open(roles, control_plane, expected):
    assert headcount(hosts(*roles), control_plane, lambda *_: True) == expected


def test_hosts_without_a_role_take_only_places_they_fit():
    assert headcount(hosts(AUTO, AUTO), 2, lambda _, role: role is not M) == Headcount(arbiters=1, workers=1)
    assert headcount(hosts(AUTO, AUTO), 2, lambda *_: False) == Headcount(workers=2)


def test_a_suggested_role_counts():
    assert headcount(hosts(AUTO, suggested_role=W), 3, lambda *_: True) == Headcount(workers=1)


@pytest.mark.parametrize(
    ("machine", "fits"),
    [
        (a_machine(cores=4, memory_gib=16), True),
        (a_machine(cores=3, memory_gib=16), False),
        (a_machine(cores=4, memory_gib=15), False),
        (a_machine(cpu=None), False),
        (a_machine(memory=None), False),
        (None, False),
    ],
)
def test_a_host_fits_a_role_if_it_is_known_to_have_cores_and_memory(machine, fits):
    assert has_cpu_and_memory_for(a_host("h1", inventory=machine), Requirements().master) is fits


def test_a_little_memory_may_be_missing():
    machine = a_machine()
    almost = machine.but(memory=machine.memory.but(physical_bytes=16 * GIB - 100 * 2**20))
    assert has_cpu_and_memory_for(a_host("h1", inventory=almost), Requirements().master)


@pytest.mark.parametrize(
    ("roles", "fenced", "pair"),
    [
        ((M, M), {0, 1}, True),
        ((M, M), {0}, False),
        ((M, M, A), {0, 1, 2}, False),
        ((M, M, M), {0, 1, 2}, False),
        ((M, M, W), {0, 1}, True),
    ],
)
def test_two_masters_that_can_be_switched_off_do_without_an_arbiter(roles, fenced, pair):
    credentials = FencingCredentials(address="redfish://bmc")
    members = [
        host.but(fencing_credentials=credentials) if number in fenced else host
        for number, host in enumerate(hosts(*roles))
    ]
    assert peers_of(members).fenced_pair is pair
