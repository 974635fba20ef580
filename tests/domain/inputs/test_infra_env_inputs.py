"""Discovery images, described and changed: defaults, rules, and which empty values clear."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import UnsetType

from builders import NOW, OS_IMAGES, RELEASES, a_cluster, a_policy
from muster.domain.clusters import Cluster, Platform, PlatformType
from muster.domain.discovery_settings import DiscoverySettings
from muster.domain.errors import Invalid, NotFound
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.fields import given
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate, changed_infra_env, new_infra_env
from muster.domain.inputs.static_networks import HostNetworkInput
from muster.domain.networks import Proxy
from muster.domain.nmstate.network import ReadNetwork
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, OsImage
from muster.wire.nmstate import read_network

SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8fZ0Zb1x8g7r9wS3nq2m1kqzC8d5tq3q7g0XkZ1y2A"
PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----"
OVERRIDE = '{"ignition":{"version":"3.2.0"}}'
UUID = "c1000000-0000-4000-8000-000000000001"


def create(policy: Policy | None = None, cluster: Cluster | None = None, **written: Any) -> InfraEnv:
    """The infra-env a body makes, decoded as it comes from the wire."""
    body = {"name": "pool", "pull_secret": SECRET, **written}
    inputs = msgspec.json.decode(msgspec.json.encode(body), type=InfraEnvCreate)
    return new_infra_env(
        inputs,
        infra_env_id="e1",
        owner="me",
        now=NOW,
        policy=policy or a_policy(),
        cluster=cluster,
        networks=read(inputs.static_network_config),
    )


def patch(infra_env: InfraEnv, cluster: Cluster | None = None, **written: Any) -> InfraEnv:
    """The infra-env a body changes, decoded as it comes from the wire."""
    changes = msgspec.json.decode(msgspec.json.encode(written), type=InfraEnvUpdate)
    return changed_infra_env(infra_env, changes, a_policy(), cluster, read(changes.static_network_config))


def read(hosts: tuple[HostNetworkInput, ...] | UnsetType) -> tuple[ReadNetwork, ...]:
    """What is read in the network settings of hosts."""
    return tuple(read_network(given(each.network_yaml, "")) for each in given(hosts, ()))


WIRED = "interfaces: [{name: eth0, type: ethernet}]"


def settings(*macs: tuple[str, str], yaml: str = WIRED) -> dict[str, Any]:
    """The network settings of one host."""
    return {
        "network_yaml": yaml,
        "mac_interface_map": [{"logical_nic_name": name, "mac_address": mac} for name, mac in macs],
    }


ETH0, ETH1 = ("eth0", "02:00:00:00:00:01"), ("eth1", "02:00:00:00:00:02")


def test_an_infra_env_of_few_words_gets_every_default():
    assert create() == InfraEnv(
        id="e1", name="pool", created_at=NOW, updated_at=NOW, user_name="me", openshift_version="4.21",
        pull_secret=SECRET,
    )  # fmt: skip


def test_the_version_is_that_of_the_chosen_system_image():
    assert create(openshift_version="4.20.33").openshift_version == "4.20"


def test_hosts_belong_to_the_cluster_that_was_named():
    assert create(cluster=a_cluster(), cluster_id=UUID).cluster_id == a_cluster().id


def test_a_cluster_that_is_not_there_cannot_be_named():
    with pytest.raises(NotFound, match=f"^cluster_id: there is no cluster {UUID}"):
        create(cluster_id=UUID)


def test_what_was_written_is_kept():
    infra_env = create(
        cluster=a_cluster(),
        cluster_id=UUID,
        image_type="disconnected-iso",
        rendezvous_ip="192.168.1.5",
        ssh_authorized_key=f"{KEY}\n",
        proxy={"http_proxy": "http://proxy", "no_proxy": "*"},
        ntp_sources="10.0.0.1",
        additional_trust_bundle=f"{PEM}\n",
        kernel_arguments=[{"operation": "append", "value": 'a="b c"'}],
        ignition_config_override=OVERRIDE,
        network_discovery_delay_seconds=5,
    )
    assert infra_env.type is ImageType.DISCONNECTED
    assert (infra_env.rendezvous_ip, infra_env.ssh_authorized_key) == ("192.168.1.5", KEY)
    assert infra_env.proxy == Proxy(http_proxy="http://proxy", no_proxy="*")
    assert (infra_env.ntp_sources, infra_env.additional_trust_bundle) == ("10.0.0.1", PEM)
    assert infra_env.kernel_arguments == '[{"operation":"append","value":"a=\\"b c\\""}]'
    assert (infra_env.ignition_config_override, infra_env.network_discovery_delay_seconds) == (OVERRIDE, 5)


def test_time_sources_of_the_service_are_used_where_none_were_written():
    policy = a_policy(ntp_default="ntp.lab")
    assert create(policy).additional_ntp_sources == "ntp.lab"
    assert create(policy, additional_ntp_sources="").additional_ntp_sources == ""
    assert create(policy, ntp_sources="10.0.0.1").additional_ntp_sources == ""


def test_the_service_says_which_kind_of_image_is_usual():
    policy = S390X_POLICY.but(discovery=DiscoverySettings(image_type="minimal-iso"))
    assert create(policy).type is ImageType.MINIMAL
    assert create(policy, image_type="full-iso").type is ImageType.FULL
    assert create(policy, cpu_architecture="s390x").type is ImageType.FULL
    assert create().type is ImageType.FULL


def test_the_service_says_how_long_to_wait_for_interfaces():
    policy = a_policy(discovery=DiscoverySettings(network_delay=7))
    assert create(policy).network_discovery_delay_seconds == 7
    assert create(policy, network_discovery_delay_seconds=0).network_discovery_delay_seconds == 0
    assert create().network_discovery_delay_seconds is None


def test_keys_as_they_are_in_a_file_are_taken():
    assert create(ssh_authorized_key=f"{KEY}\n{KEY} me\r\n").ssh_authorized_key == f"{KEY}\n{KEY} me"


def test_network_settings_are_kept_in_an_order_of_their_own():
    one, other = settings(ETH1, ETH0, yaml=f"{WIRED} # b"), settings(("eth0", "02:00:00:00:00:03"), yaml=WIRED)
    in_order = settings(ETH0, ETH1, yaml=f"{WIRED} # b")
    kept = create(static_network_config=[one, other]).static_network_config
    assert kept == create(static_network_config=[other, in_order]).static_network_config
    assert json.loads(kept) == [other, in_order]


def test_a_cluster_of_several_architectures_takes_each_of_them():
    cluster = a_cluster(cpu_architecture="multi", openshift_version="4.21.0-multi")
    assert create(cluster=cluster, cluster_id=UUID, cpu_architecture="aarch64").cpu_architecture == "arm64"


def test_a_cluster_without_an_architecture_takes_any():
    cluster = a_cluster(cpu_architecture="")
    assert create(cluster=cluster, cluster_id=UUID, cpu_architecture="arm64").cpu_architecture == "arm64"


S390X_POLICY = a_policy(
    catalogue=Catalogue(
        releases=RELEASES, os_images=(*OS_IMAGES, OsImage(openshift_version="4.21", cpu_architecture="s390x"))
    )
)
MULTI = a_cluster(cpu_architecture="multi", openshift_version="4.21.0-multi")
OCI = a_cluster(platform=Platform(type=PlatformType.EXTERNAL, platform_name="oci"))


@pytest.mark.parametrize(
    ("path", "cluster", "written"),
    [
        ("openshift_version", None, {"openshift_version": "4.99"}),
        ("openshift_version", None, {"cpu_architecture": "ppc64le"}),
        ("cpu_architecture", a_cluster(), {"cpu_architecture": "arm64"}),
        ("cpu_architecture", MULTI, {"cpu_architecture": "s390x"}),
        ("proxy.http_proxy", None, {"proxy": {"http_proxy": "https://x"}}),
        ("proxy.https_proxy", None, {"proxy": {"https_proxy": "x"}}),
        ("additional_ntp_sources", None, {"additional_ntp_sources": "no such host"}),
        ("ntp_sources", None, {"ntp_sources": "no such host"}),
        ("ntp_sources", None, {"ntp_sources": "10.0.0.1", "additional_ntp_sources": "10.0.0.2"}),
        ("ssh_authorized_key", None, {"ssh_authorized_key": "nokey"}),
        ("static_network_config[0].network_yaml", None, {"static_network_config": [settings(ETH0, yaml=" ")]}),
        ("static_network_config[0].mac_interface_map", None, {"static_network_config": [settings()]}),
        ("static_network_config[0].network_yaml", None, {"static_network_config": [{}]}),
        (
            "static_network_config[0].mac_interface_map[0].logical_nic_name",
            None,
            {"static_network_config": [settings(("", ETH0[1]))]},
        ),
        (
            "static_network_config[0].mac_interface_map[1].logical_nic_name",
            None,
            {"static_network_config": [settings(ETH0, ("eth0", ETH1[1]))]},
        ),
        (
            "static_network_config[0].mac_interface_map[1].mac_address",
            None,
            {"static_network_config": [settings(("a", "AA:00:00:00:00:01"), ("b", "aa:00:00:00:00:01"))]},
        ),
        (
            "static_network_config[1].mac_interface_map[0].mac_address",
            None,
            {"static_network_config": [settings(ETH0), settings(ETH0)]},
        ),
        ("additional_trust_bundle", None, {"additional_trust_bundle": "no certificate"}),
        ("rendezvous_ip", None, {"rendezvous_ip": "192.168.1.5"}),
        ("rendezvous_ip", a_cluster(), {"rendezvous_ip": "fe80:::::%eth0", "image_type": "disconnected-iso"}),
        ("ignition_config_override", None, {"ignition_config_override": "nonsense"}),
        ("ignition_config_override", None, {"ignition_config_override": "{}"}),
        ("ignition_config_override", None, {"ignition_config_override": '{"ignition":{"version":"3.3.0"}}'}),
        ("kernel_arguments[0].operation", None, {"kernel_arguments": [{"operation": "delete", "value": "a"}]}),
        ("kernel_arguments[0].operation", None, {"kernel_arguments": [{"value": "a"}]}),
        ("kernel_arguments[0].value", None, {"kernel_arguments": [{"operation": "append"}]}),
        ("image_type", None, {"image_type": "minimal-iso", "cpu_architecture": "s390x"}),
        ("image_type", None, {"image_type": "disconnected-iso"}),
        ("image_type", OCI, {}),
        ("pull_secret", None, {"pull_secret": ""}),
    ],
)
def test_what_cannot_be_is_refused_with_the_path_of_its_field(path, cluster, written):
    named = {"cluster_id": UUID} if cluster else {}
    with pytest.raises(Invalid) as error:
        create(S390X_POLICY, cluster, **named, **written)
    assert str(error.value).startswith(f"{path}: ")


def test_a_minimal_image_is_made_for_oci():
    image = create(cluster=OCI, cluster_id=UUID, image_type="minimal-iso")
    assert image.type is ImageType.MINIMAL
    assert patch(image, OCI, ntp_sources="10.0.0.1").type is ImageType.MINIMAL
    with pytest.raises(Invalid, match=r"^image_type: a full-iso is not possible on platform oci"):
        patch(image, OCI, image_type="full-iso")


FULL = create(
    ssh_authorized_key=KEY,
    ignition_config_override=OVERRIDE,
    openshift_version="4.20",
    additional_ntp_sources="10.0.0.1",
    additional_trust_bundle=PEM,
    static_network_config=[settings(ETH0)],
    kernel_arguments=[{"operation": "append", "value": "a"}],
    proxy={"http_proxy": "http://a", "https_proxy": "http://b"},
    network_discovery_delay_seconds=5,
)


def test_nothing_written_leaves_the_very_same_infra_env():
    assert patch(FULL) is FULL


def test_empty_values_are_ignored_where_no_image_can_be_without():
    assert patch(FULL, pull_secret="", openshift_version="", image_type="", proxy={}) is FULL


def test_empty_values_clear_the_rest():
    after = patch(
        FULL, additional_ntp_sources="", additional_trust_bundle="", static_network_config=[], kernel_arguments=[],
        proxy={"http_proxy": ""}, ssh_authorized_key=" \n", ignition_config_override="",
    )  # fmt: skip
    assert after == FULL.but(
        additional_ntp_sources="", additional_trust_bundle="", static_network_config="", kernel_arguments="",
        proxy=Proxy(https_proxy="http://b"), ssh_authorized_key="", ignition_config_override="", networks=(),
    )  # fmt: skip


def test_another_kind_of_image_has_no_place_to_meet():
    met = FULL.but(type=ImageType.DISCONNECTED, rendezvous_ip="192.168.1.5", cluster_id=UUID)
    assert patch(met, rendezvous_ip="192.168.1.6").rendezvous_ip == "192.168.1.6"
    assert patch(met, rendezvous_ip="").rendezvous_ip == ""
    after = patch(met, image_type="minimal-iso")
    assert (after.type, after.rendezvous_ip) == (ImageType.MINIMAL, "")


def test_what_was_written_is_changed():
    after = patch(
        FULL, openshift_version="4.18.4", pull_secret=SECRET.replace("cloud", "my"), network_discovery_delay_seconds=0
    )
    assert (after.openshift_version, after.network_discovery_delay_seconds) == ("4.18", 0)
    assert "my.openshift.com" in after.pull_secret


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("openshift_version", {"openshift_version": "4.99"}),
        ("pull_secret", {"pull_secret": "nojson"}),
        ("ntp_sources", {"ntp_sources": "10.0.0.2"}),
        ("image_type", {"image_type": "disconnected-iso"}),
        ("rendezvous_ip", {"rendezvous_ip": "192.168.1.5"}),
        ("ssh_authorized_key", {"ssh_authorized_key": "nokey"}),
    ],
)
def test_changes_that_cannot_be_are_refused(path, written):
    with pytest.raises(Invalid) as error:
        patch(FULL, **written)
    assert str(error.value).startswith(f"{path}: ")
