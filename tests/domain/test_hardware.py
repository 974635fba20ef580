"""The checks of the machine itself."""

import pytest

from builders import (
    GIB,
    NOW,
    a_cluster,
    a_day2_host,
    a_disk,
    a_mesh,
    a_policy,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_running_cluster,
    a_view,
    host_view,
)
from judging import explained, host_verdict, status_of
from muster.domain.clusters import Platform, PlatformType
from muster.domain.hosts import DiskSpeed, Host
from muster.domain.inventory import Cpu, Eligibility, Memory, SystemVendor, Truncation
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.progress import HostProgress, Stage
from muster.domain.requirements import Figures, Requirements, VersionedRequirements
from muster.domain.roles import Role
from muster.domain.validations.catalogue import HOST_VALIDATIONS, assess_host
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
SUGGESTED_MASTER = machine(READY, cpu=Cpu(count=2)).but(role=Role.AUTO, suggested_role=Role.MASTER)
TRIED = DiskSpeed(tested=True, speed_ms=3)
SLOW = DiskSpeed(tested=True, speed_ms=25)
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
    ("has-min-cpu-cores", machine(READY, cpu=Cpu()), Status.FAILURE),
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
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=3)).but(role=Role.BOOTSTRAP), Status.FAILURE),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=2)).but(role=Role.WORKER), Status.SUCCESS),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=1)).but(role=Role.WORKER), Status.FAILURE),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=2)).but(role=Role.ARBITER), Status.SUCCESS),
    ("has-cpu-cores-for-role", machine(READY, cpu=Cpu(count=2)).but(role=Role.AUTO), Status.SUCCESS),
    ("has-cpu-cores-for-role", SUGGESTED_MASTER, Status.FAILURE),
    ("has-cpu-cores-for-role", machine(READY, cpu=None), Status.PENDING),
    ("has-cpu-cores-for-role", SILENT, Status.PENDING),
    ("has-memory-for-role", machine(READY, memory=Memory(physical_bytes=16 * GIB - 100 * MIB)), Status.SUCCESS),
    ("has-memory-for-role", machine(READY, memory=Memory(physical_bytes=16 * GIB - 101 * MIB)), Status.FAILURE),
    ("has-memory-for-role", machine(READY, memory=Memory(physical_bytes=15 * GIB)), Status.FAILURE),
    (
        "has-memory-for-role",
        machine(READY, memory=Memory(physical_bytes=8 * GIB)).but(role=Role.WORKER),
        Status.SUCCESS,
    ),
    ("has-memory-for-role", machine(READY, memory=None), Status.PENDING),
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
    ("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: SLOW}), Status.SUCCESS),
    ("sufficient-installation-disk-speed", SILENT, Status.SUCCESS),
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
    ("vsphere-disk-uuid-enabled", VMWARE, Status.FAILURE),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, cpu=None), Status.FAILURE),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, disks=(a_disk(installation_eligibility=REASON),)), Status.SUCCESS),
    ("vsphere-disk-uuid-enabled", machine(VMWARE, disks=(a_disk(drive_type="RAID"),)), Status.SUCCESS),
    ("compatible-agent", READY, Status.SUCCESS),
    ("compatible-agent", READY.but(discovery_agent_version="quay.io/other:1"), Status.FAILURE),
    ("compatible-agent", READY.but(discovery_agent_version=""), Status.FAILURE),
    ("compatible-agent", SILENT, Status.SUCCESS),
    ("no-skip-installation-disk", READY, Status.SUCCESS),
    ("no-skip-installation-disk", READY.but(skip_formatting_disks=(DISK,)), Status.FAILURE),
    ("no-skip-installation-disk", READY.but(skip_formatting_disks=("/dev/other",)), Status.SUCCESS),
    ("no-skip-installation-disk", READY.but(installation_disk_id=""), Status.SUCCESS),
    ("no-skip-installation-disk", SILENT, Status.SUCCESS),
    ("no-skip-missing-disk", READY, Status.SUCCESS),
    ("no-skip-missing-disk", READY.but(skip_formatting_disks=(DISK,)), Status.SUCCESS),
    ("no-skip-missing-disk", READY.but(skip_formatting_disks=("/dev/disk/by-id/gone",)), Status.FAILURE),
    ("no-skip-missing-disk", machine(READY, disks=None).but(skip_formatting_disks=(DISK,)), Status.FAILURE),
    ("no-skip-missing-disk", SILENT, Status.PENDING),
]


