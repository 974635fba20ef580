"""Network settings as users write them: every problem with its line and path, and what they are turned into."""

import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.nmstate import read_network
from parts.networks import STATIC, sections, states


def problems(text):
    return [str(each) for each in read_network(text).problems]


def files(text):
    read = read_network(text)
    assert read.problems == read.unsupported == ()
    return {each.name.removesuffix(".nmconnection"): sections(each.text) for each in read.keyfiles}


def one(fields, rest=""):
    """A document with one interface."""
    return f"interfaces: [{{name: eth0, {fields}}}]\n{rest}"


# What is told of what is wrong


WRONG = """\
interfaces:
- name: eth0
  type: ethernett
  mtu: big
  ipv4:
    enabled: maybe
    adress: []
    address:
    - ip: 1.2.3.400
      prefix-length: 24
    - ip: 10.0.0.1/24
- type: ethernet
- name: 123
foo: 1
routes:
  config: 5
"""


def test_every_problem_is_told_with_its_line_and_path():
    assert [(each.at.line, each.at.path) for each in read_network(WRONG).problems] == [
        (3, "interfaces[0].type"),
        (4, "interfaces[0].mtu"),
        (6, "interfaces[0].ipv4.enabled"),
        (7, "interfaces[0].ipv4.adress"),
        (9, "interfaces[0].ipv4.address[0].ip"),
        (11, "interfaces[0].ipv4.address[1].ip"),
        (11, "interfaces[0].ipv4.address[1]"),
        (12, "interfaces[1]"),
        (13, "interfaces[2].name"),
        (14, "foo"),
        (16, "routes.config"),
    ]
    told = problems(WRONG)
    assert told[3] == "line 7, interfaces[0].ipv4.adress: nmstate has no such field; did you mean address?"
    assert told[4].startswith("line 9, interfaces[0].ipv4.address[0].ip: is '1.2.3.400', which is no IP address")
    assert "field of its own" in told[5]
    assert 'in quotes ("...")' in told[8]
    assert told[9].endswith("it has interfaces, dns-resolver, routes, route-rules, description, hostname, ovs-db, ovn")


