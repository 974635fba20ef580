"""Whether hosts reach each other, how well, and with packets of full size."""

import pytest

from builders import NOW, a_day2_host, a_mesh, a_nic, a_ready_cluster, a_ready_host, a_report, a_running_cluster
from judging import explained, host_verdict, status_of
from muster.domain.connectivity import (
    L2,
    L3,
    ConnectivityReport,
    MajorityGroups,
    MtuReport,
    RemoteHost,
    majority_groups,
)
from muster.domain.hosts import FencingCredentials, Host
from muster.domain.roles import Role
from muster.domain.verdicts import Status

H1, H2, H3 = MESH = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
CLUSTER = a_ready_cluster(MESH)
UNMANAGED = CLUSTER.but(user_managed_networking=True, machine_networks=(), api_vips=(), ingress_vips=())
SINGLE = UNMANAGED.but(control_plane_count=1, machine_networks=("192.168.1.0/24",))
BALANCED = CLUSTER.but(load_balancer="user-managed", machine_networks=("192.168.1.0/24", "10.9.0.0/24"))
DUAL = CLUSTER.but(machine_networks=("192.168.1.0/24", "fd00::/64"))
DUAL_PODS = {"service_networks": ("172.30.0.0/16", "fd02::/112")}
SILENT = H1.but(inventory=None)
NOBODY_FOUND = CLUSTER.but(majority_groups=MajorityGroups())
D1, D2, D3 = (
    host.but(inventory=host.inventory.but(interfaces=(a_nic("eth0", f"192.168.1.{n}/24", f"fd00::{n}/64"),)))
    for n, host in ((11, H1), (12, H2), (13, H3))
)
DUAL_GROUPS = majority_groups(a_mesh(D1, D2, D3))
UNREADABLE = H1.but(inventory=H1.inventory.but(interfaces=(a_nic("eth0", "192.168.1.11/24", "somewhere"),)))
ALONE = MajorityGroups(majority_groups={"192.168.1.0/24": ("h2", "h3", "h4")})


def machine(host: Host, **changes) -> Host:
    return host.but(inventory=host.inventory.but(**changes))


def with_mtu(nic: str, address: str, host: Host = H1) -> Host:
    bad = MtuReport(outgoing_nic=nic, remote_ip_address=address)
    good = MtuReport(outgoing_nic="eth0", remote_ip_address="192.168.1.13", mtu_successful=True)
    return host.but(connectivity=ConnectivityReport(remote_hosts=(RemoteHost(host_id="h2", mtu_report=(bad, good)),)))


