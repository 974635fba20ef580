"""The checks of a host's place in the network, and of its addresses."""

from datetime import timedelta

import pytest

from builders import (
    NOW,
    a_cluster,
    a_day2_host,
    a_disk,
    a_machine,
    a_mesh,
    a_nic,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
    host_view,
)
from judging import OF_HOSTS, explained, host_verdict, pool_verdict, status_of
from muster.domain.hosts import Host, ImageStatus
from muster.domain.inventory import Iscsi, Route, SystemVendor
from muster.domain.joining import ApiVipReply
from muster.domain.networks import NtpSource
from muster.domain.progress import HostProgress, Stage
from muster.domain.verdicts import Status

H1, H2, H3 = MESH = a_mesh(*(a_ready_host(f"h{number}", 10 + number) for number in (1, 2, 3)))
CLUSTER = a_ready_cluster(MESH)
UNMANAGED = CLUSTER.but(user_managed_networking=True, machine_networks=(), api_vips=(), ingress_vips=())
SINGLE = UNMANAGED.but(control_plane_count=1, machine_networks=("192.168.1.0/24",))
BALANCED = CLUSTER.but(load_balancer="user-managed", machine_networks=("192.168.1.0/24", "10.9.0.0/24"))
DUAL = CLUSTER.but(machine_networks=("192.168.1.0/24", "fd00::/64"))
SILENT = H1.but(inventory=None)
D1 = H1.but(inventory=H1.inventory.but(interfaces=(a_nic("eth0", "192.168.1.11/24", "fd00::11/64"),)))


def machine(host: Host, **changes) -> Host:
    return host.but(inventory=host.inventory.but(**changes))


def routed(gateway: str, destination: str = "0.0.0.0") -> Host:
    return machine(H1, routes=(Route(interface="eth0", gateway=gateway, destination=destination),))


def images(**image) -> Host:
    return H1.but(images={"quay.io/a:1": ImageStatus(name="quay.io/a:1", **image)})


ISCSI = a_disk("sdb", drive_type="iSCSI", iscsi=Iscsi(host_ip_address="10.0.0.5"), holders="dm-0,dm-10")
MULTIPATH = a_disk("dm-0", drive_type="Multipath")
STORAGE_NIC = a_nic("eth1", "10.0.0.5/24")


def on_iscsi(*nics, disk=ISCSI, chosen="/dev/sdb") -> Host:
    host = machine(H1, disks=(disk, MULTIPATH, a_disk("sdc", holders="dm-0")), interfaces=nics)
    return host.but(installation_disk_id="", installation_disk_path=chosen)


