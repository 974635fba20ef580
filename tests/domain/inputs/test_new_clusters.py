"""A described cluster: the defaults of what was left out, and every rule for what was written."""

import pytest
from cluster_bodies import SECRET, create, networks, vips

from builders import NOW, OS_IMAGES, RELEASES, a_policy
from muster.domain.clusters import Cluster, Platform, PlatformType
from muster.domain.errors import Invalid
from muster.domain.networks import ClusterNetwork, Proxy, Vip
from muster.domain.releases import Catalogue

DUAL = {
    "machine_networks": networks("192.168.1.0/24", "fd00::/64"),
    "service_networks": networks("172.30.0.0/16", "fd02::/112"),
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}, {"cidr": "fd01::/48", "host_prefix": 64}],
}
DUAL_VIPS = {"api_vips": vips("192.168.1.5", "fd00::5"), "ingress_vips": vips("192.168.1.6", "fd00::6")}
OTHER = {"type": "external", "external": {"platform_name": "x"}}
EXTERNAL = {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}
TANG = '[{"url":"http://tang.lab","thumbprint":"x"}]'
CA = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1BQT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQ=="


def test_a_cluster_of_few_words_gets_every_default():
    cluster = create()
    assert cluster == Cluster(
        id="c1",
        name="lab",
        user_name="me",
        created_at=NOW,
        updated_at=NOW,
        status=cluster.status,
        status_info=cluster.status_info,
        status_updated_at=NOW,
        openshift_version="4.20.33",
        ocp_release_image="quay.io/openshift-release-dev/ocp-release:4.20.33-x86_64",
        pull_secret=SECRET,
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        service_networks=("172.30.0.0/16",),
        operators=cluster.operators,
    )
    assert (cluster.status, bool(cluster.status_info)) == ("insufficient", True)
    assert [each.name for each in cluster.operators] == ["console"]
    assert cluster.schedulable_masters_forced_true


def test_the_cluster_version_is_waited_for_where_the_service_is_set_up_to():
    assert [each.name for each in create(a_policy(check_cluster_version=True)).operators] == ["console", "cvo"]


def test_what_was_written_is_kept():
    cluster = create(
        base_dns_domain="lab.local",
        ssh_public_key=" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8fZ0Zb1x8g7r9wS3nq2m1kqzC8d5tq3q7g0XkZ1y2A me\n",
        http_proxy="http://proxy:3128",
        no_proxy="lab.local",
        tags="a,b",
        hyperthreading="masters,workers",
        schedulable_masters=True,
        load_balancer={"type": "cluster-managed"},
        disk_encryption={"enable_on": "all", "mode": "tang", "tang_servers": TANG},
        ignition_endpoint={"url": "https://ignition.lab", "ca_certificate": CA},
        network_type="Cilium",
    )
    assert cluster.ssh_public_key.endswith("1y2A me")
    assert cluster.proxy == Proxy(http_proxy="http://proxy:3128", no_proxy="lab.local")
    assert cluster.disk_encryption.tang_servers == TANG
    assert cluster.ignition_endpoint.ca_certificate == CA
    assert (cluster.network_type, cluster.tags, cluster.schedulable_masters) == ("Cilium", "a,b", True)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"openshift_version": "4.20"}, "4.20.33"),
        ({"openshift_version": "4.18.4"}, "4.18.4"),
        ({"openshift_version": "4.12", "ocp_release_image": RELEASES[-2].url}, "4.20.33"),
        ({"openshift_version": "4.21", "cpu_architecture": "multi"}, "4.21.0-multi"),
    ],
)
def test_the_release_is_chosen_by_image_or_version(written, expected):
    assert create(**written).openshift_version == expected


@pytest.mark.parametrize(
    ("asked", "kept"), [("x86_64", "multi"), ("aarch64", "multi"), ("arm64", "multi"), ("multi", "multi")]
)
def test_a_release_for_several_architectures_makes_the_cluster_multi(asked, kept):
    assert create(openshift_version="4.21", cpu_architecture=asked).cpu_architecture == kept


def test_hosts_are_not_asked_for_a_system_image_where_there_are_none_at_all():
    assert create(a_policy(catalogue=Catalogue(releases=RELEASES))).openshift_version == "4.20.33"


