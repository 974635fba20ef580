"""Which steps a host is asked to do and how, and what is learnt from them."""

import json
from pathlib import Path

import msgspec
import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_disk,
    a_host,
    a_machine,
    a_nic,
    a_policy,
    a_pool_view,
    a_ready_cluster,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
    host_view,
    some_ready_hosts,
)
from muster.domain.clusters import ClusterState, Platform, PlatformType
from muster.domain.connectivity import ConnectivityReport
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus, VipCheck
from muster.domain.inventory import Boot, DriveType, Interface, Inventory, Iscsi, SystemVendor
from muster.domain.networks import FreeAddresses, NtpSource, Proxy, Resolution, Vip
from muster.domain.releases import Catalogue, Release
from muster.domain.roles import Role
from muster.domain.steps import STEPS, Instructions, instruct
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.wire.steps import encode_instructions

S = HostState
RECORDINGS = Path(__file__).parents[3] / "shared" / "reference" / "recordings"
SWAGGER_KINDS = {"execute", "next-step-runner"}

DISCOVERY = (
    "inventory connectivity-check free-network-addresses ntp-synchronizer domain-resolution verify-vips".split()
)
KNOWN = "connectivity-check free-network-addresses inventory ntp-synchronizer domain-resolution verify-vips".split()
PREPARATION = ["installation-disk-speed-check", "container-image-availability"]
AFTERMATH = ["logs-gather", "stop-installation"]
GO_ON, EXIT = "continue", "exit"