REACH_CASES = [
    ("belongs-to-majority-group", H1, CLUSTER, Status.SUCCESS),
    ("belongs-to-majority-group", H1, CLUSTER.but(machine_networks=("192.168.1.9/24",)), Status.SUCCESS),
    ("belongs-to-majority-group", H1, CLUSTER.but(majority_groups=None), Status.PENDING),
    ("belongs-to-majority-group", H1, CLUSTER.but(machine_networks=()), Status.PENDING),
    ("belongs-to-majority-group", H1, CLUSTER.but(majority_groups=MajorityGroups()), Status.FAILURE),
    ("belongs-to-majority-group", SILENT.but(connectivity=None), NOBODY_FOUND, Status.FAILURE),
    ("belongs-to-majority-group", D1, DUAL.but(majority_groups=DUAL_GROUPS), Status.SUCCESS),
    ("belongs-to-majority-group", D1, DUAL, Status.FAILURE),
    ("belongs-to-majority-group", H1, BALANCED.but(machine_networks=()), Status.SUCCESS),
    ("belongs-to-majority-group", H1, BALANCED.but(majority_groups=MajorityGroups()), Status.FAILURE),
    ("belongs-to-majority-group", SILENT, UNMANAGED.but(majority_groups=MajorityGroups()), Status.FAILURE),
    ("belongs-to-majority-group", D1, UNMANAGED.but(majority_groups=DUAL_GROUPS, **DUAL_PODS), Status.SUCCESS),
    ("belongs-to-majority-group", D1, UNMANAGED.but(**DUAL_PODS), Status.FAILURE),
    ("belongs-to-majority-group", H1, UNMANAGED.but(majority_groups=None), Status.PENDING),
    ("belongs-to-majority-group", SILENT, SINGLE.but(majority_groups=None), Status.SUCCESS),
    ("belongs-to-majority-group", H1, CLUSTER.but(majority_groups=ALONE), Status.FAILURE),
    ("belongs-to-majority-group", a_day2_host(), a_running_cluster(), Status.SUCCESS),
    ("belongs-to-majority-group", H1, SINGLE, Status.SUCCESS),
    ("belongs-to-majority-group", H1, UNMANAGED, Status.SUCCESS),
    ("belongs-to-majority-group", H1, BALANCED, Status.SUCCESS),
    ("belongs-to-majority-group", H1, UNMANAGED.but(majority_groups=MajorityGroups()), Status.FAILURE),
    ("belongs-to-majority-group", H1, UNMANAGED.but(service_networks=("fd01::/112",)), Status.FAILURE),
    ("belongs-to-majority-group", H1, UNMANAGED.but(service_networks=(), cluster_networks=()), Status.FAILURE),
    ("mtu-valid", H1, CLUSTER, Status.SUCCESS),
    ("mtu-valid", H1, SINGLE, None),
    ("mtu-valid", a_day2_host(), a_running_cluster(), Status.SUCCESS),
    ("mtu-valid", SILENT, CLUSTER, Status.PENDING),
    ("mtu-valid", H1.but(connectivity=None), CLUSTER, Status.PENDING),
    ("mtu-valid", with_mtu("eth0", "192.168.1.12"), CLUSTER, Status.FAILURE),
    ("mtu-valid", with_mtu("eth0", "10.0.0.12"), CLUSTER, Status.SUCCESS),
    ("mtu-valid", with_mtu("eth9", "192.168.1.12"), CLUSTER, Status.SUCCESS),
    ("mtu-valid", with_mtu("eth9", "10.0.0.12"), UNMANAGED, Status.FAILURE),
    ("mtu-valid", with_mtu("eth0", "fd00::12"), DUAL, Status.SUCCESS),
    ("mtu-valid", with_mtu("eth0", "fd00::12", D1), DUAL, Status.FAILURE),
    ("mtu-valid", with_mtu("eth0", "192.168.1.12"), BALANCED, Status.FAILURE),
    ("mtu-valid", with_mtu("eth0", "10.9.0.12"), BALANCED, Status.FAILURE),
    ("mtu-valid", with_mtu("eth0", "192.168.1.12"), CLUSTER.but(machine_networks=()), Status.SUCCESS),
    ("mtu-valid", with_mtu("eth0", "192.168.1.12", UNREADABLE), CLUSTER, Status.ERROR),
    ("mtu-valid", with_mtu("eth0", "192.168.1.12", UNREADABLE), UNMANAGED, Status.FAILURE),
    ("mtu-valid", UNREADABLE, CLUSTER, Status.SUCCESS),
]


@pytest.mark.parametrize(
    ("name", "host", "cluster", "status"), REACH_CASES, ids=[f"{case[0]}:{case[3]}" for case in REACH_CASES]
)
def test_a_host_is_judged_by_how_it_and_the_others_reach_each_other(name, host, cluster, status):
    found = host_verdict(name, host, H2, H3, cluster=cluster)
    assert status_of(found) is status
    assert explained(found)


# Groups


def tried(host_id: str, own: str, remote: str, *, well: bool = False) -> RemoteHost:
    """What a host says that it found when it tried another from one of its own addresses."""
    on_wire = L2(outgoing_nic="eth0", outgoing_ip_address=own, remote_ip_address=remote, successful=well)
    by_route = L3(outgoing_nic="eth0", remote_ip_address=remote, successful=well)
    return RemoteHost(host_id=host_id, l2_connectivity=(on_wire,), l3_connectivity=(by_route,))


def group_verdict(host: Host, *others: Host, **cluster):
    return host_verdict("belongs-to-majority-group", host, *others, cluster=CLUSTER.but(**cluster))


CUT_OFF = H1.but(
    connectivity=ConnectivityReport(
        remote_hosts=(
            tried("h2", "192.168.1.11", "192.168.1.12", well=True),
            tried("h3", "192.168.1.11", "192.168.1.13"),
        )
    )
)
BLIND = H3.but(connectivity=ConnectivityReport(remote_hosts=(tried("h1", "192.168.1.13", "192.168.1.11"),)))


def test_a_host_apart_names_those_it_does_not_reach_and_the_way_it_tried():
    found = group_verdict(CUT_OFF, H2, H3, majority_groups=ALONE)
    assert found.message == (
        "The host is not with the others: in 192.168.1.0/24 it does not reach h3 (eth0 192.168.1.11 to 192.168.1.13)"
    )
    assert found.evidence.observed_at == NOW


