"""The checks of a cluster's virtual addresses: that they are there, lie where they should, and are free."""

import pytest

from builders import NOW, a_machine, a_mesh, a_nic, a_ready_cluster, a_ready_host
from judging import cluster_verdict, explained
from muster.domain.hosts import VipCheck
from muster.domain.networks import ClusterNetwork, FreeAddresses, Vip, VipVerification
from muster.domain.verdicts import Status

MESH = H1, H2, H3 = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
SILENT = tuple(host.but(inventory=None) for host in MESH)
FREE, TAKEN = VipVerification.SUCCEEDED, VipVerification.FAILED
CLUSTER = a_ready_cluster(MESH)
UNMANAGED = CLUSTER.but(user_managed_networking=True, machine_networks=(), api_vips=(), ingress_vips=())
SINGLE = UNMANAGED.but(control_plane_count=1)
DHCP = CLUSTER.but(vip_dhcp_allocation=True, api_vips=(), ingress_vips=(), network_type="OpenShiftSDN")
LEASED = DHCP.but(api_vips=(Vip(ip="192.168.1.5"),), ingress_vips=(Vip(ip="192.168.1.6"),))
BALANCED = CLUSTER.but(load_balancer="user-managed", machine_networks=("10.9.0.0/24", "192.168.1.0/24"))
DUAL = CLUSTER.but(
    machine_networks=("192.168.1.0/24", "fd00::/64"),
    cluster_networks=(
        ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),
        ClusterNetwork(cidr="fd01::/48", host_prefix=64),
    ),
    service_networks=("172.30.0.0/16", "fd02::/112"),
)
DUAL_VIPS = DUAL.but(
    api_vips=(*CLUSTER.api_vips, Vip(ip="fd00::5", verification=FREE)),
    ingress_vips=(*CLUSTER.ingress_vips, Vip(ip="fd00::6", verification=FREE)),
)
DUAL_MESH = tuple(
    host.but(inventory=host.inventory.but(interfaces=(a_nic("eth0", f"192.168.1.{n}/24", f"fd00::{n}/64"),)))
    for n, host in enumerate(MESH, start=11)
)


def vip(ip: str, verification: VipVerification | None = FREE):
    return CLUSTER.but(api_vips=(Vip(ip=ip, verification=verification),))


