"""What is followed of a cluster and its hosts, and how it ended. `timeline.py` makes spans of it.

Slow work leaves no rows of its own in the history; that it was asked for, and what came back, shows in the records.
"""

from collections.abc import Callable
from typing import Any

from .clusters import ClusterState, PreparationStatus
from .progress import FinalizingStage, Stage
from .record import Record
from .spans import Result, SpanKind
from .states.hosts import BEFORE_INSTALL, HostState
from .traces import ClusterFacts, HostFacts, Turn

UNDER_WAY = frozenset({
    ClusterState.PREPARING, ClusterState.INSTALLING, ClusterState.PENDING_USER_ACTION, ClusterState.FINALIZING,
})  # fmt: skip
"""States of a cluster that is being installed."""

JOINING = frozenset({HostState.INSTALLING, HostState.IN_PROGRESS, HostState.PENDING_USER_ACTION})
"""States of a host that is being installed."""

WORKING = JOINING | {HostState.PREPARING, HostState.PREPARED}
"""States of a host that takes part in an attempt."""

REPORTING = frozenset({HostState.IN_PROGRESS, HostState.PENDING_USER_ACTION})
"""States in which a host is at a stage."""

COLLECTED = frozenset({"requested", "collecting"})
"""Words for logs that were asked for and are not there yet."""


class Track(Record):
    """Something that is one of a few things at a time. While it stays the same, that is a span."""

    kind: SpanKind
    label: Callable[[Any], str]
    """What it is now; "" if it is nothing."""
    told: Callable[[Any], str] = lambda facts: facts.status_info
    """What is said when it ends."""
    failed: Callable[[Any], bool] = lambda _: False
    """Whether it ended badly though its cluster or host did not."""


def _finalizing(cluster: ClusterFacts) -> str:
    stage = cluster.progress.finalizing_stage
    under_way = cluster.status in UNDER_WAY and stage is not FinalizingStage.DONE
    return stage or "" if under_way else ""


def _generating(cluster: ClusterFacts) -> str:
    asked = cluster.status is ClusterState.PREPARING
    return "Generating the files" if asked and cluster.preparation.status is PreparationStatus.NOT_STARTED else ""


def _preparing(cluster: ClusterFacts) -> str:
    """What the making of the files is at, or waits for."""
    return cluster.preparation.reason if _generating(cluster) else ""


def _publishing(cluster: ClusterFacts) -> str:
    # History has no row for the certificate that is handed over; the stage in which that is done begins with it.
    asked = cluster.status in UNDER_WAY and cluster.progress.finalizing_stage not in {None, FinalizingStage.OPERATORS}
    return "Publishing the kubeconfig" if asked and not cluster.kubeconfig_published else ""


def _stage(host: HostFacts) -> str:
    stage = host.progress.current_stage
    return stage or "" if host.status in REPORTING and stage is not Stage.DONE else ""


def _configuring(host: HostFacts) -> str:
    asked = host.day2 and host.status in JOINING and host.progress.current_stage is None
    return "Generating the configuration" if asked and not host.ignition_stored else ""


def _collecting(facts: ClusterFacts | HostFacts) -> str:
    return "Collecting logs" if facts.logs_info in COLLECTED else ""


def _state(facts: ClusterFacts | HostFacts) -> str:
    return facts.status or ""


CLUSTER_TRACKS = (
    Track(kind=SpanKind.STATE, label=_state),
    Track(kind=SpanKind.STAGE, label=_finalizing),
    Track(
        kind=SpanKind.EFFECT,
        label=_generating,
        told=lambda cluster: cluster.preparation.reason,
        failed=lambda cluster: cluster.preparation.status is PreparationStatus.FAILED,
    ),
    Track(
        kind=SpanKind.STAGE,
        label=_preparing,
        told=lambda cluster: cluster.preparation.reason,
        failed=lambda cluster: cluster.preparation.status is PreparationStatus.FAILED,
    ),
    Track(kind=SpanKind.EFFECT, label=_publishing),
    Track(kind=SpanKind.LOGS, label=_collecting, failed=lambda cluster: cluster.logs_info == "timeout"),
)
HOST_TRACKS = (
    Track(kind=SpanKind.STATE, label=_state),
    Track(kind=SpanKind.STAGE, label=_stage),
    Track(kind=SpanKind.EFFECT, label=_configuring),
    Track(kind=SpanKind.LOGS, label=_collecting, failed=lambda host: host.logs_info == "timeout"),
)

ENDS: dict[object, Result] = {
    **dict.fromkeys(BEFORE_INSTALL, Result.STOPPED),
    HostState.PREPARING_FAILED: Result.FAILED,
    HostState.ERROR: Result.FAILED,
    HostState.CANCELLED: Result.CANCELLED,
    HostState.RESETTING: Result.RESET,
    HostState.RESETTING_PENDING: Result.RESET,
}
"""How an attempt ended for a host that came into this state; for all others it went well."""

CLUSTER_ENDS: dict[object, Result] = {
    ClusterState.READY: Result.FAILED,
    ClusterState.INSUFFICIENT: Result.FAILED,
    ClusterState.PENDING_FOR_INPUT: Result.FAILED,
    ClusterState.ERROR: Result.FAILED,
    ClusterState.CANCELLED: Result.CANCELLED,
}
"""The same for a cluster."""

ASKED = {"Cancel": Result.CANCELLED, "Reset": Result.RESET, "ResetHost": Result.RESET}
"""How what was under way ended because a user asked for it."""


def result_of(turn: Turn) -> Result:
    """How what was under way before a turn has ended with it."""
    before, after = turn.before.status, turn.after.status
    if before not in WORKING | UNDER_WAY:
        return Result.DONE
    ended = (CLUSTER_ENDS if isinstance(turn.after, ClusterFacts) else ENDS).get(after, Result.DONE)
    if ended is Result.DONE:
        return ended
    return next((ASKED[each] for each in turn.triggers if each in ASKED), ended)
