"""Checks of the networks of a cluster: that they are there, fit each other, and have room for every host."""

from functools import lru_cache, partial
from itertools import combinations

import msgspec

from muster.domain.clusters import Cluster
from muster.domain.networks import (
    IPV6,
    families,
    family,
    family_names,
    normal,
    overlap,
    prefix_problem,
    span,
)
from muster.domain.record import Record
from muster.domain.verdicts import Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import ClusterView

from .facts import INVENTORY, NO_INVENTORIES, asked, gathered, some
from .registry import validation
from .vips import judge_calculated

check = partial(validation, category="network")


def _needs_machine_network(cluster: Cluster) -> bool:
    return cluster.single_node or not cluster.user_managed_networking


def _pod_networks(cluster: Cluster) -> tuple[str, ...]:
    return tuple(each.cidr for each in cluster.cluster_networks)


@check("machine-cidr-defined", gate=Gate.INPUT)
def machine_cidr_defined(view: ClusterView) -> Verdict:
    """The cluster has a machine network, or does without."""
    cluster = view.cluster
    if cluster.machine_networks:
        networks = ", ".join(cluster.machine_networks)
        return passed(f"The machine network is {networks}", asked(networks, "a machine network"))
    if not _needs_machine_network(cluster):
        return passed("The cluster needs no machine network", asked("none", "none"))
    if all(host.inventory is None for host in view.hosts):
        return NO_INVENTORIES
    inventories = [host.inventory for host in view.hosts if host.inventory is not None]
    networks = some(sorted({normal(address) for each in inventories for address in each.addresses})) or "no network"
    measured, fix = f"none; the hosts are in {networks}", _way_to_a_machine_network(cluster)
    return failed(
        "The cluster has no machine network yet", gathered(view.hosts, INVENTORY, measured, "a machine network", fix)
    )


def _way_to_a_machine_network(cluster: Cluster) -> str:
    if cluster.single_node:
        return "Choose one of the host's networks (machine_networks)."
    if cluster.vip_dhcp_allocation:
        return "Choose the machine network in which the addresses are leased (machine_networks)."
    return "Set api_vips and ingress_vips in a network that the hosts are in; the machine network follows."


def _judge_present(what: str, field: str, value: str) -> Verdict:
    """Something that the user must say has been said."""
    if value:
        return passed(f"The {what} is {value}", asked(value, f"a {what}"))
    return failed(f"The cluster has no {what}", asked("none", f"a {what}", f"Set {field}."))


@check("cluster-cidr-defined", gate=Gate.INPUT)
def cluster_cidr_defined(view: ClusterView) -> Verdict:
    """There is a network for pods."""
    return _judge_present("cluster network", "cluster_networks", ", ".join(_pod_networks(view.cluster)))


@check("service-cidr-defined", gate=Gate.INPUT)
def service_cidr_defined(view: ClusterView) -> Verdict:
    """There is a network for services."""
    return _judge_present("service network", "service_networks", ", ".join(view.cluster.service_networks))


@check("machine-cidr-equals-to-calculated-cidr", gate=Gate.INSTALL)
def machine_cidr_equals_to_calculated_cidr(view: ClusterView) -> Verdict:
    """The machine networks are those that the virtual addresses and the hosts' addresses point to."""
    return judge_calculated(view)


@check("dns-domain-defined", gate=Gate.INPUT)
def dns_domain_defined(view: ClusterView) -> Verdict:
    """There is a domain that the cluster's names belong to."""
    return _judge_present("base domain", "base_dns_domain", view.cluster.base_dns_domain)


SDN, OVN = "OpenShiftSDN", "OVNKubernetes"
FOREIGN = frozenset({"CiscoACI", "Cilium", "Calico", "None"})
"""Networks that the cluster does not bring along: their manifests are the user's to add."""


def _network_type_problem(cluster: Cluster) -> tuple[str, str]:
    """What is wrong with the network type, and the way out; two empty texts if nothing is."""
    kind = cluster.network_type
    networks = (*cluster.machine_networks, *cluster.service_networks, *_pod_networks(cluster))
    if kind and kind not in FOREIGN | {SDN, OVN}:
        return f"The network type {kind} is not known", f"Choose one of {', '.join(sorted(FOREIGN | {SDN, OVN}))}."
    if kind == SDN and cluster.single_node:
        return f"{SDN} cannot be used on a single node", f"Set network_type to {OVN}."
    if kind == SDN and IPV6 in families(networks):
        return f"{SDN} cannot be used with IPv6", f"Set network_type to {OVN}, or use IPv4 networks only."
    if kind == OVN and cluster.vip_dhcp_allocation:
        return f"{OVN} cannot be used with addresses leased by DHCP", "Set vip_dhcp_allocation to false."
    return "", ""


@check("network-type-valid", gate=Gate.INSTALL)
def network_type_valid(view: ClusterView) -> Verdict:
    """The network type fits the rest of the cluster."""
    kind = view.cluster.network_type or "the default"
    problem, fix = _network_type_problem(view.cluster)
    if problem:
        return failed(problem, asked(kind, "a type that fits", fix))
    return passed(f"The network type {kind} fits the cluster", asked(kind, "a type that fits"))


