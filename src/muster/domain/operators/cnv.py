"""OpenShift Virtualization: virtual machines beside containers."""

from typing import TYPE_CHECKING

from muster.domain.artifacts.machine_config import machine_config
from muster.domain.clusters import Cluster
from muster.domain.inventory import Inventory
from muster.domain.releases import at_least
from muster.domain.roles import Role
from muster.domain.validations.facts import GIB, INVENTORY, NO_INVENTORY, cluster_of, told
from muster.domain.verdicts import Verdict, failed

from .manifests import COMMUNITY, RED_HAT, SHORT, WATCHED, Files, Manifests, Tree, resource
from .odf import LOCAL_CLASS
from .operator import GIB_IN_MIB, IN_VIRTUALIZATION, NOTHING, Addition, Forecast, Needs, Operator, selected
from .rules import CONTROL_PLANE, fits, wants_role
from .settings import OperatorSettings
from .storage import spare_disks

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "OpenShift Virtualization"

ON_MASTER = Addition(cpu_cores=4, ram_mib=150)
ON_WORKER = Addition(cpu_cores=2, ram_mib=360)
ON_SINGLE_NODE = Addition(
    cpu_cores=ON_MASTER.cpu_cores + ON_WORKER.cpu_cores, ram_mib=ON_MASTER.ram_mib + ON_WORKER.ram_mib
)
DEVICE_MIB = GIB_IN_MIB
"""The price of each device that is handed to virtual machines."""

WORDS = (
    "1 GiB more memory for each GPU that can be handed to virtual machines, where they run",
    "1 GiB more memory for each SR-IOV network card that can be handed to virtual machines, where they run",
    "A CPU that can run virtual machines (flag vmx or svm)",
)


def addition(view: "HostView") -> Addition:
    """Virtual machines run on workers and on a single node, and are steered from the control plane."""
    if not view.single_node and view.role in CONTROL_PLANE:
        return ON_MASTER
    if view.role is Role.ARBITER:
        return NOTHING
    share = ON_SINGLE_NODE if view.single_node else ON_WORKER
    devices = _devices(view.host.inventory, view.policy.operators)
    return share.but(ram_mib=share.ram_mib + devices * DEVICE_MIB)


def _devices(inventory: Inventory | None, settings: OperatorSettings) -> int:
    if inventory is None:
        return 0
    cards = [f"{gpu.vendor_id}:{gpu.device_id}" for gpu in inventory.gpus or ()]
    nics = [f"{nic.vendor}:{nic.product}".replace("0x", "") for nic in inventory.interfaces or ()]
    return sum(card in settings.cnv_supported_gpus for card in cards) + sum(
        nic in settings.cnv_supported_sriov_nics for nic in nics
    )


def on_host(view: "HostView") -> Verdict:
    """The host can run virtual machines, and has room for what steers them."""
    inventory = view.host.inventory
    if inventory is None or inventory.cpu is None:
        return NO_INVENTORY
    if inventory.cpu.architecture != "aarch64" and {"vmx", "svm"}.isdisjoint(inventory.cpu.flags or ()):
        return failed(
            f"{TITLE} needs a CPU that can run virtual machines; the host's has neither the flag vmx nor svm",
            told(view.host, INVENTORY, "neither", "vmx or svm", "Switch virtualization on in the firmware."),
        )
    settings = view.policy.operators
    size = settings.cnv_sno_pool_size_request_hpp_gib
    if keeps_disks(cluster_of(view), settings) and not _has_disk_above(view, size):
        return failed(
            f"{TITLE} needs a second HDD or SSD of more than {size} GiB for the disks of virtual machines",
            told(view.host, INVENTORY, "none", f"more than {size} GiB", "Add a disk to the machine."),
        )
    return wants_role(TITLE) if view.role is Role.AUTO else fits(view, TITLE, addition(view))


