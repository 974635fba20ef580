"""How much machine operators need of a host on top of its role, and what a host is held to in all."""

import pytest

from builders import a_cluster, a_nic, a_policy, a_pool_view, a_ready_host, a_running_cluster, a_view, host_view
from equipping import machine, selecting, silent, with_disks
from muster.domain.decide import decide
from muster.domain.inventory import Gpu
from muster.domain.operators import additions
from muster.domain.operators.settings import OperatorSettings
from muster.domain.roles import Role
from muster.domain.triggers import Ticked

M, W, A = Role.MASTER, Role.WORKER, Role.ARBITER
SHIPPED = a_policy()


def crew(*roles: Role):
    return tuple(a_ready_host(f"h{number}", 10 + number, role=role) for number, role in enumerate(roles))


def added(name: str, host, others=(), policy=SHIPPED, **cluster):
    """Cores and MiB that an operator adds on a host among others."""
    view = host_view(a_view(selecting(name, **cluster), [host, *others], policy=policy), host.id)
    addition = additions(view)[name]
    return addition.cpu_cores, addition.ram_mib


MASTER, WORKER, ARBITER, OPEN = (a_ready_host("x", 50, role=role) for role in (M, W, A, Role.AUTO))
SNO = {"control_plane_count": 1}

CASES = [
    ("cnv", MASTER, (), {}, (4, 150)),
    ("cnv", MASTER.but(role=Role.BOOTSTRAP), (), {}, (4, 150)),
    ("cnv", WORKER, (), {}, (2, 360)),
    ("cnv", OPEN, (), {}, (2, 360)),
    ("cnv", ARBITER, (), {}, (0, 0)),
    ("cnv", MASTER, (), SNO, (6, 510)),
    ("cnv", silent(WORKER), (), {}, (2, 360)),
    ("lvm", WORKER, (), {}, (1, 100)),
    ("lvm", WORKER, (), {"openshift_version": "4.15.3"}, (1, 400)),
    ("lvm", WORKER, (), {"openshift_version": "4.13.0-rc.1"}, (1, 400)),
    ("lvm", MASTER, (), {"openshift_version": "4.12.9", **SNO}, (1, 1200)),
    ("lvm", MASTER, (), {}, (1, 100)),
    ("lvm", MASTER, crew(W, W), {}, (0, 0)),
    ("lvm", MASTER, crew(W, W), {"schedulable_masters": True}, (1, 100)),
    ("lvm", OPEN, crew(W, W), {}, (1, 100)),
    ("lvm", ARBITER, (), {}, (0, 0)),
    ("mce", MASTER, (), {}, (4, 16384)),
    ("mce", WORKER, (), {}, (4, 16384)),
    ("mce", ARBITER, (), {}, (0, 0)),
    ("mce", MASTER, (), SNO, (8, 32768)),
    ("mtv", MASTER, (), {}, (1, 1024)),
    ("mtv", ARBITER, (), {}, (0, 0)),
    ("osc", WORKER, (), {}, (1, 1024)),
    ("osc", ARBITER, (), {}, (0, 0)),
    ("openshift-ai", WORKER, (), {}, (8, 32768)),
    ("openshift-ai", MASTER, (), {}, (0, 0)),
    ("odf", MASTER, crew(M, M), {}, (8, 24 * 1024)),
    ("odf", with_disks(MASTER, 30, 30, 10), crew(M, M), {}, (10, 29 * 1024)),
    ("odf", OPEN, crew(M, M), {}, (8, 24 * 1024)),
    ("odf", ARBITER, crew(M, M), {}, (8, 24 * 1024)),
    ("odf", silent(MASTER), crew(M, M), {}, (8, 24 * 1024)),
    ("odf", with_disks(WORKER, 30, 30, 30), crew(M, M, M, W, W), {}, (14, 34 * 1024)),
    ("odf", WORKER, crew(M, M, A, W, W), {}, (10, 24 * 1024)),
    ("odf", MASTER, crew(M, M, W, W, W), {}, (0, 0)),
    ("odf", MASTER, crew(M), {}, (0, 0)),
    ("lso", MASTER, (), {}, (0, 0)),
    ("metallb", WORKER, (), {}, (0, 0)),
]


@pytest.mark.parametrize(("name", "host", "others", "cluster", "figures"), CASES)
def test_an_operator_adds_to_what_a_role_needs(name, host, others, cluster, figures):
    assert added(name, host, others, **cluster) == figures


