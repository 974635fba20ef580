"""Every check there is: that each of its outcomes is tested, and that whatever it says, it says why.

The tables of cases stand in the tests of their category; here they are counted against what each check can say.
"""

from datetime import timedelta

import pytest
from test_cluster_validations import CASES as CLUSTER_CASES
from test_hardware import CASES as HARDWARE_CASES
from test_network import NETWORK_CASES
from test_reach import REACH_CASES
from test_vips import VIP_CASES

from builders import (
    NOW,
    a_day2_host,
    a_disk,
    a_mesh,
    a_nic,
    a_policy,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_running_cluster,
    a_view,
    cluster_view,
    host_view,
    some_answers,
)
from judging import OF_CLUSTERS, OF_HOSTS, explained, host_verdict, pool_verdict, status_of
from muster.domain.clusters import DiskEncryption, Platform, PlatformType
from muster.domain.connectivity import ConnectivityReport, MajorityGroups, MtuReport, RemoteHost
from muster.domain.hosts import DiskSpeed, FencingCredentials, Host, HostState, ImageStatus
from muster.domain.inventory import Cpu, Iscsi, Memory, SystemVendor, Truncation
from muster.domain.joining import ApiVipReply, TangReply
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.networks import ClusterNetwork, NtpSource, Resolution, Vip
from muster.domain.roles import Role
from muster.domain.steps import STEPS
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS, assess_cluster, assess_host
from muster.domain.verdicts import Status
from muster.domain.views import HostView

SUCCESS, FAILURE, PENDING, ERROR = Status.SUCCESS, Status.FAILURE, Status.PENDING, Status.ERROR
OUTCOMES = {"s": SUCCESS, "f": FAILURE, "p": PENDING, "e": ERROR, "-": None}
"""How a check can come out; `-` where it does not apply."""

HOST_CHECKS_CAN_BE = {
    "connected": "sf",
    "media-connected": "sf",
    "has-inventory": "sf",
    "inventory-not-partially-truncated": "sfpe",
    "inventory-not-fully-truncated": "sfpe",
    "has-min-cpu-cores": "sfp",
    "has-min-memory": "sfp",
    "has-min-valid-disks": "sfpe",
    "machine-cidr-defined": "sf",
    "has-cpu-cores-for-role": "sfp",
    "has-memory-for-role": "sfp",
    "hostname-unique": "sfp",
    "belongs-to-machine-cidr": "sfp",
    "hostname-valid": "sf",
    "ignition-downloadable": "sfp-",
    "belongs-to-majority-group": "sfp",
    "mtu-valid": "sfpe-",
    "valid-platform-network-settings": "sfpe-",
    "ntp-synced": "sf-",
    "time-synced-between-host-and-service": "sfp",
    "container-images-available": "sf",
    "sufficient-installation-disk-speed": "sfe",
    "sufficient-network-latency-requirement-for-role": "sfp-",
    "sufficient-packet-loss-requirement-for-role": "sfp-",
    "has-default-route": "sfp",
    "api-domain-name-resolved-correctly": "sfpe",
    "api-int-domain-name-resolved-correctly": "sfpe",
    "apps-domain-name-resolved-correctly": "sfpe",
    "compatible-with-cluster-platform": "sfp",
    "dns-wildcard-not-configured": "sfpe",
    "disk-encryption-requirements-satisfied": "sfp-",
    "non-overlapping-subnets": "sfpe-",
    "vsphere-disk-uuid-enabled": "sfp-",
    "compatible-agent": "sf",
    "no-skip-installation-disk": "sf",
    "no-skip-missing-disk": "sfp",
    "no-ip-collisions-in-network": "sf",
    "no-iscsi-nic-belongs-to-machine-cidr": "sfpe-",
}
CLUSTER_CHECKS_CAN_BE = {
    "machine-cidr-defined": "sfp",
    "cluster-cidr-defined": "sf",
    "service-cidr-defined": "sf",
    "machine-cidr-equals-to-calculated-cidr": "sfp",
    "api-vips-defined": "sfp",
    "ingress-vips-defined": "sfp",
    "api-vips-valid": "sfp",
    "ingress-vips-valid": "sfp",
    "network-type-valid": "sf",
    "custom-manifests-requirements-satisfied": "sf",
    "no-cidrs-overlapping": "sfpe",
    "networks-same-address-families": "sfpe",
    "network-prefix-valid": "sfp",
    "dns-domain-defined": "sf",
    "ntp-server-configured": "sf",
    "all-hosts-are-ready-to-install": "sf",
    "sufficient-masters-count": "sf",
    "pull-secret-set": "sf",
    "platform-requirements-satisfied": "sf",
}

