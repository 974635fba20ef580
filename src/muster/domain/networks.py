"""Addresses and networks of a cluster, and what follows from them."""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from .record import Record

IPV4, IPV6 = 4, 6

LINK_LOCAL = "fe80::/10"
"""Every IPv6 interface has an address in here, which nobody beyond its link can reach."""


class VipVerification(StrEnum):
    """Whether anything answers on a virtual address that should be free."""

    UNVERIFIED = "unverified"
    FAILED = "failed"
    SUCCEEDED = "succeeded"


class Vip(Record):
    """A virtual address of the cluster."""

    ip: str
    verification: VipVerification | None = None


class ClusterNetwork(Record):
    """A range for pods, and how much of it each node gets."""

    cidr: str
    host_prefix: int = 0


class Proxy(Record):
    """How to reach the world outside."""

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""


class FreeAddresses(Record):
    """Addresses of one network on which nothing answered."""

    network: str
    free_addresses: tuple[str, ...] = ()


class NtpSource(Record):
    """A time source and what the host thinks of it."""

    source_name: str = ""
    source_state: str = ""


class Resolution(Record, omit_defaults=False):
    """What a name resolved to, seen from a host."""

    domain_name: str = ""
    ipv4_addresses: tuple[str, ...] | None = None
    ipv6_addresses: tuple[str, ...] | None = None
    cnames: tuple[str, ...] | None = None

    @property
    def addresses(self) -> list[str]:
        """The addresses that the name leads to, IPv4 first."""
        return [*(self.ipv4_addresses or ()), *(self.ipv6_addresses or ())]

    @property
    def answers(self) -> list[str]:
        """Everything that the name was said to mean: addresses, and other names."""
        return [*self.addresses, *(self.cnames or ())]

    @property
    def resolves(self) -> bool:
        """Whether the name means anything at all."""
        return bool(self.ipv4_addresses or self.ipv6_addresses or self.cnames)


class Span(NamedTuple):
    """A network as numbers: its family (4 or 6), its first and its last address."""

    family: int
    first: int
    last: int


FAMILY_NAMES = {4: "IPv4", 6: "IPv6"}

_REMEMBERED = 2048
"""How many parsed texts are kept: the same few addresses are looked at again and again."""


def _ipv4(text: str) -> tuple[int, int] | None:
    """The number of an IPv4 address and the bits that tell its hosts apart, if it is written as nearly all are.

    None may still be an address: the library reads whatever else there is, and takes five times as long.
    """
    address, given, prefix = text.partition("/")
    written = address.split(".")
    octets = [_OCTETS[each] for each in written if each in _OCTETS]
    length = _LENGTHS.get(prefix) if given else _IPV4_BITS
    if not len(octets) == len(written) == _IPV4_OCTETS or length is None:
        return None
    return int.from_bytes(octets), _IPV4_BITS - length


_IPV4_BITS = 32
_IPV4_OCTETS = 4
_OCTETS = {str(octet): octet for octet in range(256)}
_LENGTHS = {str(length): length for length in range(_IPV4_BITS + 1)}


@lru_cache(maxsize=_REMEMBERED)
def span(cidr: str) -> Span | None:
    """The network that a CIDR, or an address with its prefix length, belongs to; None if it is neither."""
    if read := _ipv4(cidr):
        number, bits = read
        return Span(IPV4, number >> bits << bits, number | (1 << bits) - 1)
    try:
        network = ip_network(cidr, strict=False)
    except ValueError:
        return None
    return Span(network.version, int(network.network_address), int(network.broadcast_address))


@lru_cache(maxsize=_REMEMBERED)
def plain(address: str) -> str:
    """An address without its prefix length, in its shortest spelling; "" if it is none."""
    written = address.partition("/")[0]
    if _ipv4(written):
        return written
    try:
        return str(ip_address(written))
    except ValueError:
        return ""


@lru_cache(maxsize=_REMEMBERED)
def normal(cidr: str) -> str:
    """A network as it is to be written; what cannot be read stays as it is."""
    if read := _ipv4(cidr):
        number, bits = read
        first = (number >> bits << bits).to_bytes(_IPV4_OCTETS)
        return f"{'.'.join(map(str, first))}/{_IPV4_BITS - bits}"
    try:
        return str(ip_network(cidr, strict=False))
    except ValueError:
        return cidr


@lru_cache(maxsize=_REMEMBERED)
def family(text: str) -> int | None:
    """The family of an address or network, 4 or 6; None if it is neither."""
    found = span(text)
    return found.family if found else None


def families(texts: Iterable[str]) -> frozenset[int]:
    """The families that occur among addresses or networks."""
    return frozenset(found.family for text in texts if (found := span(text)))


