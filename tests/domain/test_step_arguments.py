"""What a host is told with each step."""

import json

import pytest

from asking import args, of, plan
from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_disk,
    a_machine,
    a_nic,
    a_policy,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
    later,
)
from muster.domain.clusters import Preparation
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus
from muster.domain.inventory import Boot, Inventory
from muster.domain.networks import Proxy
from muster.domain.releases import Catalogue, Release, ReleaseImages
from muster.domain.roles import Role
from muster.domain.steps import instruct
from muster.domain.steps.connectivity_check import turn_of

S = HostState


# Their arguments


@pytest.mark.parametrize(
    ("policy", "limits"),
    [
        ({}, []),
        ({"inventory_max_size": 5000}, ["--output-max-size=5000"]),
        ({"inventory_disk_min_size": 700}, ["--disk-min-size=700"]),
        (
            {"inventory_max_size": 5000, "inventory_disk_min_size": 700},
            ["--output-max-size=5000", "--disk-min-size=700"],
        ),
    ],
)
def test_the_inventory_is_asked_for_by_the_name_of_the_host_and_within_limits(policy, limits):
    assert args(of(policy=a_policy(**policy)), "inventory") == ["m1", *limits]


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


def a_crowd(count):
    """A cluster of many hosts that all could look for each other."""
    hosts = [a_ready_host(f"h{number:03}", status=S.KNOWN) for number in range(count)]
    return a_view(a_cluster(), hosts)


def looking(view):
    """The hosts that are told to look for the others now."""
    return {host_id for host_id in view.hosts if args(view, "connectivity-check", host_id) is not None}


def test_all_hosts_look_for_each_other_at_once_where_they_are_few():
    view = a_crowd(150)
    assert len(looking(view)) == 150
    assert turn_of(view) == turn_of(later(view, minutes=1)) == 0


def test_many_hosts_take_turns_to_look_for_each_other():
    view = a_crowd(301)
    turns = [looking(later(view, minutes=minute)) for minute in range(4)]
    assert max(map(len, turns)) <= 150
    assert set().union(*turns[:3]) == view.hosts.keys()
    assert sum(map(len, turns[:3])) == 301
    assert turns[3] == turns[0]
    assert turn_of(view) != turn_of(later(view, minutes=1))


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
    assert args(of(policy=a_policy(kube_api=True)), "free-network-addresses") is None


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


IMAGES = ReleaseImages(mco="q/mco", must_gather="q/gather")
RELEASE = Release(version="4.20.1", url="quay.io/release:1", images=IMAGES)
WITH_IMAGES = a_policy(catalogue=Catalogue(releases=(RELEASE,)))


def test_the_images_of_the_release_and_of_the_installer_are_tried():
    installer = WITH_IMAGES.installer_image
    view = of(policy=WITH_IMAGES)
    assert args(view, "container-image-availability") == [
        {"images": ["quay.io/release:1", "q/mco", "q/gather", installer], "timeout": 960}
    ]


def read(images):
    """A cluster whose release has been read."""
    return a_cluster(ocp_release_image="quay.io/release:1", preparation=Preparation(images=images))


def test_no_images_are_tried_before_the_release_has_said_which_it_is_made_of():
    assert args(of(), "container-image-availability") is None
    installer = a_policy().installer_image
    (request,) = args(of(cluster=read(IMAGES)), "container-image-availability")
    assert request["images"] == ["quay.io/release:1", "q/mco", "q/gather", installer]
    (request,) = args(of(cluster=read(ReleaseImages())), "container-image-availability")
    assert request["images"] == ["quay.io/release:1", installer]


def test_a_host_comes_back_soon_while_the_release_is_asked():
    assert instruct(of(status=S.PREPARING), "m1").seconds == 5
    assert instruct(of(status=S.PREPARING, cluster=read(IMAGES)), "m1").seconds == 60
    assert instruct(of(status=S.PREPARING, policy=WITH_IMAGES), "m1").seconds == 60
    assert instruct(of(status=S.KNOWN), "m1").seconds == 60


def test_what_a_release_says_of_itself_reaches_the_installer_and_what_was_set_counts_more():
    told = plan(of(cluster=read(IMAGES)))
    assert (told["mco_image"], told["must_gather_image"]) == ("q/mco", "q/gather")
    told = plan(of(cluster=read(ReleaseImages(mco="q/other", must_gather="q/other")), policy=WITH_IMAGES))
    assert (told["mco_image"], told["must_gather_image"]) == ("q/mco", "q/gather")


def test_images_that_were_tried_are_not_tried_again():
    images = dict.fromkeys(("quay.io/release:1", "q/mco", "q/gather"), ImageStatus(result="success"))
    (request,) = args(of(policy=WITH_IMAGES, images=images), "container-image-availability")
    assert request["images"] == [WITH_IMAGES.installer_image]
    images[WITH_IMAGES.installer_image] = ImageStatus(result="failure")
    assert args(of(policy=WITH_IMAGES, images=images), "container-image-availability") is None
    assert args(a_pool_view(a_ready_host("m1")), "container-image-availability") is None


# Install


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


@pytest.mark.parametrize(
    ("configured", "gathering"),
    [
        ({}, "q/gather"),
        ({"4.19": {"ocp": "q/old"}}, "q/gather"),
        ({"4.20": {"ocp": "q/mine"}}, "q/mine"),
        ({"4.20": {"cnv": "q/cnv"}}, '{"cnv":"q/cnv","ocp":"q/gather"}'),
        ({"4.20": {"ocp": "q/mine", "lso": "q/lso"}}, '{"lso":"q/lso","ocp":"q/mine"}'),
        ({"4.20": {"ocp": "q/mine"}, "4.20-x86_64": {"ocp": "q/intel"}}, "q/intel"),
        ({"4.20-x86_64": {"ocp": "q/intel"}, "4.20.1": {"ocp": "q/exact"}}, "q/exact"),
    ],
)
def test_the_images_that_gather_what_went_wrong_may_be_set_by_version(configured, gathering):
    view = of(policy=WITH_IMAGES.but(must_gather_images=configured))
    assert plan(view)["must_gather_image"] == gathering
    wanted = args(view, "container-image-availability")[0]["images"]
    assert wanted[2] == (json.loads(gathering)["ocp"] if gathering.startswith("{") else gathering)


@pytest.mark.parametrize(
    ("policy", "field"),
    [({"skip_mco_reboot": False}, "enable_skip_mco_reboot"), ({"kube_api": True}, "notify_num_reboots")],
)
def test_what_the_operator_of_the_service_does_not_want_is_not_asked_for(policy, field):
    assert plan(of())[field]
    assert field not in plan(of(policy=a_policy(**policy)))


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
