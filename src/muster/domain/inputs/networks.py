"""Rules for networks: their form, size, families and overlap.

Turns the networks of a cluster as a user wants them into the problems they have; `clusters.py` calls it.
The rules for virtual addresses, which lie in these networks, are in `vips.py`.
"""

from ipaddress import ip_network
from itertools import product
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from muster.domain.address_families import dual_stack, leading_list, texts_of
from muster.domain.clusters import Cluster
from muster.domain.networks import (
    IPV4,
    IPV6,
    ClusterNetwork,
    family,
    host_bits,
    normal,
    overlap,
    plain,
    prefix_problem,
)
from muster.domain.policy import Policy
from muster.domain.releases import at_least

from .fields import Input, Problems, Uuid, given

# The same texts match as in the published schema, whose own patterns take exponential time on some of them.
V4 = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
V6 = r"[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*"

Cidr = Annotated[
    str,
    Meta(
        pattern=rf"^(?:{V4}/(?:[0-9]|[12][0-9]|3[0-2])|{V6}/(?:[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))\Z",
    ),
]
HostPrefix = Annotated[int, Meta(ge=1, le=128)]

LISTS = ("machine_networks", "api_vips", "ingress_vips", "service_networks", "cluster_networks")
"""The fields whose first entries say which address family comes first."""

IP_FAMILIES = {IPV4, IPV6}

NETWORK_LISTS = ("machine_networks", "service_networks", "cluster_networks")

_HOST_BITS = {"cluster_networks": 7, "service_networks": 7, "machine_networks": 4}
"""How many bits of an address must be left for hosts."""
_HOST_BITS_BEHIND_LOAD_BALANCER = 2
_HOST_BITS_OF_SINGLE_NODE = 1

_APART = (
    ("service_networks", "cluster_networks"),
    ("machine_networks", "cluster_networks"),
    ("machine_networks", "service_networks"),
)
"""Lists that must have no address in common."""


class ClusterNetworkInput(Input):
    """A range for pods, as written."""

    cidr: Cidr | UnsetType = UNSET
    host_prefix: HostPrefix | UnsetType = UNSET
    cluster_id: Uuid | UnsetType = UNSET

    @property
    def network(self) -> ClusterNetwork:
        """The range as it is kept."""
        return ClusterNetwork(cidr=given(self.cidr, ""), host_prefix=given(self.host_prefix, 0))


class NetworkInput(Input):
    """A range for services or machines, as written."""

    cidr: Cidr | UnsetType = UNSET
    cluster_id: Uuid | UnsetType = UNSET


def syntax_problems(cluster: Cluster) -> Problems:
    """Every address and network can be read; the other rules ask for nothing less."""
    entries = ((field, index, text) for field, texts in texts_of(cluster).items() for index, text in enumerate(texts))
    for field, index, text in entries:
        if field in NETWORK_LISTS and ("/" not in text or family(text) is None):
            yield f"{field}[{index}].cidr: {text!r} is not a network; write it as 192.168.1.0/24"
        if field not in NETWORK_LISTS and ("/" in text or not plain(text)):
            yield f"{field}[{index}].ip: {text!r} is not an address; write it as 192.168.1.5"


def primary_problems(wanted: Cluster, stored: Cluster, written: frozenset[str]) -> Problems:
    """The same family comes first in every list that was written, and stays first unless all were."""
    firsts = {field: family(texts[0]) for field, texts in texts_of(wanted).items() if texts and field in written}
    if dual_stack(stored) and not written.issuperset(LISTS):
        leading, expected = leading_list(stored)
    else:
        leading, expected = next(iter(firsts.items()), ("", None))
    for field, version in firsts.items():
        if version != expected:
            yield (
                f"{field}[0]: is IPv{version}, but the first of {leading} is IPv{expected};"
                " put the same family first in every list"
            )


def ipv6_problems(wanted: Cluster, policy: Policy) -> Problems:
    """IPv6 is not the only family where the service is set up to do without that."""
    if policy.ipv6 or dual_stack(wanted):
        return
    for field, texts in texts_of(wanted).items():
        if texts and family(texts[0]) == IPV6:
            yield (
                f"{field}[0]: {texts[0]} is IPv6, and this service does not install clusters that have IPv6 alone"
                " (IPV6_SUPPORT); use IPv4, or one network of each family in every list"
            )


def dual_stack_problems(wanted: Cluster) -> Problems:
    """With both families anywhere, every list of networks has one of each; with one, one machine network is enough."""
    if not dual_stack(wanted):
        if len(wanted.machine_networks) > 1 and not wanted.user_managed_load_balancer:
            yield (
                f"machine_networks: there are {len(wanted.machine_networks)}, and with a single address family only a"
                " user-managed load balancer allows more than one"
            )
        return
    for field in NETWORK_LISTS:
        texts = texts_of(wanted)[field]
        found = [family(text) for text in texts]
        if texts and (len(texts) != len(IP_FAMILIES) or set(found) != IP_FAMILIES):
            yield (
                f"{field}: must have one IPv4 and one IPv6 network, since the cluster has both families;"
                f" there are {len(texts)}: {', '.join(texts)}"
            )
        elif texts and found[0] != IPV4 and not at_least(wanted.openshift_version, "4.12"):
            yield f"{field}: the IPv4 network must come first before OpenShift 4.12"


def changed_network_problems(wanted: Cluster, changed: frozenset[str], hosts: int) -> Problems:
    """Networks that a user changed are proper, large enough, and apart from each other."""
    texts = texts_of(wanted)
    for field in NETWORK_LISTS:
        for index, text in enumerate(texts[field] if field in changed else ()):
            yield from _size_problems(f"{field}[{index}].cidr", text, _least_host_bits(field, wanted))
    if "cluster_networks" in changed:
        yield from _prefix_problems(wanted, hosts)
    for one, other in _APART:
        if {one, other} & changed:
            yield from _overlap_problems(one, other, texts)


def _prefix_problems(wanted: Cluster, hosts: int) -> Problems:
    for index, network in enumerate(wanted.cluster_networks):
        problem = prefix_problem(network, hosts)
        if problem is not None:
            yield f"cluster_networks[{index}].host_prefix: {problem}"


def _overlap_problems(one: str, other: str, texts: dict[str, tuple[str, ...]]) -> Problems:
    for mine, theirs in product(texts[one], texts[other]):
        if overlap(mine, theirs):
            yield f"{one}: {mine} overlaps {theirs} of {other}; choose networks that have no address in common"


def _least_host_bits(field: str, cluster: Cluster) -> int:
    if field == "machine_networks" and cluster.single_node:
        return _HOST_BITS_OF_SINGLE_NODE
    if field == "machine_networks" and cluster.user_managed_load_balancer:
        return _HOST_BITS_BEHIND_LOAD_BALANCER
    return _HOST_BITS[field]


def _size_problems(path: str, text: str, least: int) -> Problems:
    network = ip_network(text, strict=False)
    if plain(text) != str(network.network_address):
        yield f"{path}: {text!r} has host bits set; the network is {normal(text)}"
    elif int(network.network_address) == 0:
        yield f"{path}: {text!r} begins at the unspecified address; choose a network of your own"
    elif host_bits(text) < least:
        yield (
            f"{path}: {text!r} has {network.num_addresses} addresses and at least {2**least} are needed;"
            f" use /{network.max_prefixlen - least} or a shorter prefix"
        )
