"""The checks of the machine itself."""

import pytest

from builders import (
    GIB,
    NOW,
    a_cluster,
    a_disk,
    a_mesh,
    a_policy,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_view,
    host_view,
)
from judging import explained, host_verdict, status_of
from muster.domain.clusters import Platform, PlatformType
from muster.domain.hosts import DiskSpeed, Host
from muster.domain.inventory import Cpu, Eligibility, Memory, SystemVendor, Truncation
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.validations.catalogue import assess_host
from muster.domain.verdicts import Gate, Status, Verdict

MIB = 2**20
REASON = Eligibility(eligible=False, not_eligible_reasons=("it is mounted",))


def verdict(name: str, host: Host, **cluster) -> Verdict | None:
    return host_verdict(name, host, a_ready_host("h2", 12), cluster=a_cluster(**cluster))


def machine(host: Host, **changes) -> Host:
    assert host.inventory is not None
    return host.but(inventory=host.inventory.but(**changes))


READY = a_ready_host("h1", 11)
SILENT = READY.but(inventory=None, requested_hostname="")
VMWARE = machine(READY, system_vendor=SystemVendor(manufacturer="VMware, Inc."))
TRIED = DiskSpeed(tested=True, speed_ms=3)
BROKEN = DiskSpeed(tested=True, exit_code=2)
DISK = READY.installation_disk_id

CASES = [
    ("has-inventory", READY, Status.SUCCESS),
    ("has-inventory", SILENT, Status.FAILURE),
    ("inventory-not-partially-truncated", READY, Status.SUCCESS),
    ("inventory-not-partially-truncated", machine(READY, truncation=Truncation(type="full")), Status.SUCCESS),
    ("inventory-not-partially-truncated", machine(READY, truncation=Truncation(type="partial")), Status.FAILURE),
    ("inventory-not-partially-truncated", machine(READY, truncation=Truncation(type="half")), Status.ERROR),
    ("inventory-not-partially-truncated", SILENT, Status.PENDING),
    ("inventory-not-fully-truncated", machine(READY, truncation=Truncation(type="partial")), Status.SUCCESS),
    ("inventory-not-fully-truncated", machine(READY, truncation=Truncation(type="full")), Status.FAILURE),
    ("inventory-not-fully-truncated", machine(READY, truncation=Truncation(type="half")), Status.ERROR),
    ("inventory-not-fully-truncated", SILENT, Status.PENDING),
    ("has-min-cpu-cores", machine(READY, cpu=Cpu(count=2)), Status.SUCCESS),
    ("has-min-cpu-cores", machine(READY, cpu=Cpu(count=1)), Status.FAILURE),
    ("has-min-cpu-cores", machine(READY, cpu=None), Status.PENDING),
    ("has-min-cpu-cores", SILENT, Status.PENDING),
    ("has-min-memory", machine(READY, memory=Memory(physical_bytes=8 * GIB - 100 * MIB)), Status.SUCCESS),
    ("has-min-memory", machine(READY, memory=Memory(physical_bytes=8 * GIB - 101 * MIB)), Status.FAILURE),
    ("has-min-memory", machine(READY, memory=None), Status.PENDING),
    ("has-min-memory", SILENT, Status.PENDING),
    ("has-min-valid-disks", READY, Status.SUCCESS),
    ("has-min-valid-disks", machine(READY, disks=(a_disk(installation_eligibility=REASON),)), Status.FAILURE),
    ("has-min-valid-disks", machine(READY, disks=None), Status.ERROR),
    ("has-min-valid-disks", SILENT, Status.PENDING),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=4)), Status.SUCCESS),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=3)), Status.FAILURE),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=2)).but(role=Role.WORKER), Status.SUCCESS),
    ("has-cpu-cores-for-role", SILENT, Status.PENDING),
    ("has-memory-for-role", machine(READY, memory=Memory(physical_bytes=16 * GIB - 100 * MIB)), Status.SUCCESS),
    ("has-memory-for-role", machine(READY, memory=Memory(physical_bytes=15 * GIB)), Status.FAILURE),
    ("has-memory-for-role", SILENT, Status.PENDING),
    ("hostname-unique", READY, Status.SUCCESS),
    ("hostname-unique", READY.but(requested_hostname="h2"), Status.FAILURE),
    ("hostname-unique", SILENT, Status.PENDING),
    ("hostname-valid", READY, Status.SUCCESS),
    ("hostname-valid", READY.but(requested_hostname="node-1.lab.example.com"), Status.SUCCESS),
    ("hostname-valid", READY.but(requested_hostname="Node"), Status.FAILURE),
    ("hostname-valid", READY.but(requested_hostname="a" * 64), Status.FAILURE),
    ("hostname-valid", READY.but(requested_hostname="localhost"), Status.FAILURE),
    ("hostname-valid", READY.but(requested_hostname="node\n"), Status.FAILURE),
    ("hostname-valid", SILENT, Status.FAILURE),
    ("sufficient-installation-disk-speed", READY, Status.SUCCESS),
    ("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: TRIED}), Status.SUCCESS),
    ("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: DiskSpeed()}), Status.SUCCESS),
    ("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: BROKEN}), Status.FAILURE),
    ("sufficient-installation-disk-speed", READY.but(disk_speeds={"/dev/sda": BROKEN}), Status.FAILURE),
    (
        "sufficient-installation-disk-speed",
        READY.but(installation_disk_id="", installation_disk_path=""),
        Status.ERROR,
    ),
    ("compatible-with-cluster-platform", READY, Status.SUCCESS),
    ("compatible-with-cluster-platform", SILENT, Status.PENDING),
    ("vsphere-disk-uuid-enabled", READY, None),
    ("vsphere-disk-uuid-enabled", machine(READY, system_vendor=None), None),
    ("vsphere-disk-uuid-enabled", SILENT, Status.PENDING),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, disks=()), Status.PENDING),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, disks=(a_disk(has_uuid=True),)), Status.SUCCESS),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, cpu=None), Status.FAILURE),
    ("compatible-agent", READY, Status.SUCCESS),
    ("compatible-agent", READY.but(discovery_agent_version="quay.io/other:1"), Status.FAILURE),
    ("no-skip-installation-disk", READY, Status.SUCCESS),
    ("no-skip-installation-disk", READY.but(skip_formatting_disks=(DISK,)), Status.FAILURE),
    ("no-skip-missing-disk", READY, Status.SUCCESS),
    ("no-skip-missing-disk", READY.but(skip_formatting_disks=(DISK,)), Status.SUCCESS),
    ("no-skip-missing-disk", READY.but(skip_formatting_disks=("/dev/disk/by-id/gone",)), Status.FAILURE),
    ("no-skip-missing-disk", SILENT, Status.PENDING),
]