MESH = H1, H2, H3 = a_mesh(
    *(a_ready_host(f"h{n}", 10 + n, heard_at=dict.fromkeys(STEPS, NOW)) for n in (1, 2, 3)),
)
CLUSTER = a_ready_cluster(MESH)
SILENT = H1.but(inventory=None)
UNMANAGED = CLUSTER.but(user_managed_networking=True, machine_networks=(), api_vips=(), ingress_vips=())
NAMES = {
    "api-domain-name-resolved-correctly": "api",
    "api-int-domain-name-resolved-correctly": "api-int",
    "apps-domain-name-resolved-correctly": "console-openshift-console.apps",
}
WILDCARD = "dns-wildcard-not-configured"
LATENCY = "sufficient-network-latency-requirement-for-role"
LOSS = "sufficient-packet-loss-requirement-for-role"


def machine(host: Host = H1, **changes) -> Host:
    return host.but(inventory=host.inventory.but(**changes))


def tired(**quality: float) -> Host:
    """A host that reaches others badly."""
    (host, *_) = a_mesh(*MESH)
    remotes = host.connectivity.remote_hosts
    worse = (each.but(l3_connectivity=tuple(way.but(**quality) for way in each.l3_connectivity)) for each in remotes)
    return host.but(connectivity=ConnectivityReport(remote_hosts=tuple(worse)))


def resolving(prefix: str, **answer) -> Host:
    return H1.but(resolutions=(Resolution(domain_name=f"{prefix}.lab.example.com", **answer),))


ENCRYPTED = CLUSTER.but(disk_encryption=DiskEncryption(enable_on="all"))
TANG = CLUSTER.but(disk_encryption=DiskEncryption(enable_on="all", mode="tang"))
VSPHERE = CLUSTER.but(platform=Platform(type=PlatformType.VSPHERE))
OPENSTACK = machine(system_vendor=SystemVendor(product_name="OpenStack Compute"))
LONG_AGO = NOW - timedelta(days=1)

MORE_CASES = [
    ("valid-platform-network-settings", OPENSTACK, CLUSTER, FAILURE),
    ("compatible-with-cluster-platform", H1, VSPHERE, FAILURE),
    ("disk-encryption-requirements-satisfied", H1, ENCRYPTED, SUCCESS),
    ("disk-encryption-requirements-satisfied", machine(tpm_version=""), ENCRYPTED, FAILURE),
    ("disk-encryption-requirements-satisfied", SILENT, ENCRYPTED, PENDING),
    ("disk-encryption-requirements-satisfied", H1, CLUSTER, None),
    ("disk-encryption-requirements-satisfied", H1.but(tang=TangReply()), TANG, FAILURE),
    (LATENCY, H1, CLUSTER, SUCCESS),
    (LATENCY, tired(average_rtt_ms=101), CLUSTER, FAILURE),
    (LATENCY, SILENT, CLUSTER, PENDING),
    (LATENCY, H1.but(connectivity=None), CLUSTER, PENDING),
    (LOSS, H1, CLUSTER, SUCCESS),
    (LOSS, tired(packet_loss_percentage=1), CLUSTER, FAILURE),
    (LOSS, SILENT, CLUSTER, PENDING),
    *(
        (name, host, cluster, status)
        for name, prefix in NAMES.items()
        for host, cluster, status in (
            (H1, CLUSTER, SUCCESS),
            (resolving(prefix, ipv4_addresses=("10.0.0.9",)), UNMANAGED, SUCCESS),
            (resolving(prefix, ipv4_addresses=("192.168.1.11",)), UNMANAGED, FAILURE),
            (resolving(prefix), UNMANAGED, FAILURE),
            (H1.but(resolutions=None), UNMANAGED, ERROR),
            (H1, UNMANAGED.but(base_dns_domain=""), ERROR),
            (a_day2_host(), a_running_cluster(imported=True), PENDING),
        )
    ),
    (WILDCARD, H1, CLUSTER, SUCCESS),
    (WILDCARD, H1.but(resolutions=None), CLUSTER, PENDING),
    (WILDCARD, H1.but(resolutions=()), CLUSTER, ERROR),
    (WILDCARD, H1.but(resolutions=tuple(each.but(cnames=("x",)) for each in some_answers())), CLUSTER, FAILURE),
]

