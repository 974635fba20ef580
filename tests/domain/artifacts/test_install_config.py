"""An install-config says what the user and the hosts said, in the words of a release."""

import json

import pytest

from builders import a_cluster, a_host, a_machine
from muster.domain.artifacts.install_config import install_config, overridden
from muster.domain.clusters import Platform, PlatformType
from muster.domain.errors import Invalid
from muster.domain.hosts import FencingCredentials
from muster.domain.infra_envs import InfraEnv
from muster.domain.inventory import Boot, Interface, Route
from muster.domain.networks import ClusterNetwork, Proxy, Vip
from muster.domain.roles import Role
from muster.domain.trust import Mirrors, Trust


def the_cluster(**changes):
    complete = a_cluster().but(
        name="lab",
        base_dns_domain="example.com",
        openshift_version="4.20.1",
        network_type="OVNKubernetes",
        pull_secret="{}",
        ssh_public_key="ssh-ed25519 AAAA me",
        api_vips=(Vip(ip="192.168.1.5"),),
        ingress_vips=(Vip(ip="192.168.1.6"),),
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        service_networks=("172.30.0.0/16",),
        machine_networks=("192.168.1.0/24",),
    )
    return complete.but(**changes)


def a_nic(number, *addresses, mac=""):
    split = {"ipv4_addresses": tuple(a for a in addresses if ":" not in a)}
    split["ipv6_addresses"] = tuple(a for a in addresses if ":" in a)
    return Interface(name=f"eth{number}", mac_address=mac or f"52:54:00:00:00:0{number}", **split)


def host_named(name, role=Role.MASTER, nics=None, boot="uefi", **changes):
    machine = a_machine().but(
        hostname=name,
        interfaces=nics or (a_nic(1, "10.9.9.9/8"), a_nic(2, "192.168.1.10/24")),
        boot=Boot(current_boot_mode=boot),
    )
    return a_host(name).but(role=role, requested_hostname=name, inventory=machine, **changes)


def none_platform(**changes):
    changes = {"api_vips": (), "ingress_vips": (), "machine_networks": (), **changes}
    return the_cluster(platform=Platform(type=PlatformType.NONE), user_managed_networking=True, **changes)


def an_infra_env(**changes):
    cluster = the_cluster()
    return InfraEnv(id="e", name="e", created_at=cluster.created_at, updated_at=cluster.created_at, **changes)


def test_a_bare_metal_cluster_is_written_out_whole():
    config = install_config(the_cluster(), [host_named("m0")])
    assert config == {
        "apiVersion": "v1",
        "baseDomain": "example.com",
        "metadata": {"name": "lab"},
        "compute": [{"name": "worker", "replicas": 0, "hyperthreading": "Enabled"}],
        "controlPlane": {"name": "master", "replicas": 1, "hyperthreading": "Enabled"},
        "networking": {
            "networkType": "OVNKubernetes",
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "machineNetwork": [{"cidr": "192.168.1.0/24"}],
        },
        "pullSecret": "{}",
        "sshKey": "ssh-ed25519 AAAA me",
        "fips": False,
        "platform": {
            "baremetal": {
                "provisioningNetwork": "Disabled",
                "apiVIPs": ["192.168.1.5"],
                "ingressVIPs": ["192.168.1.6"],
                "hosts": [
                    {
                        "name": "m0",
                        "role": "master",
                        "bootMACAddress": "52:54:00:00:00:02",
                        "bootMode": "UEFI",
                        "bmc": {"username": "", "password": "", "address": "", "disableCertificateVerification": False},
                        "hardwareProfile": "",
                    }
                ],
            }
        },
    }


def test_hosts_stand_in_the_order_of_their_roles_and_names():
    hosts = [
        host_named("w1", Role.WORKER),
        host_named("a1", Role.ARBITER),
        host_named("m2"),
        host_named("w0", Role.AUTO, suggested_role=Role.WORKER),
        host_named("m1"),
    ]
    config = install_config(the_cluster(), hosts)
    assert [host["name"] for host in config["platform"]["baremetal"]["hosts"]] == ["m1", "m2", "a1", "w0", "w1"]
    assert [config["controlPlane"]["replicas"], config["arbiter"]["replicas"]] == [2, 1]
    assert config["compute"][0]["replicas"] == 2