def test_the_evidence_names_who_misses_whom_both_ways():
    measured = group_verdict(CUT_OFF, H2.but(connectivity=None), BLIND, majority_groups=ALONE).evidence.measured
    assert measured.split("; ") == [
        "192.168.1.0/24: it does not reach h3 (eth0 192.168.1.11 to 192.168.1.13)",
        "it is not reached by h2 (it has not told yet whom it reaches), h3 (eth0 192.168.1.13 to 192.168.1.11)",
    ]


def test_a_host_that_reaches_the_others_but_is_not_reached_is_told_so():
    found = group_verdict(H1, H2, BLIND, majority_groups=ALONE)
    assert found.message == "The host is not with the others: in 192.168.1.0/24 the others do not reach it"
    assert found.evidence.measured == "192.168.1.0/24: it is not reached by h3 (eth0 192.168.1.13 to 192.168.1.11)"


def test_a_host_that_has_not_looked_yet_is_not_said_to_miss_anyone():
    found = group_verdict(H1.but(connectivity=None), H2, H3, majority_groups=ALONE)
    assert found.message == "The host is not with the others: in 192.168.1.0/24 it has not told yet whom it reaches"
    assert found.evidence.measured == "in 192.168.1.0/24 it has not told yet whom it reaches"


def test_where_there_is_no_group_everyone_that_is_missed_is_named():
    far = [a_ready_host(f"x{number:02}", 100 + number) for number in range(12)]
    found = group_verdict(H1, H2, H3, *far, majority_groups=MajorityGroups())
    assert found.message.endswith("it does not reach x00 (not tried yet), x01, x02 and 9 more")
    assert found.evidence.measured.count("(not tried yet)") == 10


def test_in_ipv6_a_way_by_routing_counts_on_a_wire_too():
    address = ("fd00::11", "fd00::13")
    seen = D1.but(connectivity=ConnectivityReport(remote_hosts=(tried("h3", *address),)))
    networks = {"machine_networks": ("fd00::/64",), "majority_groups": MajorityGroups()}
    found = group_verdict(seen, D3, D2, **networks)
    assert "it does not reach h2 (not tried yet), h3" in found.message
    assert "h3 (eth0 fd00::11 to fd00::13, eth0 to fd00::13)" in found.evidence.measured


def test_behind_a_router_the_addresses_that_not_all_reach_are_named_with_those_who_do_not():
    groups = MajorityGroups(l3_connected_addresses={"h2": ("192.168.1.12",)})
    cluster = UNMANAGED.but(majority_groups=groups)
    found = host_verdict("belongs-to-majority-group", CUT_OFF, H2, BLIND, cluster=cluster)
    assert found.message == (
        "The host is not with the others: none of its IPv4 addresses (192.168.1.11) is reached by every other host"
    )
    assert found.evidence.measured.split("; ") == [
        "IPv4: it does not reach h3 (eth0 to 192.168.1.13)",
        "it is not reached by h3 (eth0 to 192.168.1.11)",
    ]


def test_a_cluster_without_networks_cannot_tell_which_addresses_count():
    cluster = UNMANAGED.but(service_networks=(), cluster_networks=())
    found = host_verdict("belongs-to-majority-group", H1, H2, H3, cluster=cluster)
    assert found.evidence.fix == "Set cluster_networks and service_networks."


def test_hosts_that_left_are_not_missed():
    gone = MajorityGroups(majority_groups={"192.168.1.0/24": ("gone", "h2", "h3")})
    verdict = group_verdict(H1.but(connectivity=a_report(H1, [])), H2, H3, majority_groups=gone)
    assert "gone" not in f"{verdict.message} {verdict.evidence}"


def test_with_two_hosts_it_is_too_early_to_say_that_one_is_apart():
    found = host_verdict("belongs-to-majority-group", H1, H2, cluster=CLUSTER.but(majority_groups=MajorityGroups()))
    assert found.status is Status.PENDING
    assert "2 of 3" in found.message


def test_two_hosts_that_can_switch_each_other_off_are_enough_to_say_so():
    pair = [host.but(fencing_credentials=FencingCredentials(address="redfish://bmc")) for host in (H1, H2)]
    cluster = CLUSTER.but(majority_groups=MajorityGroups(), control_plane_count=2)
    assert host_verdict("belongs-to-majority-group", *pair, cluster=cluster).status is Status.FAILURE
    assert host_verdict("belongs-to-majority-group", pair[0], cluster=cluster).status is Status.PENDING
    assert host_verdict("belongs-to-majority-group", H1, H2, cluster=cluster).status is Status.PENDING


