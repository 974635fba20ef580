"""Network settings of hosts over the API: what is refused, what hosts find, and what cannot be made of them."""

import gzip
import io
import json
import os
import tarfile
from pathlib import Path

import pytest
from making import INFRA_ENV, an_infra_env
from refusing import is_refused
from test_infra_env_calls import files, path

from parts.ignition import complaints, files_of, needs_ignition, units_of
from parts.networks import STATIC
from parts.service import RunningService
from parts.tools import tool

MAP = [{"mac_address": "52:54:00:aa:00:01", "logical_nic_name": "eth0"}]
NETWORK = [{"network_yaml": STATIC, "mac_interface_map": MAP}]
DUMMY = [{"network_yaml": "interfaces: [{name: d0, type: dummy}]\n", "mac_interface_map": MAP}]
KEYFILE, POLICY = "/etc/assisted/network/host0/eth0.nmconnection", "/etc/assisted/network/host0/ymlFile0.yml"


def posted(api, hosts, **written):
    return api.v2("POST /infra-envs", INFRA_ENV | {"static_network_config": hosts} | written)


def names_of(packed):
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return archive.getnames()


def test_every_problem_is_told_with_document_line_and_path(api):
    hosts = [
        NETWORK[0],
        {"network_yaml": "interfaces:\n- name: eth0\n  mtu: big\n  ipv4:\n    adress: []\n", "mac_interface_map": MAP},
    ]
    reply = posted(api, hosts, ntp_sources="no such host")
    assert is_refused(reply)
    assert "static_network_config[1].network_yaml: line 3, interfaces[0].mtu: is 'big'" in reply.said
    assert "static_network_config[1].network_yaml: line 5, interfaces[0].ipv4.adress: nmstate has no such" in reply.said
    assert "static_network_config[1].mac_interface_map[0].mac_address: 52:54:00:aa:00:01 is listed twice" in reply.said
    assert "ntp_sources: " in reply.said


def test_changed_settings_are_read_too(api):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK)
    broken = [{"network_yaml": "interfaces: [", "mac_interface_map": MAP}]
    assert is_refused(api.v2(f"PATCH {path(infra_env_id)}", {"static_network_config": broken}), "is not YAML")
    other = STATIC.replace("192.168.1.10", "192.168.1.11")
    changed = [{"network_yaml": other, "mac_interface_map": MAP}]
    assert api.v2(f"PATCH {path(infra_env_id)}", {"static_network_config": changed}).status == 201
    assert "192.168.1.11" in files_of(api.v2(files(infra_env_id, "discovery.ign")).body)[POLICY]


def test_a_map_that_is_left_out_follows_from_the_settings(api):
    text = STATIC.replace("  state: up\n", "  mac-address: 52:54:00:aa:00:01\n")
    reply = posted(api, [{"network_yaml": text}])
    (host,) = json.loads(reply.json["static_network_config"])
    assert host["mac_interface_map"] == [{"logical_nic_name": "eth0", "mac_address": "52:54:00:AA:00:01"}]


@needs_ignition
def test_a_system_with_nmstate_finds_a_policy(api):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK)
    config = api.v2(files(infra_env_id, "discovery.ign")).body
    assert "{{ capture.iface0.interfaces.0.name }}" in files_of(config)[POLICY]
    assert "Before=nmstate.service" in units_of(config)["pre-network-manager-config.service"]
    assert complaints(config) == ""
    assert POLICY in names_of(api.v2(files(infra_env_id, "static-network-config")).body)


def test_before_there_is_a_system_there_are_keyfiles(api):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK)
    reply = api.v2(f"GET {path(infra_env_id)}/downloads/minimal-initrd")
    unpacked = gzip.decompress(reply.body)
    assert KEYFILE.encode() in unpacked
    assert b"route0=0.0.0.0/0,192.168.1.1,0" in unpacked
    assert POLICY.encode() not in unpacked


def test_what_only_nmstate_can_apply_is_for_full_images_alone(api):
    assert is_refused(posted(api, DUMMY, image_type="minimal-iso"), "a minimal-iso needs keyfiles")
    infra_env_id = posted(api, DUMMY).json["id"]
    assert POLICY in files_of(api.v2(files(infra_env_id, "discovery.ign")).body)
    refused = api.v2(f"GET {path(infra_env_id)}/downloads/minimal-initrd")
    assert refused.status == 409
    assert "what only nmstate on the host can apply" in refused.said
    change = api.v2(f"PATCH {path(infra_env_id)}", {"image_type": "minimal-iso"})
    assert is_refused(change, "a minimal-iso needs keyfiles")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A service that takes no system for one with nmstate, with nmstatectl beside it."""
    folder = str(Path(tool("nmstatectl")).parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", folder, prepend=os.pathsep)
        running = RunningService(tmp_path_factory.mktemp("service"), {"MIN_VERSION_FOR_NMSTATE_SERVICE": "9.9"})
        running.start()
    yield running
    running.stop()


def test_a_system_without_nmstate_finds_keyfiles(other, calling):
    api = calling(other)
    infra_env_id = an_infra_env(api, static_network_config=NETWORK)
    config = api.v2(files(infra_env_id, "discovery.ign")).body
    assert "address0=192.168.1.10/24\n" in files_of(config)[KEYFILE]
    assert "Before=NetworkManager.service" in units_of(config)["pre-network-manager-config.service"]
    assert KEYFILE in names_of(api.v2(files(infra_env_id, "static-network-config")).body)


def test_with_nmstatectl_beside_it_a_service_converts_whatever_that_can(other, calling):
    api = calling(other)
    infra_env_id = posted(api, DUMMY, image_type="minimal-iso").json["id"]
    reply = api.v2(f"GET {path(infra_env_id)}/downloads/minimal-initrd")
    assert b"type=dummy" in gzip.decompress(reply.body)


def test_what_only_nmstatectl_objects_to_is_told(other, calling):
    copied = "interfaces: [{name: bond0, type: bond, copy-mac-from: e, link-aggregation: {mode: 1, port: [eth0]}}]"
    reply = posted(calling(other), [{"network_yaml": copied, "mac_interface_map": MAP}])
    assert is_refused(reply, "static_network_config[0].network_yaml: nmstate refuses it: Failed to find")