@pytest.mark.parametrize(("name", "host", "status"), CASES, ids=[f"{case[0]}:{case[2]}" for case in CASES])
def test_a_machine_is_judged_by_what_it_told(name, host, status):
    found = verdict(name, host)
    assert status_of(found) is status
    assert explained(found)


INVENTORIED = {
    "has-inventory", "inventory-not-partially-truncated", "inventory-not-fully-truncated", "has-min-cpu-cores",
    "has-min-memory", "has-min-valid-disks", "has-cpu-cores-for-role", "has-memory-for-role",
    "compatible-with-cluster-platform", "vsphere-disk-uuid-enabled",
}  # fmt: skip
"""Checks that rest on what the machine told of itself."""


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}:{case[2]}" for case in CASES])
def test_every_verdict_says_where_it_comes_from_and_since_when(case):
    name, host, status = case
    found = verdict(name, host.but(heard_at={"inventory": NOW, "installation-disk-speed-check": NOW}))
    if found is None:
        return
    evidence = found.evidence
    assert evidence.measured
    assert evidence.required
    assert evidence.source
    assert bool(evidence.fix) == (status is not Status.SUCCESS)
    if name in INVENTORIED and status is not Status.PENDING and host.inventory is not None:
        assert (evidence.source, evidence.observed_at) == ("inventory", NOW)


HARDWARE, POOL, INSTALL = Gate.HARDWARE, Gate.POOL, Gate.INSTALL
TRAITS = {
    "has-inventory": ({Gate.INVENTORY}, True, False),
    "inventory-not-partially-truncated": (set(), True, True),
    "inventory-not-fully-truncated": ({Gate.INVENTORY}, True, False),
    "has-min-cpu-cores": ({HARDWARE, POOL}, True, True),
    "has-min-memory": ({HARDWARE, POOL}, True, True),
    "has-min-valid-disks": ({HARDWARE, POOL}, True, True),
    "has-cpu-cores-for-role": ({INSTALL}, True, True),
    "has-memory-for-role": ({INSTALL}, True, True),
    "hostname-unique": ({INSTALL}, False, False),
    "hostname-valid": ({INSTALL, POOL}, True, False),
    "sufficient-installation-disk-speed": ({INSTALL, Gate.PREPARATION}, True, True),
    "compatible-with-cluster-platform": ({HARDWARE}, False, True),
    "disk-encryption-requirements-satisfied": ({HARDWARE}, False, True),
    "vsphere-disk-uuid-enabled": ({Gate.DISK_UUID}, False, True),
    "compatible-agent": ({INSTALL}, True, True),
    "no-skip-installation-disk": ({INSTALL}, True, True),
    "no-skip-missing-disk": ({INSTALL}, True, True),
}


def test_what_each_check_of_the_machine_holds_back_and_whom_it_is_for():
    found = {
        check.id: (set(check.gates), check.in_pool, check.ignorable)
        for check in HOST_VALIDATIONS
        if check.category == "hardware"
    }
    assert found == TRAITS


def test_only_the_agents_version_is_left_unspoken_and_in_every_stage():
    unspoken = {check.id: check.unspoken for check in HOST_VALIDATIONS if check.category == "hardware"}
    assert {name for name, stages in unspoken.items() if stages} == {"compatible-agent"}
    assert unspoken["compatible-agent"] == frozenset(Stage)


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


@pytest.mark.parametrize(
    ("cores", "version", "status"),
    [(8, "4.20.1", Status.SUCCESS), (7, "4.20.1", Status.FAILURE), (4, "4.22.0", Status.SUCCESS)],
)
def test_a_single_node_needs_twice_the_cores_of_a_master_before_4_22(cores, version, status):
    host = machine(READY, cpu=Cpu(count=cores))
    found = verdict("has-cpu-cores-for-role", host, control_plane_count=1, openshift_version=version)
    assert found.status is status
    assert "single node" in found.message