def keeps_disks(cluster: Cluster, settings: OperatorSettings) -> bool:
    """Whether the disks of virtual machines are kept on a disk of the one host, for want of other storage."""
    version = cluster.openshift_version
    old = at_least(version, "4.10") and not at_least(version, "4.12")
    return settings.cnv_sno_install_hpp and cluster.single_node and old


def _has_disk_above(view: "HostView", size_gib: int) -> bool:
    return any(disk.size_bytes > size_gib * GIB for disk in spare_disks(view.host))


def forecast(cluster: Cluster, _: OperatorSettings) -> Forecast:
    """What hosts need without any device to hand on."""
    return Forecast(
        master=Needs(addition=ON_SINGLE_NODE if cluster.single_node else ON_MASTER, words=WORDS),
        worker=Needs(addition=ON_WORKER, words=WORDS),
    )


def namespace(_: Cluster, settings: OperatorSettings) -> str:
    """The namespace of the product, or that of the community."""
    return "openshift-cnv" if settings.cnv_mode else "kubevirt-hyperconverged"


STEM = "50_openshift-cnv"
POOL = "local"
"""What the disks of virtual machines are taken from, where they are kept on a disk of the one host."""


def more(view: "ClusterView") -> Files:
    """Kernels that measure how long machines wait, and storage for disks where there is no other."""
    measuring = {
        f"{STEM}_{role}s_schedstats.yaml": machine_config(
            f"99-openshift-{role}-schedstats", role, kernel_arguments=("schedstats=enable",)
        )
        for role in (Role.WORKER, Role.MASTER)
    }
    kept = keeps_disks(view.cluster, view.policy.operators)
    return measuring | ({f"{STEM}_hpp_sc.yaml": _disks_of_machines()} if kept else {})


def _disks_of_machines() -> Tree:
    return resource("storage.k8s.io/v1", "StorageClass", "hostpath-csi") | {
        "provisioner": "kubevirt.io.hostpath-provisioner",
        "parameters": {"storagePool": POOL},
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """What runs virtual machines, and what keeps their disks where there is no other storage."""
    settings = view.policy.operators
    own = namespace(view.cluster, settings)
    machines = resource("hco.kubevirt.io/v1beta1", "HyperConverged", "kubevirt-hyperconverged", own, {})
    return (machines, *((_keeper(view),) if keeps_disks(view.cluster, settings) else ()))


def _keeper(view: "ClusterView") -> Tree:
    """The pool has a disk of its own if Local Storage brings one; otherwise it shares that of the system."""
    size = view.policy.operators.cnv_sno_pool_size_request_hpp_gib
    pool: Tree = {"name": POOL, "path": "/var/hpvolumes"}
    if selected(view.cluster, "lso"):
        pool["pvcTemplate"] = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": f"{size}Gi"}},
            "storageClassName": LOCAL_CLASS,
            "volumeMode": "Block",
        }
    spec = {
        "imagePullPolicy": "IfNotPresent",
        "storagePools": [pool],
        "workload": {"nodeSelector": {"kubernetes.io/os": "linux"}},
    }
    return resource("hostpathprovisioner.kubevirt.io/v1beta1", "HostPathProvisioner", "hostpath-provisioner", spec=spec)


def manifests(_: Cluster, settings: OperatorSettings) -> Manifests:
    """The product, or what the community offers."""
    return Manifests(
        stem=STEM,
        names=SHORT,
        package="kubevirt-hyperconverged" if settings.cnv_mode else "community-kubevirt-hyperconverged",
        channel="stable",
        source=RED_HAT if settings.cnv_mode else COMMUNITY,
        labels=WATCHED,
        more=more,
        later=later,
    )


OPERATOR = Operator(
    name="cnv",
    title=TITLE,
    namespace=namespace,
    subscription="hco-operatorhub",
    manifests=manifests,
    timeout_seconds=3600,
    bundles=IN_VIRTUALIZATION,
    addition=addition,
    on_host=on_host,
    forecast=forecast,
)