@pytest.mark.parametrize(("version", "preview"), [("4.19.4", "TechPreviewNoUpgrade"), ("4.20.1", None)])
def test_an_arbiter_was_a_preview_in_its_first_release_only(version, preview):
    config = install_config(the_cluster(openshift_version=version), [host_named("a", Role.ARBITER)])
    assert config.get("featureSet") == preview


@pytest.mark.parametrize(
    ("wanted", "masters", "workers"),
    [
        ("all", "Enabled", "Enabled"),
        ("none", "Disabled", "Disabled"),
        ("masters", "Enabled", "Disabled"),
        ("masters,workers", "Enabled", "Enabled"),
        ("workers", "Disabled", "Enabled"),
    ],
)
def test_hyperthreading_is_on_where_it_was_asked_for(wanted, masters, workers):
    config = install_config(the_cluster(hyperthreading=wanted), [])
    assert config["controlPlane"]["hyperthreading"] == masters
    assert config["compute"][0]["hyperthreading"] == workers


def test_a_host_that_started_without_uefi_is_said_to_be_legacy():
    config = install_config(the_cluster(), [host_named("m0", boot="bios")])
    assert config["platform"]["baremetal"]["hosts"][0]["bootMode"] == "legacy"


def test_a_host_outside_of_every_machine_network_is_named_with_the_way_out():
    with pytest.raises(Invalid, match=r"host m0 has no interface .* \(192\.168\.1\.0/24\); give it") as trouble:
        install_config(the_cluster(), [host_named("m0", nics=(a_nic(1, "10.0.0.1/8"),))])
    assert str(trouble.value).startswith("machine_networks: ")


def test_a_load_balancer_of_the_users_own_is_said_to_be_one():
    config = install_config(the_cluster(load_balancer="user-managed"), [])
    assert config["platform"]["baremetal"]["loadBalancer"] == {"type": "UserManaged"}


@pytest.mark.parametrize(
    ("own", "expected"), [("", ["b.example.com", "c.example.com"]), ("a.example.com", ["a.example.com"])]
)
def test_time_sources_are_the_clusters_own_or_those_of_its_images(own, expected):
    images = [an_infra_env(additional_ntp_sources="b.example.com, c.example.com")] * 2
    config = install_config(the_cluster(additional_ntp_source=own), [], images)
    assert config["platform"]["baremetal"]["additionalNTPServers"] == expected


def test_the_clusters_own_addresses_are_never_reached_through_the_proxy():
    proxy = Proxy(http_proxy="http://proxy:3128", no_proxy="example.org")
    config = install_config(the_cluster(proxy=proxy), [])
    assert config["proxy"] == {
        "httpProxy": "http://proxy:3128",
        "noProxy": "example.org,.lab.example.com,10.128.0.0/14,172.30.0.0/16,192.168.1.0/24",
    }


def test_a_proxy_that_is_for_nothing_stays_so():
    config = install_config(the_cluster(proxy=Proxy(https_proxy="http://proxy:3128", no_proxy="*")), [])
    assert config["proxy"]["noProxy"] == "*"


BOTH = ("172.30.0.0/16", "fd02::/112")


@pytest.mark.parametrize(
    ("services", "expected"),
    [
        (BOTH, ["10.0.0.0/8", "fd00::/64"]),
        (BOTH[::-1], ["fd00::/64", "10.0.0.0/8"]),
        (BOTH[:1], ["10.0.0.0/8"]),
        (BOTH[1:], ["fd00::/64"]),
    ],
)
def test_without_a_platform_the_machine_networks_are_those_of_the_first_host_of_the_families_of_the_cluster(
    services, expected
):
    nics = (a_nic(1, "fe80::1/64", "fd00::1/64"), a_nic(2, "192.168.1.10/24", "10.0.0.1/8"))
    config = install_config(none_platform(service_networks=services), [host_named("m0", nics=nics, bootstrap=True)])
    assert config["platform"] == {"none": {}}
    assert [each["cidr"] for each in config["networking"]["machineNetwork"]] == expected


def test_of_several_networks_of_the_first_host_that_counts_by_which_it_reaches_the_world():
    first = host_named("m0", nics=(a_nic(1, "10.0.0.1/8"), a_nic(2, "192.168.1.10/24")), bootstrap=True)
    out = Route(interface="eth2", destination="0.0.0.0", gateway="192.168.1.1")
    first = first.but(inventory=first.inventory.but(routes=(out,)))
    config = install_config(none_platform(), [first])
    assert config["networking"]["machineNetwork"] == [{"cidr": "192.168.1.0/24"}]


