"""How well a host reaches those of its own role: latency and packet loss against what the role allows.

`network` asks it for every host of a cluster; a failure names each peer with the way to it and the measured value.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from muster.domain.connectivity import L3, ConnectivityReport
from muster.domain.requirements import Figures
from muster.domain.roles import Role
from muster.domain.verdicts import Verdict, failed, passed
from muster.domain.views import HostView

from .facts import CONNECTIVITY, NO_CONNECTIVITY, asked, some, told


class Quality(NamedTuple):
    """How well hosts of one role reach each other: what is measured, and which figure limits it."""

    noun: str
    unit: str
    measured: Callable[[L3], float]
    limit: Callable[[Figures], float | None]


LATENCY = Quality("latency", "ms", attrgetter("average_rtt_ms"), attrgetter("network_latency_threshold_ms"))
LOSS = Quality("packet loss", "%", attrgetter("packet_loss_percentage"), attrgetter("packet_loss_percentage"))


def judge_quality(view: HostView, quality: Quality) -> Verdict:
    """Whether the host reaches those of its role as well as the role needs."""
    limit = quality.limit(view.figures)
    if limit is None or view.day2 or view.peers.count == 1 or view.role is Role.AUTO:
        return passed(f"The {quality.noun} is not limited for this host", asked(str(view.role), "no limit"))
    report = view.host.connectivity
    if report is None:
        return NO_CONNECTIVITY
    strangers = sorted(each.host_id for each in report.remote_hosts if each.host_id not in view.peers.roles)
    if strangers:
        return failed(
            f"The {quality.noun} was measured to hosts that are not in the cluster: {some(strangers)}",
            told(view.host, CONNECTIVITY, some(strangers), "hosts of the cluster", "Wait for the next report."),
        )
    bad = _beyond(view, report, quality, limit)
    required = f"at most {limit:g} {quality.unit}"
    if not bad:
        return passed(
            f"The {quality.noun} is low enough for the role {view.role}",
            told(view.host, CONNECTIVITY, required, required),
        )
    fix = "Look at the load and the path between these hosts; the control plane needs a short and quiet one."
    return failed(
        f"The {quality.noun} is too high for the role {view.role}, which allows {limit:g} {quality.unit}: {some(bad)}",
        told(view.host, CONNECTIVITY, some(bad), required, fix),
    )


def _beyond(view: HostView, report: ConnectivityReport, quality: Quality, limit: float) -> list[str]:
    """The peers of the same role that are reached worse than allowed, the worst first."""
    roles, role, measured = view.peers.roles, view.role, quality.measured
    beyond = [
        (-value, view.peers.names[remote.host_id], entry)
        for remote in report.remote_hosts
        if roles[remote.host_id] is role
        for entry in remote.l3_connectivity or ()
        if (value := measured(entry)) > limit
    ]
    return [
        f"{name} ({entry.outgoing_nic}, {entry.remote_ip_address}): {-value:g} {quality.unit}"
        for value, name, entry in sorted(beyond, key=lambda each: (*each[:2], each[2].remote_ip_address))
    ]
