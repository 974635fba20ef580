"""Logical Volume Management: volumes from the spare disks of each host."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.releases import at_least
from muster.domain.roles import Role
from muster.domain.validations.facts import NO_INVENTORY, cluster_of
from muster.domain.verdicts import Verdict

from .manifests import PRIVILEGED, SHORT, WATCHED, Manifests, Tree, resource
from .operator import FINE, NOTHING, Addition, BundleId, Forecast, Membership, Needs, Operator, selected
from .rules import CONTROL_PLANE, carries_workloads, wants_role
from .settings import OperatorSettings
from .storage import has_spare_disk, room_for_mce_gb, storage_for_mce

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

NAMESPACE = "openshift-storage"
TITLE = "Logical Volume Management"

MEMORY_MIB = (("4.16", 100), ("4.13", 400), ("", 1200))
"""The memory it needs since each version, newest first."""

SINCE = {True: "4.11", False: "4.15"}
"""The first version, for a single node and for more."""

SINCE_WITH_CNV = {True: "4.12", False: "4.15"}
"""The first version beside OpenShift Virtualization."""

RENAMED = "4.12"
"""The version from which on it is called as it is now."""

SAYS_DEFAULT = "4.13"
"""The version from which on it has to be told which volumes are meant where nobody says."""

GROUP = "vg1"
"""The volumes it makes."""

WORDS = ("An HDD or SSD that is not installed to, on every host that carries workloads",)


def share(cluster: Cluster, settings: OperatorSettings) -> Addition:
    """What each host gives that carries workloads."""
    by_version = next(mib for since, mib in MEMORY_MIB if not since or at_least(cluster.openshift_version, since))
    return Addition(cpu_cores=settings.lvm_cpu_per_host, ram_mib=settings.lvm_memory_per_host_mib or by_version)


def addition(view: "HostView") -> Addition:
    """Nothing on arbiters, nor on a control plane without workloads."""
    cluster = cluster_of(view)
    spared = view.role is Role.ARBITER or (
        view.role in CONTROL_PLANE and not carries_workloads(cluster, view.role, view.peers.counted(Role.WORKER))
    )
    return NOTHING if spared else share(cluster, view.policy.operators)


def on_host(view: "HostView") -> Verdict:
    """A host that carries workloads has a disk for volumes."""
    cluster = cluster_of(view)
    if view.host.inventory is None:
        return NO_INVENTORY
    if carries_workloads(cluster, view.role, view.peers.counted(Role.WORKER)):
        return has_spare_disk(view, TITLE, room_for_mce_gb(cluster))
    return wants_role(TITLE) if view.role is Role.AUTO else FINE


def forecast(cluster: Cluster, settings: OperatorSettings) -> Forecast:
    """What hosts need that carry workloads."""
    needs = Needs(addition=share(cluster, settings), words=WORDS)
    return Forecast(master=needs, worker=needs)


def subscription(cluster: Cluster, _: OperatorSettings) -> str:
    """It was called otherwise before 4.12."""
    return "lvms-operator" if at_least(cluster.openshift_version, RENAMED) else "odf-lvm-operator"


def first_version(cluster: Cluster, _: OperatorSettings) -> str:
    """A single node could have it earlier."""
    return SINCE[cluster.single_node]


def clash(cluster: Cluster) -> str:
    """Why it cannot be beside OpenShift Virtualization."""
    version, first = cluster.openshift_version, SINCE_WITH_CNV[cluster.single_node]
    if not selected(cluster, "cnv") or at_least(version, first):
        return ""
    size = "a single node" if cluster.single_node else "more than one node"
    return (
        f"lvm and cnv can be together on {size} only from OpenShift {first} on, and the cluster is to be {version};"
        " leave one of them out, or choose a newer version"
    )


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """Volumes from all spare disks, thinly filled, for whoever asks for storage; and for multicluster engine."""
    cluster, version = view.cluster, view.cluster.openshift_version
    volumes: Tree = {"name": GROUP, **({"default": True} if at_least(version, SAYS_DEFAULT) else {})}
    volumes["thinPoolConfig"] = {"name": "thin-pool-1", "sizePercent": 90, "overprovisionRatio": 10}
    spec = {"storage": {"deviceClasses": [volumes]}}
    lvm = resource("lvm.topolvm.io/v1alpha1", "LVMCluster", "lvmcluster", NAMESPACE, spec)
    prefix = "lvms" if at_least(version, RENAMED) else "odf-lvm"
    return (lvm, *(() if selected(cluster, "odf") else storage_for_mce(cluster, f"{prefix}-{GROUP}")))


OPERATOR = Operator(
    name="lvm",
    title=TITLE,
    namespace=NAMESPACE,
    subscription=subscription,
    manifests=Manifests(stem="50_openshift-lvm", names=SHORT, labels=WATCHED | PRIVILEGED, later=later),
    bundles=(Membership(bundle=BundleId.OPENSHIFT_AI, on_more_nodes=False),),
    first_version=first_version,
    clash=clash,
    addition=addition,
    on_host=on_host,
    forecast=forecast,
)