VIP_CASES = [
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER, MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER.but(machine_networks=("192.168.1.7/24",)), MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", UNMANAGED, MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", BALANCED, MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER.but(api_vips=(), ingress_vips=()), MESH, Status.PENDING),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER, SILENT, Status.PENDING),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER.but(machine_networks=("192.168.0.0/16",)), MESH, Status.FAILURE),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER.but(machine_networks=()), MESH, Status.FAILURE),
    ("machine-cidr-equals-to-calculated-cidr", vip("10.0.0.5"), MESH, Status.FAILURE),
    ("machine-cidr-equals-to-calculated-cidr", SINGLE, MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", CLUSTER.but(api_vips=()), MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", DUAL_VIPS, DUAL_MESH, Status.SUCCESS),
    ("machine-cidr-equals-to-calculated-cidr", DUAL_VIPS, MESH, Status.FAILURE),
    (
        "machine-cidr-equals-to-calculated-cidr",
        DUAL_VIPS.but(machine_networks=("192.168.1.0/24", "fd00::/48")),
        DUAL_MESH,
        Status.FAILURE,
    ),
    ("machine-cidr-equals-to-calculated-cidr", DUAL, DUAL_MESH, Status.SUCCESS),
    ("api-vips-defined", CLUSTER, (), Status.SUCCESS),
    ("api-vips-defined", UNMANAGED, (), Status.SUCCESS),
    ("api-vips-defined", CLUSTER.but(api_vips=()), (), Status.FAILURE),
    ("api-vips-defined", DHCP, (), Status.FAILURE),
    ("api-vips-defined", DHCP.but(machine_networks=()), (), Status.PENDING),
    ("api-vips-defined", DHCP.but(vips_overdue=True), (), Status.FAILURE),
    ("api-vips-defined", DHCP.but(api_vips=CLUSTER.api_vips), (), Status.SUCCESS),
    ("api-vips-defined", SINGLE, (), Status.SUCCESS),
    ("api-vips-defined", BALANCED.but(api_vips=()), (), Status.FAILURE),
    ("ingress-vips-defined", UNMANAGED, (), Status.SUCCESS),
    ("ingress-vips-defined", DHCP, (), Status.FAILURE),
    ("ingress-vips-defined", DHCP.but(vips_overdue=True), (), Status.FAILURE),
    ("ingress-vips-defined", CLUSTER, (), Status.SUCCESS),
    ("ingress-vips-defined", SINGLE, (), Status.SUCCESS),
    ("ingress-vips-defined", CLUSTER.but(ingress_vips=()), (), Status.FAILURE),
    ("ingress-vips-defined", DHCP.but(machine_networks=()), (), Status.PENDING),
    ("api-vips-valid", CLUSTER, MESH, Status.SUCCESS),
    ("api-vips-valid", UNMANAGED, MESH, Status.SUCCESS),
    ("api-vips-valid", CLUSTER.but(api_vips=()), MESH, Status.PENDING),
    ("api-vips-valid", CLUSTER, SILENT, Status.PENDING),
    ("api-vips-valid", CLUSTER.but(machine_networks=()), MESH, Status.PENDING),
    ("api-vips-valid", vip("10.0.0.5"), MESH, Status.FAILURE),
    ("api-vips-valid", vip("192.168.1.255"), MESH, Status.FAILURE),
    ("api-vips-valid", vip("192.168.1.11"), MESH, Status.FAILURE),
    ("api-vips-valid", vip("192.168.1.5", TAKEN), MESH, Status.FAILURE),
    ("api-vips-valid", vip("192.168.1.5", None), MESH, Status.FAILURE),
    (
        "api-vips-valid",
        DUAL_VIPS,
        DUAL_MESH,
        Status.SUCCESS,
    ),
    ("api-vips-valid", CLUSTER.but(api_vips=(*CLUSTER.api_vips, Vip(ip="fd00::5"))), MESH, Status.FAILURE),
    ("api-vips-valid", LEASED, MESH, Status.SUCCESS),
    ("api-vips-valid", LEASED.but(machine_networks=("10.0.0.0/24",)), MESH, Status.FAILURE),
    ("api-vips-valid", SINGLE, MESH, Status.SUCCESS),
    ("api-vips-valid", vip("fd00::5").but(machine_networks=("fd00::/64",)), DUAL_MESH, Status.SUCCESS),
    ("api-vips-valid", vip("fd00::5"), DUAL_MESH, Status.FAILURE),
    ("api-vips-valid", BALANCED, SILENT, Status.PENDING),
    ("api-vips-valid", BALANCED.but(machine_networks=()), MESH, Status.PENDING),
    ("api-vips-valid", BALANCED.but(api_vips=(Vip(ip="192.168.1.5", verification=TAKEN),)), MESH, Status.SUCCESS),
    ("api-vips-valid", BALANCED, MESH, Status.SUCCESS),
    ("api-vips-valid", BALANCED.but(api_vips=(Vip(ip="10.7.7.7"),)), MESH, Status.FAILURE),
    ("ingress-vips-valid", CLUSTER, MESH, Status.SUCCESS),
    ("ingress-vips-valid", SINGLE, MESH, Status.SUCCESS),
    ("ingress-vips-valid", CLUSTER.but(ingress_vips=()), MESH, Status.PENDING),
    ("ingress-vips-valid", CLUSTER.but(ingress_vips=(Vip(ip="10.0.0.6"),)), MESH, Status.FAILURE),
    ("ingress-vips-valid", UNMANAGED, MESH, Status.SUCCESS),
    ("ingress-vips-valid", CLUSTER, SILENT, Status.PENDING),
    ("ingress-vips-valid", CLUSTER, (), Status.PENDING),
]


@pytest.mark.parametrize(
    ("name", "cluster", "hosts", "status"), VIP_CASES, ids=[f"{case[0]}:{case[3]}" for case in VIP_CASES]
)
def test_virtual_addresses_are_judged_by_what_was_said_and_found(name, cluster, hosts, status):
    found = cluster_verdict(name, cluster, *hosts)
    assert found.status is status
    assert explained(found)


