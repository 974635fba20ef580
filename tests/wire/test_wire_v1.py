"""What old clients write becomes what is written today, and answers become what they know."""

import json

import pytest
from msgspec import UNSET

from builders import a_cluster, a_host, a_machine, a_policy, a_view, an_infra_env
from muster.domain.hosts import HostState
from muster.domain.infra_envs import ImageType
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.networks import ClusterNetwork, FreeAddresses, Proxy
from muster.domain.releases import Catalogue, OsImage, Release
from muster.wire.bodies import decode_body
from muster.wire.clusters import cluster_out
from muster.wire.v1 import (
    AddHostsClusterV1,
    ClusterCreateV1,
    ClusterUpdateV1,
    EventsQueryV1,
    FreeAddressesQuery,
    ImageCreateV1,
    changed_image,
    cluster_out_v1,
    event_out_v1,
    free_addresses_out,
    host_requirements_out,
    listed,
    new_image,
    openshift_versions_out_v1,
)

PODS = ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23)
ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def create(**written):
    body = {"name": "old", "openshift_version": "4.8", "pull_secret": "{}", **written}
    return listed(decode_body(ClusterCreateV1, json.dumps(body).encode()), PODS)


def update(**written):
    return listed(decode_body(ClusterUpdateV1, json.dumps(written).encode()), PODS)


# Clusters


def test_what_there_was_one_of_becomes_a_list():
    body = create(
        ingress_vip="192.168.1.8",
        cluster_network_cidr="10.0.0.0/14",
        cluster_network_host_prefix=24,
        service_network_cidr="172.31.0.0/16",
        machine_network_cidr="192.168.1.0/24",
    )
    assert [each.ip for each in body.ingress_vips] == ["192.168.1.8"]
    assert body.api_vips is UNSET
    assert [each.network for each in body.cluster_networks] == [ClusterNetwork(cidr="10.0.0.0/14", host_prefix=24)]
    assert [each.cidr for each in body.service_networks] == ["172.31.0.0/16"]
    assert [each.cidr for each in body.machine_networks] == ["192.168.1.0/24"]


@pytest.mark.parametrize(
    ("written", "network"),
    [
        ({"cluster_network_cidr": "10.0.0.0/14"}, ClusterNetwork(cidr="10.0.0.0/14", host_prefix=23)),
        ({"cluster_network_host_prefix": 25}, ClusterNetwork(cidr="10.128.0.0/14", host_prefix=25)),
    ],
)
def test_half_of_a_network_is_completed_from_the_one_that_is_there(written, network):
    assert [each.network for each in update(**written).cluster_networks] == [network]


def test_a_list_wins_over_what_there_was_one_of():
    body = update(api_vip="192.168.1.7", api_vips=[{"ip": "192.168.1.9"}])
    assert [each.ip for each in body.api_vips] == ["192.168.1.9"]


def test_nothing_in_place_of_an_address_takes_it_away():
    assert update(api_vip="").api_vips == ()


def test_what_nobody_knows_is_left_alone():
    assert create(kind="Cluster", nosuch=1).name == "old"
    assert update(nosuch={"a": 1}).written >= {"hosts_roles"}


def test_what_is_asked_of_hosts_is_asked_in_the_order_that_counts():
    body = update(
        hosts_machine_config_pool_names=[{"id": ID, "machine_config_pool_name": "gpu"}],
        disks_selected_config=[{"id": ID, "disks_config": [{"id": "/dev/sda", "role": "install"}]}],
        hosts_names=[{"id": ID, "hostname": "one"}],
        hosts_roles=[{"id": ID, "role": "master"}, {"id": ID, "role": "worker"}],
    )
    assert {each.host_id for each in body.of_hosts} == {ID}
    assert [sorted(each.changes.written) for each in body.of_hosts] == [
        ["host_role"],
        ["host_role"],
        ["host_name"],
        ["disks_selected_config"],
        ["machine_config_pool_name"],
    ]
    assert update().of_hosts == ()


def test_beside_every_list_stands_the_first_of_it():
    out = cluster_out_v1(cluster_out(a_view(a_cluster())))
    firsts = {"api_vip": ("api_vips", "ip"), "cluster_network_host_prefix": ("cluster_networks", "host_prefix")}
    for single, (several, field) in firsts.items():
        assert out[single] == out[several][0][field]
    bare = cluster_out_v1(cluster_out(a_view(a_cluster(api_vips=(), machine_networks=()))))
    assert not {"api_vip", "machine_network_cidr"} & bare.keys()


def test_a_cluster_that_runs_is_told_of_by_its_own_id():
    body = AddHostsClusterV1(id=ID, name="old", api_vip_dnsname="api.old.example.com", openshift_version="4.8")
    assert (body.today.openshift_cluster_id, body.today.api_vip_dnsname) == (ID, "api.old.example.com")


# Discovery images

PROXIED = a_cluster(proxy=Proxy(http_proxy="http://proxy.example.com"), pull_secret="one")


def test_the_image_of_a_cluster_is_made_from_what_is_known_of_it():
    image = new_image(ImageCreateV1(ssh_public_key="key", pull_secret="other"), PROXIED)
    assert (image.cluster_id, image.pull_secret) == (PROXIED.id, "one")
    assert (image.openshift_version, image.cpu_architecture) == (PROXIED.openshift_version, "x86_64")
    assert (image.ssh_authorized_key, image.proxy.http_proxy) == ("key", "http://proxy.example.com")


