"""The network settings of hosts are put into the image in the form that whoever applies them understands."""

import io
import subprocess
import tarfile

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from builders import NOW, an_infra_env
from muster.domain.artifacts.static_network import keyfile_files, network_archive, network_files
from muster.domain.errors import Refused
from muster.domain.nmstate.policy import policy_text
from muster.domain.policy import Policy
from parts.networks import STATIC, a_host, kept
from parts.tools import tool

POLICY = Policy()
NEW, OLD = "4.18", "4.17"
FOLDER = "/etc/assisted/network/host0"
MACS = {"eth0": "52:54:00:aa:00:01", "eth1": "52:54:00:aa:00:00"}
YAML = """--- # of rack 7
interfaces:
- name: eth0
  type: ethernet
  mac-address: 52:54:00:11:22:33
  ipv4: {enabled: on}
  ipv6: {enabled: off, dhcp: true}
- name: eth0.101
  type: vlan
  vlan: {base-iface: eth0, id: 101}
- name: bond0
  type: bond
  description: "yes"
  link-aggregation:
    mode: active-backup
    port: [eth1, eth2]
"""


def an_image(*hosts, version=NEW, **changes):
    return an_infra_env(openshift_version=version, **kept(*hosts), **changes)


def the_policy(text=YAML, **macs):
    image = an_image(a_host(text, **(macs or MACS)))
    return network_files(image, POLICY)[f"{FOLDER}/ymlFile0.yml"]


# Which files


def test_an_image_without_settings_has_no_files():
    assert network_files(an_infra_env(), POLICY) == keyfile_files(an_infra_env()) == {}
    assert network_archive(an_infra_env(), POLICY) == b""


def test_every_host_has_a_folder_of_its_own_in_the_order_in_which_they_are_kept():
    later = a_host(STATIC.replace("1.10", "1.11"), eth0="52:54:00:AA:00:02")
    files = network_files(an_image(later, a_host()), POLICY)
    assert list(files) == [
        "/etc/assisted/network/host0/mac_interface.ini",
        "/etc/assisted/network/host0/ymlFile0.yml",
        "/etc/assisted/network/host1/mac_interface.ini",
        "/etc/assisted/network/host1/ymlFile1.yml",
    ]
    assert files["/etc/assisted/network/host1/mac_interface.ini"] == "52:54:00:AA:00:02=eth0"


def test_the_names_of_interfaces_are_listed_by_their_addresses():
    image = an_image(a_host(YAML, **MACS))
    names = network_files(image, POLICY)[f"{FOLDER}/mac_interface.ini"]
    assert names == "52:54:00:aa:00:00=eth1\n52:54:00:aa:00:01=eth0"


NEW_ENOUGH = ("4.18", "4.18.0", "4.18.3", "4.20", "4.18-multi", "5.0.0-ec.1")
TOO_OLD = ("4.17.9", "4.18.0-ec.1", "4.9", "")


@pytest.mark.parametrize("version", [*NEW_ENOUGH, *TOO_OLD])
def test_a_system_gets_policies_if_it_has_who_applies_them(version):
    expected = "ymlFile0.yml" if version in NEW_ENOUGH else "eth0.nmconnection"
    assert f"{FOLDER}/{expected}" in network_files(an_image(a_host(), version=version), POLICY)


def test_the_first_version_with_policies_can_be_set():
    later = POLICY.but(discovery=POLICY.discovery.but(nmstate_from="4.20.0-ec.2"))
    by_version = {
        version: list(network_files(an_image(a_host(), version=version), later))[1].rpartition(".")[2]
        for version in ("4.19.5", "4.20.0-ec.1", "4.20.0-ec.10", "4.20")
    }
    assert list(by_version.values()) == ["nmconnection", "nmconnection", "yml", "yml"]


def test_before_there_is_a_system_there_are_keyfiles_whatever_the_version():
    old, new = (an_image(a_host(), version=version) for version in (OLD, NEW))
    assert keyfile_files(new) == keyfile_files(old) == network_files(old, POLICY)
    assert "address0=192.168.1.10/24\n" in keyfile_files(new)[f"{FOLDER}/eth0.nmconnection"]