NETWORK_CASES = [
    ("media-connected", H1, CLUSTER, Status.SUCCESS),
    ("media-connected", H1.but(media_connected=False), CLUSTER, Status.FAILURE),
    ("machine-cidr-defined", H1, CLUSTER, Status.SUCCESS),
    ("machine-cidr-defined", H1, UNMANAGED, Status.SUCCESS),
    ("machine-cidr-defined", H1, a_running_cluster(machine_networks=()), Status.SUCCESS),
    ("machine-cidr-defined", H1, CLUSTER.but(machine_networks=()), Status.FAILURE),
    ("machine-cidr-defined", H1, CLUSTER.but(machine_networks=(), vip_dhcp_allocation=True), Status.FAILURE),
    ("machine-cidr-defined", H1, SINGLE.but(machine_networks=()), Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, CLUSTER, Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, CLUSTER.but(machine_networks=("10.0.0.0/24",)), Status.FAILURE),
    ("belongs-to-machine-cidr", machine(H1, interfaces=()), CLUSTER, Status.FAILURE),
    ("belongs-to-machine-cidr", H1, DUAL, Status.FAILURE),
    ("belongs-to-machine-cidr", D1, DUAL, Status.SUCCESS),
    ("belongs-to-machine-cidr", D1, CLUSTER.but(machine_networks=("fd00::/64",)), Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, CLUSTER.but(machine_networks=("fd00::/64",)), Status.FAILURE),
    ("belongs-to-machine-cidr", H1, BALANCED, Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, BALANCED.but(machine_networks=("10.9.0.0/24",)), Status.FAILURE),
    ("belongs-to-machine-cidr", SILENT, CLUSTER, Status.PENDING),
    ("belongs-to-machine-cidr", H1, CLUSTER.but(machine_networks=()), Status.PENDING),
    ("belongs-to-machine-cidr", SILENT, UNMANAGED, Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, UNMANAGED.but(machine_networks=("10.0.0.0/24",)), Status.SUCCESS),
    ("belongs-to-machine-cidr", SILENT.but(bootstrap=True), UNMANAGED, Status.SUCCESS),
    (
        "belongs-to-machine-cidr",
        SILENT.but(bootstrap=True),
        UNMANAGED.but(machine_networks=("10.0.0.0/24",)),
        Status.PENDING,
    ),
    ("belongs-to-machine-cidr", H1.but(bootstrap=True), UNMANAGED, Status.SUCCESS),
    (
        "belongs-to-machine-cidr",
        H1.but(bootstrap=True),
        UNMANAGED.but(machine_networks=("10.0.0.0/24",)),
        Status.FAILURE,
    ),
    ("belongs-to-machine-cidr", H1, SINGLE, Status.SUCCESS),
    ("belongs-to-machine-cidr", H1, SINGLE.but(machine_networks=("10.0.0.0/24",)), Status.FAILURE),
    ("belongs-to-machine-cidr", H1, SINGLE.but(machine_networks=()), Status.PENDING),
    ("belongs-to-machine-cidr", H1, a_running_cluster(machine_networks=("10.0.0.0/24",)), Status.SUCCESS),
    ("ignition-downloadable", H1, CLUSTER, None),
    ("ignition-downloadable", a_day2_host(), a_running_cluster(), Status.PENDING),
    ("ignition-downloadable", a_day2_host(api_vip=ApiVipReply(is_success=True)), a_running_cluster(), Status.SUCCESS),
    ("ignition-downloadable", a_day2_host(api_vip=ApiVipReply()), a_running_cluster(), Status.FAILURE),
    ("valid-platform-network-settings", H1, CLUSTER, Status.SUCCESS),
    ("valid-platform-network-settings", SILENT, CLUSTER, Status.PENDING),
    ("valid-platform-network-settings", machine(H1, system_vendor=None), CLUSTER, Status.ERROR),
    ("ntp-synced", H1, CLUSTER, Status.SUCCESS),
    ("ntp-synced", H1.but(ntp_sources=None), CLUSTER, Status.FAILURE),
    (
        "ntp-synced",
        H1.but(ntp_sources=(NtpSource(source_name="a", source_state="unreachable"),)),
        CLUSTER,
        Status.FAILURE,
    ),
    ("ntp-synced", H1.but(ntp_sources=()), CLUSTER, Status.FAILURE),
    ("time-synced-between-host-and-service", H1.but(clock_skew=-1200), CLUSTER, Status.SUCCESS),
    ("time-synced-between-host-and-service", H1.but(clock_skew=3600), CLUSTER, Status.SUCCESS),
    ("time-synced-between-host-and-service", H1.but(clock_skew=-1201), CLUSTER, Status.FAILURE),
    ("time-synced-between-host-and-service", H1.but(clock_skew=3601), CLUSTER, Status.FAILURE),
    ("time-synced-between-host-and-service", H1.but(clock_skew=None), CLUSTER, Status.PENDING),
    ("container-images-available", H1, CLUSTER, Status.SUCCESS),
    ("container-images-available", images(result="success"), CLUSTER, Status.SUCCESS),
    ("container-images-available", images(result="failure"), CLUSTER, Status.FAILURE),
    ("container-images-available", images(result="success", size_bytes=0), CLUSTER, Status.SUCCESS),
    (
        "container-images-available",
        images(result="success", size_bytes=9, download_rate=0.001),
        CLUSTER,
        Status.SUCCESS,
    ),
    ("container-images-available", images(result="success", size_bytes=9, download_rate=0), CLUSTER, Status.FAILURE),
    ("has-default-route", H1, CLUSTER, Status.SUCCESS),
    ("has-default-route", routed("fe80::1", "::"), CLUSTER, Status.SUCCESS),
    ("has-default-route", machine(H1, routes=None), CLUSTER, Status.FAILURE),
    ("has-default-route", routed("192.168.1.1", "10.0.0.0"), CLUSTER, Status.FAILURE),
    ("has-default-route", routed("0.0.0.0"), CLUSTER, Status.FAILURE),
    ("has-default-route", routed("nowhere"), CLUSTER, Status.FAILURE),
    ("has-default-route", SILENT, CLUSTER, Status.PENDING),
    ("non-overlapping-subnets", H1, CLUSTER, Status.SUCCESS),
    ("non-overlapping-subnets", SILENT, CLUSTER, Status.PENDING),
    (
        "non-overlapping-subnets",
        machine(H1, interfaces=(a_nic("eth0", "192.168.1.11/24"), a_nic("eth1", "192.168.1.130/25"))),
        CLUSTER,
        Status.FAILURE,
    ),
    (
        "non-overlapping-subnets",
        machine(H1, interfaces=(a_nic("eth0", "192.168.1.11/24", "192.168.1.12/24"), a_nic("eth1", "10.0.0.1/24"))),
        CLUSTER,
        Status.SUCCESS,
    ),
    (
        "non-overlapping-subnets",
        machine(H1, interfaces=(a_nic("eth0", "fd00::1/64"), a_nic("eth1", "fd00::2/64"))),
        CLUSTER,
        Status.SUCCESS,
    ),
    (
        "non-overlapping-subnets",
        machine(H1, interfaces=(a_nic("eth0", "fe80::1/64"), a_nic("eth1", "fe80::2/64"))),
        CLUSTER.but(service_networks=("fd01::/112",)),
        Status.SUCCESS,
    ),
    (
        "non-overlapping-subnets",
        machine(H1, interfaces=(a_nic("eth0", "fd00::1/64"), a_nic("eth1", "fd00::2/64"))),
        CLUSTER.but(service_networks=("fd01::/112",)),
        Status.FAILURE,
    ),
    ("non-overlapping-subnets", machine(H1, interfaces=None), CLUSTER, Status.SUCCESS),
    ("non-overlapping-subnets", machine(H1, interfaces=(a_nic("eth0", "somewhere"),)), CLUSTER, Status.ERROR),
    ("no-ip-collisions-in-network", H1, CLUSTER, Status.SUCCESS),
    ("no-ip-collisions-in-network", H1, CLUSTER.but(ip_collisions=None), Status.SUCCESS),
    ("no-ip-collisions-in-network", H1, CLUSTER.but(ip_collisions={"192.168.1.12": ("a", "b")}), Status.SUCCESS),
    ("no-ip-collisions-in-network", H1, CLUSTER.but(ip_collisions={"192.168.1.11": ("a", "b")}), Status.FAILURE),
    ("no-ip-collisions-in-network", SILENT, CLUSTER.but(ip_collisions={"192.168.1.11": ("a", "b")}), Status.SUCCESS),
    (
        "no-ip-collisions-in-network",
        H1,
        a_running_cluster(ip_collisions={"192.168.1.11": ("a", "b")}),
        Status.SUCCESS,
    ),
    ("no-iscsi-nic-belongs-to-machine-cidr", H1, CLUSTER, None),
    ("no-iscsi-nic-belongs-to-machine-cidr", SILENT, CLUSTER, None),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), UNMANAGED, None),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), a_running_cluster(), None),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), CLUSTER.but(imported=True), None),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC, chosen=""), CLUSTER, None),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), CLUSTER.but(machine_networks=()), Status.PENDING),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), CLUSTER, Status.SUCCESS),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC), SINGLE, Status.SUCCESS),
    (
        "no-iscsi-nic-belongs-to-machine-cidr",
        on_iscsi(a_nic("eth1", "10.0.0.5/24", "192.168.1.50/24")),
        CLUSTER,
        Status.FAILURE,
    ),
    (
        "no-iscsi-nic-belongs-to-machine-cidr",
        on_iscsi(STORAGE_NIC, disk=ISCSI.but(iscsi=None)),
        CLUSTER,
        Status.ERROR,
    ),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(a_nic("eth1", "10.0.0.6/24")), CLUSTER, Status.ERROR),
    ("no-iscsi-nic-belongs-to-machine-cidr", on_iscsi(STORAGE_NIC, chosen="/dev/dm-0"), CLUSTER, Status.SUCCESS),
    (
        "no-iscsi-nic-belongs-to-machine-cidr",
        on_iscsi(a_nic("eth1", "10.0.0.5/24", "192.168.1.50/24"), chosen="/dev/dm-0"),
        CLUSTER,
        Status.FAILURE,
    ),
]


