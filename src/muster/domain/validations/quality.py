"""How well a host reaches the others: latency and packet loss against what its role allows, and the size of packets.

`network` asks it for every host of a cluster; a failure names each peer with the way to it and the measured value.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from muster.domain.clusters import Cluster
from muster.domain.connectivity import L3, ConnectivityReport, MtuReport
from muster.domain.inventory import Interface, Inventory
from muster.domain.networks import family, lies_in
from muster.domain.requirements import Figures
from muster.domain.roles import Role
from muster.domain.verdicts import Verdict, failed, passed, unjudged
from muster.domain.views import HostView

from .facts import CONNECTIVITY, INVENTORY, NO_CONNECTIVITY, NO_INVENTORY, asked, cluster_of, some, told


class Quality(NamedTuple):
    """How well hosts of one role reach each other: what is measured, and which figure limits it."""

    noun: str
    unit: str
    measured: Callable[[L3], float]
    worst: Callable[[ConnectivityReport], float]
    """The worst that was measured to anyone."""
    limit: Callable[[Figures], float | None]


LATENCY = Quality(
    "latency", "ms", attrgetter("average_rtt_ms"), attrgetter("slowest_ms"), attrgetter("network_latency_threshold_ms")
)
LOSS = Quality(
    "packet loss",
    "%",
    attrgetter("packet_loss_percentage"),
    attrgetter("most_lost"),
    attrgetter("packet_loss_percentage"),
)


def judge_quality(view: HostView, quality: Quality) -> Verdict:
    """Whether the host reaches those of its role as well as the role needs."""
    limit = quality.limit(view.base_figures)
    if limit is None or view.day2 or view.peers.count == 1 or view.role is Role.AUTO:
        return passed(f"The {quality.noun} is not limited for this host", asked(str(view.role), "no limit"))
    report = view.host.connectivity
    if report is None:
        return NO_CONNECTIVITY
    if not view.knows_all(report.asked):
        strangers = sorted(report.asked - view.peers.roles.keys())
        return failed(
            f"The {quality.noun} was measured to hosts that are not in the cluster: {some(strangers)}",
            told(view.host, CONNECTIVITY, some(strangers), "hosts of the cluster", "Wait for the next report."),
        )
    worst, bad = _beyond(view, report, quality, limit)
    required = f"at most {limit:g} {quality.unit}"
    if not bad:
        return passed(
            f"The {quality.noun} is low enough for the role {view.role}",
            told(view.host, CONNECTIVITY, f"{worst:g} {quality.unit}", required),
        )
    fix = "Look at the load and the path between these hosts; the control plane needs a short and quiet one."
    return failed(
        f"The {quality.noun} is too high for the role {view.role}, which allows {limit:g} {quality.unit}: {some(bad)}",
        told(view.host, CONNECTIVITY, some(bad, MOST_NAMED), required, fix),
    )


MOST_NAMED = 10
"""How many peers the evidence names."""


def _beyond(view: HostView, report: ConnectivityReport, quality: Quality, limit: float) -> tuple[float, list[str]]:
    """The worst value to a peer, and the peers of the same role that are reached worse than allowed, worst first.

    Mostly nobody is reached that badly, whatever the role; then nothing else has to be looked at.
    """
    worst = quality.worst(report)
    if worst <= limit:
        return worst, []
    roles, role, measured = view.peers.roles, view.role, quality.measured
    peers = [remote for remote in report.remote_hosts if roles[remote.host_id] is role]
    worst = max((measured(entry) for remote in peers for entry in remote.l3_connectivity or ()), default=0.0)
    beyond = [
        (-value, view.peers.names[remote.host_id], entry)
        for remote in peers
        for entry in remote.l3_connectivity or ()
        if (value := measured(entry)) > limit
    ]
    return worst, [
        f"{name} ({', '.join(filter(None, (entry.outgoing_nic, entry.remote_ip_address)))}): {-value:g} {quality.unit}"
        for value, name, entry in sorted(beyond, key=lambda each: (*each[:2], each[2].remote_ip_address))
    ]


WHOLE = "packets of full size pass"
ANY_SIZE = passed("Packet sizes are not tried for a host that joins a running cluster", asked("not tried", "any size"))


def judge_mtu(view: HostView) -> Verdict | None:
    """Whether packets of full size pass between the host and the others."""
    cluster, host = cluster_of(view), view.host
    if view.day2:
        return ANY_SIZE
    if cluster.single_node:
        return None
    if host.inventory is None:
        return NO_INVENTORY
    if host.connectivity is None:
        return NO_CONNECTIVITY
    failing = host.connectivity.stuck
    if not failing:
        return passed("Packets of full size pass to all hosts", told(host, CONNECTIVITY, "to all hosts", WHOLE))
    return _judge_stuck(view, cluster, host.inventory, failing)


def _judge_stuck(
    view: HostView, cluster: Cluster, inventory: Inventory, failing: tuple[tuple[str, MtuReport], ...]
) -> Verdict:
    """The verdict where some packets of full size do not pass, though it may not matter."""
    nics = {nic.name: nic for nic in inventory.interfaces or ()}
    unreadable = [
        address
        for nic in {report.outgoing_nic: nics.get(report.outgoing_nic) for _, report in failing}.values()
        for address in (nic.addresses if nic else ())
        if family(address) is None
    ]
    if unreadable and not cluster.user_managed_networking:
        return unjudged(
            f"The host has told of an address that cannot be read: {some(unreadable)}",
            told(view.host, INVENTORY, some(unreadable), "addresses", "Look at the addresses of the machine."),
        )
    stuck = [
        _stuck(view, host_id, report, nics.get(report.outgoing_nic))
        for host_id, report in failing
        if cluster.user_managed_networking or _matters(report, cluster, nics.get(report.outgoing_nic))
    ]
    if not stuck:
        return passed(
            "Packets of full size pass wherever the cluster sends them", told(view.host, CONNECTIVITY, WHOLE, WHOLE)
        )
    fix = "Set the same MTU on this interface, on the other host's and on every switch between."
    return failed(
        f"Packets of full size do not pass to {some(stuck)}",
        told(view.host, CONNECTIVITY, some(stuck, MOST_NAMED), WHOLE, fix),
    )


def _stuck(view: HostView, host_id: str, report: MtuReport, nic: Interface | None) -> str:
    """The host that packets do not get to, and the way they were sent."""
    size = f", MTU {nic.mtu}" if nic and nic.mtu else ""
    name = view.peers.names.get(host_id, host_id)
    return f"{name} ({report.outgoing_nic}{size}, to {report.remote_ip_address})"


def _matters(report: MtuReport, cluster: Cluster, nic: Interface | None) -> bool:
    """Whether traffic of the cluster will go this way."""
    remote = report.remote_ip_address
    own = [address for address in nic.addresses if family(address) == family(remote)] if nic else []
    return any(lies_in(remote, cidr) for cidr in cluster.machine_networks) and any(
        lies_in(address, cidr) for address in own for cidr in cluster.machine_networks
    )