@pytest.mark.parametrize(("cores", "status"), [(2, Status.SUCCESS), (1, Status.FAILURE)])
def test_the_least_that_any_role_needs_is_that_of_a_worker_even_for_a_single_node(cores, status):
    host = machine(READY, cpu=Cpu(count=cores))
    found = verdict("has-min-cpu-cores", host, control_plane_count=1)
    assert found.status is status
    assert found.evidence.required == "2 cores"


def test_an_arbiter_may_be_smaller_than_every_other_role_and_the_least_does_not_follow_it():
    frugal = Requirements(arbiter=Figures(cpu_cores=1, ram_mib=2048, disk_size_gb=50))
    policy = a_policy(requirements=VersionedRequirements(default=frugal))
    host = machine(READY, cpu=Cpu(count=1), memory=Memory(physical_bytes=2 * GIB)).but(role=Role.ARBITER)
    found = {
        name: host_verdict(name, host, cluster=a_cluster(), policy=policy).status
        for name in ("has-cpu-cores-for-role", "has-memory-for-role", "has-min-cpu-cores", "has-min-memory")
    }
    assert list(found.values()) == [Status.SUCCESS, Status.SUCCESS, Status.FAILURE, Status.FAILURE]


def test_operators_add_to_what_a_role_needs_and_not_to_the_least():
    mtv = MonitoredOperator(name="mtv", operator_type=OperatorType.OLM)
    host = machine(READY, cpu=Cpu(count=4), memory=Memory(physical_bytes=16 * GIB))
    cores = verdict("has-cpu-cores-for-role", host, operators=(mtv,))
    assert cores.message == "The host has 4 CPU cores; the role master needs at least 5, of which 1 for mtv"
    memory = verdict("has-memory-for-role", host, operators=(mtv,))
    assert memory.message == (
        "The host has 16 GiB of memory; the role master needs at least 17 GiB, of which 1 GiB for mtv"
    )
    assert verdict("has-min-cpu-cores", host, operators=(mtv,)).evidence.required == "2 cores"


def test_hosts_that_join_a_running_cluster_are_judged_as_their_role_alone():
    mtv = MonitoredOperator(name="mtv", operator_type=OperatorType.OLM)
    host = machine(a_day2_host(), cpu=Cpu(count=2))
    found = host_verdict("has-cpu-cores-for-role", host, cluster=a_running_cluster(operators=(mtv,)))
    assert found.status is Status.SUCCESS


def test_a_disk_that_is_slower_than_supported_is_called_slow_but_not_held_back():
    found = verdict("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: SLOW}))
    assert found.message == ("The installation disk takes 25 ms for a safe write; slower than the 10 ms supported")
    any_speed = Requirements(master=Requirements().master.but(installation_disk_speed_threshold_ms=0))
    policy = a_policy(requirements=VersionedRequirements(default=any_speed))
    found = host_verdict("sufficient-installation-disk-speed", READY.but(disk_speeds={DISK: SLOW}), policy=policy)
    assert (found.message, found.evidence.required) == ("The installation disk is fast enough", "any speed")


def test_a_name_is_traced_to_whoever_gave_it():
    assert verdict("hostname-valid", READY).evidence.source == "user input"
    found = verdict("hostname-valid", READY.but(requested_hostname=""))
    assert (found.evidence.source, found.evidence.measured) == ("inventory", "node")
    unnamed = verdict("hostname-valid", machine(READY, hostname="").but(requested_hostname=""))
    assert (unnamed.status, unnamed.evidence.measured) == (Status.FAILURE, "no name")


def test_cores_and_memory_are_named_with_measure_and_limit():
    host = machine(READY, cpu=Cpu(count=3), memory=Memory(physical_bytes=15 * GIB))
    cores = verdict("has-cpu-cores-for-role", host)
    assert cores.message == "The host has 3 CPU cores; the role master needs at least 4"
    assert (cores.evidence.measured, cores.evidence.required) == ("3 cores", "4 cores")
    assert "host_role" in cores.evidence.fix
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