def test_what_only_nmstate_on_the_host_can_apply_is_no_keyfile():
    image = an_image(a_host("interfaces: [{name: d0, type: dummy}]\n"))
    assert "type: dummy" in network_files(image, POLICY)[f"{FOLDER}/ymlFile0.yml"]
    with pytest.raises(Refused, match=r"static_network_config\[0\].network_yaml has what only nmstate .*is dummy"):
        keyfile_files(image)


def test_settings_that_were_never_read_are_to_be_written_once_more():
    image = an_image(a_host()).but(networks=())
    for read in (keyfile_files, lambda each: network_files(each, POLICY)):
        with pytest.raises(Refused, match="write static_network_config once more"):
            read(image)


@pytest.mark.parametrize(("version", "name"), [(NEW, "ymlFile0.yml"), (OLD, "eth0.nmconnection")])
def test_what_the_system_finds_can_be_looked_at(version, name):
    image = an_image(a_host(), version=version)
    with tarfile.open(fileobj=io.BytesIO(network_archive(image, POLICY))) as packed:
        members = {each.name: each for each in packed.getmembers()}
        path = f"{FOLDER}/{name}"
        assert packed.extractfile(members[path]).read().decode() == network_files(image, POLICY)[path]
    assert {(each.mode, each.mtime) for each in members.values()} == {(0o600, NOW.timestamp())}


# Policies


def test_a_name_stands_for_whatever_interface_has_its_address():
    policy = yaml.safe_load(the_policy())
    first, second = (f"{{{{ capture.iface{number}.interfaces.0.name }}}}" for number in (0, 1))
    assert policy["capture"] == {
        "iface0": 'interfaces.mac-address == "52:54:00:AA:00:01"',
        "iface1": 'interfaces.mac-address == "52:54:00:AA:00:00"',
    }
    ethernet, vlan, bond = policy["desiredState"]["interfaces"]
    assert ethernet["name"] == vlan["vlan"]["base-iface"] == first
    assert vlan["name"] == "eth0.101"
    assert bond["link-aggregation"]["port"] == [second, "eth2"]


def test_names_that_are_each_others_are_not_taken_twice():
    policy = yaml.safe_load(the_policy("interfaces: [{name: eth1}, {name: eth0}]\n"))
    names = [each["name"] for each in policy["desiredState"]["interfaces"]]
    assert names == ["{{ capture.iface1.interfaces.0.name }}", "{{ capture.iface0.interfaces.0.name }}"]


def test_nothing_automatic_is_left_open():
    ethernet, _, _ = yaml.safe_load(the_policy())["desiredState"]["interfaces"]
    assert ethernet["ipv4"] == {"enabled": "on", "dhcp": False}
    assert ethernet["ipv6"] == {"enabled": "off", "dhcp": True, "autoconf": False}


def test_text_stays_text():
    ethernet, _, bond = yaml.safe_load(the_policy())["desiredState"]["interfaces"]
    assert ethernet["mac-address"] == "52:54:00:11:22:33"
    assert bond["description"] == "yes"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3),
)


@given(VALUES)
def test_a_policy_says_what_the_user_said(value):
    written = yaml.safe_load(policy_text({"interfaces": [], "x": value}, {}))
    assert written["desiredState"] == {"interfaces": [], "x": value}


def test_nmstate_finds_the_interfaces_that_a_policy_means(tmp_path):
    current = {"interfaces": [{"name": "ens3", "type": "ethernet", "state": "up", "mac-address": "52:54:00:AA:00:01"}]}
    (tmp_path / "current.yml").write_text(yaml.safe_dump(current))
    (tmp_path / "policy.yml").write_text(the_policy(STATIC, eth0="52:54:00:aa:00:01"))
    command = [tool("nmstatectl"), "-q", "policy", "-c", tmp_path / "current.yml", tmp_path / "policy.yml"]
    found = yaml.safe_load(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert [each["name"] for each in found["interfaces"]] == ["ens3"]
    assert found["routes"]["config"][0]["next-hop-interface"] == "ens3"
