"""What a host that joins a running cluster is asked, what is asked about disk keys, and what of installed hosts."""

import json
from base64 import b64decode, b64encode

import msgspec
import pytest

from asking import args, of, plan
from builders import (
    INFRA_ENV_ID,
    a_cluster,
    a_machine,
    a_policy,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    an_infra_env,
)
from muster.domain.clusters import DiskEncryption, IgnitionEndpoint, Preparation
from muster.domain.hosts import HostKind
from muster.domain.inventory import Boot
from muster.domain.joining import ApiVipReply, Ignition, TangServer, ignition_source, read_ignition
from muster.domain.releases import Catalogue, OsImage, Release, ReleaseImages
from muster.domain.roles import Role
from muster.domain.steps.download_boot_artifacts import system_url

API_VIP = "api-vip-connectivity-check"
TANG = "tang-connectivity-check"
NAME = {"api_vip_dns_name": "api.lab.example.com"}


def joining(cluster=None, **changes):
    """A host that joins a running cluster."""
    return of(cluster=a_running_cluster(**(NAME if cluster is None else cluster)), kind=HostKind.DAY2, **changes)


def a_certificate(name):
    return f"-----BEGIN CERTIFICATE-----\n{name}\n-----END CERTIFICATE-----"


def encoded(text):
    return b64encode(text.encode()).decode()


def trusting(*sources):
    authorities = [{"source": source} for source in sources]
    return json.dumps({"ignition": {"version": "3.2.0", "security": {"tls": {"certificateAuthorities": authorities}}}})


# Where the ignition is


@pytest.mark.parametrize(
    ("cluster", "host", "url"),
    [
        (NAME, {}, "http://api.lab.example.com:22624/config/master"),
        ({"api_vip_dns_name": "192.168.1.5"}, {}, "http://192.168.1.5:22624/config/master"),
        ({"api_vip_dns_name": "fd00::5"}, {}, "http://[fd00::5]:22624/config/master"),
        (NAME, {"machine_config_pool_name": "infra"}, "http://api.lab.example.com:22624/config/infra"),
        (NAME, {"role": Role.AUTO, "suggested_role": None}, "http://api.lab.example.com:22624/config/worker"),
        (NAME, {"role": Role.AUTO, "suggested_role": Role.WORKER}, "http://api.lab.example.com:22624/config/worker"),
        (
            NAME | {"ignition_endpoint": IgnitionEndpoint(url="https://elsewhere:9000/config/")},
            {},
            "https://elsewhere:9000/config/master",
        ),
    ],
)
def test_the_ignition_is_where_the_cluster_hands_it_out(cluster, host, url):
    assert args(joining(cluster, **host), API_VIP) == [{"url": url}]


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("api.lab.example.com", "https://api-int.lab.example.com:22623/config/master"),
        ("192.168.1.5", "https://192.168.1.5:22623/config/master"),
        ("lab.example.com", "https://lab.example.com:22623/config/master"),
    ],
)
def test_with_a_certificate_to_trust_the_connection_is_encrypted(name, url):
    endpoint = IgnitionEndpoint(ca_certificate=encoded(a_certificate("one")))
    (request,) = args(joining({"api_vip_dns_name": name, "ignition_endpoint": endpoint}), API_VIP)
    assert request["url"] == url
    assert b64decode(request["ca_certificate"]).decode() == f"{a_certificate('one')}\n"


def test_certificates_of_the_cluster_and_of_the_host_are_trusted_each_once():
    endpoint = IgnitionEndpoint(ca_certificate=encoded(f"{a_certificate('one')}\n{a_certificate('two')}"))
    sources = (f"data:;base64,{encoded(a_certificate('two'))}", f"data:,{a_certificate('three')}", "data:,nothing")
    view = joining(NAME | {"ignition_endpoint": endpoint}, ignition_config_overrides=trusting(*sources))
    (request,) = args(view, API_VIP)
    assert b64decode(request["ca_certificate"]).decode() == "".join(
        f"{a_certificate(name)}\n" for name in ("one", "two", "three")
    )


@pytest.mark.parametrize("overrides", ["", "{}", "[]", "not json", trusting()])
def test_overrides_that_name_nobody_to_trust_change_nothing(overrides):
    (request,) = args(joining(ignition_config_overrides=overrides), API_VIP)
    assert "ca_certificate" not in request