POOL_CASES = [
    ("connected", H1, SUCCESS),
    ("connected", H1.but(registered_at=LONG_AGO), FAILURE),
    ("valid-platform-network-settings", OPENSTACK, None),
    ("ntp-synced", H1.but(ntp_sources=()), None),
    (LATENCY, SILENT, PENDING),
    (LATENCY, H1, None),
    (LOSS, SILENT, PENDING),
    (LOSS, H1, None),
    ("non-overlapping-subnets", SILENT, PENDING),
    ("non-overlapping-subnets", H1, None),
    ("no-ip-collisions-in-network", H1, SUCCESS),
]


def named(case) -> str:
    return f"{case[0]}:{case[-1]}"


@pytest.mark.parametrize(("name", "host", "cluster", "status"), MORE_CASES, ids=map(named, MORE_CASES))
def test_a_host_of_a_cluster_is_judged(name, host, cluster, status):
    found = host_verdict(name, host, *(each for each in (H2, H3) if each.id != host.id), cluster=cluster)
    assert status_of(found) is status
    assert explained(found)


@pytest.mark.parametrize(("name", "host", "status"), POOL_CASES, ids=map(named, POOL_CASES))
def test_a_host_of_the_pool_is_judged(name, host, status):
    found = pool_verdict(name, host, presence={"h1": LONG_AGO})
    assert status_of(found) is status
    assert explained(found)


# Nothing is left out


def outcomes_of(*tables) -> dict[str, set[Status | None]]:
    found: dict[str, set[Status | None]] = {}
    for name, *_, status in (case for table in tables for case in table):
        found.setdefault(name, set()).add(status)
    return found


def missing(can_be: dict[str, str], found: dict[str, set[Status | None]]) -> list[str]:
    """The outcomes that a check can have and no case shows, and those that it should not be able to have."""
    wanted = {name: {OUTCOMES[letter] for letter in letters} for name, letters in can_be.items()}
    return [
        f"{name}: {status}"
        for name in wanted
        for status in (*Status, None)
        if (status in wanted[name]) != (status in found.get(name, ()))
    ]


def base(validations) -> set[str]:
    return {check.id for check in validations if check.category != "operators"}


def test_every_check_of_a_host_has_its_outcomes():
    assert set(HOST_CHECKS_CAN_BE) == base(HOST_VALIDATIONS)
    assert len(HOST_CHECKS_CAN_BE) == 38


def test_every_check_of_a_cluster_has_its_outcomes():
    assert set(CLUSTER_CHECKS_CAN_BE) == base(CLUSTER_VALIDATIONS)


def test_every_outcome_of_a_check_of_a_host_is_tested():
    found = outcomes_of(NETWORK_CASES, REACH_CASES, HARDWARE_CASES, MORE_CASES, POOL_CASES)
    assert missing(HOST_CHECKS_CAN_BE, found) == []


def test_every_outcome_of_a_check_of_a_cluster_is_tested():
    assert missing(CLUSTER_CHECKS_CAN_BE, outcomes_of(CLUSTER_CASES, VIP_CASES)) == []


# Every verdict says why, whatever the situation

