"""What a machine does when it starts: it finds its own settings among those of all hosts, and applies them.

The scripts are run as they are, in folders that stand for those of a machine.
"""

import os
import subprocess
from pathlib import Path

import pytest

from muster.domain.artifacts.network_scripts import COMMON, COMMON_PATH, SCRIPT, in_initrd, in_system
from parts.networks import a_host, kept, sections

ONE, TWO = "52:54:00:aa:00:01", "52:54:00:aa:00:02"
DHCP = "ipv4: {enabled: true, dhcp: true}"


class Machine:
    """Folders that stand for those of a machine, and programs that only note how they are called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.configs, self.interfaces, self.destination = root / "configs", root / "net", root / "connections"
        for each in (root / "bin", self.configs, self.interfaces):
            each.mkdir(parents=True)
        (root / "common").write_text(COMMON)
        self.program("sleep", f'echo "$1" >>{root}/slept')
        self.program("nmstatectl", f'echo "$@" >>{root}/called')

    def program(self, name, text):
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def has(self, **macs):
        for name, mac in macs.items():
            (self.interfaces / name).mkdir()
            (self.interfaces / name / "address").write_text(f"{mac}\n")

    def finds(self, *hosts):
        for number, network in enumerate(kept(*hosts)["networks"]):
            self.folder(f"host{number}", network.names, {each.name: each.text for each in network.keyfiles})

    def folder(self, name, names, files):
        folder = self.configs / name
        folder.mkdir()
        for file, text in {"mac_interface.ini": names, **files}.items():
            if text is not None:
                (folder / file).write_text(text)

    def starts(self, **environment):
        ended = subprocess.run(
            ["bash"],
            input=SCRIPT,
            text=True,
            capture_output=True,
            check=False,
            env={
                "PATH": f"{self.root}/bin:{os.environ['PATH']}",
                "COMMON": f"{self.root}/common",
                "CONFIGS": str(self.configs),
                "INTERFACES": str(self.interfaces),
                "DESTINATION": str(self.destination),
                "NMSTATE": f"{self.root}/nmstate",
                **environment,
            },
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    @property
    def slept(self):
        return (self.root / "slept").read_text().split()

    @property
    def connections(self):
        if not self.destination.exists():
            return None
        return {each.name.removesuffix(".nmconnection"): each.read_text() for each in self.destination.iterdir()}

    def connection(self, name):
        return sections(self.connections[name])


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("script", [COMMON, SCRIPT])
def test_a_shell_understands_the_scripts(script):
    ended = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_script_finds_the_other_one():
    assert f'source "${{COMMON:-{COMMON_PATH}}}"' in SCRIPT


# Whose settings


def test_a_machine_finds_the_settings_of_every_address_it_has(machine):
    machine.has(lo="00:00:00:00:00:00", ens3=ONE, ens4=TWO.upper())
    for number, names in enumerate(
        ["52:54:00:BB:00:01=eth0", f"{ONE.upper()}=a", f"{TWO}=eth0", "00:00:00:00:00:00=lo", None]
    ):
        machine.folder(f"host{number}", names, {f"{number}.nmconnection": "[connection]\n"})
    machine.starts()
    assert set(machine.connections) == {"1", "2"}


def test_a_machine_that_is_not_meant_is_left_alone(machine):
    machine.has(ens3="52:54:00:bb:00:01")
    machine.finds(a_host())
    machine.destination.mkdir()
    (machine.destination / "own").write_text("mine")
    assert "whose MAC addresses are 52:54:00:BB:00:01" in machine.starts()
    assert machine.connections == {"own": "mine"}


def test_without_settings_nothing_is_waited_for(machine):
    machine.configs.rmdir()
    assert machine.starts() == ""
    assert not (machine.root / "slept").exists()


def test_settings_without_content_are_told_of(machine):
    machine.has(ens3=ONE)
    machine.folder("host0", f"{ONE}=eth0", {})
    assert "host0/ has no settings; it is skipped" in machine.starts()
    assert machine.connections is None


# Waiting


def test_nothing_is_waited_for_once_all_interfaces_are_there(machine):
    machine.has(ens3=ONE)
    machine.finds(a_host())
    machine.starts(DISCOVERY_DELAY_SECONDS="7")
    assert machine.slept == ["7"]


def test_an_interface_that_comes_late_is_waited_for(machine):
    machine.has(ens3=ONE)
    late = machine.interfaces / "ens4"
    machine.program(
        "sleep",
        f'echo "$1" >>{machine.root}/slept\n'
        f"if (($(wc -l <{machine.root}/slept) == 4)); then mkdir {late}; echo {TWO} >{late}/address; fi",
    )
    machine.finds(a_host("interfaces: [{name: eth0}, {name: eth1}]", eth0=ONE, eth1=TWO))
    assert "lacks" not in machine.starts()
    assert set(machine.connections) == {"ens3", "ens4"}
    assert machine.slept == ["0", "1", "1", "1"]


def test_an_interface_that_never_comes_is_told_of_and_left_out(machine):
    machine.has(eth1=ONE)
    machine.finds(
        a_host(
            f"interfaces: [{{name: eth0, {DHCP}}}, {{name: eth1, {DHCP}}},"
            " {name: eth1.5, type: vlan, vlan: {base-iface: eth1, id: 5}}]",
            eth0=ONE,
            eth1=TWO,
        )
    )
    told = machine.starts()
    assert f"after 30 seconds this machine still lacks eth1 ({TWO})" in told
    assert "the settings of eth1 are left out" in told
    assert len(machine.slept) == 31
    assert set(machine.connections) == {"eth1"}
    assert machine.connection("eth1")["connection"]["interface-name"] == "eth1", "which is what eth0 is called here"


# Names


def test_names_change_places_at_once(machine):
    machine.has(eth0=TWO, eth1=ONE)
    machine.finds(a_host(f"interfaces: [{{name: eth0, mtu: 1400, {DHCP}}}, {{name: eth1}}]", eth0=ONE, eth1=TWO))
    machine.starts()
    assert machine.connection("eth1")["ethernet"] == {"mtu": "1400"}
    assert machine.connection("eth1")["connection"]["interface-name"] == "eth1"
    assert machine.connection("eth0")["connection"]["interface-name"] == "eth0"
    assert "ethernet" not in machine.connection("eth0")


def test_names_are_put_right_wherever_they_stand_and_nowhere_else(machine):
    machine.has(ens3=ONE, ens4=TWO)
    machine.finds(
        a_host(
            """
