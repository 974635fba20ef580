"""Who can reach whom: the reports of the hosts and what they mean together.

Turns the reports of all hosts of a cluster into the largest groups in which everyone reaches everyone, and
into the addresses that more than one machine answers for. `derive` calls it when a report or an address changes.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from .cliques import largest_clique
from .networks import IPV4, IPV6, family, lies_in, normal, plain
from .record import Record

if TYPE_CHECKING:  # a host is made of what is here
    from .hosts import Host


class L2(Record):
    """One answer, or none, on the same wire."""

    outgoing_nic: str = ""
    outgoing_ip_address: str = ""
    remote_ip_address: str = ""
    remote_mac: str = ""
    successful: bool = False


class L3(Record):
    """One address reached, or not, by routing."""

    outgoing_nic: str = ""
    remote_ip_address: str = ""
    successful: bool = False
    average_rtt_ms: float = 0.0
    packet_loss_percentage: float = 0.0


class MtuReport(Record):
    """Whether full-size packets pass."""

    outgoing_nic: str = ""
    remote_ip_address: str = ""
    mtu_successful: bool = False


class RemoteHost(Record, omit_defaults=False):
    """All that one host found out about another."""

    host_id: str = ""
    l2_connectivity: tuple[L2, ...] | None = None
    l3_connectivity: tuple[L3, ...] | None = None
    mtu_report: tuple[MtuReport, ...] | None = None

    @property
    def tries(self) -> tuple[L2 | L3, ...]:
        """Every way by which the other was tried."""
        return (*(self.l2_connectivity or ()), *(self.l3_connectivity or ()))


class ConnectivityReport(Record, dict=True):
    """What one host says of all the others. What follows from it is worked out once and kept along with it."""

    remote_hosts: tuple[RemoteHost, ...] = ()

    @cached_property
    def about(self) -> dict[str, RemoteHost]:
        """What is said of each host, by its id."""
        return {remote.host_id: remote for remote in self.remote_hosts}

    @cached_property
    def asked(self) -> frozenset[str]:
        """The hosts that were looked for."""
        return frozenset(remote.host_id for remote in self.remote_hosts)

    @cached_property
    def slowest_ms(self) -> float:
        """The longest that an answer by routing took."""
        return max((entry.average_rtt_ms for entry in self.routed), default=0.0)

    @cached_property
    def most_lost(self) -> float:
        """The largest share of packets that was lost to anyone, in percent."""
        return max((entry.packet_loss_percentage for entry in self.routed), default=0.0)

    @property
    def routed(self) -> Iterable[L3]:
        """Every try by routing."""
        return (entry for remote in self.remote_hosts for entry in remote.l3_connectivity or ())

    @cached_property
    def stuck(self) -> tuple[tuple[str, MtuReport], ...]:
        """Every try with packets of full size that did not pass, and the host it was for."""
        return tuple(
            (remote.host_id, report)
            for remote in self.remote_hosts
            for report in remote.mtu_report or ()
            if not report.mtu_successful
        )

    @cached_property
    def reached(self) -> frozenset[str]:
        """The hosts that were tried, and reached by every try."""
        return frozenset(
            remote.host_id
            for remote in self.remote_hosts
            if (tries := remote.tries) and all(each.successful for each in tries)
        )

    @cached_property
    def on_wire(self) -> frozenset[str]:
        """The targets that answered on the same wire."""
        return frozenset(
            target(remote.host_id, entry.remote_ip_address)
            for remote in self.remote_hosts
            for entry in remote.l2_connectivity or ()
            if entry.successful
        )

    @cached_property
    def by_route(self) -> frozenset[str]:
        """The targets that were reached by routing."""
        return frozenset(
            target(remote.host_id, entry.remote_ip_address)
            for remote in self.remote_hosts
            for entry in remote.l3_connectivity or ()
            if entry.successful
        )

    @cached_property
    def collisions(self) -> dict[str, frozenset[str]]:
        """The addresses for which more than one machine answered on one interface, with their MAC addresses."""
        entries = (entry for remote in self.remote_hosts for entry in remote.l2_connectivity or () if entry.remote_mac)
        answers: dict[tuple[str, str], set[str]] = {}
        for entry in entries:
            key = entry.outgoing_nic, entry.remote_ip_address
            answers.setdefault(key, set()).add(entry.remote_mac.lower())
        found: dict[str, frozenset[str]] = {}
        for (_, address), macs in answers.items():
            if len(macs) > 1:
                found[address] = found.get(address, frozenset()) | macs
        return found


class MajorityGroups(Record, omit_defaults=False):
    """Which hosts form a full mesh, per network and per address family."""

    majority_groups: dict[str, tuple[str, ...]] = {}
    l3_connected_addresses: dict[str, tuple[str, ...]] = {}


def target(host_id: str, address: str) -> str:
    """A host at one of its addresses, as one text: equal ones are the same object, so comparing them is cheap."""
    return intern(f"{host_id} {plain(address)}")


def ip_collisions(hosts: Iterable["Host"]) -> dict[str, tuple[str, ...]]:
    """Every address that more than one machine answers for, with their MAC addresses, by any host's report."""
    reports = (host.connectivity for host in hosts if host.connectivity is not None)
    found: dict[str, frozenset[str]] = {}
    for report in reports:
        for address, macs in report.collisions.items():
            found[address] = found.get(address, frozenset()) | macs
    return {address: tuple(sorted(found[address])) for address in sorted(found)}