def family_names(found: Iterable[int]) -> str:
    """Families in words, for a sentence."""
    return " and ".join(FAMILY_NAMES[each] for each in sorted(found)) or "no addresses"


@lru_cache(maxsize=4 * _REMEMBERED)
def lies_in(address: str, cidr: str) -> bool:
    """Whether an address, with or without prefix length, is one of a network's."""
    inner, outer = span(address.partition("/")[0]), span(cidr)
    return (
        inner is not None
        and outer is not None
        and inner.family == outer.family
        and outer.first <= inner.first <= outer.last
    )


def overlap(one: str, other: str) -> bool:
    """Whether two networks share an address."""
    left, right = span(one), span(other)
    return (
        left is not None
        and right is not None
        and left.family == right.family
        and left.first <= right.last
        and right.first <= left.last
    )


def is_broadcast(address: str, cidr: str) -> bool:
    """Whether an address is the one that means everyone in an IPv4 network."""
    inner, outer = span(address), span(cidr)
    return inner is not None and outer is not None and outer.family == IPV4 and inner == (IPV4, outer.last, outer.last)


def is_unspecified(address: str) -> bool:
    """Whether an address says "any" (0.0.0.0 or ::)."""
    return plain(address) in {"0.0.0.0", "::"}  # noqa: S104 - nothing is bound to it


def host_bits(cidr: str) -> int:
    """How many bits of an address tell the hosts of a network apart; 0 if it is no network."""
    found = span(cidr)
    return (found.last - found.first).bit_length() if found else 0


def colliding(networks: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Two of the (owner, network) pairs that overlap and have different owners; None if all keep apart.

    Networks contain each other or keep apart, so looking at them in the order of their first
    address, with those still open at hand, finds every overlap.
    """
    spans = sorted(
        ((*found, owner, cidr) for owner, cidr in set(networks) if (found := span(cidr))),
        key=lambda each: (each[0], each[1], -each[2], each[3]),
    )
    still_open: list[tuple[int, int, int, str, str]] = []
    for each in spans:
        version, first, _, owner, cidr = each
        still_open = [one for one in still_open if one[0] == version and one[2] >= first]
        other = next((one for one in still_open if one[3] != owner), None)
        if other is not None:
            return (other[3], normal(other[4])), (owner, normal(cidr))
        still_open.append(each)
    return None


def machine_network_of(vip: str, addresses: Iterable[str]) -> str | None:
    """The network of the hosts in which a virtual address lies; None if no host has such a network.

    `addresses` are those of the hosts' interfaces, with prefix length. Where hosts disagree about
    the size of the network, the size most of them have wins, then the smallest.
    """
    votes: dict[str, int] = {}
    for address in addresses:
        if lies_in(vip, address):
            network = normal(address)
            votes[network] = votes.get(network, 0) + 1
    if not votes:
        return None
    return min(votes, key=lambda network: (-votes[network], host_bits(network), network))


def freeness(vip: Vip, network: str, lists: Iterable[FreeAddresses]) -> VipVerification:
    """Whether a virtual address is free: what was verified counts, else what all hosts' lists agree on."""
    if vip.verification in (VipVerification.SUCCEEDED, VipVerification.FAILED):
        return vip.verification
    wanted, cidr = plain(vip.ip), normal(network)
    relevant = [each.free_addresses for each in lists if normal(each.network) == cidr]
    if not relevant:
        return VipVerification.UNVERIFIED
    free = all(wanted in each for each in relevant)
    return VipVerification.SUCCEEDED if free else VipVerification.FAILED


_FEWEST_NODE_BITS = 7
_FEWEST_NODES = 4


def nodes_needed(hosts: int) -> int:
    """For how many nodes a pod network has to have room: a cluster of one stays so, others grow to four."""
    return 1 if hosts == 1 else max(_FEWEST_NODES, hosts)


def prefix_problem(network: ClusterNetwork, hosts: int) -> str | None:
    """What is wrong with a pod network's prefix per node, in words; None if all is well."""
    found = span(network.cidr)
    if found is None:
        return f"the cluster network {network.cidr} cannot be read as a network"
    most = (32 if found.family == IPV4 else 128) - _FEWEST_NODE_BITS
    prefix = network.host_prefix
    if not 1 <= prefix <= most:
        return f"the cluster network {network.cidr} has host prefix {prefix}; it must lie between 1 and {most}"
    own_prefix = most + _FEWEST_NODE_BITS - host_bits(network.cidr)
    room, needed = 2 ** max(0, prefix - own_prefix), nodes_needed(hosts)
    if room < needed:
        return (
            f"the cluster network {network.cidr} with host prefix {prefix} has room for {room} nodes; "
            f"{needed} are needed"
        )
    return None
