"""Checks of a cluster: its networks and virtual addresses, its hosts taken together, and what the user must say."""

from functools import lru_cache, partial
from itertools import combinations

import msgspec

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.networks import families, family, family_names, overlap, prefix_problem, span
from muster.domain.record import Record
from muster.domain.requirements import has_cpu_and_memory_for
from muster.domain.roles import WITH_ARBITER, Role, headcount
from muster.domain.states.hosts import HostState
from muster.domain.verdicts import Evidence, Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import ClusterView

from .facts import NO_INVENTORIES, POLL, asked, some
from .registry import validation
from .vips import judge_calculated, judge_defined, judge_valid

network = partial(validation, category="network")
hosts_data = partial(validation, category="hosts-data")
configuration = partial(validation, category="configuration")


def _needs_machine_network(cluster: Cluster) -> bool:
    return cluster.single_node or not cluster.user_managed_networking


def _pod_networks(cluster: Cluster) -> tuple[str, ...]:
    return tuple(each.cidr for each in cluster.cluster_networks)


@network("machine-cidr-defined", gate=Gate.INPUT)
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
    if cluster.single_node:
        fix = "Choose one of the host's networks (machine_networks)."
    elif cluster.vip_dhcp_allocation:
        fix = "Choose the machine network in which the addresses are leased (machine_networks)."
    else:
        fix = "Set api_vips and ingress_vips in a network that the hosts are in; the machine network follows."
    return failed("The cluster has no machine network yet", asked("none", "a machine network", fix))


def _judge_present(what: str, field: str, value: str) -> Verdict:
    """Something that the user must say has been said."""
    if value:
        return passed(f"The {what} is {value}", asked(value, f"a {what}"))
    return failed(f"The cluster has no {what}", asked("none", f"a {what}", f"Set {field}."))


@network("cluster-cidr-defined", gate=Gate.INPUT)
def cluster_cidr_defined(view: ClusterView) -> Verdict:
    """There is a network for pods."""
    return _judge_present("cluster network", "cluster_networks", ", ".join(_pod_networks(view.cluster)))


@network("service-cidr-defined", gate=Gate.INPUT)
def service_cidr_defined(view: ClusterView) -> Verdict:
    """There is a network for services."""
    return _judge_present("service network", "service_networks", ", ".join(view.cluster.service_networks))


@network("machine-cidr-equals-to-calculated-cidr", gate=Gate.INSTALL)
def machine_cidr_equals_to_calculated_cidr(view: ClusterView) -> Verdict:
    """The machine networks are those that the virtual addresses and the hosts' addresses point to."""
    return judge_calculated(view)


@network("api-vips-defined", gate=Gate.VIPS, ignorable=False)
def api_vips_defined(view: ClusterView) -> Verdict:
    """There is an address for the API, or none is needed."""
    return judge_defined(view.cluster, "API", "api_vips", view.cluster.api_vips)


@network("ingress-vips-defined", gate=Gate.VIPS, ignorable=False)
def ingress_vips_defined(view: ClusterView) -> Verdict:
    """There is an address for the ingress, or none is needed."""
    return judge_defined(view.cluster, "ingress", "ingress_vips", view.cluster.ingress_vips)


@network("api-vips-valid", gate=Gate.INSTALL)
def api_vips_valid(view: ClusterView) -> Verdict:
    """The addresses for the API lie in the machine networks and are free."""
    return judge_valid(view, "API", "api_vips", view.cluster.api_vips)


@network("ingress-vips-valid", gate=Gate.INSTALL)
def ingress_vips_valid(view: ClusterView) -> Verdict:
    """The addresses for the ingress lie in the machine networks and are free."""
    return judge_valid(view, "ingress", "ingress_vips", view.cluster.ingress_vips)


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
    if kind == SDN and any(family(each) != family("0.0.0.0/0") for each in networks):
        return f"{SDN} cannot be used with IPv6", f"Set network_type to {OVN}, or use IPv4 networks only."
    if kind == OVN and cluster.vip_dhcp_allocation:
        return f"{OVN} cannot be used with addresses leased by DHCP", "Set vip_dhcp_allocation to false."
    return "", ""


@network("network-type-valid", gate=Gate.INSTALL)
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


@network("custom-manifests-requirements-satisfied", gate=Gate.INSTALL)
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


@network("no-cidrs-overlapping", gate=Gate.INSTALL)
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


@network("networks-same-address-families", gate=Gate.INSTALL)
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


@network("network-prefix-valid", gate=Gate.INSTALL)
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


