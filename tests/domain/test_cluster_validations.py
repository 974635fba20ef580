"""The checks of a cluster."""

import pytest

from builders import NOW, a_cluster, a_machine, a_mesh, a_nic, a_ready_cluster, a_ready_host, a_view, cluster_view
from judging import OF_CLUSTERS, cluster_verdict, explained
from muster.domain.clusters import Platform, PlatformType
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.inventory import Cpu
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.networks import ClusterNetwork
from muster.domain.roles import Role
from muster.domain.validations.catalogue import assess_cluster
from muster.domain.verdicts import Gate, Status

MESH = H1, H2, H3 = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
CLUSTER = a_ready_cluster(MESH)
UNMANAGED = CLUSTER.but(user_managed_networking=True, machine_networks=(), api_vips=(), ingress_vips=())
SINGLE = UNMANAGED.but(control_plane_count=1)
DHCP = CLUSTER.but(vip_dhcp_allocation=True, api_vips=(), ingress_vips=(), network_type="OpenShiftSDN")
BALANCED = CLUSTER.but(load_balancer="user-managed", machine_networks=("10.9.0.0/24", "192.168.1.0/24"))
DUAL = CLUSTER.but(
    machine_networks=("192.168.1.0/24", "fd00::/64"),
    cluster_networks=(
        ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),
        ClusterNetwork(cidr="fd01::/48", host_prefix=64),
    ),
    service_networks=("172.30.0.0/16", "fd02::/112"),
)
SILENT = tuple(host.but(inventory=None) for host in MESH)


def pods(cidr: str, host_prefix: int):
    return CLUSTER.but(cluster_networks=(ClusterNetwork(cidr=cidr, host_prefix=host_prefix),))


def states(*names: HostState):
    return tuple(host.but(status=state) for host, state in zip(MESH, names, strict=True))


def clocks(*skews: int | None):
    return tuple(host.but(clock_skew=skew) for host, skew in zip(MESH, skews, strict=True))


def roles(*names: Role, **changes):
    return tuple(
        a_ready_host(f"n{number}", 30 + number, role=role, suggested_role=None, **changes)
        for number, role in enumerate(names)
    )


M, W, A, AUTO = Role.MASTER, Role.WORKER, Role.ARBITER, Role.AUTO
PAIR = CLUSTER.but(control_plane_count=2)
FENCED = {"fencing_credentials": FencingCredentials(address="redfish://bmc")}
SMALL = a_machine().but(cpu=Cpu(count=2))
TINY = a_machine().but(cpu=Cpu(count=1))

LITTLE = roles(AUTO, inventory=a_machine(cores=4))
WITH_MCE = CLUSTER.but(operators=(MonitoredOperator(name="mce", operator_type=OperatorType.OLM),))
DUAL_MESH = tuple(
    host.but(inventory=host.inventory.but(interfaces=(a_nic("eth0", f"192.168.1.{n}/24", f"fd00::{n}/64"),)))
    for n, host in enumerate(MESH, start=11)
)