def test_a_certificate_that_cannot_be_read_is_not_trusted():
    endpoint = IgnitionEndpoint(ca_certificate="not base64!")
    (request,) = args(joining(NAME | {"ignition_endpoint": endpoint}), API_VIP)
    assert request == {"url": "http://api.lab.example.com:22624/config/master"}


def test_a_host_shows_its_token_and_says_what_the_user_wants_it_to_say():
    view = joining(ignition_endpoint_token="t0ken", ignition_endpoint_http_headers={"X-Site": "lab"})
    (request,) = args(view, API_VIP)
    assert request["ignition_endpoint_token"] == "t0ken"
    assert request["request_headers"] == [
        {"key": "Authorization", "value": "Bearer t0ken"},
        {"key": "X-Site", "value": "lab"},
    ]


def test_nothing_is_fetched_while_nobody_knows_where_from():
    assert args(joining({}), API_VIP) is None
    assert args(a_pool_view(a_ready_host("m1")), API_VIP) is None
    assert ignition_source(a_running_cluster(), a_ready_host("m1")) is None


# Disk keys

SERVERS = '[{"url":"http://tang","thumbprint":"x"}]'


def encrypting(**changes):
    return a_cluster(disk_encryption=DiskEncryption(mode="tang", tang_servers=SERVERS).but(**changes))


@pytest.mark.parametrize(
    ("encryption", "role", "is_asked"),
    [
        ({"enable_on": "all"}, Role.MASTER, True),
        ({"enable_on": "masters"}, Role.MASTER, True),
        ({"enable_on": "workers"}, Role.MASTER, False),
        ({"enable_on": "masters,workers"}, Role.WORKER, True),
        ({"enable_on": "masters"}, Role.AUTO, False),
        ({"enable_on": "none"}, Role.MASTER, False),
        ({"enable_on": "all", "mode": "tpmv2"}, Role.MASTER, False),
        ({"enable_on": "all", "tang_servers": ""}, Role.MASTER, False),
    ],
)
def test_the_servers_of_disk_keys_are_tried_by_those_who_need_them(encryption, role, is_asked):
    view = of(cluster=encrypting(**encryption), role=role, suggested_role=None)
    assert args(view, TANG) == ([{"tang_servers": SERVERS}] if is_asked else None)


def test_a_host_without_a_cluster_needs_no_keys():
    assert args(a_pool_view(a_ready_host("m1")), TANG) is None


def handed_out(**ignition):
    return ApiVipReply(is_success=True, ignition=json.dumps({"ignition": {"version": "3.2.0"}} | ignition))


def test_a_running_cluster_says_where_its_disk_keys_are():
    luks = [{"clevis": {"tang": [{"url": "http://tang", "thumbprint": "x"}]}}]
    view = joining(api_vip=handed_out(storage={"luks": luks}))
    (request,) = args(view, TANG)
    assert msgspec.json.decode(request["tang_servers"], type=tuple[TangServer, ...]) == (
        TangServer(url="http://tang", thumbprint="x"),
    )


@pytest.mark.parametrize(
    "reply",
    [
        None,
        ApiVipReply(download_error="no route"),
        handed_out(),
        handed_out(storage={"luks": [{"clevis": {"tpm2": True}}]}),
    ],
)
def test_a_running_cluster_that_names_no_servers_has_none_tried(reply):
    assert args(joining(api_vip=reply), TANG) is None


@pytest.mark.parametrize(("count", "told"), [(1, 0), (3, 3)])
def test_a_host_that_joins_a_single_node_is_not_taken_for_another(count, told):
    host = joining(NAME | {"control_plane_count": count})
    assert plan(host)["control_plane_count"] == told


# The system of a host that is installed in place

IN_PLACE = a_machine(boot=Boot(device_type="persistent"))
RELEASE = Release(version="4.20.1", url="quay.io/release:1", images=ReleaseImages(coreos="quay.io/coreos:1"))
POLICY = a_policy(catalogue=Catalogue(releases=(RELEASE,)))


def a_machine_config(source):
    files = [
        {"path": "/etc/hostname"},
        {"path": "/etc/ignition-machine-config-encapsulated.json", "contents": {"source": source}},
    ]
    return {"files": files}


