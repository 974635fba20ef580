"""Network settings are turned into the same keyfiles by us and by nmstate, which has the last word where it is."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from muster.adapters.machine.nmstatectl import Nmstatectl
from muster.adapters.networks import OwnNetworks
from parts.networks import STATIC, comparable, states
from parts.tools import tool

DOCUMENTS = {
    "static": STATIC,
    "dhcp": "interfaces: [{name: eth0, ipv4: {enabled: on, dhcp: yes}, ipv6: {enabled: true, dhcp: 1, autoconf: y}}]",
    "by its address": """
        interfaces:
        - {name: eth0, type: ethernet, identifier: mac-address, mac-address: 52:54:00:12:34:56}
        - {name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5, protocol: 802.1ad, loose-binding: true}}
        """,
    "bond, vlan and bridge": """
        interfaces:
        - name: br0
          type: linux-bridge
          mtu: 9000
          bridge:
            options: {stp: {enabled: false, hello-time: 2, max-age: 20}, group-forward-mask: 8}
            port: [{name: bond0.5, stp-hairpin-mode: true, stp-path-cost: 5, stp-priority: 32}]
          ipv4: {enabled: true, address: [{ip: 10.0.0.2, prefix-length: "24"}]}
        - {name: bond0.5, type: vlan, vlan: {base-iface: bond0, id: 5}}
        - name: bond0
          type: bond
          mac-address: 52:54:00:12:34:56
          link-aggregation:
            mode: active-backup
            options: {miimon: "140", fail_over_mac: active, primary: eth1, lp_interval: 3}
            ports-config: [{name: eth1, priority: 3, queue-id: 0}, {name: eth2}]
        """,
    "rules": """
        interfaces:
        - {name: eth0, ipv4: {enabled: true, address: [{ip: 10.0.0.2, prefix-length: 24}]}}
        - {name: eth1, ipv6: {enabled: true, address: [{ip: "fd00::2", prefix-length: 64}]}}
        routes: {config: [{destination: 10.1.2.3/16, next-hop-interface: eth0, table-id: 7, metric: 5, weight: 3}]}
        route-rules:
          config:
          - {ip-from: 10.0.0.0/24, ip-to: 10.9.0.1, route-table: 7, priority: 9, fwmark: 0x30, fwmask: 0x10, iif: eth0}
          - {family: ipv6, priority: 5, action: prohibit, suppress-prefix-length: 0, iif: eth1}
          - {ip-to: 10.3.0.0/16, priority: 7, route-table: 7, state: absent}
        """,
    "nothing told twice": """
        interfaces: [{name: eth0, ipv4: {enabled: true, address: [{ip: 10.0.0.2, prefix-length: 24}]}}]
        routes:
          config:
          - {destination: 0.0.0.0/0, next-hop-address: 10.0.0.1, next-hop-interface: eth0}
          - {destination: 0.0.0.0/0, next-hop-address: 10.0.0.1, next-hop-interface: eth0}
        """,
}


@pytest.fixture
def nmstate() -> Nmstatectl:
    return Nmstatectl(tool("nmstatectl"))


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_both_make_the_same_keyfiles(nmstate, document):
    (own,) = await OwnNetworks().read([document])
    (theirs,) = await nmstate.read([document])
    assert own.problems == own.unsupported == theirs.problems == ()
    assert comparable(own.keyfiles) == comparable(theirs.keyfiles)
    assert own.but(keyfiles=()) == theirs.but(keyfiles=())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=states())
async def test_both_make_the_same_keyfiles_of_whatever_we_find_in_order(nmstate, document):
    text = json.dumps(document)
    (own,) = await OwnNetworks().read([text])
    if not own.problems:
        (theirs,) = await nmstate.read([text])
        assert theirs.problems == ()
        assert comparable(own.keyfiles) == comparable(theirs.keyfiles)


async def test_what_we_cannot_convert_nmstate_converts(nmstate):
    dummy = "interfaces: [{name: d0, type: dummy, ipv4: {enabled: true, dhcp: true}}]"
    (own,) = await OwnNetworks().read([dummy])
    (theirs,) = await nmstate.read([dummy])
    assert (own.keyfiles, len(own.unsupported)) == ((), 1)
    assert ([each.name for each in theirs.keyfiles], theirs.unsupported) == (["d0.nmconnection"], ())
    assert "autoconnect-priority=1\n" in theirs.keyfiles[0].text


async def test_what_only_nmstate_objects_to_is_told_in_its_words(nmstate):
    copied = "interfaces: [{name: bond0, type: bond, copy-mac-from: eth9, link-aggregation: {mode: 1, port: [eth9]}}]"
    (read,) = await nmstate.read([copied])
    assert (read.keyfiles, read.unsupported) == ((), ())
    assert str(read.problems[0]).startswith("nmstate refuses it: Failed to find mac address of interface eth9")


async def test_a_keyfile_is_not_written_elsewhere_than_where_it_belongs(nmstate):
    (read,) = await nmstate.read(["interfaces: [{name: eth0, type: ethernet, profile-name: ../../etc/passwd}]"])
    assert "cannot be the name of a file" in str(read.problems[0])


async def test_what_we_find_wrong_is_not_shown_to_nmstate():
    (read,) = await Nmstatectl("/nowhere/nmstatectl").read(["interfaces: [{name: eth0, mtu: big}]"])
    assert [each.at.path for each in read.problems] == ["interfaces[0].mtu"]


ENDINGS = {
    "takes too long": "exec sleep 60",
    "fails": "echo 'thread main panicked' >&2; exit 101",
    "is killed": "kill -9 $$",
    "says something else": "echo nothing",
    "says what is not YAML": "echo '[}'",
    "says more than one thing": "printf -- '--- 1\\n--- 2\\n'",
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
async def test_where_nmstate_is_no_help_we_go_on_without(tmp_path, ending):
    program = tmp_path / "nmstatectl"
    program.write_text(f"#!/bin/bash\n{ending}\n")
    program.chmod(0o755)
    (read,) = await Nmstatectl(str(program), timedelta(seconds=0.5)).read([STATIC])
    assert [each.name for each in read.keyfiles] == ["eth0.nmconnection"]


async def test_where_nmstate_is_gone_we_go_on_without(tmp_path: Path):
    (read,) = await Nmstatectl(str(tmp_path / "gone")).read([STATIC])
    assert [each.name for each in read.keyfiles] == ["eth0.nmconnection"]
