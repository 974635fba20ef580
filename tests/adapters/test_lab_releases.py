"""The lab's release offers versions and makes files of an order that the real tools accept."""

import json
import re
from base64 import b64decode

import pytest
import yaml

from adapters.lab_orders import ORDERS, SECRET, an_order, contents, five_hosts, host_named, made, on_bootstrap, parsed
from muster.adapters.releases import ignition
from muster.adapters.releases.lab import LAB_RELEASES, LabReleases
from muster.domain.errors import Invalid
from muster.domain.releases import Release
from muster.domain.roles import Role
from muster.ports import Releases
from parts.ignition import complaints, needs_ignition


def shape(value):
    """A value with its leaves forgotten."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    return [shape(part) for part in value] if isinstance(value, list) else type(value)


# The catalogue.


def test_the_lab_fulfils_the_port_and_offers_the_newest_version_by_default():
    lab: Releases = LabReleases()
    defaults = [release for release in lab.catalogue().releases if release.default]
    assert [(release.version, release.url) for release in defaults] == [
        ("4.20.1", "lab.muster.local/ocp-release:4.20.1-x86_64")
    ]
    assert lab.catalogue().release("4.19").version == "4.19.4"


@pytest.mark.parametrize("release", LAB_RELEASES, ids=lambda release: release.url)
def test_every_release_is_known_by_its_url_and_has_a_system_image(release):
    lab = LabReleases()
    assert lab.is_lab(release.url)
    assert lab.catalogue().release_by_url(release.url) is release
    (architecture,) = release.cpu_architectures
    assert lab.catalogue().os_image(release.version, architecture).cpu_architecture == architecture


def test_releases_can_be_added_and_are_then_the_labs_own():
    other = Release(version="4.17.9", url="quay.example.com/release:4.17.9")
    assert not LabReleases().is_lab(other.url)
    lab = LabReleases(releases=(*LAB_RELEASES, other))
    assert lab.is_lab(other.url)
    assert lab.catalogue().release("4.17").url == other.url


# The set of files.


async def test_an_order_yields_every_file_that_an_installation_needs():
    files = await made()
    hosts = {f"{role}-id-{role}-{n}.ign" for role, count in (("master", 3), ("worker", 2)) for n in range(count)}
    assert files.files.keys() == hosts | {
        "bootstrap.ign",
        "master.ign",
        "worker.ign",
        "metadata.json",
        "install-config.yaml",
        "kubeconfig-noingress",
        "kubeadmin-password",
    }


async def test_an_arbiter_brings_the_config_of_its_role():
    files = await made(ORDERS["arbiter"])
    assert {"arbiter.ign", "arbiter-id-arbiter-0.ign"} <= files.files.keys()
    assert "/config/arbiter" in files.files["arbiter-id-arbiter-0.ign"].decode()


async def test_a_host_that_got_its_role_by_suggestion_is_installed_with_it():
    suggested = host_named("auto-0", Role.AUTO, 40, suggested_role=Role.WORKER)
    files = await made(an_order(hosts=(*five_hosts(), suggested)))
    assert "worker-id-auto-0.ign" in files.files


async def test_a_host_without_a_role_is_refused_by_name():
    with pytest.raises(Invalid, match="host nobody has no role yet"):
        await made(an_order(hosts=(*five_hosts(), host_named("nobody", Role.AUTO, 40))))


async def test_the_cluster_id_is_the_same_in_every_place():
    files = await made()
    version = yaml.safe_load(on_bootstrap(files)["/opt/openshift/manifests/cvo-overrides.yaml"])
    assert version["spec"]["clusterID"] == files.openshift_cluster_id
    assert parsed(files, "metadata.json")["clusterID"] == files.openshift_cluster_id


async def test_the_password_has_four_groups_of_letters_that_cannot_be_mistaken():
    password = (await made()).files["kubeadmin-password"].decode()
    assert re.fullmatch(r"[^\W01lIOo_]{5}(-[^\W01lIOo_]{5}){3}", password)


async def test_two_generations_differ_in_every_secret_but_not_in_shape():
    first, second = await made(), await made()
    assert first.files.keys() == second.files.keys()
    assert first.openshift_cluster_id != second.openshift_cluster_id
    for name in ("kubeconfig-noingress", "kubeadmin-password", "bootstrap.ign", "master.ign"):
        assert first.files[name] != second.files[name]
    for name in first.files:
        if name.endswith((".ign", ".json", ".yaml")):
            assert shape(parsed(first, name)) == shape(parsed(second, name))
    keys = [path for path in on_bootstrap(first) if path.endswith(".key")]
    assert len(keys) == 7
    assert all(on_bootstrap(first)[path] != on_bootstrap(second)[path] for path in keys)


async def test_the_pull_secret_stays_out_of_what_is_not_secret():
    files = await made()
    auth = json.loads(SECRET)["auths"]["registry.example.com"]["auth"]
    assert auth not in files.files["metadata.json"].decode()
    shown = on_bootstrap(files)["/opt/openshift/manifests/cluster-config.yaml"].decode()
    assert auth not in shown


# Ignition.


@needs_ignition
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
async def test_ignition_has_nothing_against_any_config(order):
    files = await made(order)
    configs = {name: content for name, content in files.files.items() if name.endswith(".ign")}
    assert {name: complaints(content) for name, content in configs.items()} == dict.fromkeys(configs, "")


@pytest.mark.parametrize("role", ["master", "worker"])
async def test_a_role_fetches_its_config_from_the_machine_config_server_it_trusts(role):
    files = await made()
    pointer = parsed(files, f"{role}.ign")["ignition"]
    assert pointer["version"] == "3.2.0"
    assert pointer["config"]["merge"] == [{"source": f"https://api-int.lab.example.com:22623/config/{role}"}]
    (authority,) = pointer["security"]["tls"]["certificateAuthorities"]
    trust = b64decode(authority["source"].partition("base64,")[2])
    assert trust == on_bootstrap(files)["/opt/openshift/tls/machine-config-server-ca.crt"]


async def test_every_host_gets_its_own_name_and_the_config_of_its_role():
    files = await made()
    for host in five_hosts():
        config = parsed(files, f"{host.role}-{host.id}.ign")
        assert contents(config)["/etc/hostname"].decode() == host.requested_hostname
        assert config["ignition"] == parsed(files, f"{host.role}.ign")["ignition"]


async def test_a_host_gets_what_its_user_put_into_its_config_and_the_pool_it_was_given():
    config = parsed(await made(ORDERS["overridden host"]), "worker-id-worker-1.ign")
    assert contents(config)["/etc/motd"] == b"hello"
    assert contents(config)["/etc/hostname"] == b"worker-1"
    assert config["ignition"]["version"] == "3.2.0"
    assert config["ignition"]["config"]["merge"][0]["source"].endswith(":22623/config/infra")


async def test_a_user_may_rename_a_host_through_its_config():
    wish = {"storage": {"files": [{"path": "/etc/hostname", "contents": {"source": "data:,other"}}]}}
    host = host_named("worker-0", Role.WORKER, 20, ignition_config_overrides=json.dumps(wish))
    config = parsed(await made(an_order(hosts=(*five_hosts()[:3], host))), "worker-id-worker-0.ign")
    assert [entry["path"] for entry in config["storage"]["files"]] == ["/etc/hostname"]
    assert contents(config)["/etc/hostname"] == b"other"


async def test_a_host_of_unknown_name_is_not_given_an_empty_one():
    nameless = host_named("", Role.WORKER, 20, id="id-x")
    nameless = nameless.but(inventory=nameless.inventory.but(hostname=""))
    config = parsed(await made(an_order(hosts=(*five_hosts()[:3], nameless))), "worker-id-x.ign")
    assert contents(config) == {}


def test_merging_adds_what_is_new_and_repeats_nothing():
    below, above = ignition.config(ssh_keys=("one", "two")), ignition.config(ssh_keys=("two", "three"))
    (core,) = ignition.merged(below, above)["passwd"]["users"]
    assert core == {"name": "core", "sshAuthorizedKeys": ["one", "two", "three"]}


async def test_a_config_override_that_is_no_json_is_refused_without_quoting_it():
    host = host_named("worker-0", Role.WORKER, 20, ignition_config_overrides="hunter2")
    with pytest.raises(Invalid, match="ignition_config_overrides of host worker-0") as refusal:
        await made(an_order(hosts=(host,)))
    assert "hunter2" not in str(refusal.value)


async def test_the_bootstrap_host_gets_the_pull_secret_for_its_own_eyes_only():
    config = parsed(await made(), "bootstrap.ign")
    (kept,) = [entry for entry in config["storage"]["files"] if entry["path"] == "/root/.docker/config.json"]
    assert kept["mode"] == 0o600
    assert contents(config)["/root/.docker/config.json"].decode() == SECRET


async def test_what_is_secret_on_the_bootstrap_host_is_for_root_alone():
    config = parsed(await made(), "bootstrap.ign")
    found = contents(config)
    secret = [
        entry
        for entry in config["storage"]["files"]
        if b"PRIVATE KEY" in found[entry["path"]] or b"registry.example.com" in found[entry["path"]]
    ]
    assert len(secret) == 7 + 2 + 1
    assert {entry["mode"] for entry in secret} == {0o600}


async def test_the_bootstrap_host_runs_what_starts_a_cluster_and_lets_the_users_in():
    config = parsed(await made(), "bootstrap.ign")
    names = {unit["name"] for unit in config["systemd"]["units"]}
    assert {"bootkube.service", "kubelet.service", "approve-csr.service", "progress.service"} <= names
    (core,) = config["passwd"]["users"]
    assert core["sshAuthorizedKeys"] == ["ssh-ed25519 AAAAC3Nza one", "ssh-ed25519 AAAAC3Nzb two"]


async def test_a_single_node_fetches_nothing_and_knows_its_network():
    files = await made(ORDERS["single node"])
    assert parsed(files, "master.ign") == {"ignition": {"version": "3.2.0"}}
    own = contents(parsed(files, "master-id-node.ign"))
    assert own["/etc/default/nodeip-configuration"] == b"KUBELET_NODEIP_HINT=192.168.1.0\n"
    assert "/opt/openshift/assisted-install-bootstrap" not in on_bootstrap(files)
    assert "/opt/openshift/assisted-install-bootstrap" in on_bootstrap(await made())