OPERATORS = tuple(
    MonitoredOperator(name=check.id.removesuffix("-requirements-satisfied"), operator_type=OperatorType.OLM)
    for check in OF_CLUSTERS.values()
    if check.category == "operators"
)
STUCK = ConnectivityReport(remote_hosts=(RemoteHost(host_id="h2", mtu_report=(MtuReport(outgoing_nic="eth0"),)),))
ISCSI = a_disk("sdb", drive_type="iSCSI", iscsi=Iscsi(host_ip_address="192.168.1.11"))

HOSTS = {
    "fine": H1,
    "silent": SILENT.but(requested_hostname="", resolutions=None, ntp_sources=None, clock_skew=None, heard_at={}),
    "small": machine(cpu=Cpu(count=1), memory=Memory(physical_bytes=1), disks=(), routes=()),
    "bare": machine(cpu=None, memory=None, disks=None, routes=None, interfaces=None, system_vendor=None),
    "odd": machine(truncation=Truncation(type="odd"), interfaces=(a_nic("eth0", "somewhere"),)),
    "cut short": machine(truncation=Truncation(type="full", reasons=("too many disks",))),
    "overlapping": machine(interfaces=(a_nic("eth0", "192.168.1.11/24"), a_nic("eth1", "192.168.1.12/24"))),
    "virtual": machine(system_vendor=SystemVendor(manufacturer="VMware, Inc.", product_name="OpenStack Compute")),
    "on iSCSI": machine(disks=(ISCSI,)).but(installation_disk_id=ISCSI.id),
    "cut off": H1.but(connectivity=ConnectivityReport()),
    "unheard": H1.but(connectivity=None),
    "stuck": H1.but(connectivity=STUCK),
    "slow": tired(average_rtt_ms=10_000, packet_loss_percentage=100, successful=False),
    "late": H1.but(clock_skew=10_000, ntp_sources=(NtpSource(source_name="a", source_state="unreachable"),)),
    "lost": H1.but(media_connected=False, registered_at=LONG_AGO, discovery_agent_version=""),
    "localhost": H1.but(requested_hostname="localhost"),
    "twin": H1.but(requested_hostname="h2"),
    "diskless": H1.but(installation_disk_id="", installation_disk_path="", skip_formatting_disks=("gone",)),
    "kept": H1.but(skip_formatting_disks=(H1.installation_disk_id,)),
    "worn": H1.but(disk_speeds={H1.installation_disk_id: DiskSpeed(tested=True, exit_code=1)}),
    "imageless": H1.but(images={"quay.io/a:1": ImageStatus(result="failure")}),
    "without a role": H1.but(role=Role.AUTO),
    "worker": H1.but(role=Role.WORKER),
    "arbiter": H1.but(role=Role.ARBITER),
    "joining": a_day2_host("h1", heard_at=dict.fromkeys(STEPS, NOW)),
    "joined": a_day2_host("h1", api_vip=ApiVipReply(is_success=True, ignition="{}")),
    "turned away": a_day2_host("h1", api_vip=ApiVipReply()),
    "disconnected": H1.but(status=HostState.DISCONNECTED),
    "named": resolving("api", ipv4_addresses=("192.168.1.11",)),
    "fenced": H1.but(fencing_credentials=FencingCredentials(address="redfish://bmc")),
}
CLUSTERS = {
    "fine": CLUSTER,
    "bare": CLUSTER.but(
        machine_networks=(),
        cluster_networks=(),
        service_networks=(),
        api_vips=(),
        ingress_vips=(),
        base_dns_domain="",
        pull_secret="",
        network_type="",
    ),
    "unmanaged": UNMANAGED,
    "unmanaged, apart": UNMANAGED.but(majority_groups=MajorityGroups()),
    "single node": UNMANAGED.but(control_plane_count=1),
    "single node at home": UNMANAGED.but(control_plane_count=1, machine_networks=("192.168.1.0/24",)),
    "two": CLUSTER.but(control_plane_count=2),
    "balanced": CLUSTER.but(load_balancer="user-managed"),
    "leased": CLUSTER.but(vip_dhcp_allocation=True),
    "to be leased": CLUSTER.but(vip_dhcp_allocation=True, api_vips=(), ingress_vips=(), machine_networks=()),
    "overdue": CLUSTER.but(vip_dhcp_allocation=True, api_vips=(), ingress_vips=(), vips_overdue=True),
    "elsewhere": CLUSTER.but(machine_networks=("10.0.0.0/24", "fd00::/64"), network_type="Flannel"),
    "overlapping": CLUSTER.but(machine_networks=("10.128.0.0/24",), service_networks=("fd00::/64",)),
    "crooked": CLUSTER.but(
        machine_networks=("somewhere",),
        service_networks=("a", "b"),
        cluster_networks=(ClusterNetwork(cidr="somewhere"),),
        api_vips=(Vip(ip="somewhere"),),
    ),
    "apart": CLUSTER.but(majority_groups=MajorityGroups(), ip_collisions={"192.168.1.11": ("a", "b")}),
    "not looked at": CLUSTER.but(majority_groups=None, ip_collisions=None),
    "encrypted": ENCRYPTED,
    "with Tang": TANG,
    "on vSphere": VSPHERE,
    "on Oracle Cloud": CLUSTER.but(platform=Platform(type=PlatformType.EXTERNAL, platform_name="oci")),
    "foreign network": CLUSTER.but(network_type="Cilium"),
    "with everything": CLUSTER.but(operators=OPERATORS, openshift_version="4.8.0"),
    "small with everything": UNMANAGED.but(operators=OPERATORS, control_plane_count=1),
    "running": a_running_cluster(),
    "imported": a_running_cluster(imported=True, user_managed_networking=True, operators=OPERATORS),
}


