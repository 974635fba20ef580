"""What the program that writes the disk is told besides."""

import json

import pytest

from asking import args, of, plan
from builders import (
    a_cluster,
    a_disk,
    a_machine,
    a_nic,
    a_running_cluster,
    an_infra_env,
)
from muster.domain.clusters import Platform, PlatformType
from muster.domain.hosts import HostKind
from muster.domain.inventory import Boot, DriveType, Interface, Iscsi, Route, SystemVendor


def told(**traits):
    """The arguments for the program that writes the disk."""
    return json.loads(plan(of(**traits)).get("installer_args", "[]"))


def karg(*arguments):
    return [each for argument in arguments for each in ("--append-karg", argument)]


OWN = "ip=52-54-00-00-00-10:dhcp"
DISK = "/dev/disk/by-id/wwn-0x1"


def with_disk(**changes):
    machine = a_machine()
    return machine.but(disks=(machine.disks[0].but(**changes),))


def test_the_users_own_arguments_come_first():
    assert told(installer_args=("--append-karg", "quiet")) == karg("quiet", OWN)


def test_addresses_that_the_user_gives_are_not_given_twice():
    assert told(installer_args=("--append-karg", "ip=10.0.0.1::10.0.0.254")) == karg("ip=10.0.0.1::10.0.0.254")


@pytest.mark.parametrize(
    ("addresses", "networks", "expected"),
    [
        (["192.168.1.10/24"], ("192.168.1.0/24",), [OWN]),
        (["192.168.1.10/24", "fd00::10/64"], ("192.168.1.0/24",), [OWN]),
        (["192.168.1.10/24", "fd00::10/64"], ("192.168.1.0/24", "fd00::/64"), [f"{OWN},dhcp6"]),
        (["fd00::10/64"], ("fd00::/64",), ["ip=52-54-00-00-00-10:dhcp6"]),
        (["10.0.0.1/24"], ("192.168.1.0/24",), []),
    ],
)
def test_each_interface_of_the_machine_networks_gets_its_addresses_by_dhcp(addresses, networks, expected):
    machine = a_machine(interfaces=(a_nic("eth0", *addresses), Interface(name="lo")))
    assert told(cluster=a_cluster(machine_networks=networks), inventory=machine) == karg(*expected)


def test_interfaces_that_are_not_in_the_primary_machine_network_are_left_alone():
    nics = (a_nic("eth0", "192.168.1.10/24"), a_nic("eth1", "fd00::10/64", mac_address="52:54:00:00:00:11"))
    networks = ("192.168.1.0/24", "fd00::/64")
    assert told(cluster=a_cluster(machine_networks=networks), inventory=a_machine(interfaces=nics)) == karg(OWN)


def test_a_host_of_a_new_cluster_is_not_installed_while_nobody_knows_its_network():
    nowhere = {"machine_networks": ()}
    static = an_infra_env(static_network_config="[]")
    assert args(of(cluster=a_cluster(**nowhere)), "install") is None
    assert args(of(cluster=a_cluster(**nowhere), infra_env=static), "install") is None
    assert (
        args(of(cluster=a_cluster(user_managed_networking=True, **nowhere), inventory=a_machine()), "install") is None
    )


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([("eth0", "0.0.0.0", 200), ("eth1", "0.0.0.0", 100)], "ip=52-54-00-00-00-11:dhcp"),
        ([("eth0", "0.0.0.0", 100), ("eth0", "::", 100), ("eth1", "10.1.0.0", 1)], f"{OWN},dhcp6"),
        ([("eth0", "::", 100), ("gone", "0.0.0.0", 1)], f"{OWN},dhcp6"),
    ],
)
def test_where_the_user_manages_the_network_a_host_is_where_its_default_route_begins(routes, expected):
    nics = (
        a_nic("eth0", "192.168.1.10/24", "fd00::10/64"),
        a_nic("eth1", "10.0.0.10/24", mac_address="52:54:00:00:00:11"),
    )
    ways = tuple(Route(interface=nic, destination=destination, metric=metric) for nic, destination, metric in routes)
    both = ("172.30.0.0/16", "fd02::/112")
    cluster = a_cluster(user_managed_networking=True, machine_networks=(), service_networks=both)
    assert told(cluster=cluster, inventory=a_machine(interfaces=nics, routes=ways))[:2] == karg(expected)


@pytest.mark.parametrize(
    ("services", "expected"),
    [
        (("172.30.0.0/16",), OWN),
        (("fd02::/112",), "ip=52-54-00-00-00-10:dhcp6"),
        ((), f"{OWN},dhcp6"),
    ],
)
def test_where_the_user_manages_the_network_a_host_asks_for_addresses_of_the_families_of_its_cluster(
    services, expected
):
    nics = (a_nic("eth0", "192.168.1.10/24", "fd00::10/64"),)
    ways = tuple(Route(interface="eth0", destination=each) for each in ("0.0.0.0", "::"))
    cluster = a_cluster(user_managed_networking=True, machine_networks=(), service_networks=services)
    assert told(cluster=cluster, inventory=a_machine(interfaces=nics, routes=ways)) == karg(expected)


