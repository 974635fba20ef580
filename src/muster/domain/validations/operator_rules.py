"""What each operator asks of hosts and clusters once it is selected. The table in `operators` names these rules."""

from collections.abc import Callable
from functools import partial

from muster.domain.inventory import Inventory
from muster.domain.operators.additions import ADDITIONS, Post
from muster.domain.operators.storage import (
    ODF_DISK_GB,
    ODF_HOSTS,
    OdfMode,
    carries_workloads,
    odf_mode,
    room_for_mce_gb,
    runs_odf,
    spare_disks,
)
from muster.domain.releases import at_least
from muster.domain.roles import Role
from muster.domain.verdicts import Evidence, Verdict, failed, passed, pending
from muster.domain.views import ClusterView, HostView

from .facts import GIB, INVENTORY, MIB, NO_INVENTORIES, NO_INVENTORY, asked, cluster_of, gib, some, told

HostRule = Callable[[HostView], Verdict]
ClusterRule = Callable[[ClusterView], Verdict]

FINE = passed("The operator asks nothing more", Evidence(measured="selected", required="nothing more"))


def no_host_rule(_: HostView) -> Verdict:
    """The operator asks nothing of a host."""
    return FINE


def no_cluster_rule(_: ClusterView) -> Verdict:
    """The operator asks nothing of a cluster."""
    return FINE


def _wants_role() -> Verdict:
    return failed(
        "The operator needs to know the host's role",
        asked(Role.AUTO, "a role", "Choose a role for the host, or add hosts until roles can be suggested."),
    )


def fits(name: str, view: HostView) -> Verdict:
    """The host has the cores and the memory that the operator itself needs."""
    inventory = view.host.inventory
    if inventory is None or inventory.cpu is None or inventory.memory is None:
        return NO_INVENTORY
    need = ADDITIONS[name](Post(role=view.role, single_node=view.single_node, inventory=inventory))
    have_memory = inventory.memory.usable_bytes
    evidence = told(
        view.host,
        INVENTORY,
        f"{inventory.cpu.count} cores, {gib(have_memory)}",
        f"{need.cpu_cores} cores, {gib(need.ram_mib * MIB)}",
    )
    if inventory.cpu.count >= need.cpu_cores and have_memory >= need.ram_mib * MIB:
        return passed("The host is large enough for the operator", evidence)
    return failed(
        f"The operator needs {evidence.required}; the host has {evidence.measured}",
        evidence.but(fix="Give the machine more, use another one, or leave the operator out."),
    )


def odf_on_host(view: HostView) -> Verdict:
    """A host that carries ODF has a disk for it."""
    cluster = cluster_of(view)
    if view.role is Role.AUTO and view.peers.count != ODF_HOSTS:
        return pending(
            "Waiting for the host's role, which says whether it carries storage",
            asked(Role.AUTO, "a role", "Choose a role for the host."),
        )
    if not runs_odf(odf_mode(view.peers.declared), view.role):
        return FINE
    if view.host.inventory is None:
        return NO_INVENTORY
    return _has_spare_disk(view, ODF_DISK_GB + room_for_mce_gb(cluster))


def lvm_on_host(view: HostView) -> Verdict:
    """A host that carries workloads has a disk for LVM storage."""
    cluster = cluster_of(view)
    if view.host.inventory is None:
        return NO_INVENTORY
    if carries_workloads(cluster, view.role, view.peers.counted(Role.WORKER)):
        return _has_spare_disk(view, room_for_mce_gb(cluster))
    return _wants_role() if view.role is Role.AUTO else FINE


def _has_spare_disk(view: HostView, least_gb: int) -> Verdict:
    disks = [disk.name for disk in spare_disks(view.host, least_gb)]
    size = f" of {least_gb} GB or more" if least_gb else ""
    required = f"an HDD or SSD{size} that is not installed to"
    if disks:
        return passed("The host has a disk for storage", told(view.host, INVENTORY, some(disks), required))
    return failed(
        f"The host needs {required}", told(view.host, INVENTORY, "none", required, f"Add a disk{size} to the machine.")
    )


HPP_GIB = 50


def cnv_on_host(view: HostView) -> Verdict:
    """A host can run virtual machines."""
    cluster, inventory = cluster_of(view), view.host.inventory
    if inventory is None or inventory.cpu is None:
        return NO_INVENTORY
    if inventory.cpu.architecture != "aarch64" and {"vmx", "svm"}.isdisjoint(inventory.cpu.flags or ()):
        return failed(
            "The host's CPU cannot run virtual machines: it has neither the flag vmx nor svm",
            told(view.host, INVENTORY, "neither", "vmx or svm", "Switch virtualization on in the firmware."),
        )
    version = cluster.openshift_version
    keeps_disks = cluster.single_node and at_least(version, "4.10") and not at_least(version, "4.12")
    if keeps_disks and not any(disk.size_bytes > HPP_GIB * GIB for disk in spare_disks(view.host)):
        return failed(
            f"The host needs a second HDD or SSD of more than {HPP_GIB} GiB for the disks of virtual machines",
            told(view.host, INVENTORY, "none", f"more than {HPP_GIB} GiB", "Add a disk to the machine."),
        )
    return _wants_role() if view.role is Role.AUTO else fits("cnv", view)


