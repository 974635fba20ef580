"""What installations come to, in figures: every commit is heard of, and what it tells is counted.

Names, labels and buckets are those that dashboards of the original know. `api/service.py` shows them.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from muster.domain.clusters import Cluster, ClusterState
from muster.domain.hosts import Host
from muster.domain.inventory import Inventory
from muster.domain.progress import HostProgress, Stage
from muster.domain.states.clusters import BEFORE_INSTALL as CLUSTER_BEFORE_INSTALL
from muster.domain.states.hosts import BEFORE_INSTALL as HOST_BEFORE_INSTALL
from muster.domain.validations.operators import UNSELECTED
from muster.domain.verdicts import Finding, Status
from muster.ports import Commit

from .meters import AnyMeter, Histogram, Meter

PREFIX = "service_assisted_installer_"
SECONDS = (1, 5, 10, 30, 60, 120, 300, 600, 900, 1200, 1800)
PULL_RATES = (0.1, 0.5, 1, *range(5, 51, 5))
GIB = 2**30
GB = 10**9
GBIT = 1000
"""Megabits per second."""

ENDED = frozenset({ClusterState.INSTALLED, ClusterState.ERROR, ClusterState.CANCELLED})
INSTALLED = frozenset({ClusterState.INSTALLED, ClusterState.ADDING_HOSTS})
LAST_STAGES = frozenset({Stage.DONE, Stage.FAILED})


def _counter(name: str, meaning: str, *labels: str) -> Meter:
    return Meter("counter", f"{PREFIX}{name}", meaning, labels)


def _histogram(name: str, meaning: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
    return Histogram(f"{PREFIX}{name}", meaning, labels, buckets=buckets)


def _doubling(first: int, count: int) -> tuple[float, ...]:
    return tuple(first * 2**step for step in range(count))


def _failing_checks(kind: str) -> Meter:
    meaning = "Checks that failed when a cluster was given up that was never installed"
    return _counter(f"{kind}_validation_is_in_failed_status_on_cluster_deletion", meaning, f"{kind}ValidationType")


def _turned_checks(kind: str) -> Meter:
    meaning = "Checks that failed after they had passed, before the installation"
    return _counter(f"{kind}_validation_failed_after_success_before_installation", meaning, f"{kind}ValidationType")


class Measures:
    """The figures of one service."""

    def __init__(self) -> None:
        self.creations = _counter("cluster_creations", "Clusters that were described")
        self.starts = _counter("cluster_installation_started", "Installations that were begun")
        self.installations = _histogram(
            "cluster_installation_seconds", "How long installations took", "result", buckets=SECONDS
        )
        self.phases = _histogram(
            "host_installation_phase_seconds", "How long a stage took on a host", "phase", "result", buckets=SECONDS
        )
        ended = ("role", "result")
        self.hosts = _counter("cluster_hosts", "Hosts whose installation has ended", *ended)
        self.cores = _histogram("cluster_host_cores", "Their CPU cores", *ended, buckets=_doubling(1, 10))
        self.memory = _histogram("cluster_host_ram_gb", "Their memory in GiB", *ended, buckets=_doubling(8, 9))
        self.disks = _histogram(
            "cluster_host_disk_gb", "Their disks in GB", "diskType", *ended, buckets=_doubling(250, 7)
        )
        self.nics = _histogram(
            "cluster_host_nic_gb", "Their interfaces in Gbit/s", *ended, buckets=(1, 10, 20, 40, 100)
        )
        self.syncs = _histogram(
            "cluster_host_disk_sync_duration_ms", "How long disks take to write safely", buckets=(1, 5, 10, 15, 20)
        )
        self.pulls = _histogram(
            "cluster_image_pull_status",
            "How fast container images came, in MB/s",
            "imageName",
            "result",
            buckets=PULL_RATES,
        )
        self.failing, self.failing_on_hosts = _failing_checks("cluster"), _failing_checks("host")
        self.turned, self.turned_on_hosts = _turned_checks("cluster"), _turned_checks("host")

    @property
    def meters(self) -> tuple[AnyMeter, ...]:
        """Every figure, in order."""
        return tuple(vars(self).values())

    def hear(self, commit: Commit) -> None:
        """Count what a commit tells."""
        for change in commit.changes:
            for measure in MEASURED.get(type(change.new), ()):
                measure(self, change.old, change.new, commit.at)
        if any(isinstance(change.new, Cluster) and _given_up(change.old, change.new) for change in commit.changes):
            self._hear_of_the_end(commit)

    def _hear_of_the_end(self, commit: Commit) -> None:
        """What was wrong with a cluster and its hosts when it was given up."""
        for change in commit.changes:
            if isinstance(change.old, Cluster):
                _count(self.failing, _failing(change.old.verdicts))
            elif isinstance(change.old, Host):
                _count(self.failing_on_hosts, _failing(change.old.verdicts))


def _given_up(old: Any, new: Cluster) -> bool:
    """Whether a cluster was given up that was never installed."""
    return old is not None and old.deleted_at is None and new.deleted_at is not None and new.status not in INSTALLED


def _count(meter: Meter, names: list[str]) -> None:
    for name in names:
        meter.add(name)


def _failing(verdicts: dict[str, Finding]) -> list[str]:
    return [name for name, finding in verdicts.items() if finding.status is Status.FAILURE]


def _turned(old: dict[str, Finding], new: dict[str, Finding]) -> list[str]:
    """The checks that fail and passed before."""
    if old is new or not old:
        return []
    return [name for name in _failing(new) if _passed(old.get(name) or UNSELECTED.get(name))]


def _passed(finding: Finding | None) -> bool:
    return finding is not None and finding.status is Status.SUCCESS


# Clusters


def _creation(measures: Measures, old: Cluster | None, _: Cluster, __: datetime) -> None:
    if old is None:
        measures.creations.add()


def _road(measures: Measures, old: Cluster | None, new: Cluster, now: datetime) -> None:
    """The beginning and the end of an installation."""
    if old is None or old.status is new.status:
        return
    if new.status is ClusterState.PREPARING:
        measures.starts.add()
    elif new.status in ENDED and new.install_started_at is not None:
        measures.installations.observe((now - new.install_started_at).total_seconds(), new.status)


def _cluster_checks(measures: Measures, old: Cluster | None, new: Cluster, _: datetime) -> None:
    if old is not None and new.status in CLUSTER_BEFORE_INSTALL:
        _count(measures.turned, _turned(old.verdicts, new.verdicts))


# Hosts


def _stage(measures: Measures, old: Host | None, new: Host, now: datetime) -> None:
    """A stage is over, and perhaps the installation of the host."""
    before, after = (old.progress if old else HostProgress()), new.progress
    if after.current_stage is None or before.current_stage is after.current_stage:
        return
    result = Stage.FAILED if after.current_stage is Stage.FAILED else Stage.DONE
    if before.current_stage is not None and before.stage_started_at is not None:
        seconds = (now - before.stage_started_at).total_seconds()
        measures.phases.observe(seconds, before.current_stage, result)
    if after.current_stage in LAST_STAGES:
        role = "bootstrap" if new.bootstrap else new.role.value
        measures.hosts.add(role, result)
        _machine(measures, new.inventory or Inventory(), role, result)


def _machine(measures: Measures, machine: Inventory, *ended: str) -> None:
    """What a host is made of whose installation has ended."""
    if machine.cpu is not None:
        measures.cores.observe(machine.cpu.count, *ended)
    if machine.memory is not None:
        measures.memory.observe(machine.memory.physical_bytes / GIB, *ended)
    for disk in machine.disks or ():
        measures.disks.observe(disk.size_bytes / GB, disk.drive_type, *ended)
    for nic in machine.interfaces or ():
        if nic.speed_mbps > 0:
            measures.nics.observe(nic.speed_mbps / GBIT, *ended)


def _trials(measures: Measures, old: Host | None, new: Host, _: datetime) -> None:
    """How fast disks and registries proved to be."""
    if old is None:
        return
    for disk, speed in new.disk_speeds.items():
        if speed.tested and not speed.exit_code and old.disk_speeds.get(disk) != speed:
            measures.syncs.observe(speed.speed_ms)
    for name, image in new.images.items():
        if old.images.get(name) != image and image.result:
            measures.pulls.observe(image.download_rate, name, image.result)


def _host_checks(measures: Measures, old: Host | None, new: Host, _: datetime) -> None:
    if old is not None and new.status in HOST_BEFORE_INSTALL:
        _count(measures.turned_on_hosts, _turned(old.verdicts, new.verdicts))


Measure = Callable[[Measures, Any, Any, datetime], None]

MEASURED: dict[type, tuple[Measure, ...]] = {
    Cluster: (_creation, _road, _cluster_checks),
    Host: (_stage, _trials, _host_checks),
}
"""What is looked at when a record changes."""