@pytest.mark.parametrize(("name", "host", "status"), CASES, ids=[f"{case[0]}:{case[2]}" for case in CASES])
def test_a_machine_is_judged_by_what_it_told(name, host, status):
    found = verdict(name, host)
    assert status_of(found) is status
    assert explained(found)


@pytest.mark.parametrize(
    ("type_", "platform_name", "maker", "status"),
    [
        (PlatformType.VSPHERE, "", "VMware, Inc.", Status.SUCCESS),
        (PlatformType.VSPHERE, "", "Red Hat", Status.FAILURE),
        (PlatformType.NUTANIX, "", "Nutanix", Status.SUCCESS),
        (PlatformType.NUTANIX, "", "Red Hat", Status.FAILURE),
        (PlatformType.EXTERNAL, "oci", "OracleCloud.com", Status.SUCCESS),
        (PlatformType.EXTERNAL, "oci", "Red Hat", Status.FAILURE),
        (PlatformType.EXTERNAL, "other", "Red Hat", Status.SUCCESS),
        (PlatformType.NONE, "", "Red Hat", Status.SUCCESS),
    ],
)
def test_a_platform_takes_only_the_machines_it_knows(type_, platform_name, maker, status):
    host = machine(READY, system_vendor=SystemVendor(manufacturer=maker))
    found = verdict(
        "compatible-with-cluster-platform", host, platform=Platform(type=type_, platform_name=platform_name)
    )
    assert found.status is status


