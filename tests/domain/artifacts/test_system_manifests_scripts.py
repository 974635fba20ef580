"""What nodes run that the service has set up: the scripts are run as they are, in folders that stand for a node's."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from builders import a_cluster, a_view, cluster_view, some_ready_hosts
from muster.domain.artifacts.system_manifests import dnsmasq, iscsi, system_manifests
from muster.domain.policy import Policy
from parts.ignition import files_of, units_of

FIRST = "2: br-ex    inet 192.168.1.10/24 brd 192.168.1.255 scope global dynamic br-ex\\       valid_lft 1sec"
SECOND = "2: br-ex    inet6 fd00:1::10/64 scope global noprefixroute \\       valid_lft forever"
ROUTE = "192.0.2.1 via 10.0.0.1 dev eth1 src 10.0.0.9 uid 0 \\    cache"


class Node:
    """A folder that stands for a node, and programs that answer as they are told and note how they are called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "bin").mkdir()
        self.program("ip", "exit 1")
        for name in ("systemctl", "nmcli"):
            self.program(name, f'echo "{name} $*" >>{root}/called')

    def program(self, name, text):
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return path

    def has(self, addresses, route=""):
        """Answers of `ip`: addresses by the network that is asked for, and the way out."""
        cases = "".join(f"*' to {network}') echo '{line}' ;;\n" for network, line in addresses.items())
        routed = f"*'route get 192.0.2.1') echo '{route}' ;;\n" if route else ""
        self.program("ip", f"case $* in\n{cases}{routed}*'route get'*) exit 2 ;;\nesac")

    def runs(self, script, **environment):
        return subprocess.run(
            ["bash", "-c", script],
            text=True,
            capture_output=True,
            check=False,
            env={"PATH": f"{self.root}/bin:{os.environ['PATH']}", **environment},
        )

    @property
    def called(self):
        path = self.root / "called"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


# A single node answers for its own names


def a_single_node(**changes):
    cluster = a_cluster(control_plane_count=1, user_managed_networking=True, **changes)
    return cluster_view(a_view(cluster, some_ready_hosts(1)))


SETUP = "openshift/dnsmasq-bootstrap-in-place.yaml"


def test_a_single_node_answers_for_its_own_names_if_the_service_wants_it():
    manifest = system_manifests(a_single_node())[SETUP]
    assert manifest["metadata"] == {
        "name": "50-master-dnsmasq-configuration",
        "labels": {"machineconfiguration.openshift.io/role": "master"},
    }
    written = json.dumps(manifest["spec"]["config"]).encode()
    assert manifest["spec"]["config"]["ignition"] == {"version": "3.1.0"}
    modes = {each["path"]: each["mode"] for each in manifest["spec"]["config"]["storage"]["files"]}
    assert modes == {
        "/usr/local/bin/dnsmasq_config.sh": 0o755,
        "/etc/NetworkManager/dispatcher.d/forcedns": 0o755,
        "/etc/NetworkManager/conf.d/single-node.conf": 0o644,
    }
    assert files_of(written)["/usr/local/bin/dnsmasq_config.sh"].startswith("#!/usr/bin/env bash\n")
    assert list(units_of(written)) == ["dnsmasq.service"]

    single = a_single_node().cluster
    silent = cluster_view(a_view(single, some_ready_hosts(1), policy=Policy(single_node_dnsmasq=False)))
    assert SETUP not in system_manifests(silent)
    assert SETUP not in system_manifests(cluster_view(a_view(hosts=some_ready_hosts(3))))


def configured(node, cluster, overrides=""):
    config, file = node.root / "etc" / "single-node.conf", node.root / "overrides"
    if overrides:
        file.write_text(overrides)
    ended = node.runs(dnsmasq.script(cluster), CONFIG=str(config), OVERRIDES=str(file))
    return ended, config.read_text().splitlines() if config.exists() else None


def test_the_names_of_the_cluster_lead_to_the_address_in_its_network(node):
    node.has({"192.168.1.0/24": FIRST}, ROUTE)
    ended, lines = configured(node, a_single_node().cluster)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert lines == [
        "resolv-file=/run/NetworkManager/resolv.conf",
        "bind-dynamic",
        "listen-address=192.168.1.10",
        "local=/api.lab.example.com/",
        "address=/api.lab.example.com/192.168.1.10",
        "local=/api-int.lab.example.com/",
        "address=/api-int.lab.example.com/192.168.1.10",
        "local=/apps.lab.example.com/",
        "address=/apps.lab.example.com/192.168.1.10",
    ]


def test_a_node_with_addresses_of_both_families_answers_with_both(node):
    node.has({"192.168.1.0/24": FIRST, "fd00:1::/64": SECOND})
    _, lines = configured(node, a_single_node(machine_networks=("192.168.1.0/24", "fd00:1::/64")).cluster)
    assert [line for line in lines if line.startswith(("listen", "address=/apps"))] == [
        "listen-address=192.168.1.10",
        "listen-address=fd00:1::10",
        "address=/apps.lab.example.com/192.168.1.10",
        "address=/apps.lab.example.com/fd00:1::10",
    ]