def _secure_boot(inventory: Inventory) -> bool:
    return inventory.boot is not None and inventory.boot.secure_boot_state == "Enabled"


def unsigned_modules(vendor: str, view: HostView) -> Verdict:
    """Modules that are not signed can be loaded, on a host with a card of a vendor; "" for any host."""
    inventory = view.host.inventory
    if inventory is None:
        return NO_INVENTORY
    concerned = not vendor or any(gpu.vendor_id == vendor for gpu in inventory.gpus or ())
    state = "on" if _secure_boot(inventory) else "off"
    if concerned and _secure_boot(inventory):
        return failed(
            "The operator loads kernel modules that secure boot refuses, and secure boot is on",
            told(view.host, INVENTORY, "on", "off", "Switch secure boot off in the firmware of the machine."),
        )
    return passed("Kernel modules can be loaded", told(view.host, INVENTORY, f"secure boot {state}", "off"))


def since(first: str, view: ClusterView) -> Verdict:
    """The operator is there for the version of the cluster."""
    version = view.cluster.openshift_version
    if at_least(version, first):
        return passed(f"The operator is there for OpenShift {version}", asked(version, first))
    return failed(
        f"The operator needs OpenShift {first}; the cluster is to be {version}",
        asked(version, first, "Choose a newer version, or leave the operator out."),
    )


def lvm_on_cluster(view: ClusterView) -> Verdict:
    """LVM storage is there for the version and the size of the cluster."""
    return since("4.11" if view.cluster.single_node else "4.15", view)


def odf_on_cluster(view: ClusterView) -> Verdict:
    """There are hosts enough with disks enough for ODF."""
    mode = odf_mode(view.peers.declared)
    if mode is OdfMode.UNKNOWN:
        return failed(
            "ODF needs three control plane hosts and either no workers or three of them",
            asked(f"{view.peers.count} hosts", "3 hosts that carry storage", "Change the roles, or add hosts."),
        )
    carriers = [host for host in view.hosts if runs_odf(mode, host.effective_role)]
    if any(host.inventory is None for host in carriers):
        return NO_INVENTORIES
    disks = [len(spare_disks(host, ODF_DISK_GB + room_for_mce_gb(view.cluster))) for host in carriers]
    hosts = sum(count > 0 for count in disks)
    evidence = asked(f"{sum(disks)} disks on {hosts} hosts", f"{ODF_HOSTS} disks on {ODF_HOSTS} hosts")
    if hosts >= ODF_HOSTS:
        return passed("There are disks enough for ODF", evidence)
    return failed(
        f"ODF needs spare disks on {ODF_HOSTS} hosts; there are {evidence.measured}",
        evidence.but(fix="Add disks to the hosts that carry storage."),
    )


def has_card(vendor: str, view: ClusterView) -> Verdict:
    """A host that carries workloads has a card of the vendor."""
    workers = view.peers.counted(Role.WORKER)
    carriers = [host for host in view.hosts if carries_workloads(view.cluster, host.effective_role, workers)]
    if any(host.inventory is None for host in carriers):
        return NO_INVENTORIES
    having = [
        host.name
        for host in carriers
        if host.inventory and any(gpu.vendor_id == vendor for gpu in host.inventory.gpus or ())
    ]
    if having:
        return passed("A host has a GPU for the operator", asked(some(having), "1 host with a GPU"))
    return failed(
        "No host that carries workloads has a GPU for the operator",
        asked("none", "1 host with a GPU", "Add a host with a GPU, or leave the operator out."),
    )


AI_WORKERS = 2


def ai_on_cluster(view: ClusterView) -> Verdict:
    """There are workers enough for OpenShift AI."""
    workers = view.peers.counted(Role.WORKER)
    if view.cluster.single_node or workers >= AI_WORKERS:
        return passed("There are workers enough", asked(f"{workers} workers", f"{AI_WORKERS} workers"))
    return failed(
        f"OpenShift AI needs {AI_WORKERS} workers; there are {workers}",
        asked(f"{workers} workers", f"{AI_WORKERS} workers", "Add workers, or leave the operator out."),
    )


nvidia_on_host, nvidia_on_cluster = partial(unsigned_modules, "10de"), partial(has_card, "10de")
amd_on_host, amd_on_cluster = partial(unsigned_modules, "1002"), partial(has_card, "1002")
kmm_on_host = partial(unsigned_modules, "")