def test_a_machine_that_does_not_say_who_made_it_fits_no_particular_platform():
    host = machine(READY, system_vendor=None)
    found = verdict("compatible-with-cluster-platform", host, platform=Platform(type=PlatformType.VSPHERE))
    assert found.status is Status.FAILURE


def test_memory_counted_by_the_kernel_is_forgiven_a_fiftieth_more():
    need = 8 * GIB
    memory = Memory(physical_bytes=need - 100 * MIB - need // 50, physical_bytes_method="meminfo")
    assert verdict("has-min-memory", machine(READY, memory=memory)).status is Status.SUCCESS
    assert verdict("has-memory-for-role", machine(READY, memory=memory)).status is Status.FAILURE


@pytest.mark.parametrize(("cores", "status"), [(8, Status.SUCCESS), (7, Status.FAILURE)])
def test_a_single_node_needs_twice_the_cores_of_a_master(cores, status):
    host = machine(READY, cpu=Cpu(count=cores))
    found = verdict("has-cpu-cores-for-role", host, control_plane_count=1)
    assert found.status is status
    assert "single node" in found.message


def test_cores_and_memory_are_named_with_measure_and_limit():
    host = machine(READY, cpu=Cpu(count=3), memory=Memory(physical_bytes=15 * GIB))
    cores = verdict("has-cpu-cores-for-role", host)
    assert cores.message == "The host has 3 CPU cores; the role master needs at least 4"
    assert (cores.evidence.measured, cores.evidence.required) == ("3 cores", "4 cores")
    assert cores.evidence.observed_at == NOW
    assert "15 GiB of memory; the role master needs at least 16 GiB" in verdict("has-memory-for-role", host).message


def test_every_disk_that_will_not_do_is_named_with_its_reason_up_to_three():
    disks = tuple(a_disk(f"sd{letter}", installation_eligibility=REASON) for letter in "abcde")
    found = verdict("has-min-valid-disks", machine(READY, disks=disks))
    assert "sda: it is mounted, sdb: it is mounted, sdc: it is mounted and 2 more" in found.message


def test_what_an_agent_left_out_is_told_in_its_own_words():
    host = machine(READY, truncation=Truncation(type="partial", reasons=("300 disks",)))
    assert "300 disks" in verdict("inventory-not-partially-truncated", host).message


def test_a_host_in_the_pool_is_held_to_the_least_and_not_to_a_cluster():
    small = machine(READY, cpu=Cpu(count=2), memory=Memory(physical_bytes=8 * GIB))
    assessment = assess_host(host_view(a_pool_view(small), "h1"))
    assert Gate.POOL not in assessment.closed
    assert "host of the pool" in assessment.verdicts["has-cpu-cores-for-role"].message
    judged_in_clusters = {"hostname-unique", "compatible-with-cluster-platform", "vsphere-disk-uuid-enabled"}
    assert judged_in_clusters.isdisjoint(assessment.verdicts)


def test_a_host_too_small_for_any_role_does_not_leave_the_pool():
    small = machine(READY, cpu=Cpu(count=1))
    assert Gate.POOL in assess_host(host_view(a_pool_view(small), "h1")).closed


def test_the_agents_version_does_not_matter_where_agents_are_not_replaced():
    view = a_view(hosts=[READY.but(discovery_agent_version="old")], policy=a_policy(upgrade_agents=False))
    assert assess_host(host_view(view, "h1")).verdicts["compatible-agent"].status is Status.SUCCESS


def test_the_agents_version_is_not_written_down_once_the_installation_has_begun():
    host = READY.but(progress=HostProgress(current_stage=Stage.STARTING))
    assert "compatible-agent" in assess_host(host_view(a_view(hosts=[host]), "h1")).unspoken


def test_a_good_host_of_a_good_cluster_closes_no_gate():
    hosts = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in range(3)))
    view = a_view(a_ready_cluster(hosts), hosts)
    for host in hosts:
        assessment = assess_host(host_view(view, host.id))
        assert assessment.closed == frozenset()
        assert {each.status for each in assessment.verdicts.values()} == {Status.SUCCESS}
