"""What operators that bring storage ask: disks that nothing else uses, and room on them."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.disks import GB
from muster.domain.hosts import Host
from muster.domain.inventory import Disk, DriveType
from muster.domain.validations.facts import INVENTORY, some, told
from muster.domain.verdicts import Verdict, failed, passed

from .manifests import Tree, resource
from .operator import selected

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import HostView

MCE_GB = 50
MCE_SINGLE_NODE_GB = 70


def room_for_mce_gb(cluster: Cluster) -> int:
    """How much more each storage disk must hold because multicluster engine keeps its data there."""
    if not selected(cluster, "mce"):
        return 0
    return MCE_SINGLE_NODE_GB if cluster.single_node else MCE_GB


MCE_ROOM = {"databaseStorage": 10, "filesystemStorage": 10, "imageStorage": 50}
"""The GiB that each part of what multicluster engine discovers hosts with is given."""


def storage_for_mce(cluster: Cluster, storage_class: str) -> tuple[Tree, ...]:
    """Room for multicluster engine to discover hosts with; none if the cluster does not have it."""
    if not selected(cluster, "mce"):
        return ()
    spec = {
        part: {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": f"{size}Gi"}},
        }
        for part, size in MCE_ROOM.items()
    }
    return (resource("agent-install.openshift.io/v1beta1", "AgentServiceConfig", "agent", spec=spec),)


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


def has_spare_disk(view: "HostView", title: str, least_gb: int) -> Verdict:
    """The host has a disk that storage can be made of."""
    spare = spare_disks(view.host)
    size = f" of {least_gb} GB or more" if least_gb else ""
    required = f"an HDD or SSD{size} that is not installed to"
    large = [disk.name for disk in spare if disk.size_bytes >= least_gb * GB]
    if large:
        return passed(f"The host has a disk for {title}", told(view.host, INVENTORY, some(large), required))
    small = some([f"{disk.name} of {disk.size_bytes // GB} GB" for disk in spare])
    return failed(
        f"{title} needs {required}; the host has {f'only {small}' if small else 'none'}",
        told(view.host, INVENTORY, small or "none", required, f"Add a disk{size} to the machine."),
    )