BROKEN = [
    ("", "says nothing"),
    ("# only this\n", "says nothing"),
    ("~", "says nothing"),
    ("interfaces: [", "line 2: is not YAML: "),
    ("a: \x07", "is not YAML: "),
    ("a: 1\n---\nb: 2\n", "has 2 documents; write one for each host"),
    ("[" * 200 + "]" * 200, "it is more than 100 levels deep"),
    ("a: *b", "it refers to 'b'"),
    ("5", "line 1: is 5, where fields are expected, such as interfaces: ..."),
    ("[1]", "line 1: is a list, where fields are expected"),
    ("interfaces: {}", "line 1, interfaces: is a group of fields, where a list is expected"),
    ("? [a]\n: 1\n", "line 1: the name of a field is a plain word"),
    ("interfaces:\n- name: a\n  name: b\n", "line 3, interfaces[0].name: is written in line 2 already"),
    ("interfaces: !!python/name:os.system x", "line 1, interfaces: has the tag "),
    ("interfaces: []", "interfaces: no interface of this document is to be up or down"),
    ("routes: {}", "interfaces: no interface of this document is to be up or down"),
    (one("state: absent"), "interfaces: no interface of this document is to be up or down"),
    (one("state: UP"), "line 1, interfaces[0].state: is 'UP'; write one of absent, down, ignore, up"),
    (one("mtu: true"), "line 1, interfaces[0].mtu: is True; write a whole number from 0 to"),
    (one("mtu: 1500.0"), "is 1500.0; write a whole number"),
    (one("mtu: 1e999"), "is '1e999'; write a whole number"),
    (one("mtu: " + "9" * 99), "...; write a whole number"),
    (one("mtu: ~"), "is nothing; write a whole number"),
    (one("state: true"), "is True; write one of"),
    (one("description: [1]"), "is a list, where text is expected"),
    (one('description: "a\\nb"'), "has characters that cannot be seen"),
    (one("mac-address: xx"), "is 'xx'; write a MAC address as 52:54:00:12:34:56"),
    (one("mac-address: 5"), "is 5, where text is expected"),
    (one("ipv4: {address: [{ip: 5, prefix-length: 8}]}"), "interfaces[0].ipv4.address[0].ip: is 5, where text"),
    (one("ipv4: {address: [{ip: fe80::1%eth0, prefix-length: 8}]}"), "which is no IP address"),
    ("interfaces: [{name: a/b}]", "a name of an interface has no blanks and no slash"),
    ("interfaces: [5]", "line 1, interfaces[0]: is 5, where fields are expected, such as name: ..."),
    ("interfaces: [~]", "line 1, interfaces[0]: is nothing, where fields are expected"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_what_cannot_be_read_is_told(text, said):
    assert said in problems(text)[0]


ADDRESSED = "ipv4: {enabled: true, address: [{ip: 10.0.0.2, prefix-length: 24}]}"
BOND = "interfaces: [{{name: bond0, type: bond, link-aggregation: {{mode: {}}}}}]"


def with_route(route):
    return one(ADDRESSED, f"routes: {{config: [{{{route}}}]}}")


def with_rule(rule):
    return one(ADDRESSED, f"route-rules: {{config: [{{{rule}}}]}}")


def with_names(config):
    return one(ADDRESSED, f"dns-resolver: {{config: {{{config}}}}}")


TOGETHER = [
    (one("vlan: {base-iface: a, id: 5}"), "vlan is for interfaces of type vlan, and eth0 is of ethernet"),
    (one("type: vlan"), "vlan is missing"),
    (one("type: bond"), "link-aggregation is missing"),
    (one("identifier: mac-address"), "identifier is mac-address, and mac-address is missing"),
    (one("mtu: 1000, ipv6: {enabled: true}"), "mtu is 1000, and IPv6 needs at least 1280"),
    ("interfaces: [{name: a-bridge-of-16-ch, type: linux-bridge}]", "has more than 15 characters; shorten it"),
    (
        "interfaces: [{name: a-vlan-of-16-cha, type: vlan, vlan: {base-iface: eth0, id: 5}}]",
        "has more than 15 characters; shorten it",
    ),
    (one("ipv4: {address: [{ip: fd00::1, prefix-length: 64}]}"), "fd00::1 is no address of ipv4"),
    (one("ipv4: {address: [{ip: 10.0.0.1, prefix-length: 33}]}"), "prefix-length is 33; it is at most 32 in ipv4"),
    (one("ipv6: {enabled: true, autoconf: true}"), "autoconf without dhcp is not supported by nmstate"),
    ("interfaces:\n- name: a\n- name: a\n", "line 3, interfaces[1]: a is described in line 2 already"),
    (BOND.format("1, port: [a, a]"), "port a of bond0 is a port of bond0 already"),
    (
        BOND.format("1, port: [a]").replace(
            "[{", "[{name: br0, type: linux-bridge, bridge: {port: [{name: a}]}}, {", 1
        ),
        "port a of bond0 is a port of br0 already",
    ),
    (
        f"interfaces: [{{name: br0, type: linux-bridge, bridge: {{port: [{{name: a}}]}}}}, {{name: a, {ADDRESSED}}}]",
        "line 1, interfaces[1]: a is a port of br0, so it has no addresses of its own",
    ),
    (
        "interfaces: [{name: v, type: vlan, vlan: {base-iface: b, id: 5}}, {name: b, type: bond, state: absent}]",
        "v is a part of b, which is to be absent",
    ),
    (BOND.format("1, options: {miimon: 5, arp_interval: 5}"), "miimon and arp_interval exclude each other"),
    (BOND.format("4, options: {arp_interval: 5}"), "arp_interval does not work with mode 802.3ad"),
    (BOND.format("1, options: {lacp_rate: fast}"), "lacp_rate is for mode 802.3ad, and the mode is active-backup"),
    (BOND.format("1, port: [a], ports-config: []"), "a is in one of port and ports-config only"),
    (BOND.format("1, options: []"), "link-aggregation.options: is a list, where fields are expected"),
    (with_route("destination: 10.1.0.0/16"), "next-hop-interface is missing"),
    (with_route("next-hop-interface: eth0"), "destination is missing"),
    (with_route("destination: x, next-hop-interface: eth0"), "destination is 'x'; write a network as 10.0.0.0/8"),
    (with_route("destination: 10.0.0.0/255.0.0.0, next-hop-interface: eth0"), "write a network as 10.0.0.0/8"),
    (with_route("destination: 10.0.0.0/8, next-hop-interface: eth9"), "which this document does not bring up"),
    (with_route("destination: '::/0', next-hop-interface: eth0"), "eth0 has ipv6 disabled, so it has no routes"),
    (with_route("destination: 10.0.0.0/8, next-hop-interface: eth0, source: fd00::1"), "must be of the same family"),
    (with_route("destination: '::/0', next-hop-interface: eth0, weight: 5"), "eth0 has ipv6 disabled"),
    (with_rule("ip-from: x"), "ip-from is 'x'; write a network as 10.0.0.0/8"),
    (with_rule("ip-from: 10.0.0.0/8, ip-to: 'fd00::/8'"), "must be of the same family"),
    (with_rule("family: ipv6, ip-to: 10.0.0.0/8"), "must be of the same family"),
    (with_rule("priority: 5"), "write ip-from, ip-to or family"),
    (with_rule("ip-from: 10.0.0.0/8, fwmask: 5"), "fwmask is written without fwmark"),
    (with_rule("ip-from: 10.0.0.0/8, iif: eth9"), "iif is eth9, and this document describes no such interface"),
    (with_names("server: [x]"), "server 'x' is no IP address"),
    (with_names("server: [1.1.1.1, 'fd00::1', 1.1.1.2]"), "all servers of one family together"),
    (with_names("server: ['fd00::1']"), "no interface has addresses of ipv6, or gets them, so that server fd00::1"),
    ("interfaces: [{name: a}]\ndns-resolver: {config: {search: [a.com]}}", "so that what is said of names has no"),
]


@pytest.mark.parametrize(("text", "said"), TOGETHER)
def test_what_does_not_go_together_is_told(text, said):
    assert said in problems(text)[0]


def test_a_weight_is_for_old_addresses_only():
    route = "routes: {config: [{destination: '::/0', next-hop-interface: eth0, weight: 5}]}"
    assert "weight is for IPv4 only" in problems(one("ipv6: {enabled: true, dhcp: true}", route))[0]


def test_what_is_not_there_needs_to_be_nothing():
    gone = "{name: b, type: bond, state: absent}, {name: v, type: vlan, state: ignore}"
    assert list(files(f"interfaces: [{{name: eth0}}, {gone}]")) == ["eth0"]


UNSUPPORTED = [
    (one("type: dummy, ipv4: {enabled: true}"), "line 1, interfaces[0].type: is dummy; this service makes"),
    (one("802.1x: {identity: me}"), "line 1, interfaces[0].802.1x: is not converted to NetworkManager's keyfiles"),
    (one("identifier: pci-address"), "line 1, interfaces[0]: is known by its PCI address"),
    (
        "interfaces: [{name: a}]\nroute-rules: {config: [{family: ipv6}]}",
        "line 2, route-rules.config[0]: no interface of this",
    ),
    (
        one("ipv6: {enabled: true, dhcp: true}", "dns-resolver: {config: {server: ['fe80::1%eth0']}}"),
        "line 2, dns-resolver.config: servers with the name of an interface",
    ),
]


@pytest.mark.parametrize(("text", "said"), UNSUPPORTED)
def test_what_only_nmstate_knows_is_told_apart(text, said):
    read = read_network(text)
    assert (read.problems, read.keyfiles) == ((), ())
    assert str(read.unsupported[0]).startswith(said)


def test_a_document_that_is_only_partly_known_is_not_judged_as_a_whole():
    text = "interfaces: [{name: o, type: ovs-interface}]\nroutes: {config: [{destination: 10.0.0.0/8}]}"
    assert problems(text) == []


@given(st.text(max_size=200) | st.from_regex(r"(interfaces|routes): ?[\[\{&*!|>'\"\-: a-z0-9,\]\}\n]{0,60}"))
def test_no_text_is_too_much(text):
    read = read_network(text)
    assert read.problems or read.unsupported or read.keyfiles


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "type", "ipv4", "address", "config", "port", "vlan"]), inner, max_size=3
        )
    ),
)


