"""Whether a host and the others of its cluster reach each other, and over which interfaces they do not.

`network` asks it for every host of a cluster. The words of a verdict come from the host's own report; the evidence
of a failure also names those who do not reach the host, which only their reports say.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from muster.domain.clusters import Cluster
from muster.domain.connectivity import (
    L2,
    L3,
    ConnectivityReport,
    MajorityGroups,
    RemoteHost,
    found_in,
    least_group,
    target,
)
from muster.domain.hosts import Host
from muster.domain.networks import FAMILY_NAMES, IPV4, IPV6, families, family, family_names, lies_in, normal, plain
from muster.domain.roles import WITH_ARBITER
from muster.domain.verdicts import Evidence, Verdict, failed, passed, pending
from muster.domain.views import HostView

from .facts import CONNECTIVITY, NO_CONNECTIVITY, NO_MACHINE_NETWORK, asked, cluster_of, some, told

EVERYONE = "every host reaches every other"
MOST_NAMED = 10
"""How many hosts the evidence names in each direction."""

CABLES = "Look at cables, VLANs, addresses and firewalls on the ways that are named."
ALONE = passed("The host need not reach others to be installed", asked("alone", "nobody else"))


class Where(NamedTuple):
    """Where hosts are to reach each other: on the wire of a network, or by routing in an address family."""

    name: str
    holds: Callable[[str], bool]
    tries: Callable[[RemoteHost], Iterable[L2 | L3]]
    found: Callable[[ConnectivityReport], frozenset[str]]
    one_will_do: bool
    """Whether reaching one address of a host is enough."""

    def reached(self, own: frozenset[str], report: ConnectivityReport) -> bool:
        """Whether a report has found these targets of one host."""
        found = self.found(report)
        return not own.isdisjoint(found) if self.one_will_do else bool(own) and own <= found


class Break(NamedTuple):
    """Where a host is not with the others, in words, and who these others are."""

    words: str
    where: Where
    others: Collection[str]
    fix: str = CABLES


def judge_group(view: HostView) -> Verdict:
    """Whether the host is one of the largest group of hosts that all reach each other."""
    cluster = cluster_of(view)
    if view.day2 or cluster.single_node:
        return ALONE
    groups = cluster.majority_groups
    if groups is None:
        return NO_CONNECTIVITY
    routed = cluster.user_managed_networking or cluster.user_managed_load_balancer
    if not routed and not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    found = _unrouted(view, cluster, groups) if routed else _apart(view, cluster, groups)
    if found is None:
        return passed(
            "The host and the other hosts reach each other",
            told(view.host, CONNECTIVITY, "it reaches them, and they reach it", EVERYONE),
        )
    fewest = least_group(fenced_pair=cluster.control_plane_count == WITH_ARBITER and view.peers.fenced_pair)
    if view.peers.count < fewest:
        return _too_few(view, fewest)
    return failed(f"The host is not with the others: {found.words}", partial(_evidence, view, found))


def _too_few(view: HostView, fewest: int) -> Verdict:
    there = view.peers.count
    fix = "Start more hosts from the discovery image."
    return pending(
        f"Waiting for more hosts: {there} of {fewest} are there",
        told(view.host, CONNECTIVITY, f"{there} hosts", f"{fewest} hosts that reach each other", fix),
    )


def _apart(view: HostView, cluster: Cluster, groups: MajorityGroups) -> Break | None:
    """The first machine network in which the host is not with the others; None if there is none."""
    for network in map(normal, cluster.machine_networks):
        group = groups.majority_groups.get(network, ())
        if view.host.id not in group:
            where = _on_wire(network)
            others = group or view.peers.names.keys()
            return Break(f"in {network} {_missing(view, where, others)}", where, others)
    return None


def _missing(view: HostView, where: Where, others: Collection[str]) -> str:
    """Whom the host misses, in words."""
    report = view.host.connectivity
    if report is None:
        return "it has not told yet whom it reaches"
    missed = (view.peers.names.keys() & others) - found_in(report, where.name) - {view.host.id}
    if not missed:
        return "the others do not reach it"
    ordered = sorted(missed, key=lambda each: (view.peers.names[each], each))
    return f"it does not reach {_named(view, where, ordered)}"


def _unrouted(view: HostView, cluster: Cluster, groups: MajorityGroups) -> Break | None:
    """The families of which no address of the host is reached by all others; None if there are none."""
    pods = (network.cidr for network in cluster.cluster_networks)
    wanted = families((*cluster.machine_networks, *pods, *cluster.service_networks))
    if not wanted:
        words = "the cluster has no networks to say which addresses count"
        return Break(words, _by_route(IPV4), (), "Set cluster_networks and service_networks.")
    lacking = wanted - families(groups.l3_connected_addresses.get(view.host.id, ()))
    if not lacking:
        return None
    inventory = view.host.inventory
    own = [plain(each) for each in inventory.addresses if family(each) in lacking] if inventory else []
    what = f"{family_names(lacking)} addresses ({some(own) or 'it has none'})"
    words = f"none of its {what} is reached by every other host"
    return Break(words, _by_route(min(lacking)), view.peers.names.keys())


# The ways that were tried in vain


def _on_wire(network: str) -> Where:
    six = family(network) == IPV6
    tries, found = (attrgetter("tries"), _found_at_all) if six else (_tries_on_wire, attrgetter("on_wire"))
    return Where(network, lambda address: lies_in(address, network), tries, found, one_will_do=True)


def _by_route(version: int) -> Where:
    name, found = FAMILY_NAMES[version], attrgetter("by_route")
    return Where(name, lambda address: family(address) == version, _tries_by_route, found, one_will_do=False)


def _found_at_all(report: ConnectivityReport) -> frozenset[str]:
    return report.on_wire | report.by_route


def _tries_on_wire(remote: RemoteHost) -> Iterable[L2]:
    return remote.l2_connectivity or ()


def _tries_by_route(remote: RemoteHost) -> Iterable[L3]:
    return remote.l3_connectivity or ()


def _in_vain(host: Host, remote: RemoteHost | None, where: Where) -> list[str]:
    """The ways by which a host did not reach another; [] if it did."""
    if remote is None:
        return ["not tried yet"]
    tries = [each for each in where.tries(remote) if where.holds(each.remote_ip_address)]
    if not tries:
        return [_silence(host, remote, where)]
    if where.one_will_do and any(each.successful for each in tries):
        return []
    return [_way(each) for each in tries if not each.successful]


def _silence(host: Host, remote: RemoteHost, where: Where) -> str:
    """Where nobody answered: on the wire agents tell only of those who do, so the rest has to be put together."""
    nics = host.inventory.interfaces if host.inventory else None
    own = [nic.name for nic in nics or () if any(map(where.holds, nic.addresses))]
    sought = [each.remote_ip_address for each in _tries_by_route(remote) if where.holds(each.remote_ip_address)]
    on = f" on {some(own)}" if own else ""
    return f"no answer{on} from {some(sought)}" if sought else f"no answer{on}"


def _way(tried: L2 | L3) -> str:
    """From which interface, and address, to which address."""
    own = tried.outgoing_ip_address if isinstance(tried, L2) else ""
    return " ".join(filter(None, (tried.outgoing_nic, own, "to", tried.remote_ip_address)))


def _named(view: HostView, where: Where, missed: list[str]) -> str:
    """The hosts that this one does not reach, the first with the way that it tried."""
    names, report = view.peers.names, view.host.connectivity
    first, *more = missed
    ways = _in_vain(view.host, report.about.get(first) if report else None, where)
    return some([f"{names[first]} ({some(ways)})", *(names[each] for each in more)])


def _evidence(view: HostView, found: Break) -> Evidence:
    """Who misses whom, both ways, with interfaces and addresses."""
    others = [host for each in found.others if (host := view.view.hosts.get(each)) and host is not view.host]
    unreached = list(islice(_unreached(view, found.where, others), MOST_NAMED))
    blind = list(islice(_blind(view, found.where, others), MOST_NAMED))
    ways = (("does not reach", unreached), ("is not reached by", blind))
    broken = "; ".join(f"it {verb} {', '.join(hosts)}" for verb, hosts in ways if hosts)
    measured = f"{found.where.name}: {broken}" if broken else found.words
    return told(view.host, CONNECTIVITY, measured, EVERYONE, found.fix)


def _unreached(view: HostView, where: Where, others: Iterable[Host]) -> Iterator[str]:
    """The hosts that this one does not reach, with the ways that it tried."""
    report = view.host.connectivity
    if report is None:
        return
    for other in others:
        if other.id not in report.reached and (ways := _in_vain(view.host, report.about.get(other.id), where)):
            yield f"{other.name} ({some(ways)})"


def _blind(view: HostView, where: Where, others: Iterable[Host]) -> Iterator[str]:
    """The hosts that do not reach this one, with the ways that they tried."""
    me, inventory = view.host.id, view.host.inventory
    own = frozenset(target(me, each) for each in (inventory.addresses if inventory else ()) if where.holds(each))
    for other in others:
        report = other.connectivity
        if report is None:
            yield f"{other.name} (it has not told yet whom it reaches)"
        elif not where.reached(own, report) and (ways := _in_vain(other, report.about.get(me), where)):
            yield f"{other.name} ({some(ways)})"
