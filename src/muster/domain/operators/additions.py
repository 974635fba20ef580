"""How much machine an operator needs of a host, on top of what the host's role needs."""

from collections.abc import Callable

from muster.domain.inventory import Inventory
from muster.domain.record import Record
from muster.domain.roles import Role

GIB_IN_MIB = 1024


class Addition(Record):
    """Cores and memory for one operator on one host."""

    cpu_cores: int = 0
    ram_mib: int = 0


class Post(Record):
    """Where an operator is to run."""

    role: Role
    single_node: bool
    inventory: Inventory


NOTHING = Addition()

SUPPORTED_GPUS = frozenset({"10de:1db6", "10de:1eb8"})
SUPPORTED_NICS = frozenset({"8086:158b", "15b3:1015", "15b3:1017", "15b3:1013", "15b3:101b"})
"""Devices that OpenShift Virtualization hands to virtual machines, each at the price of a GiB."""


def _cnv(post: Post) -> Addition:
    if post.single_node:
        return Addition(cpu_cores=6, ram_mib=510 + _devices(post.inventory) * GIB_IN_MIB)
    if post.role is Role.MASTER:
        return Addition(cpu_cores=4, ram_mib=150)
    if post.role is Role.ARBITER:
        return NOTHING
    return Addition(cpu_cores=2, ram_mib=360 + _devices(post.inventory) * GIB_IN_MIB)


def _devices(inventory: Inventory) -> int:
    cards = [f"{gpu.vendor_id}:{gpu.device_id}" for gpu in inventory.gpus or ()]
    nics = [f"{nic.vendor}:{nic.product}".replace("0x", "") for nic in inventory.interfaces or ()]
    return sum(card in SUPPORTED_GPUS for card in cards) + sum(nic in SUPPORTED_NICS for nic in nics)


def _mce(post: Post) -> Addition:
    if post.single_node:
        return Addition(cpu_cores=8, ram_mib=32 * GIB_IN_MIB)
    return NOTHING if post.role is Role.ARBITER else Addition(cpu_cores=4, ram_mib=16 * GIB_IN_MIB)


def _one_core(post: Post) -> Addition:
    return NOTHING if post.role is Role.ARBITER else Addition(cpu_cores=1, ram_mib=GIB_IN_MIB)


def _openshift_ai(post: Post) -> Addition:
    return Addition(cpu_cores=8, ram_mib=32 * GIB_IN_MIB) if post.role is Role.WORKER else NOTHING


ADDITIONS: dict[str, Callable[[Post], Addition]] = {
    "cnv": _cnv,
    "mce": _mce,
    "mtv": _one_core,
    "osc": _one_core,
    "openshift-ai": _openshift_ai,
}
"""The operators that need something of a host, by name; ODF and LVM are about disks first (`storage`)."""