def test_a_static_network_is_copied_once():
    static = an_infra_env(static_network_config="[]")
    assert told(infra_env=static) == ["--copy-network"]
    assert told(infra_env=static, installer_args=("--copy-network",)) == ["--copy-network"]
    assert told(infra_env=static, installer_args=("-n",)) == ["-n"]
    assert told(infra_env=static, inventory=with_disk(drive_type=DriveType.RAID)) == [
        *karg("rd.md=1", "rd.auto=1"),
        "--copy-network",
    ]


ISCSI = {"drive_type": DriveType.ISCSI, "iscsi": Iscsi(host_ip_address="192.168.1.10")}


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ({"drive_type": DriveType.RAID}, ["rd.md=1", "rd.auto=1", OWN]),
        (ISCSI, ["rd.iscsi.firmware=1", OWN]),
        (ISCSI | {"iscsi": None}, ["rd.iscsi.firmware=1", OWN]),
        (ISCSI | {"iscsi": Iscsi(host_ip_address="10.9.9.9")}, ["rd.iscsi.firmware=1", OWN]),
        ({"drive_type": DriveType.MULTIPATH}, ["rw", "rd.multipath=default", OWN]),
    ],
)
def test_a_disk_that_is_not_simply_plugged_in_has_to_be_found_again(disk, expected):
    assert told(inventory=with_disk(**disk)) == karg(*expected)


def test_the_paths_of_a_multipath_disk_have_to_be_found_again():
    device = a_disk("dm-0", id=DISK, drive_type=DriveType.MULTIPATH)
    path = a_disk("sdb", holders="dm-0", **ISCSI)
    other = a_disk("sdc", **ISCSI)
    nics = (a_nic("eth0", "10.0.0.10/24"), a_nic("eth1", "192.168.1.10/24", mac_address="52:54:00:00:00:11"))
    machine = a_machine(disks=(device, path, other), interfaces=nics)
    assert told(inventory=machine, cluster=a_cluster(machine_networks=("10.0.0.0/24",))) == karg(
        "rw", "rd.multipath=default", "rd.iscsi.firmware=1", "ip=52-54-00-00-00-11:dhcp", OWN
    )


def test_an_iscsi_disk_in_the_oracle_cloud_brings_its_addresses():
    oracle = a_cluster(platform=Platform(type=PlatformType.EXTERNAL, platform_name="oci"))
    assert told(cluster=oracle, inventory=with_disk(**ISCSI)) == karg("rd.iscsi.firmware=1")
    assert told(cluster=oracle) == karg(OWN)


def test_a_host_that_joins_a_cluster_of_unknown_networks_finds_its_own_addresses():
    joined = {"kind": HostKind.DAY2, "inventory": with_disk(**ISCSI)}
    assert told(cluster=a_running_cluster(machine_networks=()), **joined) == karg("rd.iscsi.firmware=1")
    assert told(cluster=a_running_cluster(), kind=HostKind.DAY2) == karg(OWN)


LPAR = SystemVendor(manufacturer="IBM/S390", product_name="3906")


@pytest.mark.parametrize(
    ("vendor", "line", "expected"),
    [
        (LPAR, "ro rd.neednet=1 rd.znet=qeth rd.dasd=0.0.1 ip=x nameserver=y zfcp.allow_lun_scan=0 rd.zfcp=1",
         ["rd.neednet=1", "rd.znet=qeth", "rd.dasd=0.0.1", "zfcp.allow_lun_scan=0", "rd.zfcp=1", OWN]),
        (LPAR, "rd.neednet=1 ai.ip_cfg_override=1 ip=x nameserver=y", ["rd.neednet=1", "ip=x", "nameserver=y"]),
        (LPAR.but(product_name="z/VM KVM"), "rd.neednet=1 ai.ip_cfg_override=1", [OWN]),
        (SystemVendor(manufacturer="Dell"), "rd.neednet=1", [OWN]),
        (None, "rd.neednet=1", [OWN]),
    ],
)  # fmt: skip
def test_a_mainframe_carries_its_settings_over(vendor, line, expected):
    machine = a_machine(system_vendor=vendor, boot=Boot(command_line=line))
    assert told(inventory=machine) == karg(*expected)


def test_a_mainframe_that_was_not_told_anything_carries_nothing_over():
    assert told(inventory=a_machine(system_vendor=LPAR, boot=None)) == karg(OWN)