@pytest.mark.parametrize(
    "written",
    [
        {"openshift_version": "3.11"},
        {"openshift_version": "latest"},
        {"openshift_version": "4.20.99"},
        {"openshift_version": "4.20", "cpu_architecture": "multi"},
        {"openshift_version": "4.20", "cpu_architecture": "ppc64le"},
        {"ocp_release_image": "quay.io/no/such:image"},
        {"ocp_release_image": RELEASES[-2].url, "cpu_architecture": "multi"},
    ],
)
def test_a_release_that_is_not_there_is_refused(written):
    with pytest.raises(Invalid, match=r"^(openshift_version|ocp_release_image): "):
        create(**written)


def test_a_release_without_a_system_image_is_refused():
    policy = a_policy(catalogue=Catalogue(releases=RELEASES, os_images=OS_IMAGES[:1]))
    with pytest.raises(Invalid, match=r"^openshift_version: there is no system image"):
        create(policy)


@pytest.mark.parametrize(
    ("written", "mode", "count"),
    [
        ({}, "Full", 3),
        ({"high_availability_mode": "None"}, "None", 1),
        ({"high_availability_mode": "Full"}, "Full", 3),
        ({"control_plane_count": 1}, "None", 1),
        ({"control_plane_count": 2}, "Full", 2),
        ({"control_plane_count": 5, "openshift_version": "4.18"}, "Full", 5),
        ({"control_plane_count": 3, "openshift_version": "4.17"}, "Full", 3),
    ],
)
def test_mode_and_count_follow_from_each_other(written, mode, count):
    cluster = create(**written)
    assert (cluster.high_availability_mode, cluster.control_plane_count) == (mode, count)


BM, NONE, VS = PlatformType.BAREMETAL, PlatformType.NONE, PlatformType.VSPHERE
S390X = {"openshift_version": "4.14", "cpu_architecture": "s390x"}


@pytest.mark.parametrize(
    ("written", "platform", "unmanaged"),
    [
        ({}, BM, False),
        ({"platform": {"type": "baremetal", "external": {}}}, BM, False),
        ({"user_managed_networking": False}, BM, False),
        ({"user_managed_networking": True}, NONE, True),
        ({"platform": {"type": "none"}}, NONE, True),
        ({"platform": {"type": "vsphere"}}, VS, False),
        ({"platform": {"type": "vsphere"}, "user_managed_networking": True}, VS, True),
        ({"platform": {"type": "nutanix"}}, PlatformType.NUTANIX, False),
        ({"platform": EXTERNAL}, PlatformType.EXTERNAL, True),
        ({"control_plane_count": 1}, NONE, True),
        ({"control_plane_count": 1, "platform": EXTERNAL}, PlatformType.EXTERNAL, True),
        (S390X, NONE, True),
        ({**S390X, "platform": OTHER}, PlatformType.EXTERNAL, True),
    ],
)
def test_platform_and_networking_follow_from_each_other(written, platform, unmanaged):
    cluster = create(**written)
    assert (cluster.platform.type, cluster.user_managed_networking) == (platform, unmanaged)


def test_an_external_platform_keeps_its_name():
    assert create(platform=OTHER).platform == Platform(type=PlatformType.EXTERNAL, platform_name="x")


@pytest.mark.parametrize(
    ("version", "count", "expected"),
    [("4.20", 3, "OVNKubernetes"), ("4.10", 3, "OpenShiftSDN"), ("4.10", 1, "OVNKubernetes")],
)
def test_the_network_type_follows_from_the_version(version, count, expected):
    assert create(openshift_version=version, control_plane_count=count).network_type == expected


def test_time_sources_of_the_service_are_used_where_none_were_written():
    policy = a_policy(ntp_default="ntp.lab")
    assert create(policy).additional_ntp_source == "ntp.lab"
    assert create(policy, additional_ntp_source="").additional_ntp_source == ""
    exclusive = create(policy, ntp_sources="10.0.0.1")
    assert (exclusive.additional_ntp_source, exclusive.ntp_sources) == ("", "10.0.0.1")