def test_where_nothing_is_known_of_the_first_host_no_machine_network_is_named():
    hosts = [
        [],
        [host_named("m0", bootstrap=True).but(inventory=None)],
        [host_named("m0", bootstrap=True, nics=(a_nic(1),))],
    ]
    assert not any("machineNetwork" in install_config(none_platform(), each)["networking"] for each in hosts)


def test_a_single_node_replaces_its_bootstrap_on_its_own_disk():
    cluster = none_platform(control_plane_count=1, network_type="")
    config = install_config(cluster, [host_named("m0", installation_disk_id="/dev/disk/by-id/x")])
    assert config["bootstrapInPlace"] == {"installationDisk": "/dev/disk/by-id/x"}
    assert config["networking"]["networkType"] == "OVNKubernetes"


@pytest.mark.parametrize(("cluster", "expected"), [(the_cluster(), ""), (none_platform(), "None")])
def test_no_network_type_is_empty_unless_the_user_manages_the_networks(cluster, expected):
    config = install_config(cluster.but(network_type="None"), [])
    assert config["networking"]["networkType"] == expected


def test_an_external_platform_is_called_by_its_name():
    platform = Platform(type=PlatformType.EXTERNAL, platform_name="oci", cloud_controller_manager="External")
    config = install_config(the_cluster(platform=platform), [])
    assert config["platform"] == {"external": {"platformName": "oci", "cloudControllerManager": "External"}}


@pytest.mark.parametrize("kind", [PlatformType.VSPHERE, PlatformType.NUTANIX])
def test_a_virtual_platform_has_its_addresses_and_waits_to_be_told_the_rest(kind):
    platform = install_config(the_cluster(platform=Platform(type=kind)), [])["platform"][kind.value]
    assert platform["apiVIPs"] == ["192.168.1.5"]
    assert "placeholder" in json.dumps(platform)


def test_trust_is_that_of_the_override_and_of_every_image_each_once():
    overrides = json.dumps({"additionalTrustBundle": "own"})
    images = [an_infra_env(additional_trust_bundle=bundle) for bundle in ("one", "", "two", "one")]
    config = install_config(the_cluster(install_config_overrides=overrides), [], images)
    assert config["additionalTrustBundle"] == "own\none\ntwo"


def test_a_cluster_trusts_whom_its_service_trusts_after_whom_its_user_does():
    service = Trust(service_ca="never", vendor_ca="vendor", mirrors=Mirrors(registries=MIRRORED, ca="mirror"))
    images = [an_infra_env(additional_trust_bundle="image", mirrors=Mirrors(registries=MIRRORED, ca="its mirror"))]
    overrides = json.dumps({"additionalTrustBundle": "own"})
    config = install_config(the_cluster(install_config_overrides=overrides), [], images, service)
    assert config["additionalTrustBundle"] == "own\nvendor\nmirror\nimage\nits mirror"


MIRRORED = """
[[registry]]
location = "quay.io/openshift-release-dev"
[[registry.mirror]]
location = "mirror.local:5000/ocp"
[[registry.mirror]]
location = "spare.local/ocp"
"""
SOURCES = [{"source": "quay.io/openshift-release-dev", "mirrors": ["mirror.local:5000/ocp", "spare.local/ocp"]}]


@pytest.mark.parametrize(("version", "key"), [("4.13.9", "imageContentSources"), ("4.14.0-rc.1", "imageDigestSources")])
def test_a_cluster_fetches_images_from_the_mirrors_of_its_service(version, key):
    service = Trust(mirrors=Mirrors(registries=MIRRORED))
    config = install_config(the_cluster(openshift_version=version), [], (), service)
    assert config[key] == SOURCES
    assert {"imageContentSources", "imageDigestSources"} & config.keys() == {key}


def test_a_cluster_of_a_service_without_mirrors_names_none():
    assert (
        not {"imageContentSources", "imageDigestSources", "additionalTrustBundle"}
        & install_config(the_cluster(), []).keys()
    )


def test_what_the_user_overrides_is_laid_over_what_was_generated():
    overrides = {"fips": True, "compute": [{"architecture": "arm64"}], "networking": {"networkType": "Calico"}}
    config = install_config(the_cluster(install_config_overrides=json.dumps(overrides)), [])
    assert config["fips"] is True
    assert config["compute"][0] == {
        "name": "worker",
        "replicas": 0,
        "hyperthreading": "Enabled",
        "architecture": "arm64",
    }
    assert config["networking"]["networkType"] == "Calico"
    assert config["networking"]["serviceNetwork"] == ["172.30.0.0/16"]