@given(st.fixed_dictionaries({"interfaces": VALUES, "routes": VALUES, "dns-resolver": VALUES, "route-rules": VALUES}))
def test_no_document_is_too_much(document):
    read = read_network(json.dumps(document))
    assert read.problems or read.unsupported or read.keyfiles


@given(states())
def test_the_same_settings_make_the_same_keyfiles(document):
    text = json.dumps(document)
    assert read_network(text) == read_network(text)


# What settings are turned into


def test_an_interface_with_addresses():
    (read,) = read_network(STATIC).keyfiles
    assert read.text == (
        "[connection]\nautoconnect-priority=1\nautoconnect=true\nautoconnect-slaves=-1\nid=eth0\n"
        "interface-name=eth0\ntype=802-3-ethernet\nuuid=dfd202f5-562f-5f07-8f2a-a7717756fb70\n\n"
        "[ipv4]\naddress0=192.168.1.10/24\ndhcp-timeout=2147483647\ndns=192.168.1.1\ndns-priority=40\nmethod=manual\n"
        "route0=0.0.0.0/0,192.168.1.1,0\nroute0_options=table=254\n\n"
        "[ipv6]\ndhcp-timeout=2147483647\nmethod=disabled\n"
    )


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("ethernet", ""),
        ("vlan", "vlan: {base-iface: a, id: 5}"),
        ("bond", "link-aggregation: {mode: 1}"),
        ("linux-bridge", ""),
    ],
)
def test_a_connection_has_an_id_that_follows_from_type_and_name(kind, fields):
    made = files(f"interfaces: [{{name: x0, type: {kind}, {fields}}}]")["x0"]["connection"]["uuid"]
    assert made == str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}://x0"))