def dated(evidence, *hosts: Host) -> bool:
    """Whether evidence that hosts have given in a step says when."""
    heard = any(evidence.source in host.heard_at for host in hosts)
    return evidence.observed_at is not None or not heard


def unexplained(verdicts, *hosts: Host) -> list[str]:
    return [
        f"{name} {verdict.status}: {verdict.message} {verdict.evidence}"
        for name, verdict in verdicts.items()
        if not explained(verdict) or not (verdict.status is PENDING or dated(verdict.evidence, *hosts))
    ]


@pytest.mark.parametrize("others", [(), (H2, H3)], ids=["alone", "with others"])
@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_every_verdict_on_a_host_says_why(cluster, others):
    for situation, host in HOSTS.items():
        view = a_view(cluster, [host, *others], policy=a_policy(), presence={"h1": LONG_AGO})
        assert (situation, unexplained(assess_host(host_view(view, "h1")).verdicts, host)) == (situation, [])


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_every_verdict_on_a_host_of_the_pool_says_why(host):
    view = a_pool_view(host, presence={"h1": LONG_AGO})
    assert unexplained(assess_host(host_view(view, "h1")).verdicts, host) == []


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_every_verdict_on_a_cluster_says_why(cluster):
    for situation, host in HOSTS.items():
        for hosts in ((), (host,), (host, H2, H3)):
            view = a_view(cluster, hosts, policy=a_policy())
            found = unexplained(assess_cluster(cluster_view(view)).verdicts, *hosts)
            assert (situation, found) == (situation, [])


def test_a_check_that_is_switched_off_says_so():
    off = a_policy(disabled_host_validations=frozenset(OF_HOSTS), disabled_cluster_validations=frozenset(OF_CLUSTERS))
    view = a_view(CLUSTER, MESH, policy=off)
    verdicts = {**assess_host(host_view(view, "h1")).verdicts, **assess_cluster(cluster_view(view)).verdicts}
    assert unexplained(verdicts) == []


# Who looks at others


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_check_that_looks_at_others_says_so(cluster):
    """Otherwise it would not be made again when only the others have changed."""
    wanted = CLUSTERS[cluster].but(operators=OPERATORS)
    for host in HOSTS.values():
        seen = host_view(a_view(wanted, [host, H2, H3]), host.id)
        alone = Alone(seen.view, host)
        for check in HOST_VALIDATIONS:
            if not check.of_others:
                assert check(alone) == check(seen), check.id


class Alone(HostView):
    """A host of whose others nothing can be known."""

    def __init__(self, view, host):
        cluster = view.cluster.but(majority_groups=None, ip_collisions=None)
        super().__init__(view.with_cluster(cluster), host, None)