# Packets of full size


def test_packets_that_do_not_pass_are_told_with_the_interface_and_its_size():
    host = with_mtu("eth0", "192.168.1.12", machine(H1, interfaces=(a_nic("eth0", "192.168.1.11/24", mtu=9000),)))
    found = host_verdict("mtu-valid", host, H2, H3, cluster=CLUSTER)
    assert found.message == "Packets of full size do not pass to h2 (eth0, MTU 9000, to 192.168.1.12)"
    assert found.evidence.measured == "h2 (eth0, MTU 9000, to 192.168.1.12)"


# Latency and packet loss

QUALITIES = [
    ("sufficient-network-latency-requirement-for-role", "average_rtt_ms", 100, 101, "ms"),
    ("sufficient-packet-loss-requirement-for-role", "packet_loss_percentage", 0, 5, "%"),
]


@pytest.mark.parametrize(("name", "field", "good", "bad", "unit"), QUALITIES)
def test_hosts_of_one_role_must_reach_each_other_well_enough(name, field, good, bad, unit):
    fine = H1.but(connectivity=a_report(H1, MESH, **{field: good}))
    assert host_verdict(name, fine, H2, H3).status is Status.SUCCESS
    poor = host_verdict(name, H1.but(connectivity=a_report(H1, MESH, **{field: bad})), H2, H3)
    assert poor.status is Status.FAILURE
    assert f"which allows {good} {unit}: h2 (eth0, 192.168.1.12): {bad} {unit}, h3" in poor.message
    assert explained(poor)


@pytest.mark.parametrize(("name", "field", "_good", "bad", "_unit"), QUALITIES)
def test_hosts_of_other_roles_may_be_reached_badly(name, field, _good, bad, _unit):
    poor = H1.but(connectivity=a_report(H1, MESH, **{field: bad}))
    workers = [host.but(role=Role.WORKER) for host in (H2, H3)]
    assert host_verdict(name, poor, *workers).status is Status.SUCCESS


@pytest.mark.parametrize("name", [case[0] for case in QUALITIES])
def test_how_well_hosts_are_reached_is_not_known_before_they_tried(name):
    assert host_verdict(name, H1.but(connectivity=None), H2, H3).status is Status.PENDING
    assert host_verdict(name, SILENT, H2, H3).status is Status.PENDING


@pytest.mark.parametrize("name", [case[0] for case in QUALITIES])
@pytest.mark.parametrize(
    ("host", "others", "cluster"),
    [
        (H1.but(connectivity=None), (), CLUSTER),
        (H1.but(connectivity=None, role=Role.AUTO), (H2,), CLUSTER),
        (H1.but(connectivity=None), (H2,), SINGLE),
        (a_day2_host(), (H2,), a_running_cluster()),
    ],
    ids=["alone", "without a role", "single node", "joining"],
)
def test_there_is_no_limit_for_a_host(name, host, others, cluster):
    assert host_verdict(name, host, *others, cluster=cluster).status is Status.SUCCESS


@pytest.mark.parametrize("name", [case[0] for case in QUALITIES])
def test_a_report_about_a_host_that_left_does_not_count(name):
    found = host_verdict(name, H1, H2)
    assert found.status is Status.FAILURE
    assert "not in the cluster: h3" in found.message


def test_the_worst_value_is_measured_even_where_it_is_good_enough():
    name, field, good, _, unit = QUALITIES[0]
    fine = H1.but(connectivity=a_report(H1, MESH, **{field: good}))
    assert host_verdict(name, fine, H2, H3).evidence.measured == f"{good} {unit}"
    workers = [host.but(role=Role.WORKER) for host in (H2, H3)]
    assert host_verdict(name, fine, *workers).evidence.measured == f"{good} {unit}"


def test_the_worst_peer_is_named_first():
    report = ConnectivityReport(
        remote_hosts=tuple(
            RemoteHost(host_id=host_id, l3_connectivity=(L3(outgoing_nic="eth0", average_rtt_ms=value),))
            for host_id, value in (("h2", 150), ("h3", 400.5))
        )
    )
    found = host_verdict("sufficient-network-latency-requirement-for-role", H1.but(connectivity=report), H2, H3)
    assert found.message.endswith("h3 (eth0): 400.5 ms, h2 (eth0): 150 ms")