CASES = [
    ("machine-cidr-defined", CLUSTER, MESH, Status.SUCCESS),
    ("machine-cidr-defined", UNMANAGED, (), Status.SUCCESS),
    ("machine-cidr-defined", CLUSTER.but(machine_networks=()), (), Status.PENDING),
    ("machine-cidr-defined", CLUSTER.but(machine_networks=()), SILENT, Status.PENDING),
    ("machine-cidr-defined", CLUSTER.but(machine_networks=()), MESH, Status.FAILURE),
    ("machine-cidr-defined", DHCP.but(machine_networks=()), MESH, Status.FAILURE),
    ("machine-cidr-defined", SINGLE, MESH, Status.FAILURE),
    ("machine-cidr-defined", SINGLE, SILENT, Status.PENDING),
    ("machine-cidr-defined", SINGLE.but(machine_networks=("192.168.1.0/24",)), (), Status.SUCCESS),
    ("machine-cidr-defined", BALANCED.but(machine_networks=()), MESH, Status.FAILURE),
    ("cluster-cidr-defined", CLUSTER, (), Status.SUCCESS),
    ("cluster-cidr-defined", CLUSTER.but(cluster_networks=()), (), Status.FAILURE),
    ("service-cidr-defined", CLUSTER, (), Status.SUCCESS),
    ("service-cidr-defined", CLUSTER.but(service_networks=()), (), Status.FAILURE),
    ("network-type-valid", CLUSTER, (), Status.SUCCESS),
    ("network-type-valid", CLUSTER.but(network_type=""), (), Status.SUCCESS),
    ("network-type-valid", CLUSTER.but(network_type="Calico"), (), Status.SUCCESS),
    ("network-type-valid", CLUSTER.but(network_type="OpenShiftSDN"), (), Status.SUCCESS),
    ("network-type-valid", CLUSTER.but(network_type="Flannel"), (), Status.FAILURE),
    ("network-type-valid", SINGLE.but(network_type="OpenShiftSDN"), (), Status.FAILURE),
    ("network-type-valid", DUAL.but(network_type="OpenShiftSDN"), (), Status.FAILURE),
    ("network-type-valid", DHCP.but(network_type="OVNKubernetes"), (), Status.FAILURE),
    ("network-type-valid", DHCP, (), Status.SUCCESS),
    ("network-type-valid", DUAL, (), Status.SUCCESS),
    ("network-type-valid", CLUSTER.but(network_type="None"), (), Status.SUCCESS),
    (
        "network-type-valid",
        CLUSTER.but(network_type="OpenShiftSDN", service_networks=("fd02::/112",)),
        (),
        Status.FAILURE,
    ),
    ("custom-manifests-requirements-satisfied", CLUSTER, (), Status.SUCCESS),
    ("custom-manifests-requirements-satisfied", CLUSTER.but(network_type="Cilium"), (), Status.FAILURE),
    (
        "custom-manifests-requirements-satisfied",
        CLUSTER.but(network_type="Cilium", custom_manifests=True),
        (),
        Status.SUCCESS,
    ),
    (
        "custom-manifests-requirements-satisfied",
        CLUSTER.but(install_config_overrides='{"networking":{"networkType":"Calico"}}'),
        (),
        Status.FAILURE,
    ),
    (
        "custom-manifests-requirements-satisfied",
        CLUSTER.but(install_config_overrides='{"networking":5}'),
        (),
        Status.SUCCESS,
    ),
    (
        "custom-manifests-requirements-satisfied",
        CLUSTER.but(install_config_overrides='{"fips":true}'),
        (),
        Status.SUCCESS,
    ),
    ("no-cidrs-overlapping", CLUSTER, (), Status.SUCCESS),
    ("no-cidrs-overlapping", DUAL, (), Status.SUCCESS),
    ("no-cidrs-overlapping", UNMANAGED, (), Status.SUCCESS),
    ("no-cidrs-overlapping", CLUSTER.but(machine_networks=()), (), Status.PENDING),
    ("no-cidrs-overlapping", CLUSTER.but(service_networks=()), (), Status.PENDING),
    ("no-cidrs-overlapping", CLUSTER.but(cluster_networks=()), (), Status.PENDING),
    ("no-cidrs-overlapping", CLUSTER.but(service_networks=("10.129.0.0/16",)), (), Status.FAILURE),
    ("no-cidrs-overlapping", CLUSTER.but(machine_networks=("172.30.5.0/24",)), (), Status.FAILURE),
    ("no-cidrs-overlapping", BALANCED.but(machine_networks=("192.168.1.0/24", "172.30.5.0/24")), (), Status.FAILURE),
    ("no-cidrs-overlapping", CLUSTER.but(service_networks=DUAL.service_networks), (), Status.ERROR),
    ("no-cidrs-overlapping", SINGLE, (), Status.PENDING),
    ("no-cidrs-overlapping", SINGLE.but(machine_networks=("10.129.0.0/24",)), (), Status.FAILURE),
    ("no-cidrs-overlapping", UNMANAGED.but(machine_networks=("10.129.0.0/24",)), (), Status.SUCCESS),
    ("no-cidrs-overlapping", UNMANAGED.but(service_networks=("10.129.0.0/16",)), (), Status.FAILURE),
    ("no-cidrs-overlapping", DUAL.but(service_networks=("172.30.0.0/16", "fd01::/112")), (), Status.FAILURE),
    ("networks-same-address-families", CLUSTER, (), Status.SUCCESS),
    ("networks-same-address-families", DUAL, (), Status.SUCCESS),
    ("networks-same-address-families", UNMANAGED, (), Status.SUCCESS),
    ("networks-same-address-families", CLUSTER.but(machine_networks=()), (), Status.PENDING),
    ("networks-same-address-families", CLUSTER.but(service_networks=("fd02::/112",)), (), Status.FAILURE),
    ("networks-same-address-families", CLUSTER.but(machine_networks=("fd00::/64",)), (), Status.FAILURE),
    ("networks-same-address-families", CLUSTER.but(machine_networks=("somewhere",)), (), Status.ERROR),
    ("networks-same-address-families", UNMANAGED.but(machine_networks=("fd00::/64",)), (), Status.SUCCESS),
    ("networks-same-address-families", DUAL.but(machine_networks=("192.168.1.0/24",)), (), Status.FAILURE),
    ("networks-same-address-families", CLUSTER.but(cluster_networks=()), (), Status.PENDING),
    ("network-prefix-valid", CLUSTER, MESH, Status.SUCCESS),
    ("network-prefix-valid", DUAL, MESH, Status.SUCCESS),
    ("network-prefix-valid", CLUSTER.but(cluster_networks=()), MESH, Status.PENDING),
    ("network-prefix-valid", pods("10.128.0.0/14", 64), MESH, Status.FAILURE),
    ("network-prefix-valid", pods("10.128.0.0/14", 0), MESH, Status.FAILURE),
    ("network-prefix-valid", pods("10.128.0.0/22", 23), MESH, Status.FAILURE),
    ("network-prefix-valid", pods("10.128.0.0/23", 23), (H1,), Status.SUCCESS),
    ("network-prefix-valid", pods("somewhere", 23), MESH, Status.FAILURE),
    ("network-prefix-valid", pods("10.128.0.0/14", 0).but(network_type="Calico"), MESH, Status.SUCCESS),
    ("network-prefix-valid", pods("fd01::/63", 0).but(network_type="Calico"), MESH, Status.FAILURE),
    ("network-prefix-valid", pods("somewhere", 0).but(network_type="Calico"), MESH, Status.FAILURE),
    ("dns-domain-defined", CLUSTER, (), Status.SUCCESS),
    ("dns-domain-defined", CLUSTER.but(base_dns_domain=""), (), Status.FAILURE),
    ("ntp-server-configured", CLUSTER, (), Status.SUCCESS),
    ("ntp-server-configured", CLUSTER, clocks(None, None, None), Status.SUCCESS),
    ("ntp-server-configured", CLUSTER, clocks(-100, 0, 199), Status.SUCCESS),
    ("ntp-server-configured", CLUSTER, clocks(-100, 0, 200), Status.FAILURE),
    *(
        ("ntp-server-configured", CLUSTER, (H1, H2.but(clock_skew=9999, status=state)), status)
        for state, status in (
            (HostState.DISCONNECTED, Status.SUCCESS),
            (HostState.DISCOVERING, Status.SUCCESS),
            (HostState.RESETTING_PENDING, Status.SUCCESS),
            (HostState.INSUFFICIENT, Status.FAILURE),
        )
    ),
    ("all-hosts-are-ready-to-install", CLUSTER, (), Status.SUCCESS),
    (
        "all-hosts-are-ready-to-install",
        CLUSTER,
        states(HostState.KNOWN, HostState.PREPARING, HostState.PREPARED),
        Status.SUCCESS,
    ),
    (
        "all-hosts-are-ready-to-install",
        CLUSTER,
        states(HostState.KNOWN, HostState.KNOWN, HostState.INSUFFICIENT),
        Status.FAILURE,
    ),
    ("sufficient-masters-count", CLUSTER, roles(M, M, M), Status.SUCCESS),
    ("sufficient-masters-count", CLUSTER, roles(M, M, M, W), Status.SUCCESS),
    ("sufficient-masters-count", CLUSTER, roles(AUTO, AUTO, M), Status.SUCCESS),
    ("sufficient-masters-count", CLUSTER, roles(M, M), Status.FAILURE),
    ("sufficient-masters-count", CLUSTER, roles(M, M, M, M), Status.FAILURE),
    ("sufficient-masters-count", CLUSTER, roles(AUTO, AUTO, AUTO, inventory=SMALL), Status.FAILURE),
    ("sufficient-masters-count", CLUSTER, roles(M, M, Role.BOOTSTRAP), Status.SUCCESS),
    ("sufficient-masters-count", CLUSTER, roles(AUTO, AUTO, AUTO, AUTO), Status.SUCCESS),
    ("sufficient-masters-count", CLUSTER, roles(AUTO, AUTO, AUTO, inventory=None), Status.FAILURE),
    ("sufficient-masters-count", CLUSTER, (), Status.FAILURE),
    ("sufficient-masters-count", CLUSTER.but(control_plane_count=5), roles(M, M, M, M, M), Status.SUCCESS),
    ("sufficient-masters-count", WITH_MCE, roles(M, M, AUTO, inventory=a_machine(cores=8)), Status.SUCCESS),
    ("sufficient-masters-count", WITH_MCE, roles(M, M, AUTO, inventory=a_machine(cores=7)), Status.FAILURE),
    ("sufficient-masters-count", SINGLE, roles(AUTO), Status.SUCCESS),
    ("sufficient-masters-count", SINGLE, roles(AUTO, inventory=a_machine(cores=7)), Status.FAILURE),
    ("sufficient-masters-count", SINGLE.but(openshift_version="4.22.0"), LITTLE, Status.SUCCESS),
    ("sufficient-masters-count", SINGLE, roles(M, M), Status.FAILURE),
    ("sufficient-masters-count", SINGLE, roles(M), Status.SUCCESS),
    ("sufficient-masters-count", SINGLE, roles(M, W), Status.FAILURE),
    ("sufficient-masters-count", PAIR, roles(M, M, A), Status.SUCCESS),
    (
        "sufficient-masters-count",
        PAIR,
        (*roles(M, M), a_ready_host("x", 90, role=AUTO, inventory=SMALL)),
        Status.SUCCESS,
    ),
    (
        "sufficient-masters-count",
        PAIR,
        (*roles(M, M), a_ready_host("x", 90, role=AUTO, inventory=TINY)),
        Status.FAILURE,
    ),
    ("sufficient-masters-count", PAIR, roles(M, M), Status.FAILURE),
    ("sufficient-masters-count", PAIR, roles(M, M, **FENCED), Status.SUCCESS),
    ("sufficient-masters-count", PAIR, roles(M, M, W, **FENCED), Status.SUCCESS),
    ("sufficient-masters-count", PAIR, (*roles(M, **FENCED), a_ready_host("x", 90)), Status.FAILURE),
    ("sufficient-masters-count", PAIR, roles(AUTO, AUTO, AUTO), Status.SUCCESS),
    ("pull-secret-set", CLUSTER, (), Status.SUCCESS),
    ("pull-secret-set", CLUSTER.but(pull_secret=""), (), Status.FAILURE),
    ("platform-requirements-satisfied", CLUSTER, (), Status.SUCCESS),
    (
        "platform-requirements-satisfied",
        CLUSTER.but(platform=Platform(type=PlatformType.EXTERNAL, platform_name="oci")),
        (),
        Status.FAILURE,
    ),
    (
        "platform-requirements-satisfied",
        CLUSTER.but(platform=Platform(type=PlatformType.EXTERNAL, platform_name="oci"), custom_manifests=True),
        (),
        Status.SUCCESS,
    ),
]