@pytest.mark.parametrize("text", ["hunter2", "[]", '"hunter2"'])
def test_overrides_that_are_no_object_are_refused_without_quoting_them(text):
    with pytest.raises(Invalid, match="install_config_overrides") as refusal:
        install_config(the_cluster(install_config_overrides=text), [])
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    ("generated", "wish", "result"),
    [
        ({"a": 1, "b": 2}, {"b": 3}, {"a": 1, "b": 3}),
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ([{"a": 1}, {"b": 2}], [{"c": 3}], [{"a": 1, "c": 3}]),
        ([1], [5, 6], [5, 6]),
        ("text", {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, {}, {"a": 1}),
    ],
)
def test_a_wish_changes_objects_by_key_and_lists_by_place(generated, wish, result):
    assert overridden(generated, wish) == result


# Older releases


def test_releases_that_know_one_virtual_address_only_are_told_it_by_itself_too():
    platform = install_config(the_cluster(openshift_version="4.11.9"), [])["platform"]["baremetal"]
    assert (platform["apiVIP"], platform["ingressVIP"]) == ("192.168.1.5", "192.168.1.6")
    assert (platform["apiVIPs"], platform["ingressVIPs"]) == (["192.168.1.5"], ["192.168.1.6"])
    assert "apiVIP" not in install_config(the_cluster(openshift_version="4.12.0"), [])["platform"]["baremetal"]


def test_an_old_release_without_virtual_addresses_is_told_of_none():
    old = the_cluster(openshift_version="4.11.9", api_vips=(), ingress_vips=())
    assert "apiVIP" not in install_config(old, [])["platform"]["baremetal"]


@pytest.mark.parametrize(("version", "network"), [("4.6.9", "Unmanaged"), ("4.7.5", "Disabled")])
def test_machines_are_set_up_without_a_network_of_their_own(version, network):
    config = install_config(the_cluster(openshift_version=version), [])
    assert config["platform"]["baremetal"]["provisioningNetwork"] == network


def test_vsphere_is_described_as_the_release_reads_it():
    vsphere = {"platform": Platform(type=PlatformType.VSPHERE)}
    old = install_config(the_cluster(openshift_version="4.12.30", **vsphere), [])["platform"]["vsphere"]
    new = install_config(the_cluster(openshift_version="4.13.1", **vsphere), [])["platform"]["vsphere"]
    assert (old["vCenter"], "failureDomains" in old) == ("vcenterplaceholder", False)
    assert (new["failureDomains"][0]["zone"], "vCenter" in new) == ("assisted-generated-zone", False)


# Two hosts that can switch each other off


def fenced(name, **changes):
    credentials = FencingCredentials(address="https://bmc/1", username="admin", password="secret").but(**changes)
    return host_named(name, fencing_credentials=credentials)


@pytest.mark.parametrize(("version", "preview"), [("4.20.1", "TechPreviewNoUpgrade"), ("4.22.0", None)])
def test_a_control_plane_of_two_says_how_each_is_switched_off(version, preview):
    pair = [fenced("m0"), fenced("m1", mac_address="52:54:00:00:00:99", certificate_verification="Disabled")]
    config = install_config(the_cluster(openshift_version=version, control_plane_count=2), pair)
    assert config["controlPlane"]["fencing"]["credentials"] == [
        {"address": "https://bmc/1", "username": "admin", "password": "secret", "hostname": "m0"},
        {
            "address": "https://bmc/1",
            "username": "admin",
            "password": "secret",
            "macAddress": "52:54:00:00:00:99",
            "certificateVerification": "Disabled",
        },
    ]
    assert config.get("featureSet") == preview


@pytest.mark.parametrize(
    ("count", "hosts"),
    [
        (2, [fenced("m0"), host_named("m1")]),
        (2, [fenced("m0")]),
        (3, [fenced("m0"), fenced("m1")]),
        (2, [fenced("m0"), fenced("m1"), host_named("a0", Role.ARBITER)]),
    ],
)
def test_nobody_is_switched_off_unless_there_are_exactly_two_who_can_do_it(count, hosts):
    config = install_config(the_cluster(control_plane_count=count), hosts)
    assert "fencing" not in config["controlPlane"]