def test_a_cluster_without_a_pull_secret_takes_that_of_its_image():
    assert new_image(ImageCreateV1(pull_secret="other"), PROXIED.but(pull_secret="")).pull_secret == "other"


@pytest.mark.parametrize("architecture", ["multi", ""])
def test_a_cluster_for_any_architecture_has_an_image_for_the_usual_one(architecture):
    assert new_image(ImageCreateV1(), PROXIED.but(cpu_architecture=architecture)).cpu_architecture is UNSET


@pytest.mark.parametrize(("asked", "type_"), [("", ImageType.FULL), ("minimal-iso", ImageType.MINIMAL)])
def test_an_image_that_is_described_again_is_what_was_described_last(asked, type_):
    image = changed_image(ImageCreateV1(image_type=asked), PROXIED)
    assert (image.image_type, image.static_network_config) == (type_.value, ())


def test_the_image_that_is_a_clusters_own_is_told_with_it():
    cluster, key = a_cluster(), "ssh-ed25519 AAAA"
    own = an_infra_env(id=cluster.id, cluster_id=cluster.id, ssh_authorized_key=key)
    told = cluster_out(a_view(cluster).but(infra_envs={cluster.id: own}))["image_info"]
    assert told["download_url"].endswith(f"/api/assisted-install/v1/clusters/{cluster.id}/downloads/image")
    assert (told["type"], told["ssh_public_key"]) == ("full-iso", key)
    given_up = a_view(cluster).but(infra_envs={cluster.id: own.but(deleted=True)})
    assert "download_url" not in cluster_out(given_up)["image_info"]


# Events and versions


def test_events_are_asked_for_without_pages_and_told_without_names():
    asked = EventsQueryV1(host_id=ID).today("c1").wanted
    assert (asked.cluster_id, asked.host_ids, asked.limit) == ("c1", (ID,), -1)
    event = {"cluster_id": "c1", "event_time": "now", "message": "so", "severity": "info"}
    assert event_out_v1(event | {"name": "x", "infra_env_id": "e"}) == event


def test_of_every_minor_the_latest_release_is_told_with_its_images():
    catalogue = Catalogue(
        releases=(
            Release(version="4.8.5", url="old", default=True),
            Release(version="4.8.9", url="new", support_level="maintenance"),
            Release(version="4.9.0-rc.1", url="beta", support_level="beta"),
            Release(version="4.9.0", url="arm", cpu_architectures=("arm64",)),
        ),
        os_images=(OsImage(openshift_version="4.8", url="https://live", version="48.1"),),
    )
    told = openshift_versions_out_v1(catalogue)
    assert list(told) == ["4.8", "4.9"]
    assert (told["4.8"].release_image, told["4.8"].support_level, told["4.8"].default) == ("new", "production", False)
    assert (told["4.8"].rhcos_image, told["4.8"].rhcos_version) == ("https://live", "48.1")
    assert (told["4.9"].release_version, told["4.9"].support_level) == ("4.9.0-rc.1", "beta")
    assert told["4.9"].rhcos_image == ""


# What hosts have and need

NETWORK = "192.168.1.0/24"


def looked(host_id: str, *free: str, network: str = NETWORK, **changes):
    found = FreeAddresses(network=network, free_addresses=free)
    return a_host(host_id, status=HostState.KNOWN, free_addresses=(found,), **changes)


@pytest.mark.parametrize(
    ("query", "addresses"),
    [
        ({}, ["192.168.1.5", "192.168.1.20", "192.168.1.21"]),
        ({"limit": 2}, ["192.168.1.5", "192.168.1.20"]),
        ({"prefix": "192.168.1.2"}, ["192.168.1.20", "192.168.1.21"]),
    ],
)
def test_an_address_is_free_if_every_host_that_looked_says_so(query, addresses):
    hosts = [
        looked("h1", "192.168.1.21", "192.168.1.5", "192.168.1.20", "192.168.1.9"),
        looked("h2", "192.168.1.20", "192.168.1.5", "192.168.1.21"),
        looked("h3", "10.0.0.1", network="10.0.0.0/24"),
        looked("h4").but(status=HostState.DISCONNECTED),
        a_host("h5", status=HostState.KNOWN),
    ]
    assert free_addresses_out(a_view(hosts=hosts), FreeAddressesQuery(network=NETWORK, **query)) == addresses


def test_where_no_host_has_looked_nothing_is_known_of_free_addresses():
    assert free_addresses_out(a_view(hosts=[a_host("h1")]), FreeAddressesQuery(network=NETWORK)) is None


def test_what_a_host_needs_is_told_by_openshift_by_operator_and_together():
    cluster = a_cluster(operators=(MonitoredOperator(name="cnv", operator_type=OperatorType.OLM),))
    view = a_view(cluster, [a_host("h1", inventory=a_machine())]).but(policy=a_policy())
    (told,) = host_requirements_out(view)
    assert told.host_id == "h1"
    (operator,) = told.operators
    assert operator.operator_name == "cnv"
    assert told.total.cpu_cores == told.ocp.cpu_cores + operator.requirements.cpu_cores
    assert told.total.ram_mib == told.ocp.ram_mib + operator.requirements.ram_mib
    assert told.total.disk_size_gb == told.ocp.disk_size_gb > 0
