"""What follows from the facts without anyone asking: networks, disks, percentages."""

import pytest

from builders import (
    NOW,
    a_cluster,
    a_machine,
    a_nic,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_ready_view,
    a_view,
    a_view_of,
    some_ready_hosts,
)
from muster.domain.clusters import ClusterKind, ClusterState
from muster.domain.connectivity import L2, ConnectivityReport, RemoteHost, majority_groups
from muster.domain.decide import decide
from muster.domain.hosts import FencingCredentials, HostState, VipCheck
from muster.domain.monitored import OperatorStatus
from muster.domain.networks import Vip, VipVerification
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.triggers import (
    Progressed,
    Ticked,
)

H, C = HostState, ClusterState


def test_the_machine_network_follows_from_the_virtual_addresses():
    cluster = a_cluster(status=C.INSUFFICIENT, machine_networks=())
    assert decide(a_view(cluster, some_ready_hosts()), Ticked()).cluster.machine_networks == ("192.168.1.0/24",)


@pytest.mark.parametrize(
    ("findings", "outcome"),
    [
        ((), None),
        (("succeeded",), VipVerification.SUCCEEDED),
        (("succeeded", "failed"), VipVerification.FAILED),
        (("unverified", "succeeded"), VipVerification.SUCCEEDED),
        (("unverified",), VipVerification.UNVERIFIED),
    ],
)
def test_one_bad_finding_about_a_virtual_address_outweighs_the_good_ones(findings, outcome):
    hosts = [host.but(vip_checks=()) for host in some_ready_hosts(max(len(findings), 1))]
    for number, finding in enumerate(findings):
        hosts[number] = hosts[number].but(vip_checks=(VipCheck(vip="192.168.1.5", verification=finding),))
    cluster = decide(a_view(a_cluster(status=C.INSUFFICIENT), hosts), Ticked()).cluster
    assert cluster.api_vips == (Vip(ip="192.168.1.5", verification=outcome),)


def test_a_cluster_that_is_ready_says_that_its_network_does_not_fit_before_it_follows():
    view = a_ready_view()
    moved = [
        host.but(inventory=host.inventory.but(interfaces=(a_nic("eth0", f"192.168.1.{20 + n}/25"),)))
        for n, host in enumerate(view.living)
    ]
    decision = decide(view.but(hosts={host.id: host for host in moved}), Ticked())
    told = [event.name for event in decision.events]
    assert "cluster_validation_failed" in told
    assert decision.cluster.machine_networks == ("192.168.1.0/25",)


# Groups

FENCED = {"fencing_credentials": FencingCredentials(address="redfish://bmc")}


@pytest.mark.parametrize(
    ("count", "changes", "group"), [(2, FENCED, ("m1", "m2")), (2, {}, ()), (3, FENCED, ())], ids=str
)
def test_two_hosts_are_a_group_only_if_they_can_switch_each_other_off(count, changes, group):
    cluster = a_cluster(status=C.INSUFFICIENT, control_plane_count=count)
    settled = decide(a_view(cluster, some_ready_hosts(2, **changes)), Ticked()).cluster
    assert settled.majority_groups.majority_groups["192.168.1.0/24"] == group


def test_collisions_that_any_host_saw_are_known_to_the_cluster():
    first, *others = some_ready_hosts()
    twice = tuple(L2(outgoing_nic="eth0", remote_ip_address="192.168.1.11", remote_mac=mac) for mac in ("b", "a"))
    seen = first.but(connectivity=ConnectivityReport(remote_hosts=(RemoteHost(host_id="m2", l2_connectivity=twice),)))
    cluster = decide(a_view(a_cluster(status=C.INSUFFICIENT), [seen, *others]), Ticked()).cluster
    assert cluster.ip_collisions == {"192.168.1.11": ("a", "b")}


def test_a_cluster_without_hosts_has_no_groups_until_it_has_had_hosts():
    assert decide(a_view(a_cluster(status=C.INSUFFICIENT)), Ticked()).cluster.majority_groups is None
    left = decide(a_view(a_ready_cluster(some_ready_hosts(), status=C.INSUFFICIENT)), Ticked()).cluster
    assert left.majority_groups.majority_groups == {"IPv4": (), "IPv6": ()}


def test_groups_stay_as_they_were_once_the_installation_has_begun():
    hosts = some_ready_hosts()
    view = a_view_of(C.INSTALLING, [host.but(connectivity=None) for host in hosts])
    kept = view.but(cluster=view.cluster.but(majority_groups=majority_groups(hosts)))
    assert decide(kept, Ticked()).cluster.majority_groups == majority_groups(hosts)


@pytest.mark.parametrize(("workers", "forced"), [(0, True), (1, True), (2, False)])
def test_masters_carry_workloads_where_there_are_fewer_than_two_workers(workers, forced):
    assert a_ready_view(workers=workers).cluster.schedulable_masters_forced_true is forced


def test_the_installation_disk_is_chosen_and_kept():
    view = a_view(hosts=[a_ready_host("h1", installation_disk_id="", installation_disk_path="")])
    host = decide(view, Ticked()).host("h1")
    assert (host.installation_disk_id, host.installation_disk_path) == ("/dev/disk/by-id/wwn-0x1", "/dev/sda")


def test_a_machine_without_a_disk_to_install_to_has_none():
    view = a_view(hosts=[a_ready_host("h1", inventory=a_machine(disks=(), cpu=None))])
    host = decide(view, Ticked()).host("h1")
    assert (host.installation_disk_id, host.installation_disk_path, host.disks_to_be_formatted) == ("", "", ())


