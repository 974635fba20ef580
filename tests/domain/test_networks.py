"""The arithmetic of addresses and networks."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muster.domain import networks
from muster.domain.networks import ClusterNetwork, FreeAddresses, Resolution, Span, Vip, VipVerification


def test_a_network_is_a_family_and_two_numbers():
    assert networks.span("192.168.1.77/24") == Span(4, 0xC0A80100, 0xC0A801FF)
    assert networks.span("nowhere") is None


@pytest.mark.parametrize(
    ("text", "plain", "normal", "family"),
    [
        ("192.168.1.5/24", "192.168.1.5", "192.168.1.0/24", 4),
        ("FD00:0::5/64", "fd00::5", "fd00::/64", 6),
        ("nowhere", "", "nowhere", None),
    ],
)
def test_addresses_have_one_spelling(text, plain, normal, family):
    assert (networks.plain(text), networks.normal(text), networks.family(text)) == (plain, normal, family)


OCTETS = st.integers(0, 300).map(str) | st.sampled_from(["", "01", "٣", " 1", "1 "])
PREFIXES = st.integers(0, 40).map(str) | st.sampled_from(
    ["", "024", "+8", "-1", "255.255.255.0", "0.0.0.255", "٨", "8/8"]
)
ADDRESSES = st.lists(OCTETS, min_size=3, max_size=5).map(".".join)


@given(ADDRESSES | st.tuples(ADDRESSES, PREFIXES).map("/".join))
@example("1.2.3.4\0")
@example("1.2.3.4/255.255.255.0")
def test_what_is_read_fast_is_what_the_library_reads(text):
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        assert (networks.span(text), networks.normal(text)) == (None, text)
    else:
        assert networks.span(text) == Span(4, int(network[0]), int(network[-1]))
        assert networks.normal(text) == str(network)
    try:
        assert networks.plain(text) == str(ip_address(text.partition("/")[0]))
    except ValueError:
        assert networks.plain(text) == ""


def test_families_are_told_in_words():
    assert networks.families(["10.0.0.0/8", "fd00::/64", "nowhere"]) == {4, 6}
    assert networks.family_names({6, 4}) == "IPv4 and IPv6"
    assert networks.family_names(()) == "no addresses"


@pytest.mark.parametrize(
    ("address", "cidr", "inside"),
    [
        ("192.168.1.5", "192.168.1.0/24", True),
        ("192.168.1.5/16", "192.168.1.0/24", True),
        ("192.168.2.5", "192.168.1.0/24", False),
        ("fd00::5", "192.168.1.0/24", False),
        ("nowhere", "192.168.1.0/24", False),
        ("192.168.1.5", "nowhere", False),
    ],
)
def test_an_address_lies_in_a_network_or_not(address, cidr, inside):
    assert networks.lies_in(address, cidr) is inside


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("10.0.0.0/8", "10.1.0.0/16", True),
        ("10.0.0.0/9", "10.128.0.0/9", False),
        ("10.0.0.0/8", "fd00::/8", False),
        ("nowhere", "10.0.0.0/8", False),
        ("10.0.0.0/8", "nowhere", False),
    ],
)
def test_networks_overlap_or_keep_apart(one, other, shared):
    assert networks.overlap(one, other) is shared
    assert networks.overlap(other, one) is shared


@pytest.mark.parametrize(
    ("address", "cidr", "broadcast"),
    [
        ("192.168.1.255", "192.168.1.0/24", True),
        ("192.168.1.254", "192.168.1.0/24", False),
        ("fd00::ffff:ffff:ffff:ffff", "fd00::/64", False),
        ("nowhere", "192.168.1.0/24", False),
        ("192.168.1.255", "nowhere", False),
    ],
)
def test_only_ipv4_has_an_address_for_everyone(address, cidr, broadcast):
    assert networks.is_broadcast(address, cidr) is broadcast


def test_a_network_has_bits_for_its_hosts():
    assert (networks.host_bits("10.0.0.0/24"), networks.host_bits("10.0.0.1/32"), networks.host_bits("x")) == (8, 0, 0)


@pytest.mark.parametrize(
    ("pairs", "clash"),
    [
        ([], None),
        ([("a", "10.0.0.1/24"), ("a", "10.0.0.2/24")], None),
        ([("a", "10.0.0.1/24"), ("b", "10.0.1.1/24"), ("c", "fd00::1/64"), ("d", "x")], None),
        ([("b", "10.0.0.1/24"), ("a", "10.0.0.2/24")], (("a", "10.0.0.0/24"), ("b", "10.0.0.0/24"))),
        (
            [("a", "10.0.0.1/16"), ("a", "10.0.1.1/24"), ("b", "10.0.9.1/24")],
            (("a", "10.0.0.0/16"), ("b", "10.0.9.0/24")),
        ),
    ],
)
def test_two_owners_of_one_range_collide(pairs, clash):
    assert networks.colliding(pairs) == clash


# Virtual addresses


@pytest.mark.parametrize(
    ("addresses", "network"),
    [
        ([], None),
        (["10.0.0.1/24"], None),
        (["192.168.1.1/24", "10.0.0.1/24"], "192.168.1.0/24"),
        (["192.168.1.1/25", "192.168.1.2/24", "192.168.1.3/24"], "192.168.1.0/24"),
        (["192.168.1.1/24", "192.168.1.2/25"], "192.168.1.0/25"),
    ],
)
def test_the_machine_network_is_where_most_hosts_see_the_address(addresses, network):
    assert networks.machine_network_of("192.168.1.5", addresses) == network


FREE = FreeAddresses(network="192.168.1.0/24", free_addresses=("192.168.1.5", "192.168.1.6"))
LESS = FREE.but(free_addresses=("192.168.1.6",))
ELSEWHERE = FREE.but(network="10.0.0.0/24")


@pytest.mark.parametrize(
    ("verification", "lists", "expected"),
    [
        (None, [], VipVerification.UNVERIFIED),
        (None, [ELSEWHERE], VipVerification.UNVERIFIED),
        (None, [FREE, FREE], VipVerification.SUCCEEDED),
        (VipVerification.UNVERIFIED, [FREE], VipVerification.SUCCEEDED),
        (None, [FREE, LESS], VipVerification.FAILED),
        (VipVerification.SUCCEEDED, [LESS], VipVerification.SUCCEEDED),
        (VipVerification.FAILED, [FREE], VipVerification.FAILED),
    ],
)
def test_an_address_is_free_if_it_was_tried_or_all_lists_agree(verification, lists, expected):
    vip = Vip(ip="192.168.1.5", verification=verification)
    assert networks.freeness(vip, "192.168.1.7/24", lists) is expected


# Room for pods


@pytest.mark.parametrize(("hosts", "needed"), [(0, 4), (1, 1), (2, 4), (5, 5)])
def test_a_cluster_of_more_than_one_is_given_room_to_grow(hosts, needed):
    assert networks.nodes_needed(hosts) == needed


@pytest.mark.parametrize(
    ("cidr", "prefix", "hosts", "words"),
    [
        ("10.128.0.0/14", 23, 3, None),
        ("fd01::/48", 64, 500, None),
        ("10.128.0.0/14", 0, 3, "between 1 and 25"),
        ("10.128.0.0/14", 26, 3, "between 1 and 25"),
        ("fd01::/48", 122, 3, "between 1 and 121"),
        ("10.128.0.0/22", 23, 3, "room for 2 nodes; 4 are needed"),
        ("10.128.0.0/14", 10, 3, "room for 1 nodes"),
        ("nowhere", 23, 3, "cannot be read"),
    ],
)
def test_a_pod_network_must_have_room_for_every_node(cidr, prefix, hosts, words):
    problem = networks.prefix_problem(ClusterNetwork(cidr=cidr, host_prefix=prefix), hosts)
    assert problem is None if words is None else words in problem


# Names


@pytest.mark.parametrize(
    ("said", "answers", "addresses"),
    [
        ({}, [], []),
        ({"cnames": ("a.example.com",)}, ["a.example.com"], []),
        (
            {"ipv6_addresses": ("fd00::1",), "ipv4_addresses": ("10.0.0.1",), "cnames": ("a",)},
            ["10.0.0.1", "fd00::1", "a"],
            ["10.0.0.1", "fd00::1"],
        ),
    ],
)
def test_a_name_means_addresses_and_other_names(said, answers, addresses):
    name = Resolution(domain_name="api.lab.example.com", **said)
    assert (name.answers, name.addresses, name.resolves) == (answers, addresses, bool(answers))
