"""What a row of a state table is judged on: a host or a cluster with its assessment and the trigger."""

from collections.abc import Collection
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.domain.triggers import Trigger
from muster.domain.validations import Assessment
from muster.domain.views import ClusterView, HostView, Peers, View

from .hosts import HostState


class HostCase(HostView):
    """A host about to move, or not."""

    def __init__(self, view: View, host: Host, peers: Peers, assessment: Assessment, trigger: Trigger) -> None:
        super().__init__(view, host, peers)
        self.assessment = assessment
        self.trigger = trigger

    def words(self) -> dict[str, Any]:
        """What the sentences of the table may refer to."""
        stage = self.host.progress.current_stage
        limit = self.policy.stage_limit(stage, single_node=self.single_node) if stage else None
        disk = self.host.inventory.disk(self.host.installation_disk_id) if self.host.inventory else None
        return {
            "failing": self.assessment.failing,
            "stage": stage or "",
            "info": self.host.progress.progress_info,
            "error": getattr(self.trigger, "error", ""),
            "minutes": int(limit.total_seconds() // 60) if limit else 0,
            "disk": f"{disk.name} ({disk.model} {disk.serial}, {disk.identifier})" if disk else "its disk",
        }


class ClusterCase(ClusterView):
    """A cluster about to move, or not."""

    def __init__(self, view: View, cluster: Cluster, peers: Peers, assessment: Assessment, trigger: Trigger) -> None:
        super().__init__(view, cluster, peers)
        self.assessment = assessment
        self.trigger = trigger

    def enough_in(self, states: Collection[HostState]) -> bool:
        """Whether the hosts in these states can make up the cluster."""
        return enough(self.cluster, self.hosts, states)

    def words(self) -> dict[str, Any]:
        """What the sentences of the table may refer to."""
        workers = [host for host in self.hosts if host.effective_role is Role.WORKER]
        missing = [host.name for host in workers if host.status is not HostState.INSTALLED]
        broken = [op.name for op in self.cluster.operators if op.status == "failed"]
        return {
            "failing": self.assessment.failing,
            "failed_hosts": ", ".join(host.name for host in self.hosts if host.status is HostState.ERROR) or "none",
            "waiting_hosts": ", ".join(
                host.name for host in self.hosts if host.status is HostState.PENDING_USER_ACTION
            ),
            "reason": self.cluster.preparation.reason,
            "stage": self.cluster.progress.finalizing_stage or "",
            "missing_workers": ", ".join(missing),
            "failed_operators": ", ".join(broken),
        }


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
    fewest = 2 if arbiters else 3
    if wanted < fewest or masters < wanted or (arbiters and Role.ARBITER not in there):
        return False
    return expected.count(Role.WORKER) < FEWEST_WORKERS or workers >= FEWEST_WORKERS


FEWEST_WORKERS = 2
"""Workers a cluster can do with, once it was to have workers at all."""

WAITED_OUT = frozenset({Stage.CONTROL_PLANE, Stage.CONTROLLER, Stage.BOOTKUBE, Stage.REBOOTING})
"""Stages whose clock stands still while the cluster waits for the user."""