@network("dns-domain-defined", gate=Gate.INPUT)
def dns_domain_defined(view: ClusterView) -> Verdict:
    """There is a domain that the cluster's names belong to."""
    return _judge_present("base domain", "base_dns_domain", view.cluster.base_dns_domain)


MOST_MINUTES_APART = 4
CLOCKS_NOT_HEARD = frozenset({HostState.DISCONNECTED, HostState.DISCOVERING, HostState.RESETTING_PENDING})


@network("ntp-server-configured", gate=Gate.INSTALL)
def ntp_server_configured(view: ClusterView) -> Verdict:
    """The clocks of the hosts agree with each other."""
    skews = [
        (host.clock_skew, host.name)
        for host in view.hosts
        if host.clock_skew is not None and host.status not in CLOCKS_NOT_HEARD
    ]
    required = f"at most {MOST_MINUTES_APART} minutes apart"
    if not skews:
        return passed("No clocks disagree", Evidence(measured="no clocks", required=required, source=POLL))
    (slow, slowest), (fast, fastest) = min(skews), max(skews)
    apart = (fast - slow) // 60
    if apart <= MOST_MINUTES_APART:
        return passed("The clocks of the hosts agree", Evidence(measured="in step", required=required, source=POLL))
    fix = "Give time sources that all hosts can reach (additional_ntp_source)."
    return failed(
        f"The clocks of {slowest} and {fastest} are {apart} minutes apart; {MOST_MINUTES_APART} are allowed",
        Evidence(measured=f"{apart} minutes", required=required, source=POLL, fix=fix),
    )


READY = frozenset({HostState.KNOWN, HostState.PREPARING, HostState.PREPARED})


@hosts_data("all-hosts-are-ready-to-install", gate=Gate.INSTALL, ignorable=False)
def all_hosts_are_ready_to_install(view: ClusterView) -> Verdict:
    """Every host can be installed."""
    waiting = [f"{host.name} is {host.status}" for host in view.hosts if host.status not in READY]
    if not waiting:
        return passed("Every host can be installed", asked(f"{len(view.hosts)} hosts ready", "every host ready"))
    fix = "Put right what is said against each of these hosts, or take them out of the cluster."
    return failed(f"Not every host can be installed: {some(waiting)}", asked(some(waiting), "every host ready", fix))


@hosts_data("sufficient-masters-count", gate=Gate.INSTALL, ignorable=False)
def sufficient_masters_count(view: ClusterView) -> Verdict:
    """There are exactly the control plane hosts that the cluster is to have."""
    cluster, wanted = view.cluster, view.cluster.control_plane_count
    requirements = view.policy.requirements
    count = headcount(
        view.hosts,
        wanted,
        lambda host, role: has_cpu_and_memory_for(host, requirements.of(role, single_node=cluster.single_node)),
    )
    evidence = asked(
        f"{count.masters} control plane hosts, {count.arbiters} arbiters, {count.workers} workers",
        f"{wanted} control plane hosts",
    )
    if count.masters != wanted:
        problem = f"The cluster needs {wanted} control plane hosts; there are {count.masters}"
    elif wanted == WITH_ARBITER and not count.arbiters and not view.peers.fenced_pair:
        problem = "A control plane of two needs an arbiter, or credentials to switch each host off"
    elif cluster.single_node and count.workers:
        problem = f"A single node cluster has no workers; there are {count.workers}"
    else:
        return passed(f"There are {wanted} control plane hosts", evidence)
    fix = f"Add or remove hosts, or give {wanted} hosts that are large enough the role {Role.MASTER}."
    return failed(problem, evidence.but(fix=fix))


@configuration("pull-secret-set", gate=Gate.INPUT, ignorable=False)
def pull_secret_set(view: ClusterView) -> Verdict:
    """There is a pull secret."""
    if view.cluster.pull_secret:
        return passed("The pull secret is set", asked("set", "set"))
    return failed("The pull secret is not set", asked("not set", "set", "Set pull_secret."))


@configuration("platform-requirements-satisfied")
def platform_requirements_satisfied(view: ClusterView) -> Verdict:
    """A platform that needs manifests of the user's has them."""
    platform = view.cluster.platform
    oracle = platform.type is PlatformType.EXTERNAL and platform.platform_name == "oci"
    if oracle and not view.cluster.custom_manifests:
        return failed(
            "Oracle Cloud needs manifests for its cloud controller, and none have been added",
            asked("none", "the platform's manifests", "Add the manifests of the platform to the cluster."),
        )
    return passed(f"The platform {platform.type} lacks nothing", asked(str(platform.type), "nothing missing"))
