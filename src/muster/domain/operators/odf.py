"""OpenShift Data Foundation: storage from the spare disks of at least three hosts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.releases import at_least, minor
from muster.domain.roles import WITH_ARBITER, Role
from muster.domain.validations.facts import INVENTORY, NO_INVENTORIES, NO_INVENTORY, asked, cluster_of, gathered
from muster.domain.verdicts import Verdict, failed, passed, pending

from .manifests import SHORT, WATCHED, Manifests, Tree, resource
from .operator import (
    FINE,
    GIB_IN_MIB,
    IN_LARGER_OPENSHIFT_AI,
    NOTHING,
    Addition,
    Forecast,
    Needs,
    Operator,
)
from .settings import OperatorSettings
from .storage import has_spare_disk, room_for_mce_gb, spare_disks, storage_for_mce

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

NAMESPACE = "openshift-storage"
TITLE = "OpenShift Data Foundation"

CARRIERS = 3
"""How many hosts storage is spread over, at the least."""


class Mode(StrEnum):
    """Which hosts carry the storage."""

    COMPACT = "compact"
    STANDARD = "standard"
    UNKNOWN = "unknown"


def mode_of(declared: Mapping[Role, int]) -> Mode:
    """The way storage is spread over hosts, from how many were asked to take each role."""
    masters = declared.get(Role.MASTER, 0) + declared.get(Role.BOOTSTRAP, 0)
    arbiters, workers, free = (declared.get(role, 0) for role in (Role.ARBITER, Role.WORKER, Role.AUTO))
    if not workers and (masters + free == CARRIERS or (not free and masters + arbiters >= CARRIERS)):
        return Mode.COMPACT
    full = masters >= CARRIERS or (masters >= WITH_ARBITER and arbiters > 0)
    return Mode.STANDARD if full and workers >= CARRIERS else Mode.UNKNOWN


def carries(mode: Mode, role: Role) -> bool:
    """Whether a host of a role carries storage."""
    if mode is Mode.STANDARD:
        return role is Role.WORKER
    return mode is Mode.COMPACT and role is not Role.WORKER


def shares(settings: OperatorSettings) -> dict[Mode, Addition]:
    """What each host gives that carries storage, before its disks are counted."""
    return {
        Mode.COMPACT: Addition(
            cpu_cores=settings.odf_per_host_cpu_compact_mode,
            ram_mib=settings.odf_per_host_memory_gib_compact_mode * GIB_IN_MIB,
        ),
        Mode.STANDARD: Addition(
            cpu_cores=settings.odf_per_host_cpu_standard_mode,
            ram_mib=settings.odf_per_host_memory_gib_standard_mode * GIB_IN_MIB,
        ),
    }


def disk_size_gb(cluster: Cluster, settings: OperatorSettings) -> int:
    """How large a disk must be to be of use."""
    return settings.odf_min_disk_size_gb + room_for_mce_gb(cluster)


def addition(view: "HostView") -> Addition:
    """A host that carries storage gives its share, and more for each disk; at least one disk is counted."""
    mode, settings = mode_of(view.peers.declared), view.policy.operators
    if not carries(mode, view.role):
        return NOTHING
    disks = max(1, len(spare_disks(view.host, disk_size_gb(cluster_of(view), settings))))
    share = shares(settings)[mode]
    return Addition(
        cpu_cores=share.cpu_cores + disks * settings.odf_per_disk_cpu_count,
        ram_mib=share.ram_mib + disks * settings.odf_per_disk_ram_gib * GIB_IN_MIB,
    )


def on_host(view: "HostView") -> Verdict:
    """A host that carries storage has a disk for it."""
    if view.role is Role.AUTO and view.peers.count != CARRIERS:
        return pending(
            f"Waiting for the host's role, which says whether it carries {TITLE}",
            asked(Role.AUTO, "a role", "Choose a role for the host."),
        )
    if not carries(mode_of(view.peers.declared), view.role):
        return FINE
    if view.host.inventory is None:
        return NO_INVENTORY
    return has_spare_disk(view, TITLE, disk_size_gb(cluster_of(view), view.policy.operators))


def on_cluster(view: "ClusterView") -> Verdict:
    """There are hosts enough with disks enough."""
    mode, settings = mode_of(view.peers.declared), view.policy.operators
    if mode is Mode.UNKNOWN:
        return _cannot_be_spread(view.peers.declared)
    carriers = [host for host in view.hosts if carries(mode, host.effective_role)]
    if any(host.inventory is None for host in carriers):
        return NO_INVENTORIES
    size = disk_size_gb(view.cluster, settings)
    disks = [len(spare_disks(host, size)) for host in carriers]
    hosts = sum(count > 0 for count in disks)
    evidence = gathered(
        view.hosts,
        INVENTORY,
        f"{sum(disks)} disks on {hosts} hosts",
        f"{settings.odf_num_minimum_disk} disks of {size} GB or more on {settings.odf_num_minimum_host} hosts",
    )
    if hosts >= settings.odf_num_minimum_host and sum(disks) >= settings.odf_num_minimum_disk:
        return passed(f"There are disks enough for {TITLE}", evidence)
    return failed(
        f"{TITLE} needs {evidence.required} that are not installed to; there are {evidence.measured}",
        evidence.but(fix=f"Add disks to the hosts that carry storage, or leave {TITLE} out."),
    )


def _cannot_be_spread(declared: Mapping[Role, int]) -> Verdict:
    counted = ", ".join(f"{count} {role}" for role, count in declared.items()) or "no hosts"
    required = f"{CARRIERS} control plane hosts with no workers, or with {CARRIERS} workers or more"
    return failed(
        f"{TITLE} needs {required}; by the roles that were asked for there are {counted}",
        asked(counted, required, "Add hosts, and choose a role for each of them."),
    )


def forecast(_: Cluster, settings: OperatorSettings) -> Forecast:
    """What hosts need that carry storage, before their disks are counted."""
    share, hosts = shares(settings), settings.odf_num_minimum_host
    cpu, ram = settings.odf_per_disk_cpu_count, settings.odf_per_disk_ram_gib
    per_disk = (
        f"For each disk that carries storage, {ram} GiB more memory",
        f"For each disk that carries storage, more CPU cores: {cpu}",
    )
    disks = f"{hosts} of them with an HDD or SSD that is not installed to"
    return Forecast(
        master=Needs(
            addition=share[Mode.COMPACT],
            words=("Only in a cluster without workers", *per_disk, f"At least {hosts} hosts", disks),
        ),
        worker=Needs(
            addition=share[Mode.STANDARD],
            words=("Only in a cluster with workers", *per_disk, f"At least {hosts} workers", disks),
        ),
    )


LOCAL_CLASS = "localblock-sc"
"""The volumes that it is made of, which Local Storage brings."""

SHARED_CLASS = "ocs-storagecluster-cephfs"
"""The volumes that it makes, of the kind that many may use at once."""

BEFORE_RENAMING = (4, 8)
"""The minor in which it went by another name."""

NO_SYSTEM = "4.19"
"""The version from which on storage needs no other record of it."""

OF_STORAGE: Tree = {
    "key": "node.ocs.openshift.io/storage",
    "operator": "Equal",
    "value": "true",
    "effect": "NoSchedule",
}
"""Lets what storage needs onto nodes that are kept for storage."""


def carrying_nodes(view: "ClusterView") -> list[Tree]:
    """What tells the nodes that carry storage from others; nothing where all of them do."""
    if mode_of(view.peers.declared) is not Mode.STANDARD:
        return []
    return [
        {"key": "node-role.kubernetes.io/worker", "operator": "Exists"},
        {"key": "node-role.kubernetes.io/master", "operator": "DoesNotExist"},
    ]


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """Storage from every disk that can be used, each of them counted; and room for multicluster engine in it."""
    storage = resource("ocs.openshift.io/v1", "StorageCluster", "ocs-storagecluster", NAMESPACE, _storage(view))
    system = resource(
        "odf.openshift.io/v1alpha1",
        "StorageSystem",
        "ocs-storagecluster-storagesystem",
        NAMESPACE,
        {"kind": "storagecluster.ocs.openshift.io/v1", "name": "ocs-storagecluster", "namespace": NAMESPACE},
    )
    version = view.cluster.openshift_version
    recorded = minor(version) != BEFORE_RENAMING and not at_least(version, NO_SYSTEM)
    return (storage, *((system,) if recorded else ()), *storage_for_mce(view.cluster, SHARED_CLASS))


def _storage(view: "ClusterView") -> Tree:
    mode, size = mode_of(view.peers.declared), disk_size_gb(view.cluster, view.policy.operators)
    carriers = [host for host in view.hosts if carries(mode, host.effective_role)]
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1"}},
        "storageClassName": LOCAL_CLASS,
        "volumeMode": "Block",
    }
    devices = {
        "name": "ocs-deviceset",
        "count": sum(len(spare_disks(host, size)) for host in carriers),
        "replica": 1,
        "portable": False,
        "dataPVCTemplate": {"spec": claim},
    }
    nodes = carrying_nodes(view)
    return {
        "manageNodes": False,
        "monDataDirHostPath": "/var/lib/rook",
        "flexibleScaling": True,
        "labelSelector": {"matchExpressions": nodes} if nodes else {},
        "storageDeviceSets": [devices],
    }


def manifests(cluster: Cluster, _: OperatorSettings) -> Manifests:
    """It went by another name in 4.8."""
    present = Manifests(stem="50_openshift-odf", names=SHORT, labels=WATCHED, later=later)
    if minor(cluster.openshift_version) == BEFORE_RENAMING:
        return present.but(stem="50_openshift-ocs", channel="stable-4.8")
    return present


def subscription(cluster: Cluster, _: OperatorSettings) -> str:
    """Likewise."""
    return "ocs-operator" if minor(cluster.openshift_version) == BEFORE_RENAMING else "odf-operator"


OPERATOR = Operator(
    name="odf",
    title=TITLE,
    namespace=NAMESPACE,
    subscription=subscription,
    manifests=manifests,
    dependencies=("lso",),
    bundles=IN_LARGER_OPENSHIFT_AI,
    addition=addition,
    on_host=on_host,
    on_cluster=on_cluster,
    forecast=forecast,
)