def test_a_host_that_runs_from_its_disk_is_told_which_system_to_become():
    assert plan(of(inventory=IN_PLACE, policy=POLICY))["coreos_image"] == "quay.io/coreos:1"
    assert "coreos_image" not in plan(of(policy=POLICY))
    assert "coreos_image" not in plan(of(policy=POLICY, inventory=a_machine(boot=None)))


def test_a_host_that_runs_from_its_disk_is_not_installed_while_nobody_knows_the_system():
    assert args(of(inventory=IN_PLACE), "install") is None
    assert args(joining(inventory=IN_PLACE), "install") is None
    nothing = handed_out(storage=a_machine_config("data:,nothing"))
    assert args(joining(inventory=IN_PLACE, api_vip=nothing), "install") is None


def test_the_running_cluster_says_which_system_its_nodes_run():
    handed = handed_out(storage=a_machine_config('data:,{"spec":{"osImageURL":"quay.io/os:2"}}'))
    assert plan(joining(inventory=IN_PLACE, api_vip=handed))["coreos_image"] == "quay.io/os:2"
    known = NAME | {"ocp_release_image": RELEASE.url}
    view = joining(known, inventory=IN_PLACE, policy=POLICY, api_vip=handed)
    assert plan(view)["coreos_image"] == "quay.io/coreos:1"
    read = NAME | {"preparation": Preparation(images=ReleaseImages(coreos="quay.io/coreos:3"))}
    assert plan(joining(read, inventory=IN_PLACE, api_vip=handed))["coreos_image"] == "quay.io/coreos:3"


def test_an_ignition_without_a_machine_config_names_no_system():
    ignition = read_ignition("{}")
    assert isinstance(ignition, Ignition)
    assert ignition.system_image == ""


# Installed hosts that are taken back


def test_an_installed_host_is_told_where_the_discovery_image_is():
    policy = a_policy(image_service_url="http://images.lab/")
    view = a_pool_view(a_ready_host("m1")).but(policy=policy, infra_envs={INFRA_ENV_ID: an_infra_env()})
    assert args(view, "download-boot-artifacts") == [
        {
            "kernel_url": "http://images.lab/boot-artifacts/kernel?arch=x86_64&version=4.20",
            "rootfs_url": "http://images.lab/boot-artifacts/rootfs?arch=x86_64&version=4.20",
            "initrd_url": f"http://images.lab/images/{INFRA_ENV_ID}/pxe-initrd?arch=x86_64&version=4.20",
            "host_fs_mount_dir": "/host",
        }
    ]
    assert args(view.but(infra_envs={}), "download-boot-artifacts") is None


def test_the_discovery_image_is_fetched_without_tls_where_that_is_possible():
    policy = a_policy(image_service_url="https://images.lab", plain_image_service_url="http://images.lab")
    view = a_pool_view(a_ready_host("m1")).but(policy=policy, infra_envs={INFRA_ENV_ID: an_infra_env()})
    (request,) = args(view, "download-boot-artifacts")
    assert all(request[name].startswith("http://images.lab/") for name in ("kernel_url", "rootfs_url", "initrd_url"))


@pytest.mark.parametrize(("build", "asked"), [("418.94.1-0", "418.94.1-0"), ("", "4.18")])
def test_a_minimal_image_fetches_its_system_by_its_build(build, asked):
    image = OsImage(openshift_version="4.18", cpu_architecture="arm64", version=build)
    url = system_url(image, a_policy(image_service_url="http://images.lab/"))
    assert url == f"http://images.lab/boot-artifacts/arm64/{asked}/rootfs"


def test_a_system_image_that_is_not_on_offer_is_asked_for_by_the_version_of_the_infra_env():
    view = a_pool_view(a_ready_host("m1")).but(infra_envs={INFRA_ENV_ID: an_infra_env()})
    (request,) = args(view, "download-boot-artifacts")
    assert request["kernel_url"].endswith("arch=x86_64&version=4.20.1")


def test_an_installed_host_is_told_to_start_the_discovery_image():
    assert args(a_pool_view(a_ready_host("m1")), "reboot-for-reclaim") == [{"host_fs_mount_dir": "/host"}]