def test_the_calculated_network_is_named_beside_the_stored_one():
    cluster = CLUSTER.but(machine_networks=("192.168.0.0/16",))
    found = cluster_verdict("machine-cidr-equals-to-calculated-cidr", cluster, *MESH)
    assert found.message == (
        "The machine network is 192.168.0.0/16, but the hosts and 192.168.1.5 are in 192.168.1.0/24"
    )


def free_on(host, *addresses: str):
    return host.but(free_addresses=(FreeAddresses(network="192.168.1.0/24", free_addresses=addresses),))


def test_an_address_that_every_host_finds_free_is_free():
    hosts = [free_on(host, "192.168.1.5", "192.168.1.7") for host in MESH]
    assert cluster_verdict("api-vips-valid", vip("192.168.1.5", None), *hosts).status is Status.SUCCESS


def test_an_address_that_one_host_does_not_find_free_is_not():
    hosts = [free_on(H1, "192.168.1.5"), free_on(H2, "192.168.1.7")]
    found = cluster_verdict("api-vips-valid", vip("192.168.1.5", None), *hosts)
    assert found.message == "The API address 192.168.1.5 cannot be used: 192.168.1.5 is already in use"


def test_an_address_that_a_host_has_is_told_with_the_host():
    assert "is the address of eth0 of host h1" in cluster_verdict("api-vips-valid", vip("192.168.1.11"), *MESH).message


def test_an_address_that_something_answers_on_is_told_with_those_who_heard_it():
    heard = {"verify-vips": NOW}
    finder = H2.but(vip_checks=(VipCheck(vip="192.168.1.5", verification="failed"),), heard_at=heard)
    found = cluster_verdict("api-vips-valid", vip("192.168.1.5", TAKEN), H1, finder, H3)
    assert found.message.endswith("192.168.1.5 is already in use, as h2 found")
    assert (found.evidence.source, found.evidence.observed_at) == ("verify-vips", NOW)


def test_a_list_of_free_addresses_vouches_where_nobody_has_tried_the_address_itself():
    hosts = [free_on(host, "192.168.1.5").but(heard_at={"free-network-addresses": NOW}) for host in MESH]
    evidence = cluster_verdict("api-vips-valid", vip("192.168.1.5", None), *hosts).evidence
    assert (evidence.source, evidence.observed_at) == ("free-network-addresses", NOW)


@pytest.mark.parametrize(("cluster", "source"), [(LEASED, "dhcp-lease-allocate"), (BALANCED, "user input")])
def test_what_is_leased_or_the_users_own_is_not_tried(cluster, source):
    assert cluster_verdict("ingress-vips-valid", cluster, *MESH).evidence.source == source


@pytest.mark.parametrize(
    ("overdue", "words"),
    [
        (False, "The DHCP server of 192.168.1.0/24 has not leased an ingress address yet"),
        (True, "No DHCP server of 192.168.1.0/24 has leased an ingress address within 2 minutes"),
    ],
)
def test_a_lease_is_waited_for_and_then_missed(overdue, words):
    found = cluster_verdict("ingress-vips-defined", DHCP.but(vips_overdue=overdue))
    assert found.message == words
    assert found.evidence.measured.startswith("no lease for 00:1a:4a:")
    assert found.evidence.required == "a lease in 192.168.1.0/24 within 2 minutes"
    assert ("set vip_dhcp_allocation to false" in found.evidence.fix) is overdue


def test_a_network_too_small_to_have_free_addresses_is_mentioned():
    hosts = [
        host.but(inventory=a_machine().but(interfaces=(a_nic("eth0", f"192.168.1.{number}/29"),)))
        for number, host in enumerate((*MESH, a_ready_host("w1"), a_ready_host("w2")), start=1)
    ]
    cluster = vip("192.168.1.6", TAKEN).but(machine_networks=("192.168.1.0/29",))
    assert "has 8 addresses, too few for 5 hosts" in cluster_verdict("api-vips-valid", cluster, *hosts).message
