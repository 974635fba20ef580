"""What operators that bring storage need: hosts to run on, and disks on them that nothing else uses."""

from collections.abc import Mapping
from enum import StrEnum

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.inventory import Disk, DriveType
from muster.domain.roles import WITH_ARBITER, Role

GB = 10**9
ODF_HOSTS = 3
ODF_DISK_GB = 25
MCE_GB = 50
MCE_SINGLE_NODE_GB = 70
FEWEST_WORKERS = 2
"""With fewer workers than this, the control plane carries workloads too."""


class OdfMode(StrEnum):
    """Which hosts carry OpenShift Data Foundation."""

    COMPACT = "compact"
    STANDARD = "standard"
    UNKNOWN = "unknown"


def odf_mode(declared: Mapping[Role, int]) -> OdfMode:
    """The way ODF is spread over hosts, from how many were asked to take each role."""
    masters = declared.get(Role.MASTER, 0) + declared.get(Role.BOOTSTRAP, 0)
    arbiters, workers, free = (declared.get(role, 0) for role in (Role.ARBITER, Role.WORKER, Role.AUTO))
    if not workers and (masters + free == ODF_HOSTS or (not free and masters + arbiters >= ODF_HOSTS)):
        return OdfMode.COMPACT
    full = masters >= ODF_HOSTS or (masters >= WITH_ARBITER and arbiters > 0)
    return OdfMode.STANDARD if full and workers >= ODF_HOSTS else OdfMode.UNKNOWN


def runs_odf(mode: OdfMode, role: Role) -> bool:
    """Whether a host of a role carries ODF."""
    if mode is OdfMode.STANDARD:
        return role is Role.WORKER
    return mode is OdfMode.COMPACT and role is not Role.WORKER


def selected(cluster: Cluster, name: str) -> bool:
    """Whether an operator is to be installed along with the cluster."""
    for operator in cluster.operators:  # noqa: SIM110 - asked at every judgement; a generator costs four times as much
        if operator.name == name:
            return True
    return False


def room_for_mce_gb(cluster: Cluster) -> int:
    """How much more each storage disk must hold because multicluster engine keeps its data there."""
    if not selected(cluster, "mce"):
        return 0
    return MCE_SINGLE_NODE_GB if cluster.single_node else MCE_GB


def spare_disks(host: Host, least_gb: int = 0) -> list[Disk]:
    """The disks of a host that storage can be made of: not the one installed to, and not too small."""
    disks = host.inventory.disks if host.inventory else None
    taken = host.installation_disk_id or host.installation_disk_path
    return [
        disk
        for disk in disks or ()
        if disk.drive_type in {DriveType.HDD, DriveType.SSD}
        and not (taken and disk.answers_to(taken))
        and disk.size_bytes >= least_gb * GB
    ]


def carries_workloads(cluster: Cluster, role: Role, workers: int) -> bool:
    """Whether workloads run on a host of a role; `workers` is how many hosts are workers."""
    if role is Role.WORKER:
        return True
    schedulable = cluster.schedulable_masters or cluster.single_node or workers < FEWEST_WORKERS
    return schedulable and role is not Role.ARBITER