@pytest.mark.parametrize(("name", "cluster", "hosts", "status"), CASES, ids=[f"{case[0]}:{case[3]}" for case in CASES])
def test_a_cluster_is_judged_by_what_was_said_and_found(name, cluster, hosts, status):
    found = cluster_verdict(name, cluster, *hosts)
    assert found.status is status
    assert explained(found)


def test_a_good_cluster_closes_no_gate():
    assessment = assess_cluster(cluster_view(a_view(CLUSTER, MESH)))
    assert assessment.closed == frozenset()
    assert {each.status for each in assessment.verdicts.values()} == {Status.SUCCESS}


def test_a_new_cluster_waits_for_input():
    bare = a_cluster(api_vips=(), ingress_vips=(), machine_networks=(), base_dns_domain="")
    assert assess_cluster(cluster_view(a_view(bare))).closed == {Gate.INPUT, Gate.VIPS, Gate.INSTALL}


def test_the_verdicts_never_show_the_pull_secret():
    found = cluster_verdict("pull-secret-set", CLUSTER)
    assert CLUSTER.pull_secret not in f"{found.message}{found.evidence}"


def test_the_networks_that_hosts_are_in_are_offered_where_there_is_no_machine_network():
    found = cluster_verdict("machine-cidr-defined", SINGLE, *DUAL_MESH)
    assert found.evidence.measured == "none; the hosts are in 192.168.1.0/24, fd00::/64"
    bare = [host.but(inventory=host.inventory.but(interfaces=())) for host in MESH]
    assert cluster_verdict("machine-cidr-defined", SINGLE, *bare).evidence.measured.endswith("in no network")


