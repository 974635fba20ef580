"""The checks of OLM operators: what each asks of hosts and of clusters."""

import pytest

from builders import GIB, a_cluster, a_mesh, a_policy, a_ready_host, a_running_cluster, a_view, cluster_view, host_view
from equipping import card, machine, selecting, silent, virtualizing, with_disks
from judging import OF_CLUSTERS, OF_HOSTS, cluster_verdict, explained, host_verdict, status_of
from muster.domain.decide import decide
from muster.domain.inputs.clusters import ClusterUpdate, OperatorInput
from muster.domain.inventory import Cpu, Memory
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.settings import OperatorSettings
from muster.domain.roles import Role
from muster.domain.triggers import Ticked, UpdateCluster
from muster.domain.validations.catalogue import assess_cluster, assess_host
from muster.domain.verdicts import Status

MIB = 2**20
MASTERS = H1, H2, H3 = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
W1, W2, W3 = (a_ready_host(f"w{number}", 20 + number, role=Role.WORKER) for number in (1, 2, 3))


def id_of(name: str) -> str:
    return f"{name}-requirements-satisfied"


@pytest.mark.parametrize("operator", OLM_OPERATORS.values(), ids=lambda operator: operator.name)
def test_an_operator_that_is_not_selected_is_not_judged(operator):
    assert host_verdict(operator.check, H1) is None
    assert cluster_verdict(operator.check, a_cluster(), *MASTERS) is None
    view = a_view(hosts=MASTERS)
    assert operator.check not in assess_host(host_view(view, "h1")).verdicts
    assert operator.check not in assess_cluster(cluster_view(view)).verdicts


@pytest.mark.parametrize("operator", OLM_OPERATORS.values(), ids=lambda operator: operator.name)
def test_an_operator_that_is_selected_is_judged_alone(operator):
    view = a_view(selecting(operator.name), MASTERS)
    others = {other.check for other in OLM_OPERATORS.values()} - {operator.check}
    for found in (assess_host(host_view(view, "h1")).verdicts, assess_cluster(cluster_view(view)).verdicts):
        assert operator.check in found
        assert not others & found.keys()


def test_an_operator_that_hosts_cannot_carry_is_told_of_when_it_is_selected_and_when_it_is_left_out():
    settled = decide(a_view(a_cluster(), MASTERS), Ticked()).view
    selected = decide(settled, UpdateCluster(changes=ClusterUpdate(olm_operators=(OperatorInput(name="cnv"),))))
    failing = [each for each in selected.events if each.name == "host_validation_failed"]
    assert {each.host_id for each in failing} == {"h1", "h2", "h3"}
    assert all(id_of("cnv") in each.message for each in failing)
    dropped = decide(selected.view, UpdateCluster(changes=ClusterUpdate(olm_operators=())))
    assert {each.host_id for each in dropped.events if each.name == "host_validation_fixed"} == {"h1", "h2", "h3"}


@pytest.mark.parametrize("operator", OLM_OPERATORS.values(), ids=lambda operator: operator.name)
def test_a_running_cluster_looks_after_its_operators(operator):
    cluster = a_running_cluster(operators=selecting(operator.name).operators)
    assert host_verdict(operator.check, silent(H1), cluster=cluster).status is Status.SUCCESS
    assert cluster_verdict(operator.check, cluster).status is Status.SUCCESS


SILENT_MATTERS = ("cnv", "lvm", "mce", "mtv", "osc", "openshift-ai", "nvidia-gpu", "amd-gpu", "kmm")


@pytest.mark.parametrize("operator", OLM_OPERATORS.values(), ids=lambda operator: operator.name)
def test_an_operator_waits_for_the_inventory_only_if_it_asks_something_of_it(operator):
    found = host_verdict(operator.check, silent(H1), cluster=selecting(operator.name))
    expected = Status.PENDING if operator.name in SILENT_MATTERS else Status.SUCCESS
    assert found.status is expected
    assert explained(found)