METHODS = [
    ("ipv4", "enabled: false", "disabled"),
    ("ipv4", "dhcp: true", "disabled"),
    ("ipv4", "enabled: true", "disabled"),
    ("ipv4", "enabled: yes, dhcp: on", "auto"),
    ("ipv4", "enabled: true, address: [{ip: 10.0.0.1, prefix-length: 8}]", "manual"),
    ("ipv6", "enabled: true", "link-local"),
    ("ipv6", "enabled: true, dhcp: true", "dhcp"),
    ("ipv6", "enabled: true, dhcp: true, autoconf: true", "auto"),
    ("ipv6", "enabled: true, address: [{ip: fe80::1, prefix-length: 64}]", "link-local"),
    ("ipv6", "enabled: true, address: [{ip: fd00::1, prefix-length: 64}]", "manual"),
]


@pytest.mark.parametrize(("family", "fields", "method"), METHODS)
def test_addresses_are_had_in_several_ways(family, fields, method):
    assert files(one(f"{family}: {{{fields}}}"))["eth0"][family]["method"] == method


def test_what_looks_like_something_else_stays_text():
    mac = "52:54:00:12:34:56"
    made = files(one(f"mac-address: {mac}, mtu: 0x5DC, ethernet: {{auto-negotiation: off, speed: 010, duplex: full}}"))
    link = {"cloned-mac-address": mac, "mtu": "1500", "auto-negotiate": "false", "speed": "10", "duplex": "full"}
    assert made["eth0"]["ethernet"] == link


def test_what_is_negotiated_is_not_set():
    assert files(one("ethernet: {auto-negotiation: on, speed: 10}"))["eth0"]["ethernet"] == {"auto-negotiate": "true"}


def test_an_interface_that_is_found_by_its_address_has_no_name():
    made = files(
        "interfaces: [{name: eth0, identifier: mac-address, mac-address: 52-54-00-12-34-56},"
        " {name: v5, type: vlan, vlan: {base-iface: eth0, id: 5}}]"
    )
    assert "interface-name" not in made["eth0"]["connection"]
    assert made["eth0"]["ethernet"] == {"mac-address": "52-54-00-12-34-56"}
    assert made["v5"]["vlan"]["parent"] == made["eth0"]["connection"]["uuid"]


def test_ports_belong_to_their_controller_and_have_no_addresses():
    made = files(
        "interfaces: [{name: bond0, type: bond, link-aggregation: {mode: 1, ports: [eth1, eth2]}},"
        " {name: eth1, mtu: 9000}, {name: br0, type: linux-bridge, bridge: {ports: [{name: bond0}]}}]"
    )
    assert made["eth2"]["connection"]["master"] == "bond0"
    assert set(made["eth1"]) == {"connection", "ethernet"}
    assert made["bond0"]["bridge-port"] == {}
    assert made["bond0"]["connection"]["slave-type"] == "bridge"