@pytest.mark.parametrize(
    ("cluster", "words"),
    [(SINGLE, "one of the host's networks"), (DHCP, "addresses are leased"), (CLUSTER, "api_vips and ingress_vips")],
)
def test_how_to_get_a_machine_network_depends_on_the_cluster(cluster, words):
    assert words in cluster_verdict("machine-cidr-defined", cluster.but(machine_networks=()), *MESH).evidence.fix


def test_hosts_that_are_not_ready_are_named_with_their_state():
    hosts = states(HostState.KNOWN, HostState.DISCONNECTED, HostState.INSUFFICIENT)
    found = cluster_verdict("all-hosts-are-ready-to-install", CLUSTER, *hosts)
    assert "h2 is disconnected, h3 is insufficient" in found.message


def test_clocks_apart_are_named():
    found = cluster_verdict("ntp-server-configured", CLUSTER, *clocks(-200, 0, 400))
    assert found.message == "The clocks of h1 and h3 are 10 minutes apart; 4 are allowed"
    assert found.evidence.measured == "h1 -200 s, h3 +400 s against this service"
    assert found.evidence.observed_at == NOW


def test_facts_about_hosts_are_dated_by_the_newest_of_them():
    early, late = NOW.replace(year=2020), NOW.replace(year=2021)
    hosts = [
        host.but(status_updated_at=at, heard_at={"inventory": at})
        for host, at in zip(MESH, (early, late, early), strict=True)
    ]
    for name in ("all-hosts-are-ready-to-install", "machine-cidr-equals-to-calculated-cidr"):
        assert cluster_verdict(name, CLUSTER, *hosts).evidence.observed_at == late


@pytest.mark.parametrize(
    ("cluster", "required"),
    [
        (CLUSTER, "3 control plane hosts"),
        (SINGLE, "1 control plane hosts, no workers"),
        (PAIR, "2 control plane hosts, and an arbiter or credentials to switch each of them off"),
    ],
)
def test_what_a_control_plane_needs_is_told(cluster, required):
    evidence = cluster_verdict("sufficient-masters-count", cluster, *roles(M, W)).evidence
    assert (evidence.measured, evidence.required) == ("1 control plane hosts, 0 arbiters, 1 workers", required)


def test_the_checks_that_nobody_may_ignore_are_these():
    assert {name for name, check in OF_CLUSTERS.items() if not check.ignorable} == {
        "api-vips-defined",
        "ingress-vips-defined",
        "all-hosts-are-ready-to-install",
        "sufficient-masters-count",
        "pull-secret-set",
    }