interfaces:
- {name: bond0, type: bond, link-aggregation: {mode: 1, options: {primary: eth0}, port: [eth0, eth1]}}
- {name: bond0.5, type: vlan, vlan: {base-iface: bond0, id: 5}}
- {name: eth0.7, type: vlan, vlan: {base-iface: eth0, id: 7}, ipv4: {enabled: true, dhcp: true}}
dns-resolver: {config: {search: [eth0.example.com, eth0]}}
route-rules: {config: [{ip-from: 10.0.0.0/8, iif: eth0.7}]}
""",
            eth0=ONE,
            eth1=TWO,
        )
    )
    machine.starts()
    assert set(machine.connections) == {"bond0", "bond0.5", "ens3", "ens4", "ens3.7"}
    assert machine.connection("bond0")["bond"]["primary"] == "ens3"
    assert machine.connection("bond0.5")["vlan"]["parent"] == "bond0"
    vlan = machine.connection("ens3.7")
    assert (vlan["connection"]["id"], vlan["vlan"]["parent"]) == ("ens3.7", "ens3")
    assert vlan["ipv4"]["dns-search"] == "eth0.example.com;eth0"
    assert vlan["ipv4"]["routing-rule0"] == "priority 30000 from 10.0.0.0/8 iif ens3.7 table 254"


def test_a_name_that_would_be_too_long_is_shortened_and_stays_its_own(machine):
    machine.has(enp129s0f0np0=ONE, enp129s0f0np1=TWO)
    vlan = "{{name: {0}.1000, type: vlan, vlan: {{base-iface: {0}, id: 1000}}}}"
    text = f"interfaces: [{{name: eth0}}, {{name: eth1}}, {vlan.format('eth0')}, {vlan.format('eth1')}]"
    machine.finds(a_host(text, eth0=ONE, eth1=TWO))
    machine.starts()
    vlans = {"enp129s0f0.1000": "enp129s0f0np0", "enp129s0f1.1000": "enp129s0f0np1"}
    assert set(machine.connections) == {*vlans, *vlans.values()}
    for name, parent in vlans.items():
        assert machine.connection(name)["connection"]["interface-name"] == name
        assert machine.connection(name)["vlan"]["parent"] == parent


def test_an_interface_made_of_another_does_not_stand_for_it(machine):
    machine.has(aaa=ONE, ens3=ONE, zzz=ONE)
    (machine.interfaces / "ens3" / "device").mkdir()
    machine.finds(a_host())
    machine.starts()
    assert set(machine.connections) == {"ens3"}


# What is applied


def test_keyfiles_take_the_place_of_all_others_and_are_nobodys_business(machine):
    machine.has(ens3=ONE)
    machine.finds(a_host())
    machine.destination.mkdir()
    (machine.destination / "other.nmconnection").write_text("")
    machine.starts()
    assert set(machine.connections) == {"ens3"}
    assert (machine.destination / "ens3.nmconnection").stat().st_mode & 0o777 == 0o600
    assert not (machine.root / "called").exists()


def test_policies_are_left_to_nmstate(machine):
    machine.has(ens3=ONE, ens4=TWO)
    machine.folder("host0", f"{ONE}=eth0", {"ymlFile0.yml": "a: 1\n"})
    machine.folder("host1", f"{TWO}=eth0", {"ymlFile1.yml": "b: 1\n"})
    machine.starts()
    assert {each.name for each in (machine.root / "nmstate").iterdir()} == {"ymlFile0.yml", "ymlFile1.yml"}
    assert (machine.root / "called").read_text() == "service\n"
    assert machine.connections is None


@pytest.mark.parametrize(("initrd", "place"), [(True, "/etc/coreos-firstboot-network"), (False, "system-connections")])
def test_where_keyfiles_go_depends_on_whether_there_is_a_system(machine, initrd, place):
    if initrd:
        (machine.root / "initrd").touch()
    script = SCRIPT.partition("LONGEST=")[0] + "echo $DESTINATION\n"
    environment = {"PATH": os.environ["PATH"], "COMMON": f"{machine.root}/common", "INITRD": f"{machine.root}/initrd"}
    ended = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True, env=environment)
    assert ended.stdout.strip().endswith(place)


# Units


def test_before_there_is_a_system_the_user_may_ask_to_wait():
    assert "TimeoutSec=105" in in_initrd(45)
    assert "DISCOVERY_DELAY_SECONDS=45" in in_initrd(45)
    assert "Before=coreos-copy-firstboot-network.service" in in_initrd(0)


def test_in_the_system_keyfiles_come_before_the_network_and_policies_after_it():
    assert "Before=NetworkManager.service" in in_system(policies=False)
    assert "After=NetworkManager-wait-online.service\nBefore=nmstate.service" in in_system(policies=True)


def test_what_is_missing_is_said_on_the_console():
    for unit in (in_system(policies=True), in_system(policies=False), in_initrd(0)):
        assert "StandardOutput=journal+console" in unit