def test_a_bond_treats_its_ports_as_it_was_told():
    listed = "ports-config: [{name: eth1, priority: 3, queue-id: 0}, {name: eth2}]"
    options = "options: {fail_over_mac: active, all_slaves_active: delivered, use_carrier: no}"
    fields = f"mac-address: 52:54:00:12:34:56, link-aggregation: {{mode: 1, {options}, {listed}}}"
    made = files(f"interfaces: [{{name: bond0, type: bond, {fields}}}]")
    assert made["eth1"]["bond-port"] == {"prio": "3", "queue-id": "0"}
    assert "bond-port" not in made["eth2"]
    assert made["bond0"]["bond"] == {
        "mode": "active-backup",
        "fail_over_mac": "active",
        "all_slaves_active": "1",
        "use_carrier": "0",
    }
    assert "ethernet" not in made["bond0"], "its address follows that of the active port"


def test_a_bond_may_agree_with_its_switch():
    made = files(BOND.format("lacp, options: {lacp_rate: 1}"))
    assert made["bond0"]["bond"] == {"mode": "802.3ad", "lacp_rate": "fast"}


def test_what_nothing_is_said_of_is_as_if_it_were_not_there():
    assert files(one("ipv4: ~, ipv6:  , bridge: ~, min-mtu: 68")) == files(one(""))


def test_who_is_down_is_not_brought_up():
    assert files(one("state: down"))["eth0"]["connection"]["autoconnect"] == "false"


def test_a_place_once_written_may_be_referred_to():
    shared = "interfaces:\n- name: eth0\n  ipv4: &ip {enabled: true, dhcp: true}\n- name: eth1\n  ipv4: *ip\n"
    assert files(shared)["eth0"]["ipv4"] == files(shared)["eth1"]["ipv4"]


def test_rules_without_a_priority_come_after_all_others():
    rules = "{ip-from: 10.0.0.0/8}, {ip-from: 10.1.0.0/16, priority: 30005}, {ip-to: 10.2.0.0/16}, {family: ipv4}"
    made = files(one(ADDRESSED, f"route-rules: {{config: [{rules}]}}"))["eth0"]["ipv4"]
    assert [made[f"routing-rule{number}"] for number in range(4)] == [
        "priority 30005 from 10.1.0.0/16 table 254",
        "priority 30006 from 10.0.0.0/8 table 254",
        "priority 30007 to 10.2.0.0/16 table 254",
        "priority 30008 from 0.0.0.0/0 table 254",
    ]


def test_a_rule_is_kept_where_its_table_has_routes():
    made = files(
        f"interfaces: [{{name: eth0, {ADDRESSED}}}, {{name: eth1, {ADDRESSED}}},"
        " {name: eth2, ipv4: {enabled: true, dhcp: true, auto-route-table-id: 8}}]\n"
        "routes: {config: [{destination: 10.1.0.0/16, next-hop-interface: eth1, table-id: 7}]}\n"
        "route-rules: {config: [{ip-from: 10.0.0.0/8, route-table: 7}, {ip-to: 10.0.0.0/8, route-table: 8}]}\n"
    )
    assert [name for name, each in made.items() if "routing-rule0" in each["ipv4"]] == ["eth1", "eth2"]


def test_names_are_told_to_who_has_fixed_addresses_and_searches_with_the_first_server():
    made = files(
        f"interfaces: [{{name: eth0, ipv4: {{enabled: true, dhcp: true}}}}, {{name: eth1, {ADDRESSED}}},"
        " {name: eth2, ipv6: {enabled: true, dhcp: true}}]\n"
        "dns-resolver: {config: {server: ['fd00::1', 1.1.1.1], search: [a.com], options: [rotate]}}\n"
    )
    assert made["eth2"]["ipv6"]["dns-search"] == "a.com"
    assert (made["eth2"]["ipv6"]["dns-priority"], made["eth1"]["ipv4"]["dns-priority"]) == ("40", "50")
    assert made["eth2"]["ipv6"]["dns-options"] == "rotate"
    assert "dns" not in made["eth0"]["ipv4"]


def test_searches_alone_are_told_to_who_is_told_of_names():
    dhcp = "{name: eth1, ipv4: {enabled: true, dhcp: true}}"
    made = files(f"interfaces: [{{name: eth0, {ADDRESSED}}}, {dhcp}]\ndns-resolver: {{config: {{search: [a.com]}}}}")
    assert made["eth1"]["ipv4"]["dns-search"] == "a.com"
