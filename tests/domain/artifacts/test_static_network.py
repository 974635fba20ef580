"""The network settings of hosts find the machine they are meant for, and are otherwise left as they were written."""

import io
import subprocess
import tarfile

import pytest
import yaml

from builders import NOW, an_infra_env
from muster.domain.artifacts.network_scripts import COMMON, IN_SYSTEM, SCRIPT, in_initrd
from muster.domain.artifacts.static_network import network_archive, network_files
from muster.domain.inputs.static_networks import HostNetworkInput, MacInterfaceInput, static_network_text

YAML = """interfaces:
- name: eth0
  type: ethernet
  mac-address: 52:54:00:11:22:33
  ipv4: {enabled: on}
- name: eth0.101
  vlan: {base-iface: eth0, id: 101}
- name: bond0
  link-aggregation:
    port: [eth0, "eth1"]
- name: br-eth0
  bridge:
    port:
    - name: 'eth1'   # the second
    - eth1
"""


def a_network(text=YAML, **macs):
    macs = macs or {"eth0": "52:54:00:aa:00:01", "eth1": "52:54:00:aa:00:00"}
    interfaces = tuple(MacInterfaceInput(logical_nic_name=name, mac_address=mac) for name, mac in macs.items())
    return HostNetworkInput(network_yaml=text, mac_interface_map=interfaces)


def an_image(*hosts, **changes):
    return an_infra_env(static_network_config=static_network_text(hosts or (a_network(),)), **changes)


def the_policy(text):
    return network_files(an_image(a_network(text)))["/etc/assisted/network/host0/ymlFile0.yml"]


def test_an_image_without_settings_has_no_files():
    assert network_files(an_infra_env()) == {}
    assert network_archive(an_infra_env()) == b""


def test_every_host_has_a_folder_of_its_own_in_the_order_in_which_they_are_kept():
    files = network_files(an_image(a_network("b: 1\n"), a_network("a: 1\n", eth9="52:54:00:aa:00:09")))
    assert list(files) == [
        "/etc/assisted/network/host0/mac_interface.ini",
        "/etc/assisted/network/host0/ymlFile0.yml",
        "/etc/assisted/network/host1/mac_interface.ini",
        "/etc/assisted/network/host1/ymlFile1.yml",
    ]
    assert files["/etc/assisted/network/host0/mac_interface.ini"] == "52:54:00:aa:00:09=eth9"


def test_the_names_of_interfaces_are_listed_by_their_addresses():
    names = network_files(an_image())["/etc/assisted/network/host0/mac_interface.ini"]
    assert names == "52:54:00:aa:00:00=eth1\n52:54:00:aa:00:01=eth0"


def test_a_name_stands_for_whatever_interface_has_its_address():
    policy = yaml.safe_load(the_policy(YAML).replace("52:54:00:11:22:33", '"52:54:00:11:22:33"'))
    first, second = (f"{{{{ capture.iface{number}.interfaces.0.name }}}}" for number in (0, 1))
    assert policy["capture"] == {
        "iface0": 'interfaces.mac-address == "52:54:00:AA:00:01"',
        "iface1": 'interfaces.mac-address == "52:54:00:AA:00:00"',
    }
    ethernet, vlan, bond, bridge = policy["desiredState"]["interfaces"]
    assert ethernet["name"] == vlan["vlan"]["base-iface"] == first
    assert (vlan["name"], bridge["name"]) == ("eth0.101", "br-eth0")
    assert bond["link-aggregation"]["port"] == [first, second]
    assert bridge["bridge"]["port"] == [{"name": second}, second]


def test_names_that_are_each_others_are_not_taken_twice():
    policy = yaml.safe_load(the_policy("interfaces: [{name: eth1}, {name: eth0}]\n"))
    names = [each["name"] for each in policy["desiredState"]["interfaces"]]
    assert names == ["{{ capture.iface1.interfaces.0.name }}", "{{ capture.iface0.interfaces.0.name }}"]


def test_everything_else_is_left_as_it_was_written():
    assert "mac-address: 52:54:00:11:22:33\n" in the_policy(YAML)
    assert "{enabled: on}" in the_policy(YAML)


@pytest.mark.parametrize("start", ["---\n", "# of rack 7\n\n--- # here\n"])
def test_a_document_within_another_does_not_say_where_it_begins(start):
    assert yaml.safe_load(the_policy(f"{start}routes: {{}}\n"))["desiredState"] == {"routes": {}}


def test_the_files_can_be_looked_at():
    with tarfile.open(fileobj=io.BytesIO(network_archive(an_image()))) as packed:
        members = {each.name: each for each in packed.getmembers()}
        name = "/etc/assisted/network/host0/ymlFile0.yml"
        assert packed.extractfile(members[name]).read().decode() == the_policy(YAML)
    assert {(each.mode, each.mtime) for each in members.values()} == {(0o600, NOW.timestamp())}


# What runs on the machine


def run(script, **environment):
    ended = subprocess.run(
        ["bash"],
        input=script,
        text=True,
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("script", [COMMON, SCRIPT])
def test_a_shell_understands_the_scripts(script):
    ended = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_machine_finds_the_settings_of_every_address_it_has(tmp_path):
    nets, configs = tmp_path / "net", tmp_path / "configs"
    for name, mac in {"lo": "00:00:00:00:00:00", "ens3": "52:54:00:aa:00:01", "ens4": "52:54:00:AA:00:02"}.items():
        (nets / name).mkdir(parents=True)
        (nets / name / "address").write_text(f"{mac}\n")
    for name, text in {
        "host0": "52:54:00:BB:00:01=eth0",
        "host1": "52:54:00:bb:00:02=a\n52:54:00:AA:00:01=b",
        "host2": "52:54:00:aa:00:02=eth0",
        "host3": "00:00:00:00:00:00=lo",
    }.items():
        (configs / name).mkdir(parents=True)
        (configs / name / "mac_interface.ini").write_text(text)
    (configs / "host4").mkdir()
    found = run(f"{COMMON}\nown_settings\n", INTERFACES=str(nets), CONFIGS=str(configs))
    assert found.split() == [f"{configs}/host1/", f"{configs}/host2/"]


def test_interfaces_that_stay_are_waited_for_only_briefly(tmp_path):
    (tmp_path / "eth0").mkdir()
    assert run(f"{COMMON}\nsleep() {{ :; }}\nawait_interfaces\n", INTERFACES=str(tmp_path)) == ""


def test_interfaces_that_never_come_to_rest_are_not_waited_for_for_ever(tmp_path):
    restless = f"{COMMON}\nsleep() {{ mkdir -p $INTERFACES/eth$RANDOM$second; }}\nawait_interfaces\n"
    assert "after 30 seconds" in run(restless, INTERFACES=str(tmp_path))


def test_a_minimal_image_waits_as_long_as_the_user_said():
    assert "TimeoutSec=105" in in_initrd(45)
    assert "DISCOVERY_DELAY_SECONDS=45" in in_initrd(45)
    assert "TimeoutSec=60" in IN_SYSTEM