def found_in(report: ConnectivityReport, network: str) -> frozenset[str]:
    """The hosts that a report says answered on the wire of a network; in IPv6, or were reached by routing."""
    targets = report.on_wire | report.by_route if family(network) == IPV6 else report.on_wire
    return _owners(each for each in targets if lies_in(each.partition(" ")[2], network))


class _Standing(NamedTuple):
    """What counts of one host: who it is, where it is, and whom it reached."""

    id: str
    addresses: tuple[str, ...]
    on_wire: frozenset[str]
    by_route: frozenset[str]


_NOBODY: frozenset[str] = frozenset()

ENOUGH_TO_TELL, ENOUGH_IF_FENCED = 3, 2


def least_group(*, fenced_pair: bool) -> int:
    """How many hosts it takes to say which of them is apart; two are enough if each can switch the other off."""
    return ENOUGH_IF_FENCED if fenced_pair else ENOUGH_TO_TELL


def majority_groups(hosts: Iterable["Host"], minimum: int = ENOUGH_TO_TELL) -> MajorityGroups:
    """The largest full mesh of hosts for each network and address family, and the addresses everyone reaches."""
    roster = tuple(
        _Standing(
            host.id,
            host.inventory.addresses if host.inventory else (),
            host.connectivity.on_wire if host.connectivity else _NOBODY,
            host.connectivity.by_route if host.connectivity else _NOBODY,
        )
        for host in sorted(hosts, key=lambda host: host.id)
    )
    return _grouped(roster, minimum)


@lru_cache(maxsize=64)
def _grouped(roster: tuple[_Standing, ...], minimum: int) -> MajorityGroups:
    """As `majority_groups`. Kept, since reports come every minute and mostly say the same."""
    networks = {normal(address) for host in roster for address in host.addresses}
    reporters = sum(bool(host.on_wire or host.by_route) for host in roster)
    groups: dict[str, tuple[str, ...]] = dict.fromkeys((*networks, "IPv4", "IPv6"), ())
    if reporters >= minimum:
        groups = {network: _network_group(roster, network, minimum) for network in networks}
        groups["IPv4"] = _family_group(roster, IPV4, minimum)
        groups["IPv6"] = _family_group(roster, IPV6, minimum)
    return MajorityGroups(
        majority_groups=dict(sorted(groups.items())),
        l3_connected_addresses=_reached_by_all(roster) if reporters else {},
    )


def _network_group(roster: tuple[_Standing, ...], network: str, minimum: int) -> tuple[str, ...]:
    """The hosts that find each other on the wire of a network at one address at least; IPv6 may be routed."""
    routed = family(network) == IPV6
    targets = _targets(roster, lambda address: lies_in(address, network))
    wanted = frozenset().union(*targets.values())
    unseen: dict[str, frozenset[str]] = {}
    for host in roster:
        missing = wanted.difference(host.on_wire, host.by_route if routed else ())
        unseen[host.id] = frozenset(other for other in _owners(missing) if missing.issuperset(targets[other]))
    return _largest_mesh(list(targets), unseen, minimum)


def _family_group(roster: tuple[_Standing, ...], version: int, minimum: int) -> tuple[str, ...]:
    """The hosts that reach each other by routing at every address of a family."""
    targets = _targets(roster, lambda address: family(address) == version)
    wanted = frozenset().union(*targets.values())
    unseen = {host.id: _owners(wanted - host.by_route) for host in roster}
    return _largest_mesh(list(targets), unseen, minimum)


def _targets(roster: tuple[_Standing, ...], counts: Callable[[str], bool]) -> dict[str, frozenset[str]]:
    """The targets of every host that has an address that counts."""
    found = {
        host.id: frozenset(target(host.id, address) for address in host.addresses if counts(address)) for host in roster
    }
    return {host_id: targets for host_id, targets in found.items() if targets}


def _owners(targets: Iterable[str]) -> frozenset[str]:
    """The hosts that targets belong to."""
    return frozenset(each.partition(" ")[0] for each in targets)


def _reached_by_all(roster: tuple[_Standing, ...]) -> dict[str, tuple[str, ...]]:
    """The addresses of each host that every other host reaches by routing."""
    if len(roster) < len(("one", "another")):
        return {}
    everything = frozenset(target(host.id, address) for host in roster for address in host.addresses)
    lost: set[str] = set()
    for host in roster:
        lost.update(each for each in everything - host.by_route if each.partition(" ")[0] != host.id)
    found: dict[str, list[str]] = {}
    for each in sorted(everything - lost):
        owner, _, address = each.partition(" ")
        found.setdefault(owner, []).append(address)
    return {owner: tuple(addresses) for owner, addresses in found.items()}


def _largest_mesh(ids: list[str], unseen: Mapping[str, frozenset[str]], minimum: int) -> tuple[str, ...]:
    """The largest set of hosts of which none is unseen by another; () if it has fewer than `minimum`.

    `ids` are in order; of several largest sets the one that comes first in that order is taken.
    """
    seeing = [host_id for host_id in ids if len(unseen[host_id]) < len(ids)]
    place = {host_id: index for index, host_id in enumerate(seeing)}
    everyone = (1 << len(seeing)) - 1
    mutual = [everyone & ~(1 << index) for index in range(len(seeing))]
    for host_id, index in place.items():
        for other in unseen[host_id] & place.keys():
            blind = place[other]
            mutual[index] &= ~(1 << blind)
            mutual[blind] &= ~(1 << index)
    mesh = largest_clique(mutual)
    return tuple(seeing[index] for index in mesh) if len(mesh) >= minimum else ()
