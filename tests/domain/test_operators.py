"""The checks of OLM operators."""

import pytest

from builders import GIB, a_cluster, a_disk, a_mesh, a_nic, a_ready_host, a_running_cluster, a_view, host_view
from judging import OF_CLUSTERS, OF_HOSTS, cluster_verdict, explained, host_verdict, status_of
from muster.domain.hosts import Host
from muster.domain.inventory import Boot, Cpu, Gpu, Memory
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.roles import Role
from muster.domain.validations.operators import ROWS
from muster.domain.verdicts import Status

MASTERS = H1, H2, H3 = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
W1, W2, W3 = (a_ready_host(f"w{number}", 20 + number, role=Role.WORKER) for number in (1, 2, 3))


def selecting(*names: str, **changes):
    operators = tuple(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names)
    return a_cluster(operators=(CONSOLE, *operators), **changes)


def id_of(name: str) -> str:
    return f"{name}-requirements-satisfied"


def machine(host: Host, **changes) -> Host:
    return host.but(inventory=host.inventory.but(**changes))


def virtualizing(host: Host, **cpu) -> Host:
    return machine(host, cpu=Cpu(**{"count": 8, "architecture": "x86_64", "flags": ("vmx",), **cpu}))


def with_disks(host: Host, *sizes_gib: int) -> Host:
    disks = tuple(
        a_disk(f"sd{letter}", size_bytes=size * GIB) for letter, size in zip("bcdef", sizes_gib, strict=False)
    )
    return machine(host, disks=(*host.inventory.disks, *disks))


def silent(host: Host) -> Host:
    return host.but(inventory=None)


def card(host: Host, vendor: str, secure_boot: str = "Disabled") -> Host:
    return machine(host, gpus=(Gpu(vendor_id=vendor),), boot=Boot(secure_boot_state=secure_boot))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operator)
def test_an_operator_that_is_not_selected_is_disabled(row):
    for found in (host_verdict(row.id, H1), cluster_verdict(row.id, a_cluster(), *MASTERS)):
        assert found.status is Status.SUCCESS
        assert found.message == "The operator is disabled"


def test_all_disabled_operators_share_one_verdict():
    view = host_view(a_view(hosts=MASTERS), "h1")
    assert len({id(OF_HOSTS[row.id](view)) for row in ROWS}) == 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operator)
def test_a_running_cluster_looks_after_its_operators(row):
    cluster = a_running_cluster(operators=selecting(row.operator).operators)
    assert host_verdict(row.id, silent(H1), cluster=cluster).status is Status.SUCCESS
    assert cluster_verdict(row.id, cluster).status is Status.SUCCESS


SILENT_MATTERS = ("cnv", "lvm", "mce", "mtv", "osc", "openshift-ai", "nvidia-gpu", "amd-gpu", "kmm")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operator)
def test_an_operator_waits_for_the_inventory_only_if_it_asks_something_of_it(row):
    found = host_verdict(row.id, silent(H1), cluster=selecting(row.operator))
    expected = Status.PENDING if row.operator in SILENT_MATTERS else Status.SUCCESS
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
]


@pytest.mark.parametrize(
    ("name", "host", "others", "cluster", "status"), HOST_CASES, ids=[f"{case[0]}:{case[4]}" for case in HOST_CASES]
)
def test_a_selected_operator_asks_something_of_each_host(name, host, others, cluster, status):
    found = host_verdict(id_of(name), host, *others, cluster=cluster)
    assert found.status is status
    assert explained(found)


def test_devices_for_virtual_machines_cost_memory():
    lean = CNV.but(role=Role.WORKER)
    needy = machine(
        lean,
        memory=Memory(usable_bytes=2 * GIB),
        gpus=(Gpu(vendor_id="10de", device_id="1eb8"), Gpu(vendor_id="10de", device_id="0000")),
        interfaces=(a_nic("eth0", vendor="0x8086", product="0x158b"),),
    )
    assert host_verdict(id_of("cnv"), lean, cluster=selecting("cnv")).status is Status.SUCCESS
    assert host_verdict(id_of("cnv"), needy, cluster=selecting("cnv")).status is Status.FAILURE


STORAGE = tuple(with_disks(host, 30) for host in MASTERS)
CLUSTER_CASES = [
    ("lso", MASTERS, selecting("lso"), Status.SUCCESS),
    ("odf", STORAGE, selecting("odf"), Status.SUCCESS),
    ("odf", (*STORAGE[:2], H3), selecting("odf"), Status.FAILURE),
    ("odf", (*STORAGE[:2], silent(H3)), selecting("odf"), Status.PENDING),
    ("odf", STORAGE[:2], selecting("odf"), Status.FAILURE),
    ("odf", (*STORAGE[:2], STORAGE[2].but(role=Role.ARBITER)), selecting("odf"), Status.SUCCESS),
    ("odf", (*MASTERS, *(with_disks(host, 30) for host in (W1, W2, W3))), selecting("odf"), Status.SUCCESS),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.15.0-rc.1"), Status.SUCCESS),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.14.9"), Status.FAILURE),
    ("lvm", MASTERS, selecting("lvm", openshift_version="4.11.1", control_plane_count=1), Status.SUCCESS),
    ("mce", MASTERS, selecting("mce", openshift_version="4.9.1"), Status.FAILURE),
    ("mtv", MASTERS, selecting("mtv"), Status.SUCCESS),
    ("nvidia-gpu", MASTERS, selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", (card(H1, "10de"), H2, H3), selecting("nvidia-gpu"), Status.SUCCESS),
    ("nvidia-gpu", (card(H1, "10de"), H2, H3, W1, W2), selecting("nvidia-gpu"), Status.FAILURE),
    ("nvidia-gpu", (H1, silent(H2)), selecting("nvidia-gpu"), Status.PENDING),
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