@pytest.mark.parametrize(
    ("name", "host", "cluster", "status"), NETWORK_CASES, ids=[f"{case[0]}:{case[3]}" for case in NETWORK_CASES]
)
def test_a_host_is_judged_by_its_place_in_the_network(name, host, cluster, status):
    found = host_verdict(name, host, H2, H3, cluster=cluster)
    assert status_of(found) is status
    assert explained(found)


# Presence


def heard(ago: timedelta, **host) -> Host:
    started = NOW - timedelta(days=2)
    view = a_view(CLUSTER, [H1.but(registered_at=started, **host)], presence={"h1": NOW - ago})
    return OF_HOSTS["connected"](host_view(view, "h1"))


def test_a_host_that_asked_three_minutes_ago_is_connected():
    assert heard(timedelta(minutes=3)).status is Status.SUCCESS


def test_a_host_that_has_been_silent_for_longer_is_not():
    found = heard(timedelta(minutes=3, seconds=1))
    assert found.status is Status.FAILURE
    assert found.message == "The host has not asked for instructions for more than 3 minutes"
    assert explained(found)


def test_the_host_that_carries_the_bootstrap_is_given_two_minutes_more():
    assert heard(timedelta(minutes=5), bootstrap=True).status is Status.SUCCESS
    assert "5 minutes" in heard(timedelta(minutes=6), bootstrap=True).message