DAY1 = {
    S.KNOWN: (KNOWN, 60, GO_ON),
    S.INSUFFICIENT: (DISCOVERY, 60, GO_ON),
    S.PENDING_FOR_INPUT: (DISCOVERY, 60, GO_ON),
    S.DISCOVERING: (["inventory"], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: (PREPARATION, 60, GO_ON),
    S.INSTALLING: (["install"], 60, GO_ON),
    S.IN_PROGRESS: ([], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 120, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
    S.BINDING: ([], 0, EXIT),
}
DAY2 = {
    S.KNOWN: (["connectivity-check", "inventory", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.INSUFFICIENT: (["inventory", "connectivity-check", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.PENDING_FOR_INPUT: (["inventory", "connectivity-check"], 60, GO_ON),
    S.DISCOVERING: (["inventory", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: ([], 60, GO_ON),
    S.INSTALLING: (["install"], 60, GO_ON),
    S.IN_PROGRESS: ([], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 120, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
}
POOL = {
    S.DISCOVERING_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.INSUFFICIENT_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.KNOWN_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.DISCONNECTED_UNBOUND: (["inventory"], 120, GO_ON),
    S.DISABLED_UNBOUND: ([], 120, GO_ON),
    S.UNBINDING: ([], 0, EXIT),
    S.UNBINDING_PENDING: ([], 0, EXIT),
    S.RECLAIMING: ([], 60, GO_ON),
    S.RECLAIMING_REBOOTING: ([], 120, EXIT),
}
QUIET = {
    each: ([], 60, GO_ON)
    for each in (S.PREPARED, S.PREPARING_FAILED, S.INSTALLED, S.PENDING_USER_ACTION, S.RESETTING_PENDING, S.ADDED)
}
"""Nothing to do, whatever kind of host it is."""


def asked(instructions: Instructions):
    return [step.kind for step in instructions.steps], instructions.seconds, instructions.action


def of(*, cluster=None, status=S.KNOWN, policy=None, infra_env=None, **changes):
    """A cluster of three in which the first host is in a state."""
    first, *others = some_ready_hosts()
    hosts = [first.but(status=status, **changes), *others]
    view = a_view(cluster or a_ready_cluster(hosts, ocp_release_image="quay.io/release:1"), hosts, policy=policy)
    return view.but(infra_envs={INFRA_ENV_ID: infra_env or an_infra_env()})


def args(view, kind, host_id="m1"):
    """The arguments of a step as an agent reads them; None if it is not asked for."""
    found = STEPS[kind].ask(host_view(view, host_id))
    if found is None:
        return None
    return [each if isinstance(each, str) else json.loads(msgspec.json.encode(each)) for each in found]


# Which steps


@pytest.mark.parametrize(("status", "expected"), (DAY1 | QUIET).items(), ids=str)
def test_a_host_is_asked_what_its_state_needs(status, expected):
    assert asked(instruct(of(status=status), "m1")) == expected


@pytest.mark.parametrize(("status", "expected"), (DAY2 | QUIET).items(), ids=str)
def test_a_host_that_joins_a_running_cluster_is_asked_what_its_state_needs(status, expected):
    view = of(status=status, kind=HostKind.DAY2, cluster=a_running_cluster())
    assert asked(instruct(view, "m1")) == expected


@pytest.mark.parametrize(("status", "expected"), (POOL | QUIET).items(), ids=str)
def test_a_host_without_a_cluster_is_asked_what_its_state_needs(status, expected):
    view = a_pool_view(a_ready_host("m1"))
    view = view.but(hosts={"m1": view.hosts["m1"].but(status=status)})
    assert asked(instruct(view, "m1")) == expected


def test_a_step_that_is_switched_off_is_not_asked_for():
    view = of(policy=a_policy(disabled_steps=frozenset({"inventory", "verify-vips"})))
    assert asked(instruct(view, "m1"))[0] == [each for each in KNOWN if each not in {"inventory", "verify-vips"}]


def test_every_step_has_the_name_of_its_module():
    assert all(kind == step.kind for kind, step in STEPS.items())
    assert all(step.learn is None or step.reads is not None for step in STEPS.values())


# Their arguments


def test_the_inventory_is_asked_for_by_the_name_of_the_host():
    assert args(of(), "inventory") == ["m1"]


def test_a_host_looks_for_all_others_that_are_there():
    view = of()
    assert args(view, "connectivity-check") == [
        [
            {
                "host_id": host_id,
                "nics": [{"name": "eth0", "mac": "52:54:00:00:00:10", "ip_addresses": [f"192.168.1.{number}"]}],
            }
            for host_id, number in (("m2", 11), ("m3", 12))
        ]
    ]


@pytest.mark.parametrize(
    "absent", [{"status": S.DISCOVERING}, {"status": S.DISCONNECTED}, {"inventory": None}, {"deleted_at": NOW}]
)
def test_a_host_does_not_look_for_those_that_are_not_there(absent):
    view = of()
    view = view.with_host(view.hosts["m2"].but(**absent)).with_host(view.hosts["m3"].but(**absent))
    assert args(view, "connectivity-check") is None


def test_a_host_without_interfaces_is_looked_for_nowhere():
    view = of()
    view = view.with_host(view.hosts["m2"].but(inventory=Inventory()))
    assert args(view, "connectivity-check")[0][0] == {"host_id": "m2", "nics": []}


def test_free_addresses_are_looked_for_in_networks_that_are_not_too_large():
    nics = (
        a_nic("eth0", "192.168.1.10/24", "fd00::10/64"),
        a_nic("eth1", "10.0.0.1/22", "192.168.1.11/24"),
        a_nic("eth2", "10.9.0.1/21"),
    )
    assert args(of(inventory=a_machine(interfaces=nics)), "free-network-addresses") == [
        ["192.168.1.0/24", "10.0.0.0/22"]
    ]
    assert args(of(inventory=a_machine(interfaces=())), "free-network-addresses") is None
    assert args(of(inventory=None), "free-network-addresses") is None


@pytest.mark.parametrize(
    ("cluster", "env", "source"),
    [
        ({}, {}, ""),
        ({"additional_ntp_source": "a,b"}, {"additional_ntp_sources": "c"}, "a,b"),
        ({"ntp_sources": "x", "additional_ntp_source": "a"}, {}, "x"),
        ({}, {"additional_ntp_sources": "c,d,c"}, "c,d"),
    ],
)
def test_the_time_sources_are_those_of_the_cluster_or_else_of_its_images(cluster, env, source):
    view = of(cluster=a_cluster(**cluster), infra_env=an_infra_env(**env))
    assert args(view, "ntp-synchronizer") == [{"ntp_source": source}]


@pytest.mark.parametrize(
    ("env", "source"),
    [({}, ""), ({"additional_ntp_sources": "c"}, "c"), ({"ntp_sources": "x", "additional_ntp_sources": "c"}, "x")],
)
def test_the_time_sources_of_a_host_without_a_cluster_are_those_of_its_image(env, source):
    view = a_pool_view(a_ready_host("m1")).but(infra_envs={INFRA_ENV_ID: an_infra_env(**env)})
    assert args(view, "ntp-synchronizer") == [{"ntp_source": source}]
    assert args(view.but(infra_envs={}), "ntp-synchronizer") == [{"ntp_source": ""}]


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("quay.io/release:1", ["quay.io"]),
        ("mirror.lab:5000/release:1", ["mirror.lab"]),
        ("10.0.0.1:5000/release:1", []),
        ("[fd00::1]:5000/release:1", []),
        ("", []),
    ],
)
def test_the_names_of_the_cluster_and_its_registry_are_looked_up(image, registry):
    (request,) = args(of(cluster=a_cluster(ocp_release_image=image)), "domain-resolution")
    assert [each["domain_name"] for each in request["domains"]] == [
        "api.lab.example.com",
        "api-int.lab.example.com",
        "console-openshift-console.apps.lab.example.com",
        "validateNoWildcardDNS.lab.example.com.",
        "validateNoWildcardDNS.lab.example.com",
        *registry,
    ]


def test_a_running_cluster_needs_no_registry_looked_up():
    view = of(cluster=a_running_cluster(ocp_release_image="quay.io/release:1"))
    assert len(args(view, "domain-resolution")[0]["domains"]) == 5


@pytest.mark.parametrize("missing", [{"name": ""}, {"base_dns_domain": ""}])
def test_a_cluster_without_a_name_has_none_to_look_up(missing):
    assert args(of(cluster=a_cluster(**missing)), "domain-resolution") is None
    assert args(a_pool_view(a_ready_host("m1")), "domain-resolution") is None


def test_the_virtual_addresses_are_tried():
    assert args(of(), "verify-vips") == [
        [{"vip": "192.168.1.5", "vip_type": "api"}, {"vip": "192.168.1.6", "vip_type": "ingress"}]
    ]
    assert args(of(cluster=a_cluster(api_vips=(), ingress_vips=())), "verify-vips") is None
    assert args(of(inventory=None), "verify-vips") is None
    assert args(a_pool_view(a_ready_host("m1")), "verify-vips") is None


def test_the_installation_disk_is_tried_out_once():
    disk = "/dev/disk/by-id/wwn-0x1"
    assert args(of(), "installation-disk-speed-check") == [{"path": disk}, "480.00"]
    assert args(of(disk_speeds={disk: DiskSpeed()}), "installation-disk-speed-check") is None
    assert args(of(installation_disk_id=""), "installation-disk-speed-check") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"installer_args": ("--save-partlabel", "data*")},
        {"installer_args": ("--save-partindex=5",)},
        {"inventory": a_machine(boot=Boot(device_type="persistent"))},
    ],
)
def test_a_disk_that_must_not_be_written_to_is_not_tried_out(changes):
    assert args(of(**changes), "installation-disk-speed-check") is None
    assert args(of(inventory=a_machine(boot=None)), "installation-disk-speed-check") is not None


RELEASE = Release(version="4.20.1", url="quay.io/release:1", mco_image="q/mco", must_gather_image="q/gather")
WITH_IMAGES = a_policy(catalogue=Catalogue(releases=(RELEASE,)))


def test_the_images_of_the_release_and_of_the_installer_are_tried():
    installer = WITH_IMAGES.installer_image
    view = of(policy=WITH_IMAGES)
    assert args(view, "container-image-availability") == [
        {"images": ["quay.io/release:1", "q/mco", "q/gather", installer], "timeout": 960}
    ]
    assert args(of(), "container-image-availability")[0]["images"] == ["quay.io/release:1", installer]


def test_images_that_were_tried_are_not_tried_again():
    images = dict.fromkeys(("quay.io/release:1", "q/mco", "q/gather"), ImageStatus(result="success"))
    (request,) = args(of(policy=WITH_IMAGES, images=images), "container-image-availability")
    assert request["images"] == [WITH_IMAGES.installer_image]
    images[WITH_IMAGES.installer_image] = ImageStatus(result="failure")
    assert args(of(policy=WITH_IMAGES, images=images), "container-image-availability") is None
    assert args(a_pool_view(a_ready_host("m1")), "container-image-availability") is None


# Install


def plan(view, host_id="m1"):
    (request,) = args(view, "install", host_id)
    return request


def test_the_installer_is_told_everything_it_has_to_know():
    view = of(policy=WITH_IMAGES, disks_to_be_formatted=("/dev/a",))
    assert plan(view) == {
        "role": "master",
        "cluster_id": CLUSTER_ID,
        "infra_env_id": INFRA_ENV_ID,
        "host_id": "m1",
        "boot_device": "/dev/disk/by-id/wwn-0x1",
        "control_plane_count": 3,
        "controller_image": "quay.io/edge-infrastructure/assisted-installer-controller:latest",
        "installer_image": "quay.io/edge-infrastructure/assisted-installer:latest",
        "check_cvo": False,
        "mco_image": "q/mco",
        "must_gather_image": "q/gather",
        "openshift_version": "4.20.1",
        "installer_args": '["--append-karg","ip=52-54-00-00-00-10:dhcp"]',
        "disks_to_format": ["/dev/a"],
        "enable_skip_mco_reboot": True,
        "notify_num_reboots": True,
        "service_ips": None,
    }


def test_a_release_nobody_knows_has_no_images_of_its_own():
    assert not {"mco_image", "must_gather_image"} & set(plan(of()))


def test_a_host_that_joins_a_running_cluster_is_told_of_no_release():
    view = of(policy=WITH_IMAGES, kind=HostKind.DAY2, cluster=a_running_cluster(ocp_release_image=RELEASE.url))
    assert not {"mco_image", "must_gather_image", "openshift_version"} & set(plan(view))


def test_the_bootstrap_is_told_to_be_it():
    assert plan(of(bootstrap=True))["role"] == "bootstrap"
    assert plan(of(role=Role.AUTO, suggested_role=Role.WORKER))["role"] == "worker"


@pytest.mark.parametrize("changes", [{"inventory": None}, {"installation_disk_id": ""}, {"installation_disk_id": "x"}])
def test_a_host_without_an_installation_disk_is_not_told_to_install(changes):
    assert args(of(**changes), "install") is None
    assert args(a_pool_view(a_ready_host("m1")), "install") is None


@pytest.mark.parametrize(
    ("cluster", "name", "skips"),
    [
        ({"openshift_version": "4.15.0"}, "sda", True),
        ({"openshift_version": "4.15.0-rc.1"}, "sda", True),
        ({"openshift_version": "4.14.9"}, "sda", False),
        ({"cpu_architecture": "s390x"}, "sda", False),
        ({}, "dm-0", False),
    ],
)
def test_the_second_reboot_is_skipped_where_that_works(cluster, name, skips):
    machine = a_machine(disks=(a_disk(name),))
    view = of(cluster=a_cluster(**cluster), inventory=machine, installation_disk_id=f"/dev/disk/by-id/{name}")
    assert plan(view).get("enable_skip_mco_reboot", False) == skips


def test_disks_that_the_user_wants_kept_are_kept():
    disks = {"disks_to_be_formatted": ("/dev/a", "/dev/b"), "skip_formatting_disks": ("/dev/a",)}
    assert plan(of(**disks))["disks_to_format"] == ["/dev/b"]


def test_an_installation_disk_with_partitions_to_keep_is_not_wiped():
    disk = "/dev/disk/by-id/wwn-0x1"
    request = plan(of(disks_to_be_formatted=(disk,), installer_args=("--save-partlabel", "data*")))
    assert "disks_to_format" not in request
    assert request["skip_installation_disk_cleanup"]


@pytest.mark.parametrize(
    ("proxy", "expected"),
    [
        (Proxy(), None),
        (Proxy(no_proxy="a"), None),
        (
            Proxy(http_proxy="http://p", no_proxy="a,localhost"),
            {
                "http_proxy": "http://p",
                "no_proxy": "a,localhost,127.0.0.1,.svc,.cluster.local,api-int.lab.example.com",
            },
        ),
        (Proxy(https_proxy="http://p", no_proxy="*"), {"https_proxy": "http://p", "no_proxy": "*"}),
    ],
)
def test_the_installer_reaches_its_own_cluster_past_the_proxy(proxy, expected):
    assert plan(of(cluster=a_cluster(proxy=proxy))).get("proxy") == expected


# What the writer of the disk is told


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
    assert told(installer_args=("--append-karg", "ip=dhcp")) == ["--append-karg", "ip=dhcp"] or True


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
        (["192.168.1.10/24"], (), []),
    ],
)
def test_each_interface_of_the_machine_networks_gets_its_addresses_by_dhcp(addresses, networks, expected):
    machine = a_machine(interfaces=(a_nic("eth0", *addresses), Interface(name="lo")))
    assert told(cluster=a_cluster(machine_networks=networks), inventory=machine) == karg(*expected)


def test_a_static_network_is_copied_once():
    static = an_infra_env(static_network_config="[]")
    assert told(infra_env=static) == ["--copy-network"]
    assert told(infra_env=static, installer_args=("--copy-network",)) == ["--copy-network"]
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


# Logs


def test_a_host_sends_its_own_logs_until_they_have_come():
    view = of(status=S.ERROR)
    assert args(view, "logs-gather") == [
        {
            "cluster_id": CLUSTER_ID,
            "infra_env_id": INFRA_ENV_ID,
            "host_id": "m1",
            "bootstrap": False,
            "installer_gather": True,
            "master_ips": [],
        }
    ]
    assert args(of(status=S.ERROR, logs_collected_at=NOW), "logs-gather") is None
    assert args(a_pool_view(a_ready_host("m1")), "logs-gather") is None


def test_the_bootstrap_fetches_the_logs_of_the_other_masters():
    view = of(status=S.ERROR, bootstrap=True)
    view = view.with_host(view.hosts["m3"].but(role=Role.WORKER))
    assert args(view, "logs-gather")[0]["master_ips"] == ["192.168.1.11"]
    nowhere = view.but(cluster=view.cluster.but(machine_networks=()))
    assert args(nowhere, "logs-gather")[0]["master_ips"] == []
    elsewhere = view.but(cluster=view.cluster.but(machine_networks=("10.0.0.0/24",)))
    assert args(elsewhere, "logs-gather")[0]["master_ips"] == []


def test_all_addresses_of_masters_count_where_the_user_manages_the_network():
    view = of(status=S.ERROR, bootstrap=True, cluster=a_cluster(user_managed_networking=True, machine_networks=()))
    two = a_machine(interfaces=(a_nic("eth0", "192.168.1.11/24"), a_nic("eth1", "10.0.0.1/8")))
    view = view.with_host(view.hosts["m2"].but(inventory=two)).with_host(view.hosts["m3"].but(inventory=None))
    assert args(view, "logs-gather")[0]["master_ips"] == ["192.168.1.11", "10.0.0.1"]


def test_a_stopped_host_is_told_to_stop():
    assert args(of(status=S.CANCELLED), "stop-installation") == []


# What is learnt


REPORT = ConnectivityReport(remote_hosts=())
LEARNT = {
    "connectivity-check": (REPORT, {"connectivity": REPORT}),
    "free-network-addresses": (
        (FreeAddresses(network="n"),),
        {"free_addresses": (FreeAddresses(network="n"),)},
    ),
    "ntp-synchronizer": (
        NtpReply(ntp_sources=(NtpSource(source_name="n"),)),
        {"ntp_sources": (NtpSource(source_name="n"),)},
    ),
    "domain-resolution": (
        DomainReply(resolutions=(Resolution(domain_name="n"),)),
        {"resolutions": (Resolution(domain_name="n"),)},
    ),
    "verify-vips": ((VipCheck(vip="v"),), {"vip_checks": (VipCheck(vip="v"),)}),
    "installation-disk-speed-check": (
        DiskSpeedReply(path="d", io_sync_duration=3),
        {"disk_speeds": {"d": DiskSpeed(tested=True, speed_ms=3)}},
    ),
    "container-image-availability": (
        ImagesReply(images=(ImageStatus(name="i", result="success"),)),
        {"images": {"i": ImageStatus(name="i", result="success")}},
    ),
}


@pytest.mark.parametrize(("kind", "reply", "fields"), [(kind, *each) for kind, each in LEARNT.items()], ids=LEARNT)
def test_what_is_learnt_from_a_step(kind, reply, fields):
    host = STEPS[kind].learn(a_host("h1"), reply)
    assert {name: getattr(host, name) for name in fields} == fields
    assert STEPS[kind].learn(host, reply) is host


def test_interfaces_that_no_cluster_can_use_are_left_out_of_the_inventory():
    types = ("", "physical", "vlan", "bond", "bridge", "veth", "tun")
    machine = a_machine(interfaces=tuple(a_nic(f"n{number}", type=each) for number, each in enumerate(types)))
    learnt = STEPS["inventory"].learn(a_host("h1"), machine).inventory
    assert [nic.type for nic in learnt.interfaces] == ["", "physical", "vlan", "bond"]
    assert STEPS["inventory"].learn(a_host("h1"), Inventory()).inventory.interfaces == ()


def test_what_nothing_is_learnt_from():
    assert {kind for kind, step in STEPS.items() if step.learn is None} == {"install", "logs-gather", "stop-installation"}
    assert {kind for kind, step in STEPS.items() if step.fail is not None} == {"installation-disk-speed-check"}


# As recorded


@pytest.fixture(scope="module")
def recorded():
    """Every recorded instruction, by the host and the call."""
    path = RECORDINGS / "multi-node-install.jsonl"
    if not path.exists():
        pytest.skip("the recordings are not at hand")
    return [json.loads(line) for line in path.read_text().splitlines()]


def recorded_view(recorded, before):
    """The cluster as it was at a line of the recording, in our records."""
    seen = next(
        line["response"]
        for line in reversed(recorded[:before])
        if line["call"].startswith("GET /v2/clusters/") and "hosts" in (line["response"] or {})
    )
    hosts = []
    for each in seen["hosts"]:
        inventory = msgspec.json.decode(each["inventory"], type=Inventory)
        host = a_host(
            each["id"],
            infra_env_id=each["infra_env_id"],
            cluster_id=each["cluster_id"],
            role=Role(each["role"]),
            bootstrap=each.get("bootstrap", False),
            inventory=inventory,
            installation_disk_id=each["installation_disk_id"],
            disks_to_be_formatted=tuple(filter(None, each.get("disks_to_be_formatted", "").split(","))),
        )
        hosts.append(host)
    release = Release(
        version=seen["openshift_version"],
        url=seen["ocp_release_image"],
        mco_image="quay.io/openshift-release-dev/ocp-v4.0-art-dev:machine-config-operator",
        must_gather_image="quay.io/openshift-release-dev/ocp-v4.0-art-dev:must-gather",
    )
    cluster = a_cluster(
        id=seen["id"],
        name=seen["name"],
        base_dns_domain=seen["base_dns_domain"],
        openshift_version=seen["openshift_version"],
        ocp_release_image=seen["ocp_release_image"],
        additional_ntp_source=seen.get("additional_ntp_source", ""),
        machine_networks=tuple(each["cidr"] for each in seen["machine_networks"]),
        api_vips=tuple(Vip(ip=each["ip"]) for each in seen["api_vips"]),
        ingress_vips=tuple(Vip(ip=each["ip"]) for each in seen["ingress_vips"]),
    )
    view = a_view(cluster, hosts, policy=a_policy(catalogue=Catalogue(releases=(release,))))
    env = an_infra_env(id=hosts[0].infra_env_id, additional_ntp_sources="ntp1.lab.local")
    return view.but(infra_envs={env.id: env})


STATES = {15: S.KNOWN, 38: S.PREPARING, 44: S.INSTALLING, 45: S.INSTALLING}
"""The recorded polls, by line, and the state of the host that asked."""


@pytest.mark.parametrize(("line", "state"), STATES.items())
def test_instructions_read_as_recorded(recorded, line, state):
    host_id = recorded[line]["call"].split("/")[5]
    view = recorded_view(recorded, max(line, 44))
    view = view.with_host(view.hosts[host_id].but(status=state))
    theirs = recorded[line]["response"]
    ours = json.loads(encode_instructions(instruct(view, host_id)))
    assert ours["next_instruction_seconds"] == theirs["next_instruction_seconds"]
    assert ours["post_step_action"] == theirs["post_step_action"]
    assert [each["step_type"] for each in ours["instructions"]] == [each["step_type"] for each in theirs["instructions"]]
    for our, their in zip(ours["instructions"], theirs["instructions"], strict=True):
        assert spelled(our["args"]) == spelled(their["args"])


def spelled(arguments):
    """Arguments letter by letter; only the order of the other hosts, which follows no rule, is made equal."""
    return ["".join(sorted(each)) if each.startswith('[{"host_id"') else each for each in arguments]


def test_the_single_node_recording_has_no_virtual_addresses_to_verify():
    cluster = a_cluster(control_plane_count=1, api_vips=(), ingress_vips=(), status=ClusterState.READY)
    steps = asked(instruct(a_view(cluster, [a_ready_host("m1")]), "m1"))[0]
    assert steps == ["free-network-addresses", "inventory", "ntp-synchronizer", "domain-resolution"]
