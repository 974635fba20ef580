"""What a row of a state table is judged on: a host or a cluster with its assessment and the trigger."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from muster.domain.clusters import Cluster, PreparationStatus
from muster.domain.hosts import Host
from muster.domain.monitored import OperatorStatus, OperatorType
from muster.domain.policy import LogLimits
from muster.domain.progress import Stage, finalizing_limit
from muster.domain.roles import WITH_ARBITER, Role
from muster.domain.triggers import Trigger
from muster.domain.validations.catalogue import Assessment
from muster.domain.views import ClusterView, HostView, Peers, View, peers_of

from .hosts import IN_PREPARATION, HostState


class HostCase(HostView):
    """A host about to move, or not."""

    def __init__(self, view: View, host: Host, peers: Peers, assessment: Assessment, trigger: Trigger) -> None:
        super().__init__(view, host, peers)
        self.assessment = assessment
        self.trigger = trigger

    @property
    def disk_is_fast(self) -> bool:
        """The installation disk was tried out well, or must not be tried out."""
        host = self.host
        boot = host.inventory.boot if host.inventory else None
        if host.keeps_partitions or (boot is not None and boot.device_type == "persistent"):
            return True
        speed = host.disk_speeds.get(host.installation_disk_id)
        return speed is not None and speed.tested and speed.exit_code == 0

    @property
    def images_are_there(self) -> bool:
        """The container images were fetched."""
        return bool(self.host.images) and "container-images-available" not in self.assessment.held

    @property
    def stage_limit(self) -> timedelta | None:
        """How long the present stage may go without news."""
        stage = self.host.progress.current_stage
        return self.policy.stage_limit(stage, single_node=self.single_node) if stage else None

    def __getitem__(self, word: str) -> Any:
        """What a sentence of the table refers to by this word."""
        return HOST_WORDS[word](self)

    @property
    def at_stage(self) -> str:
        """How far the installation has come, for a sentence."""
        stage = self.host.progress.current_stage
        return f"at stage {stage}" if stage else "before its first stage"

    @property
    def untried(self) -> str:
        """What has yet to be tried out before the host can be installed, for a sentence."""
        untried = (("the speed of the disk", self.disk_is_fast), ("container images", self.images_are_there))
        return " and ".join(what for what, tried in untried if not tried)

    @property
    def disk(self) -> str:
        """The installation disk as someone in front of the machine would look for it."""
        host = self.host
        disk = host.inventory.disk(host.installation_disk_id) if host.inventory else None
        if disk is None:
            return "its installation disk"
        return f"disk {disk.name} ({', '.join(filter(None, (disk.model, disk.serial, disk.identifier)))})"


class ClusterCase(ClusterView):
    """A cluster about to move, or not."""

    def __init__(self, view: View, cluster: Cluster, peers: Peers, assessment: Assessment, trigger: Trigger) -> None:
        super().__init__(view, cluster, peers)
        self.assessment = assessment
        self.trigger = trigger

    def enough_in(self, states: Collection[HostState]) -> bool:
        """Whether the hosts in these states can make up the cluster."""
        return enough(self.cluster, self.hosts, states)

    def named(self, state: HostState) -> str:
        """The hosts in a state, by name."""
        return ", ".join(host.name for host in self.hosts if host.status is state)

    @property
    def limits_are_soft(self) -> bool:
        """Taking too long is told and not punished."""
        return self.policy.soft_timeouts and self.cluster.org_soft_timeouts_enabled

    @property
    def stage_limit(self) -> timedelta | None:
        """How long the present stage of the new cluster may take."""
        stage, operators = self.cluster.progress.finalizing_stage, self.cluster.operators
        slowest = max((each.timeout_seconds for each in operators if each.operator_type is OperatorType.OLM), default=0)
        if stage is None:
            return None
        set_here = self.policy.finalizing_limits
        return finalizing_limit(stage, timedelta(seconds=slowest), soft=self.limits_are_soft, overrides=set_here)

    def __getitem__(self, word: str) -> Any:
        """What a sentence of the table refers to by this word."""
        return CLUSTER_WORDS[word](self)

    def in_states(self, states: Collection[HostState]) -> str:
        """The hosts in some states, by name, each with the state it is in."""
        return ", ".join(f"{host.name} is {host.status}" for host in self.hosts if host.status in states)

    def reasons(self, state: HostState) -> str:
        """The hosts in a state, by name, each with what is said of it: later it may be said no more."""
        there = [host for host in self.hosts if host.status is state]
        return ", ".join(f"{host.name} ({host.status_info})" if host.status_info else host.name for host in there)

    @property
    def unprepared(self) -> str:
        """What an installation that is being prepared still waits for."""
        generated = self.cluster.preparation.status is PreparationStatus.SUCCESS
        hosts = self.in_states(frozenset(HostState) - {HostState.PREPARED})
        return ", ".join(filter(None, ("" if generated else "the files for the installation", hosts)))

    @property
    def awaited_operators(self) -> str:
        """The operators that are not up, with what they say, for the end of a sentence; "" if all are."""
        waited_for = [each for each in self.cluster.operators if not each.settled]
        said = ", ".join(f"{each.name} ({each.status_info or each.status or 'not heard of'})" for each in waited_for)
        return f"; operators that are not up: {said}" if said else ""

    @property
    def failed_operators(self) -> str:
        """The operators that have failed, by name."""
        return ", ".join(each.name for each in self.cluster.operators if each.status is OperatorStatus.FAILED)


def _minutes(limit: timedelta | None) -> int:
    return int(limit.total_seconds() // 60) if limit else 0


HOST_WORDS: dict[str, Callable[[HostCase], Any]] = {
    "failing": lambda case: case.assessment.failing,
    "stage": lambda case: case.host.progress.current_stage or "",
    "at_stage": lambda case: case.at_stage,
    "info": lambda case: getattr(case.trigger, "info", ""),
    "error": lambda case: getattr(case.trigger, "error", ""),
    "minutes": lambda case: _minutes(case.stage_limit),
    "before": lambda case: case.host.status_info,
    "disk": lambda case: case.disk,
    "untried": lambda case: case.untried,
}
"""What the sentences of the table of hosts may refer to. Each is worked out only where a sentence does."""

CLUSTER_WORDS: dict[str, Callable[[ClusterCase], Any]] = {
    "failing": lambda case: case.assessment.failing,
    "failed_hosts": lambda case: case.named(HostState.ERROR) or "none",
    "waiting_hosts": lambda case: case.named(HostState.PENDING_USER_ACTION),
    "reason": lambda case: case.cluster.preparation.reason,
    "stage": lambda case: case.cluster.progress.finalizing_stage or "none reported yet",
    "minutes": lambda case: _minutes(case.stage_limit),
    "failed_operators": lambda case: case.failed_operators,
    "operators": lambda case: case.awaited_operators,
    "missing_hosts": lambda case: f"; these hosts are missing: {gone}" if (gone := case.named(HostState.ERROR)) else "",
    "unready_hosts": lambda case: case.in_states(frozenset(HostState) - IN_PREPARATION - {HostState.KNOWN}),
    "refusals": lambda case: case.reasons(HostState.PREPARING_FAILED),
    "failures": lambda case: case.reasons(HostState.ERROR) or "none",
    "unprepared": lambda case: case.unprepared,
    "preparing_minutes": lambda case: _minutes(case.policy.cluster_preparation),
    "finalizing_minutes": lambda case: _minutes(case.policy.finalizing),
}
"""The same for the table of clusters."""


MASTER_ROLES = frozenset({Role.MASTER, Role.BOOTSTRAP})


def enough(cluster: Cluster, hosts: Collection[Host], states: Collection[HostState]) -> bool:
    """Whether the hosts in these states make up the cluster: all masters, and two workers if two were wanted."""
    expected = [host.role for host in hosts]
    there = [host.effective_role for host in hosts if host.status in states]
    masters = sum(role in MASTER_ROLES for role in there)
    workers = there.count(Role.WORKER)
    if cluster.single_node:
        return masters == 1 and workers == 0
    wanted = sum(role in MASTER_ROLES for role in expected)
    arbiters = Role.ARBITER in expected
    fewest = WITH_ARBITER if arbiters or _fenced(cluster, hosts) else FEWEST_MASTERS
    if wanted < fewest or masters < wanted or (arbiters and Role.ARBITER not in there):
        return False
    return expected.count(Role.WORKER) < FEWEST_WORKERS or workers >= FEWEST_WORKERS


def _fenced(cluster: Cluster, hosts: Collection[Host]) -> bool:
    """Whether two control plane hosts can do without a third vote."""
    return cluster.control_plane_count == WITH_ARBITER and peers_of(hosts).fenced_pair


FEWEST_MASTERS = 3

FEWEST_WORKERS = 2
"""Workers a cluster can do with, once it was to have workers at all."""

WAITED_OUT = frozenset({Stage.CONTROL_PLANE, Stage.CONTROLLER, Stage.BOOTKUBE, Stage.REBOOTING})
"""Stages whose clock stands still while the cluster waits for the user."""


def logs_clock(
    info: str, limits: LogLimits, *, failed_at: datetime, started_at: datetime | None, collected_at: datetime | None
) -> tuple[datetime, timedelta] | None:
    """Since when, and for how long, logs are waited for; None where nobody waits."""
    if info == "" and started_at is None:
        return failed_at, limits.first
    if info == "requested" and (asked_at := collected_at or started_at):
        return asked_at, limits.upload
    if info == "collecting" and collected_at is not None:
        return collected_at, limits.more
    return None