def test_a_host_that_has_rebooted_may_be_silent():
    assert heard(timedelta(days=1), progress=HostProgress(current_stage=Stage.REBOOTING)).status is Status.SUCCESS


def test_silence_is_dated():
    assert heard(timedelta(minutes=9)).evidence.observed_at == NOW - timedelta(minutes=9)
    assert host_verdict("media-connected", H1.but(media_connected=False)).evidence.observed_at == NOW


# The pool


def test_a_host_in_the_pool_that_has_told_nothing_waits_to_be_judged_by_how_it_reaches_others():
    for name in ("sufficient-network-latency-requirement-for-role", "sufficient-packet-loss-requirement-for-role"):
        assert (status_of(pool_verdict(name, SILENT)), pool_verdict(name, H1)) == (Status.PENDING, None)
    assert status_of(pool_verdict("non-overlapping-subnets", SILENT)) is Status.PENDING
    assert pool_verdict("non-overlapping-subnets", H1) is None


def test_a_host_in_the_pool_is_not_asked_for_a_time_source_that_nobody_set():
    silent = H1.but(ntp_sources=None)
    check = OF_HOSTS["ntp-synced"]
    assert check(host_view(a_pool_view(silent), "h1")) is None
    assert check(host_view(a_pool_view(silent, infra_envs={}), "h1")) is None
    image = an_infra_env(additional_ntp_sources="clock.example.com")
    assert check(host_view(a_pool_view(silent, infra_envs={image.id: image}), "h1")).status is Status.FAILURE