@pytest.mark.parametrize(
    "written",
    [
        {"api_vips": vips("192.168.1.5"), "ingress_vips": vips("192.168.1.6")},
        {
            "api_vips": vips("192.168.1.5"),
            "ingress_vips": vips("192.168.1.6"),
            "machine_networks": networks("192.168.1.0/24"),
        },
        {"api_vips": vips("fd00::5"), "ingress_vips": vips("fd00::6")},
        {"api_vips": [], "ingress_vips": []},
        DUAL,
        {**DUAL, **DUAL_VIPS},
        {**DUAL, "api_vips": vips("192.168.1.5"), "ingress_vips": vips("192.168.1.6")},
        {
            "load_balancer": {"type": "user-managed"},
            "machine_networks": networks("10.0.0.0/24", "192.168.1.0/24"),
            "api_vips": vips("192.168.1.5"),
            "ingress_vips": vips("192.168.1.5"),
        },
        {"openshift_version": "4.14", "vip_dhcp_allocation": True, "machine_networks": networks("192.168.1.0/24")},
        {"cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 64}]},
        {"user_managed_networking": True, "machine_networks": networks("192.168.1.0/24")},
        {"cluster_network_cidr": "10.0.0.0/8", "cluster_network_host_prefix": 20, "service_network_cidr": "10.0.0.0/8"},
    ],
)
def test_addresses_that_go_together_are_taken(written):
    assert create(**written).id == "c1"


def test_virtual_addresses_are_kept_in_their_shortest_form_and_as_unverified():
    written = {"api_vips": [{"ip": "FD00:0::5", "verification": "succeeded"}], "ingress_vips": vips("fd00::6")}
    assert create(**written).api_vips == (Vip(ip="fd00::5"),)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (
            "api_vips",
            {
                "machine_networks": networks("192.168.1.0/24"),
                "api_vips": vips("fd00::5"),
                "ingress_vips": vips("fd00::6"),
            },
        ),
        ("api_vips", {"api_vips": vips("10.0.0.1", "10.0.0.2", "10.0.0.3"), "ingress_vips": []}),
        ("api_vips", {"api_vips": vips("10.0.0.1", "10.0.0.1"), "ingress_vips": vips("10.0.0.3", "fd00::1")}),
        ("api_vips", {"api_vips": vips("10.0.0.1", "10.0.0.2"), "ingress_vips": vips("10.0.0.3", "fd00::1")}),
        ("ingress_vips", {"api_vips": vips("10.0.0.1")}),
        ("ingress_vips", {"api_vips": vips("10.0.0.1"), "ingress_vips": vips("10.0.0.1")}),
        ("api_vips[0].ip", {"api_vips": vips("999.0.0.1"), "ingress_vips": vips("10.0.0.2")}),
        ("api_vips[0].ip", {"api_vips": [{}], "ingress_vips": vips("10.0.0.2")}),
        ("api_vips", {"openshift_version": "4.10", **DUAL, **DUAL_VIPS}),
        ("api_vips", {"user_managed_networking": True, "api_vips": vips("10.0.0.1"), "ingress_vips": vips("10.0.0.2")}),
        ("vip_dhcp_allocation", {"user_managed_networking": True, "vip_dhcp_allocation": True}),
        ("vip_dhcp_allocation", {"control_plane_count": 1, "vip_dhcp_allocation": True}),
        ("api_vips", {"vip_dhcp_allocation": True, "api_vips": vips("10.0.0.1"), "ingress_vips": vips("10.0.0.2")}),
        ("machine_networks[0].cidr", {"vip_dhcp_allocation": True, "machine_networks": networks("fd00::/64")}),
        ("machine_networks", DUAL_VIPS),
        ("api_vips[0].ip", {**DUAL, "api_vips": vips("10.0.0.1"), "ingress_vips": vips("192.168.1.6")}),
        ("ingress_vips[0].ip", {**DUAL, "api_vips": vips("192.168.1.6"), "ingress_vips": vips("192.168.1.255")}),
        (
            "api_vips[0].ip",
            {"load_balancer": {"type": "user-managed"}, "api_vips": vips("10.0.0.1"), "ingress_vips": vips("10.0.0.1")},
        ),
        ("machine_networks", {"machine_networks": networks("10.0.0.0/24", "10.0.1.0/24")}),
        ("machine_networks", {**DUAL, "machine_networks": networks("10.0.0.0/24")}),
        ("machine_networks", {"openshift_version": "4.10", "machine_networks": networks("fd00::/64", "10.0.0.0/24")}),
        ("service_networks", {**DUAL, "service_networks": networks("10.0.0.0/24", "fd02::/112", "fd03::/112")}),
        ("service_networks[0].cidr", {"service_networks": networks("300.0.0.0/24")}),
        ("cluster_networks[0].cidr", {"cluster_networks": [{"host_prefix": 23}]}),
    ],
)
def test_addresses_that_do_not_go_together_are_refused(path, written):
    with pytest.raises(Invalid) as error:
        create(**written)
    assert str(error.value).startswith((f"{path}:", f"{path}["))


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("control_plane_count", {"control_plane_count": 7}),
        ("control_plane_count", {"control_plane_count": 2, "openshift_version": "4.18"}),
        ("control_plane_count", {"control_plane_count": 5, "openshift_version": "4.17"}),
        ("control_plane_count", {"control_plane_count": 3, "high_availability_mode": "None"}),
        ("control_plane_count", {"control_plane_count": 1, "high_availability_mode": "Full"}),
        ("control_plane_count", {"control_plane_count": 1, "openshift_version": "4.7"}),
        ("user_managed_networking", {"platform": {"type": "none"}, "user_managed_networking": False}),
        ("user_managed_networking", {"platform": {"type": "baremetal"}, "user_managed_networking": True}),
        ("user_managed_networking", {"control_plane_count": 1, "user_managed_networking": False}),
        ("user_managed_networking", {**S390X, "user_managed_networking": False}),
        ("platform.type", {**S390X, "platform": {"type": "vsphere"}}),
        ("platform.type", {"control_plane_count": 1, "platform": {"type": "baremetal"}}),
        ("platform.type", {"control_plane_count": 1, "platform": {"type": "vsphere"}}),
        ("platform.type", {"openshift_version": "4.10", "platform": {"type": "nutanix"}}),
        ("platform.external.platform_name", {"platform": {"type": "external"}}),
        ("platform.external", {"platform": {"type": "none", "external": {"platform_name": "x"}}}),
        (
            "platform.external.cloud_controller_manager",
            {"platform": {"type": "external", "external": {"platform_name": "oci"}}},
        ),
        ("network_type", {"network_type": "OpenShiftSDN"}),
        ("network_type", {"network_type": "OpenShiftSDN", "openshift_version": "4.12", "control_plane_count": 1}),
        ("http_proxy", {"http_proxy": "ftp://x"}),
        ("disk_encryption.tang_servers", {"disk_encryption": {"mode": "tang"}}),
        ("disk_encryption.tang_servers", {"disk_encryption": {"mode": "tang", "tang_servers": "nonsense"}}),
        (
            "disk_encryption.tang_servers[0].url",
            {"disk_encryption": {"mode": "tang", "tang_servers": '[{"thumbprint":"x"}]'}},
        ),
        (
            "disk_encryption.tang_servers[0].thumbprint",
            {"disk_encryption": {"mode": "tang", "tang_servers": '[{"url":"http://x"}]'}},
        ),
        ("ignition_endpoint.url", {"ignition_endpoint": {"url": "ftp://x"}}),
        ("ignition_endpoint.ca_certificate", {"ignition_endpoint": {"url": "http://x", "ca_certificate": "nonsense"}}),
        (
            "ignition_endpoint.ca_certificate",
            {"ignition_endpoint": {"url": "http://x", "ca_certificate": "bm9uc2Vuc2U="}},
        ),
        ("additional_ntp_source", {"additional_ntp_source": "no such host"}),
        ("ntp_sources", {"ntp_sources": "no such host"}),
        ("ntp_sources", {"ntp_sources": "10.0.0.1", "additional_ntp_source": "10.0.0.2"}),
        ("tags", {"tags": "a-b"}),
        ("olm_operators[0].name", {"olm_operators": [{"name": "nosuch"}]}),
        ("olm_operators[0].name", {"olm_operators": [{}]}),
        ("operator_bundles[0].id", {"operator_bundles": [{"id": "nosuch"}]}),
        (
            "operator_bundles[0].optional_operators",
            {"operator_bundles": [{"id": "virtualization", "optional_operators": ["lvm"]}]},
        ),
        ("pull_secret", {"pull_secret": "{}"}),
        ("name", {"name": "Bad_Name"}),
        ("name", {"name": "a.b"}),
        ("base_dns_domain", {"base_dns_domain": "a..b"}),
        ("ssh_public_key", {"ssh_public_key": "nokey"}),
    ],
)
def test_what_cannot_be_is_refused_with_the_path_of_its_field(path, written):
    with pytest.raises(Invalid) as error:
        create(**written)
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "written",
    [
        {"name": "a.b", "platform": {"type": "none"}},
        {"network_type": "OpenShiftSDN", "openshift_version": "4.14"},
        {"platform": {"type": "nutanix"}, "openshift_version": "4.12"},
        {"ignition_endpoint": {"ca_certificate": "not looked at without a URL"}},
        {"disk_encryption": {"enable_on": "none"}},
        {"no_proxy": "*"},
    ],
)
def test_what_looks_odd_but_can_be_is_taken(written):
    assert create(**written).id == "c1"


def test_every_problem_is_told_at_once():
    with pytest.raises(Invalid) as error:
        create(name="Bad", tags="a-b", http_proxy="ftp://x")
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["http_proxy", "tags", "name"]