CNV = virtualizing(H1)
HOST_CASES = [
    ("lso", H1, (), selecting("lso"), Status.SUCCESS),
    ("odf", H1.but(role=Role.AUTO), (H2,), selecting("odf"), Status.PENDING),
    ("odf", with_disks(H1, 30), (H2, H3), selecting("odf"), Status.SUCCESS),
    ("odf", with_disks(H1.but(role=Role.AUTO), 30), (H2, H3), selecting("odf"), Status.SUCCESS),
    ("odf", H1, (H2, H3), selecting("odf"), Status.FAILURE),
    ("odf", with_disks(H1, 20), (H2, H3), selecting("odf"), Status.FAILURE),
    ("odf", with_disks(H1, 60), (H2, H3), selecting("odf", "mce"), Status.FAILURE),
    ("odf", with_disks(H1, 80), (H2, H3), selecting("odf", "mce"), Status.SUCCESS),
    ("odf", silent(H1), (H2, H3), selecting("odf"), Status.PENDING),
    ("odf", H1, (H2, H3, W1, W2, W3), selecting("odf"), Status.SUCCESS),
    ("odf", W1, (H1, H2, H3, W2, W3), selecting("odf"), Status.FAILURE),
    ("odf", W1, (H1, H2, H3, W2), selecting("odf"), Status.SUCCESS),
    ("cnv", CNV, (), selecting("cnv"), Status.SUCCESS),
    ("cnv", virtualizing(H1, flags=None), (), selecting("cnv"), Status.FAILURE),
    ("cnv", virtualizing(H1, flags=None, architecture="aarch64"), (), selecting("cnv"), Status.SUCCESS),
    ("cnv", CNV.but(role=Role.AUTO), (), selecting("cnv"), Status.FAILURE),
    ("cnv", virtualizing(H1, count=3), (), selecting("cnv"), Status.FAILURE),
    ("cnv", virtualizing(H1, count=2).but(role=Role.WORKER), (), selecting("cnv"), Status.SUCCESS),
    ("cnv", virtualizing(H1, count=1).but(role=Role.ARBITER), (), selecting("cnv"), Status.SUCCESS),
    ("cnv", CNV, (), selecting("cnv", control_plane_count=1), Status.SUCCESS),
    ("cnv", CNV, (), selecting("cnv", control_plane_count=1, openshift_version="4.11.3"), Status.FAILURE),
    (
        "cnv",
        with_disks(CNV, 51),
        (),
        selecting("cnv", control_plane_count=1, openshift_version="4.11.3"),
        Status.SUCCESS,
    ),
    ("lvm", with_disks(H1, 1), (), selecting("lvm", control_plane_count=1), Status.SUCCESS),
    ("lvm", H1, (), selecting("lvm", control_plane_count=1), Status.FAILURE),
    ("lvm", with_disks(H1, 60), (), selecting("lvm", "mce", control_plane_count=1), Status.FAILURE),
    ("lvm", with_disks(H1, 70), (), selecting("lvm", "mce", control_plane_count=1), Status.SUCCESS),
    ("lvm", H1, (W1, W2), selecting("lvm"), Status.SUCCESS),
    ("lvm", H1, (W1, W2), selecting("lvm", schedulable_masters=True), Status.FAILURE),
    ("lvm", H1.but(role=Role.AUTO), (W1, W2), selecting("lvm"), Status.FAILURE),
    ("lvm", H1.but(role=Role.ARBITER), (W1,), selecting("lvm"), Status.SUCCESS),
    ("lvm", W1, (W2,), selecting("lvm"), Status.FAILURE),
    ("mce", H1, (), selecting("mce"), Status.SUCCESS),
    ("mce", machine(H1, memory=Memory(usable_bytes=15 * GIB)), (), selecting("mce"), Status.FAILURE),
    ("mce", machine(H1, cpu=Cpu(count=3)), (), selecting("mce"), Status.FAILURE),
    ("mce", machine(H1, cpu=Cpu(count=1)).but(role=Role.ARBITER), (), selecting("mce"), Status.SUCCESS),
    ("mce", machine(H1, cpu=Cpu(count=7)), (), selecting("mce", control_plane_count=1), Status.FAILURE),
    ("mtv", H1, (), selecting("mtv"), Status.SUCCESS),
    ("mtv", machine(H1, memory=Memory(usable_bytes=GIB - 1)), (), selecting("mtv"), Status.FAILURE),
    ("osc", machine(H1, cpu=Cpu()).but(role=Role.ARBITER), (), selecting("osc"), Status.SUCCESS),
    ("openshift-ai", W1, (), selecting("openshift-ai"), Status.SUCCESS),
    ("openshift-ai", machine(W1, cpu=Cpu(count=7)), (), selecting("openshift-ai"), Status.FAILURE),
    ("openshift-ai", machine(H1, cpu=Cpu(count=4)), (), selecting("openshift-ai"), Status.SUCCESS),
    ("nvidia-gpu", card(H1, "10de"), (), selecting("nvidia-gpu"), Status.SUCCESS),
    ("nvidia-gpu", card(H1, "10de", "Enabled"), (), selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", card(H1, "1002", "Enabled"), (), selecting("nvidia-gpu"), Status.SUCCESS),
    ("amd-gpu", card(H1, "1002", "Enabled"), (), selecting("amd-gpu"), Status.FAILURE),
    ("kmm", card(H1, "", "Enabled"), (), selecting("kmm"), Status.FAILURE),
    ("kmm", machine(H1, boot=None), (), selecting("kmm"), Status.SUCCESS),
    ("mce", machine(H1, memory=None), (), selecting("mce"), Status.PENDING),
    ("cnv", machine(H1, cpu=None), (), selecting("cnv"), Status.PENDING),
]


@pytest.mark.parametrize(
    ("name", "host", "others", "cluster", "status"), HOST_CASES, ids=[f"{case[0]}:{case[4]}" for case in HOST_CASES]
)
def test_a_selected_operator_asks_something_of_each_host(name, host, others, cluster, status):
    found = host_verdict(id_of(name), host, *others, cluster=cluster)
    assert found.status is status
    assert explained(found)


def test_a_verdict_names_the_operator_the_measured_and_the_needed():
    small = machine(W1, cpu=Cpu(count=1), memory=Memory(usable_bytes=512 * MIB))
    found = host_verdict(id_of("openshift-ai"), small, cluster=selecting("openshift-ai"))
    assert found.message == "OpenShift AI needs 8 cores and 32768 MiB for itself; the host has 1 core and 512 MiB"
    assert (found.evidence.measured, found.evidence.source) == ("1 core and 512 MiB", "inventory")


def test_disks_that_are_too_small_are_named():
    found = host_verdict(id_of("odf"), with_disks(H1, 20), H2, H3, cluster=selecting("odf"))
    assert "only sdb of 21 GB" in found.message
    assert "of 25 GB or more" in found.evidence.required


STORAGE = tuple(with_disks(host, 30) for host in MASTERS)
STORAGE_WORKERS = tuple(with_disks(host, 30) for host in (W1, W2, W3))
CLUSTER_CASES = [
    ("lso", MASTERS, selecting("lso"), Status.SUCCESS),
    ("odf", STORAGE, selecting("odf"), Status.SUCCESS),
    ("odf", (*STORAGE[:2], H3), selecting("odf"), Status.FAILURE),
    ("odf", (*STORAGE[:2], silent(H3)), selecting("odf"), Status.PENDING),
    ("odf", STORAGE[:2], selecting("odf"), Status.FAILURE),
    ("odf", (), selecting("odf"), Status.FAILURE),
    ("odf", STORAGE, selecting("odf", "mce"), Status.FAILURE),
    ("odf", (*MASTERS, *STORAGE_WORKERS[:2]), selecting("odf"), Status.FAILURE),
    ("odf", (*STORAGE[:2], STORAGE[2].but(role=Role.ARBITER)), selecting("odf"), Status.SUCCESS),
    ("odf", (*MASTERS, *STORAGE_WORKERS), selecting("odf"), Status.SUCCESS),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.15.0-rc.1"), Status.SUCCESS),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.14.9"), Status.FAILURE),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.11.1", control_plane_count=1), Status.SUCCESS),
    ("mce", MASTERS, selecting("mce", openshift_version="4.9.1"), Status.FAILURE),
    ("mce", MASTERS, selecting("mce", openshift_version="4.10.0-rc.2"), Status.SUCCESS),
    ("mtv", MASTERS, selecting("mtv"), Status.SUCCESS),
    ("mtv", MASTERS, selecting("mtv", openshift_version="4.13.9"), Status.FAILURE),
    ("osc", MASTERS, selecting("osc", openshift_version="4.9.9"), Status.FAILURE),
    ("nmstate", MASTERS, selecting("nmstate", openshift_version="4.11.9"), Status.FAILURE),
    ("loki", MASTERS, selecting("loki", openshift_version="4.16.9"), Status.FAILURE),
    ("openshift-logging", MASTERS, selecting("openshift-logging", openshift_version="4.16.9"), Status.FAILURE),
    ("openshift-logging", MASTERS, selecting("openshift-logging", openshift_version="4.17.0"), Status.SUCCESS),
    ("cnv", MASTERS, selecting("cnv", cpu_architecture="s390x"), Status.FAILURE),
    ("cnv", MASTERS, selecting("cnv", cpu_architecture="arm64"), Status.SUCCESS),
    ("cnv", MASTERS, selecting("cnv", cpu_architecture="arm64", openshift_version="4.13.1"), Status.FAILURE),
    ("cnv", MASTERS, selecting("cnv", cpu_architecture="multi"), Status.SUCCESS),
    ("mtv", MASTERS, selecting("mtv", cpu_architecture="arm64"), Status.FAILURE),
    ("osc", MASTERS, selecting("osc", cpu_architecture="ppc64le"), Status.FAILURE),
    ("nmstate", MASTERS, selecting("nmstate", cpu_architecture="s390x"), Status.FAILURE),
    ("nvidia-gpu", MASTERS, selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", (card(H1, "10de"), H2, H3), selecting("nvidia-gpu"), Status.SUCCESS),
    ("nvidia-gpu", (card(H1, "10de"), H2, H3, W1, W2), selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", (H1, silent(H2)), selecting("nvidia-gpu"), Status.PENDING),
    ("nvidia-gpu", (card(H1, "10de"), silent(H2)), selecting("nvidia-gpu"), Status.SUCCESS),
    ("nvidia-gpu", (card(H1, "1002"), H2, H3), selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", (card(H1.but(role=Role.ARBITER), "10de"), H2), selecting("nvidia-gpu"), Status.FAILURE),
    ("amd-gpu", MASTERS, selecting("amd-gpu"), Status.FAILURE),
    ("amd-gpu", (H1, H2, H3, card(W1, "1002"), W2), selecting("amd-gpu"), Status.SUCCESS),
    ("openshift-ai", (*MASTERS, W1, W2), selecting("openshift-ai"), Status.SUCCESS),
    ("openshift-ai", (*MASTERS, W1), selecting("openshift-ai"), Status.FAILURE),
    ("openshift-ai", (H1,), selecting("openshift-ai", control_plane_count=1), Status.SUCCESS),
]


@pytest.mark.parametrize(
    ("name", "hosts", "cluster", "status"), CLUSTER_CASES, ids=[f"{case[0]}:{case[3]}" for case in CLUSTER_CASES]
)
def test_a_selected_operator_asks_something_of_the_cluster(name, hosts, cluster, status):
    found = cluster_verdict(id_of(name), cluster, *hosts)
    assert found.status is status
    assert explained(found)


def test_gpus_for_openshift_ai_are_only_mentioned():
    check = "openshift-ai-gpu-requirements-satisfied"
    assert not OF_CLUSTERS[check].gates
    assert status_of(cluster_verdict(check, a_cluster())) is None
    assert "without GPUs" in cluster_verdict(check, selecting("openshift-ai")).message
    assert "by nvidia-gpu" in cluster_verdict(check, selecting("openshift-ai", "nvidia-gpu")).message


OTHERWISE_SET = [
    ("nvidia-gpu", MASTERS, {"nvidia_require_gpu": False}, Status.SUCCESS),
    ("amd-gpu", MASTERS, {"amd_require_gpu": False}, Status.SUCCESS),
    ("nvidia-gpu", (card(H1, "abcd"),), {"nvidia_supported_gpus": frozenset({"abcd"})}, Status.SUCCESS),
    ("odf", STORAGE, {"odf_num_minimum_disk": 4}, Status.FAILURE),
    ("odf", STORAGE, {"odf_num_minimum_host": 4}, Status.FAILURE),
    ("odf", STORAGE, {"odf_min_disk_size_gb": 40}, Status.FAILURE),
    ("mce", MASTERS, {"mce_min_openshift_version": "4.21.0"}, Status.FAILURE),
    ("openshift-ai", MASTERS, {"openshift_ai_min_worker_nodes": 0}, Status.SUCCESS),
]


@pytest.mark.parametrize(("name", "hosts", "settings", "status"), OTHERWISE_SET)
def test_the_service_can_be_set_to_ask_for_something_else(name, hosts, settings, status):
    policy = a_policy(operators=OperatorSettings(**settings))
    found = cluster_verdict(id_of(name), selecting(name), *hosts, policy=policy)
    assert found.status is status
    assert explained(found)


def test_an_old_single_node_may_be_set_to_keep_no_disks_for_virtual_machines():
    cluster = selecting("cnv", control_plane_count=1, openshift_version="4.11.3")
    policy = a_policy(operators=OperatorSettings(cnv_sno_install_hpp=False))
    assert host_verdict(id_of("cnv"), CNV, cluster=cluster, policy=policy).status is Status.SUCCESS
    policy = a_policy(operators=OperatorSettings(cnv_sno_pool_size_request_hpp_gib=20))
    assert host_verdict(id_of("cnv"), with_disks(CNV, 21), cluster=cluster, policy=policy).status is Status.SUCCESS


@pytest.mark.parametrize("operator", OLM_OPERATORS.values(), ids=lambda operator: operator.name)
def test_the_promise_of_a_check_names_its_operator(operator):
    assert operator.title in OF_HOSTS[operator.check].promise
    assert operator.title in OF_CLUSTERS[operator.check].promise
