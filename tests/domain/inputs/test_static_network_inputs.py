"""Network settings of hosts: which interface has which address, and what is kept of it."""

import json

import msgspec
import pytest

from builders import an_infra_env
from muster.domain.errors import Invalid
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.infra_envs import InfraEnvUpdate, changed_infra_env
from muster.domain.inputs.static_networks import HostNetworkInput
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, OsImage
from muster.wire.nmstate import read_network
from parts.networks import STATIC, a_host, kept

POLICY = Policy(catalogue=Catalogue(os_images=(OsImage(openshift_version="4.17"), OsImage(openshift_version="4.18"))))
ONE, TWO = "52:54:00:aa:00:01", "52:54:00:aa:00:02"
DUMMY = "interfaces: [{name: d0, type: dummy}]"


def patched(infra_env=None, *hosts, **written):
    body = {**written, **({"static_network_config": hosts} if hosts else {})}
    changes = msgspec.json.decode(msgspec.json.encode(body), type=InfraEnvUpdate)
    read = tuple(read_network(str(each.network_yaml)) for each in hosts)
    return changed_infra_env(infra_env or an_infra_env(openshift_version="4.18"), changes, POLICY, networks=read)


def refusals(*hosts, **written):
    with pytest.raises(Invalid) as error:
        patched(None, *hosts, **written)
    return str(error.value).splitlines()


def test_problems_of_all_hosts_are_told_with_all_others():
    wrong = [a_host("interfaces: [{name: eth0, mtu: x}]\n"), a_host("interfaces:\n- name: eth0\n  foo: 1\n", eth0=TWO)]
    ntp, first, second = refusals(*wrong, ntp_sources="no such host")
    assert ntp.startswith("ntp_sources: ")
    assert first.startswith("static_network_config[0].network_yaml: line 1, interfaces[0].mtu: is 'x'; write a whole")
    assert second.startswith("static_network_config[1].network_yaml: line 3, interfaces[0].foo: nmstate has no such")


BONDED = "interfaces: [{name: bond0, type: bond, link-aggregation: {mode: 1, port: [eth0, eth1]}}]"
NAMELESS = [
    ("interfaces:\n- name: eth0\n- name: eth1\n", "eth1 (line 3 of network_yaml)"),
    (BONDED, "eth1 (line 1 of network_yaml)"),
    ("interfaces: [{name: eth0}, {name: em1}]", "em1 (line 1 of network_yaml)"),
]


@pytest.mark.parametrize(("text", "who"), NAMELESS)
def test_an_interface_that_could_not_be_found_is_told(text, who):
    (said,) = refusals(a_host(text))
    assert said.startswith(f"static_network_config[0].mac_interface_map: {who} has no MAC address here; add it")


FOUND = [
    "interfaces: [{name: eth0}, {name: enp1s0}]",
    "interfaces: [{name: eth0}, {name: eth1, identifier: mac-address, mac-address: 52:54:00:aa:00:02}]",
    "interfaces: [{name: eth0}, {name: eth1, state: absent}]",
    "interfaces: [{name: eth0}, {name: eth0.5, type: vlan, vlan: {base-iface: eth9, id: 5}}]",
    "interfaces: [{name: eth0}, {name: br0, type: linux-bridge, bridge: {port: [{name: eth9}]}}]",
    BONDED.replace("eth1", "v5").replace("}]", "}, {name: v5, type: vlan, vlan: {base-iface: eth9, id: 5}}]"),
    BONDED.replace("eth1", "eno1"),
    "interfaces: [{name: br0, type: linux-bridge}]",
]


@pytest.mark.parametrize("text", FOUND)
def test_an_interface_that_is_known_otherwise_needs_no_address_in_the_map(text):
    assert patched(None, a_host(text)).networks


def test_addresses_in_the_settings_are_the_map_where_none_is_written():
    text = """
interfaces:
- {name: eth0, mac-address: 52:54:00:aa:00:01}
- {name: eth1, identifier: mac-address, mac-address: 52-54-00-AA-00-02}
- {name: bond0, type: bond, mac-address: 52:54:00:aa:00:03, link-aggregation: {mode: 1}}
- {name: enp1s0}
"""
    image = patched(None, HostNetworkInput(network_yaml=text))
    (host,) = json.loads(image.static_network_config)
    assert host["mac_interface_map"] == [
        {"logical_nic_name": "eth0", "mac_address": "52:54:00:AA:00:01"},
        {"logical_nic_name": "eth1", "mac_address": "52:54:00:AA:00:02"},
    ]
    assert image.networks[0].names == "52:54:00:AA:00:01=eth0\n52:54:00:AA:00:02=eth1"
    assert patched(image, HostNetworkInput(network_yaml=text, mac_interface_map=())) is image


def test_a_host_of_which_no_address_is_known_is_told():
    (said,) = refusals(HostNetworkInput(network_yaml=STATIC))
    assert said.startswith("static_network_config[0].mac_interface_map: is empty; say which MAC address")
    long = "interfaces: [{name: ib0, mac-address: " + ":".join(["00"] * 20) + "}]"
    assert "mac_interface_map: is empty" in refusals(HostNetworkInput(network_yaml=long))[0]


def test_settings_and_their_files_are_kept_in_the_same_order():
    image = patched(None, a_host(STATIC.replace("1.10", "1.11"), eth0=TWO), a_host())
    assert [each["network_yaml"] for each in json.loads(image.static_network_config)] == sorted(
        [STATIC, STATIC.replace("1.10", "1.11")]
    )
    assert [each.names for each in image.networks] == [f"{ONE}=eth0", f"{TWO}=eth0"]


def test_settings_that_are_not_written_again_stay_and_can_be_given_up():
    image = patched(None, a_host())
    assert patched(image, ntp_sources="10.0.0.1").networks is image.networks
    changes = InfraEnvUpdate(static_network_config=())
    cleared = changed_infra_env(image, changes, POLICY)
    assert (cleared.static_network_config, cleared.networks) == ("", ())


# What only nmstate can apply


def test_what_only_nmstate_can_apply_is_kept_for_a_system_that_has_it():
    image = patched(None, a_host(DUMMY))
    assert (image.networks[0].keyfiles, len(image.networks[0].unsupported)) == ((), 1)


@pytest.mark.parametrize(
    ("written", "why"),
    [({"image_type": "minimal-iso"}, "a minimal-iso"), ({"openshift_version": "4.17"}, "the system of 4.17")],
)
def test_where_there_is_no_nmstate_it_is_told(written, why):
    (said,) = refusals(a_host(DUMMY), **written)
    assert said.startswith("static_network_config[0].network_yaml: line 1, interfaces[0].type: is dummy")
    assert f"{why} needs keyfiles" in said
    image = an_infra_env(openshift_version="4.18", **kept(a_host(DUMMY)))
    with pytest.raises(Invalid, match=f"{why} needs keyfiles"):
        patched(image, **written)


def test_hosts_are_counted_as_they_were_written():
    (said,) = refusals(a_host(f"# b\n{DUMMY}"), a_host(f"# a\n{STATIC}", eth0=TWO), image_type="minimal-iso")
    assert said.startswith("static_network_config[0].network_yaml: line 2")


def test_an_image_that_installs_without_this_service_needs_no_keyfiles():
    image = an_infra_env(type=ImageType.DISCONNECTED, cluster_id="c1", openshift_version="4.17", **kept(a_host(DUMMY)))
    assert patched(image, ntp_sources="10.0.0.1").networks == image.networks