def test_devices_for_virtual_machines_cost_memory_where_those_run():
    devices = {
        "gpus": (Gpu(vendor_id="10de", device_id="1eb8"), Gpu(vendor_id="10de", device_id="0000")),
        "interfaces": (a_nic("eth0", vendor="0x8086", product="0x158b"), a_nic("eth1")),
    }
    assert added("cnv", machine(WORKER, **devices)) == (2, 360 + 2 * 1024)
    assert added("cnv", machine(MASTER, **devices), **SNO) == (6, 510 + 2 * 1024)
    assert added("cnv", machine(MASTER, **devices)) == (4, 150)
    assert added("cnv", machine(WORKER, gpus=None, interfaces=None)) == (2, 360)
    none = a_policy(operators=OperatorSettings(cnv_supported_gpus=frozenset(), cnv_supported_sriov_nics=frozenset()))
    assert added("cnv", machine(WORKER, **devices), policy=none) == (2, 360)


def test_room_that_multicluster_engine_takes_makes_disks_too_small_to_count():
    host = with_disks(MASTER, 30, 90)
    view = host_view(a_view(selecting("odf", "mce"), [host, *crew(M, M)]), host.id)
    assert additions(view)["odf"].cpu_cores == 6 + 2


SET = [
    ("lvm", {"lvm_cpu_per_host": 2, "lvm_memory_per_host_mib": 64}, (2, 64)),
    ("mtv", {"mtv_cpu_per_host": 3, "mtv_memory_per_host_mib": 5}, (3, 5)),
    ("osc", {"osc_cpu_per_host": 3, "osc_memory_per_host_mib": 5}, (3, 5)),
    ("openshift-ai", {"openshift_ai_min_worker_cpu_cores": 3, "openshift_ai_min_worker_memory_gib": 5}, (3, 5120)),
]


@pytest.mark.parametrize(("name", "settings", "figures"), SET)
def test_the_service_can_be_set_to_other_figures(name, settings, figures):
    assert added(name, WORKER, policy=a_policy(operators=OperatorSettings(**settings))) == figures


def test_storage_can_be_set_to_other_figures():
    settings = OperatorSettings(
        odf_per_disk_cpu_count=1,
        odf_per_disk_ram_gib=1,
        odf_per_host_cpu_compact_mode=1,
        odf_per_host_memory_gib_compact_mode=1,
        odf_per_host_cpu_standard_mode=2,
        odf_per_host_memory_gib_standard_mode=2,
    )
    policy = a_policy(operators=settings)
    assert added("odf", MASTER, crew(M, M), policy=policy) == (2, 2048)
    assert added("odf", WORKER, crew(M, M, M, W, W), policy=policy) == (3, 3072)


def test_a_host_is_held_to_its_role_and_every_selected_operator():
    view = host_view(a_view(selecting("cnv", "mtv", "lso"), [MASTER]), MASTER.id)
    assert (view.base_figures.cpu_cores, view.base_figures.ram_mib) == (4, 16384)
    assert (view.figures.cpu_cores, view.figures.ram_mib) == (4 + 4 + 1, 16384 + 150 + 1024)
    assert view.figures == view.base_figures.but(cpu_cores=9, ram_mib=17558)


def test_without_operators_a_host_is_held_to_its_role():
    view = host_view(a_view(a_cluster(), [MASTER]), MASTER.id)
    assert additions(view) == {}
    assert view.figures is view.base_figures


def test_a_running_cluster_asks_nothing_for_its_operators():
    cluster = a_running_cluster(operators=selecting("cnv").operators)
    view = host_view(a_view(cluster, [WORKER]), WORKER.id)
    assert additions(view) == {}
    assert view.figures is view.base_figures


def test_a_host_without_a_cluster_has_no_operators():
    view = host_view(a_pool_view(WORKER), WORKER.id)
    assert additions(view) == {}


def test_operators_make_no_disk_too_small():
    hosts = [with_disks(MASTER, 94), *crew(M, M)]
    view = decide(a_view(selecting("odf", "mce"), hosts, policy=a_policy()), Ticked()).view
    disks = view.hosts[MASTER.id].inventory.disks
    assert [disk.installation_eligibility.eligible for disk in disks] == [True, True]