@pytest.mark.parametrize("networks", [(), ("172.16.0.0/16",)])
def test_a_node_that_is_not_in_the_network_of_the_cluster_answers_with_the_address_it_reaches_others_from(
    node, networks
):
    node.has({}, ROUTE)
    _, lines = configured(node, a_single_node(machine_networks=networks).cluster)
    assert "address=/api.lab.example.com/10.0.0.9" in lines


def test_a_node_that_was_moved_answers_as_it_is_told(node):
    node.has({"192.168.1.0/24": FIRST})
    told = "SNO_CLUSTER_NAME_OVERRIDE=other\nSNO_BASE_DOMAIN_OVERRIDE=example.org\n"
    told += 'SNO_DNSMASQ_IP_OVERRIDE="10.1.1.1,fd00::1"\n'
    _, lines = configured(node, a_single_node().cluster, told)
    assert [line for line in lines if line.startswith("address=/api.")] == [
        "address=/api.other.example.org/10.1.1.1",
        "address=/api.other.example.org/fd00::1",
    ]


def test_a_node_without_an_address_says_so_and_leaves_everything_as_it_is(node):
    ended, lines = configured(node, a_single_node().cluster)
    assert ended.returncode == 1
    assert "no address yet by which lab.example.com could be found" in ended.stderr
    assert lines is None


class Resolving:
    """The script that NetworkManager calls, on a node whose configuration is written by a program of the test's."""

    def __init__(self, node):
        self.node = node
        self.config, self.known, self.resolv = (node.root / name for name in ("conf", "known", "resolv"))
        self.known.write_text("search example.com\nnameserver 10.0.0.1\n")

    def changes(self, writer):
        path = self.node.program("writer", writer)
        places = {"CONFIG": self.config, "WRITER": path, "KNOWN": self.known, "RESOLV": self.resolv}
        ended = self.node.runs(dnsmasq.DISPATCHER, **{name: str(place) for name, place in places.items()})
        assert ended.returncode == 0
        return self.resolv.read_text().splitlines() if self.resolv.exists() else None


WRITES = 'printf "bind-dynamic\\nlisten-address=%s\\n" {} >"$CONFIG"'


def test_names_are_asked_of_the_node_first_and_then_of_the_network(node):
    assert Resolving(node).changes(WRITES.format("192.168.1.10")) == [
        "nameserver 192.168.1.10",
        "search example.com",
        "nameserver 10.0.0.1",
    ]
    assert node.called == []


def test_dnsmasq_starts_again_only_when_the_address_has_changed(node):
    resolving = Resolving(node)
    for address in ("192.168.1.10", "192.168.1.10"):
        resolving.changes(WRITES.format(address))
    assert node.called == []
    assert resolving.changes(WRITES.format("192.168.1.11"))[0] == "nameserver 192.168.1.11"
    assert node.called == ["systemctl --no-block try-restart dnsmasq.service"]


def test_without_an_address_of_its_own_the_node_asks_the_network_alone(node):
    resolving = Resolving(node)
    assert resolving.changes("exit 1") == ["search example.com", "nameserver 10.0.0.1"]


def test_before_the_network_has_told_anything_nothing_is_written(node):
    resolving = Resolving(node)
    resolving.known.unlink()
    assert resolving.changes(WRITES.format("192.168.1.10")) is None


# A node whose disk is on the network


def taken_over(node, **addresses):
    for name, address in addresses.items():
        (node.root / "hosts" / name).mkdir(parents=True)
        (node.root / "hosts" / name / "ipaddress").write_text(f"{address}\n")
    ended = node.runs(iscsi.SCRIPT, HOSTS=f"{node.root}/hosts")
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_the_interfaces_over_which_the_disk_is_reached_are_applied_once_more(node):
    node.has({"10.0.0.5": "3: ens4 inet 10.0.0.5/24", "10.0.1.5": "4: ens5 inet 10.0.1.5/24"})
    taken_over(node, host1="10.0.0.5", host2="10.0.1.5", host3="10.0.0.5")
    assert node.called == ["nmcli device reapply ens4", "nmcli device reapply ens5"]


def test_a_card_that_reaches_the_disk_by_itself_and_an_address_that_has_gone_are_left_alone(node):
    node.has({})
    said = taken_over(node, host1="", host2="<NULL>", host3="10.0.0.5")
    assert said == "no interface has the address 10.0.0.5, from which the disk is reached\n"
    assert node.called == []


def test_a_node_whose_disk_is_in_the_machine_does_nothing(node):
    assert taken_over(node) == ""


def test_it_happens_the_first_time_a_node_starts_from_such_a_disk_and_not_again():
    assert "ConditionKernelCommandLine=rd.iscsi.firmware\n" in iscsi.SERVICE
    assert f"ConditionPathExists=!{iscsi.STAMP}\n" in iscsi.SERVICE
    assert f"ExecStartPost=/usr/bin/touch {iscsi.STAMP}\n" in iscsi.SERVICE