def test_a_host_in_the_pool_collides_with_nobody():
    assert OF_HOSTS["no-ip-collisions-in-network"](host_view(a_pool_view(H1), "h1")).status is Status.SUCCESS


@pytest.mark.parametrize(("unmanaged", "status"), [(True, Status.SUCCESS), (False, Status.FAILURE)])
def test_on_openstack_the_network_is_the_users_to_manage(unmanaged, status):
    host = machine(H1, system_vendor=SystemVendor(product_name="OpenStack Compute"))
    cluster = UNMANAGED if unmanaged else CLUSTER
    found = host_verdict("valid-platform-network-settings", host, cluster=cluster)
    assert found.status is status
    assert explained(found)


def test_on_openstack_a_host_in_the_pool_is_not_judged_by_it():
    host = machine(H1, system_vendor=SystemVendor(product_name="OpenStack Compute"))
    assert OF_HOSTS["valid-platform-network-settings"](host_view(a_pool_view(host), "h1")) is None


# Collisions


def test_machines_that_answer_for_the_same_address_are_named_with_their_hosts():
    ours, theirs = (
        machine(host, interfaces=(a_nic("eth0", *host.inventory.addresses, mac_address=mac),))
        for host, mac in ((H1, "AA:01"), (H2, "AA:02"))
    )
    cluster = CLUSTER.but(ip_collisions={"192.168.1.11": ("aa:01", "aa:02", "aa:99"), "10.0.0.1": ("aa:01", "aa:98")})
    found = host_verdict("no-ip-collisions-in-network", ours, theirs, SILENT.but(id="h4"), cluster=cluster)
    assert found.message == "More than one machine answers for 192.168.1.11 (aa:01, aa:02, aa:99)"
    assert found.evidence.measured == (
        "192.168.1.11: aa:01 is eth0 of h1, aa:02 is eth0 of h2, aa:99 is no host of this cluster"
    )
    assert found.evidence.observed_at == NOW


# Words


@pytest.mark.parametrize(("by_dhcp", "words"), [(True, "leased"), (False, "api_vips, ingress_vips")])
def test_how_to_get_a_machine_network_depends_on_how_addresses_are_had(by_dhcp, words):
    cluster = CLUSTER.but(machine_networks=(), vip_dhcp_allocation=by_dhcp)
    found = host_verdict("machine-cidr-defined", H1, cluster=cluster)
    assert words in found.evidence.fix
    assert ("api_vips" in found.evidence.fix) is not by_dhcp


def test_images_that_cannot_be_fetched_are_told_with_what_came_of_it():
    host = H1.but(
        images={
            "quay.io/a:1": ImageStatus(result="failure"),
            "quay.io/b:1": ImageStatus(result="success", size_bytes=9, download_rate=0.0005),
            "quay.io/c:1": ImageStatus(result="success"),
        }
    )
    found = host_verdict("container-images-available", host)
    assert found.message == "The host cannot fetch quay.io/a:1 (failed), quay.io/b:1 (at 0.0005 MB/s)"


def test_a_failed_download_names_the_address_and_the_error():
    reply = ApiVipReply(url="https://api-int.lab:22623/config/worker", download_error="connection refused")
    found = host_verdict("ignition-downloadable", a_day2_host(api_vip=reply), cluster=a_running_cluster())
    assert "from https://api-int.lab:22623/config/worker: connection refused" in found.message


def test_a_clock_that_is_wrong_is_told_in_minutes():
    found = host_verdict("time-synced-between-host-and-service", H1.but(clock_skew=-1900))
    assert found.message == "The host's clock is 32 minutes behind this service's"


def test_a_host_outside_the_machine_network_is_told_what_it_has():
    host = H1.but(inventory=a_machine(address="10.1.2.3/16"))
    found = host_verdict("belongs-to-machine-cidr", host, cluster=a_cluster())
    assert found.message == "The host has no address in the machine network 192.168.1.0/24; it has 10.1.2.3/16"