def test_a_host_that_installs_keeps_its_disk():
    host = a_ready_host("h1", status=H.INSTALLING, installation_disk_id="/dev/old")
    assert decide(a_view_of(C.INSTALLING, [host]), Ticked()).host("h1").installation_disk_id == "/dev/old"


def test_a_host_without_a_cluster_has_its_disks_judged_too():
    view = a_pool_view(a_ready_host("m1", installation_disk_id=""))
    assert decide(view, Ticked()).host("m1").installation_disk_id == "/dev/disk/by-id/wwn-0x1"


# Percentages


def at(host, stage):
    return host.but(status=H.IN_PROGRESS, progress=HostProgress(current_stage=stage, stage_updated_at=NOW))


def test_the_percentage_of_a_cluster_is_that_of_all_its_stages_together():
    m1, m2, m3, w1, w2 = some_ready_hosts(3, 2)
    hosts = [
        at(m1.but(bootstrap=True), Stage.BOOTKUBE),
        at(m2, Stage.WRITING),
        at(m3, Stage.REBOOTING),
        at(w1, Stage.DONE),
        w2,
    ]
    hosts[4] = w2.but(status=H.INSTALLING)
    progress = decide(a_view_of(C.INSTALLING, hosts), Ticked()).cluster.progress
    done, total = 6 + 3 + 5 + 9 + 0, 11 + 8 + 8 + 9 + 9
    assert progress.installing_stage_percentage == 100 * done // total
    assert progress.total_percentage == int(0.7 * (100 * done // total))


def test_the_total_is_a_tenth_for_preparing_seven_for_installing_and_the_rest_for_finalizing():
    view = a_view_of(C.FINALIZING, [at(host, Stage.DONE).but(status=H.INSTALLED) for host in some_ready_hosts()])
    view = view.but(
        cluster=view.cluster.but(progress=view.cluster.progress.but(preparing_for_installation_stage_percentage=100))
    )
    assert decide(view, Ticked()).cluster.progress.total_percentage == 80
    half = view.cluster.operators[0]
    both = (half.but(status=OperatorStatus.AVAILABLE), half.but(name="cvo"))
    progress = decide(view.but(cluster=view.cluster.but(operators=both)), Ticked()).cluster.progress
    assert (progress.finalizing_stage_percentage, progress.total_percentage) == (50, 87)
    none = decide(view.but(cluster=view.cluster.but(operators=())), Ticked()).cluster.progress
    assert none.finalizing_stage_percentage == 0


def test_an_operator_that_is_no_longer_available_takes_no_percentage_back():
    view = a_view_of(C.FINALIZING, [at(host, Stage.DONE).but(status=H.INSTALLED) for host in some_ready_hosts()])
    first = view.cluster.operators[0]
    for status, percentage in ((OperatorStatus.AVAILABLE, 50), (OperatorStatus.PROGRESSING, 50)):
        operators = (first.but(status=status), first.but(name="cvo"))
        decision = decide(view.but(cluster=view.cluster.but(operators=operators)), Ticked())
        assert decision.cluster.progress.finalizing_stage_percentage == percentage
        view = decision.view


def test_the_total_never_goes_back():
    view = a_view_of(C.INSTALLING, [host.but(status=H.INSTALLING) for host in some_ready_hosts()])
    view = view.but(cluster=view.cluster.but(progress=view.cluster.progress.but(total_percentage=60)))
    assert decide(view, Ticked()).cluster.progress.total_percentage == 60


def test_percentages_rest_before_and_after_the_installation_and_in_running_clusters():
    hosts = [at(host, Stage.DONE).but(status=H.INSTALLED) for host in some_ready_hosts()]
    for state in (C.CANCELLED, C.INSTALLED):
        assert decide(a_view_of(state, hosts), Ticked()).cluster.progress.installing_stage_percentage == 0
    running = a_view_of(C.INSTALLING, hosts, kind=ClusterKind.ADD_HOSTS)
    assert decide(running, Ticked()).cluster.progress.installing_stage_percentage == 0


def test_hosts_without_a_role_have_no_stages():
    view = a_view_of(C.INSTALLING, [])
    assert decide(view, Ticked()).cluster.progress.installing_stage_percentage == 0
    assert a_ready_host("h1", role=Role.AUTO).stages(single_node=False) == ()


STEPS_OF = {
    "bootstrap": (a_ready_host("h1", bootstrap=True), False, [9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 100]),
    "single node": (a_ready_host("h1", bootstrap=True), True, [12, 25, 37, 50, 62, 75, 87, 100]),
    "master": (a_ready_host("h1"), False, [12, 25, 37, 50, 62, 75, 87, 100]),
    "arbiter": (a_ready_host("h1", role=Role.ARBITER), False, [12, 25, 37, 50, 62, 75, 87, 100]),
    "worker": (a_ready_host("h1", role=Role.WORKER), False, [11, 22, 33, 44, 55, 66, 77, 88, 100]),
    "by role": (a_ready_host("h1", role=Role.BOOTSTRAP), False, [9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 100]),
}


@pytest.mark.parametrize(("host", "single", "expected"), STEPS_OF.values(), ids=STEPS_OF)
def test_the_percentage_of_a_host_is_that_of_its_own_stages(host, single, expected):
    others = [each.but(status=H.INSTALLED) for each in some_ready_hosts()] if not single else []
    view = a_view_of(C.INSTALLING, [host.but(status=H.INSTALLING), *others], control_plane_count=1 if single else 3)
    found = []
    for stage in host.stages(single_node=single):
        decision = decide(view, Progressed(host_id="h1", stage=stage))
        assert decision.outcomes == (None,)
        view = decision.view
        found.append(view.hosts["h1"].progress.installation_percentage)
    assert found == expected