class _Networking(Record):
    type: str = msgspec.field(name="networkType", default="")


class _Overrides(Record):
    networking: _Networking = _Networking()


@lru_cache(maxsize=256)
def overridden_network_type(overrides: str) -> str:
    """The network type that overrides of the install-config ask for; "" if they ask for none."""
    try:
        return msgspec.json.decode(overrides, type=_Overrides).networking.type
    except msgspec.DecodeError:
        return ""


@check("custom-manifests-requirements-satisfied", gate=Gate.INSTALL)
def custom_manifests_requirements_satisfied(view: ClusterView) -> Verdict:
    """A network that the cluster does not bring along has manifests of the user's."""
    cluster = view.cluster
    overrides = cluster.install_config_overrides
    kind = (overridden_network_type(overrides) if overrides else "") or cluster.network_type
    if kind in FOREIGN and not cluster.custom_manifests:
        return failed(
            f"The network type {kind} needs manifests, and none have been added",
            asked("none", "the manifests of the network", f"Add the manifests of {kind} to the cluster."),
        )
    return passed("No manifests are missing", asked(kind, "the manifests of the network"))


def _undefined(cluster: Cluster) -> Verdict | None:
    """The answer while a network that is needed is not there."""
    lacking = [
        field
        for field, networks in (
            ("machine_networks", cluster.machine_networks or not _needs_machine_network(cluster)),
            ("cluster_networks", cluster.cluster_networks),
            ("service_networks", cluster.service_networks),
        )
        if not networks
    ]
    if not lacking:
        return None
    words = ", ".join(lacking)
    return pending(f"Waiting for the networks of the cluster: {words}", asked("none", words, f"Set {words}."))


def _named_networks(cluster: Cluster) -> list[tuple[str, str]]:
    machine = cluster.machine_networks if _needs_machine_network(cluster) else ()
    named = (("machine", machine), ("cluster", _pod_networks(cluster)), ("service", cluster.service_networks))
    return [(name, cidr) for name, cidrs in named for cidr in cidrs]


@check("no-cidrs-overlapping", gate=Gate.INSTALL)
def no_cidrs_overlapping(view: ClusterView) -> Verdict:
    """Machines, pods and services have networks of their own."""
    cluster = view.cluster
    waiting = _undefined(cluster)
    if waiting is not None:
        return waiting
    pods, services = len(cluster.cluster_networks), len(cluster.service_networks)
    if pods != services:
        return unjudged(
            f"There are {pods} cluster networks and {services} service networks; they belong together in pairs",
            asked(f"{pods} and {services}", "as many of each", "Give one of each for every address family."),
        )
    named = _named_networks(cluster)
    for (name, cidr), (other_name, other) in combinations(named, 2):
        if name != other_name and overlap(cidr, other):
            return failed(
                f"The {name} network {cidr} and the {other_name} network {other} overlap",
                asked(f"{cidr} and {other}", "no overlap", f"Change {name}_networks or {other_name}_networks."),
            )
    return passed("No networks overlap", asked(some([cidr for _, cidr in named]), "no overlap"))


@check("networks-same-address-families", gate=Gate.INSTALL)
def networks_same_address_families(view: ClusterView) -> Verdict:
    """Machines, pods and services use the same address families."""
    cluster = view.cluster
    waiting = _undefined(cluster)
    if waiting is not None:
        return waiting
    named = _named_networks(cluster)
    bad = [cidr for _, cidr in named if span(cidr) is None]
    if bad:
        return unjudged(f"These networks cannot be read: {some(bad)}", asked(some(bad), "networks", "Write them anew."))
    used = {kind: families(cidr for name, cidr in named if name == kind) for kind, _ in named}
    words = ", ".join(f"{name} networks: {family_names(found)}" for name, found in used.items())
    if len(set(used.values())) > 1:
        fix = "Give networks of the same families everywhere."
        return failed(f"The networks differ in their address families: {words}", asked(words, "the same", fix))
    return passed("All networks are of the same address families", asked(words, "the same"))


_FOREIGN_PREFIXES = {4: 25, 6: 64}
"""What networks that the cluster does not bring along are taken to give each node."""


@check("network-prefix-valid", gate=Gate.INSTALL)
def network_prefix_valid(view: ClusterView) -> Verdict:
    """The pod networks have room for every node."""
    cluster, hosts = view.cluster, len(view.hosts)
    if not cluster.cluster_networks:
        return pending("Waiting for a cluster network", asked("none", "a cluster network", "Set cluster_networks."))
    own = cluster.network_type in {SDN, OVN, ""}
    for each in cluster.cluster_networks:
        judged = each if own else each.but(host_prefix=_FOREIGN_PREFIXES.get(family(each.cidr) or 0, 0))
        problem = prefix_problem(judged, hosts)
        if problem:
            return failed(
                f"Host prefix: {problem}",
                asked(f"/{each.host_prefix}", "room for every node", "Change the CIDR or host_prefix of the network."),
            )
    return passed("The pod networks have room for every node", asked(f"{hosts} hosts", "room for every node"))
