"""How much machine a role needs in a version of OpenShift, and whether a host has it.

`views` asks for the figures a host is held to; validations, suggestions and disks compare machines with them.
"""

from functools import lru_cache

import msgspec

from .hosts import Host
from .inventory import Cpu, Inventory, Memory
from .record import Record
from .releases import at_least, parts
from .roles import Role


class Figures(Record):
    """What one role needs of one host."""

    cpu_cores: int
    ram_mib: int
    disk_size_gb: int
    installation_disk_speed_threshold_ms: int = 10
    """How long a safe write may take; 0 where it may take any time."""
    network_latency_threshold_ms: float | None = None
    packet_loss_percentage: float | None = None


class Requirements(Record):
    """What every role needs, in one version."""

    master: Figures = Figures(
        cpu_cores=4, ram_mib=16384, disk_size_gb=100, network_latency_threshold_ms=100, packet_loss_percentage=0
    )
    arbiter: Figures = Figures(
        cpu_cores=2, ram_mib=8192, disk_size_gb=50, network_latency_threshold_ms=1000, packet_loss_percentage=0
    )
    worker: Figures = Figures(
        cpu_cores=2, ram_mib=8192, disk_size_gb=100, network_latency_threshold_ms=1000, packet_loss_percentage=10
    )
    sno: Figures = Figures(cpu_cores=8, ram_mib=16384, disk_size_gb=100)
    edge_worker: Figures = msgspec.field(
        name="edge-worker", default=Figures(cpu_cores=2, ram_mib=8192, disk_size_gb=15)
    )

    def of(self, role: Role, *, single_node: bool = False, edge: bool = False) -> Figures:
        """The figures for a role; a host without one is held to a worker's, or an edge worker's if it is one."""
        if role in (Role.MASTER, Role.BOOTSTRAP):
            return self.sno if single_node else self.master
        if role is Role.ARBITER:
            return self.arbiter
        return self.edge_worker if edge else self.worker

    def least(self, *, single_node: bool = False) -> tuple[Figures, Figures]:
        """The control plane's and the worker's figures: a host below both is of no use at all."""
        return self.of(Role.MASTER, single_node=single_node), self.worker

    @property
    def pool(self) -> Figures:
        """What a host without a cluster is held to: the role with the smallest disk."""
        return min((self.worker, self.master, self.arbiter), key=lambda figures: figures.disk_size_gb)


class VersionedRequirements(Record):
    """What every role needs, in any version."""

    default: Requirements = Requirements()
    """What counts for a version of which nothing else is said."""
    exact: dict[str, Requirements] = {}
    """What counts for one version, as it is spelt."""
    since: dict[str, Requirements] = {}
    """What counts for a version and every later one, until the next of these."""

    def for_version(self, version: str) -> Requirements:
        """What every role needs in a version: said of it alone, else since a version before it, else of any."""
        if version in self.exact:
            return self.exact[version]
        return self.since.get(_newest(tuple(self.since), version), self.default)


@lru_cache(maxsize=256)
def _newest(versions: tuple[str, ...], version: str) -> str:
    """The newest of some versions that is not newer than the one asked for; "" if all are."""
    return max((each for each in versions if at_least(version, each)), key=parts, default="")


SHIPPED = VersionedRequirements(since={"4.22": Requirements(sno=Requirements().sno.but(cpu_cores=4))})
"""What counts where the operator of the service has said nothing."""

EDGE_ARCHITECTURES = frozenset({"aarch64", "arm64"})


def is_edge_worker(inventory: Inventory | None, products: frozenset[str]) -> bool:
    """Whether a machine is one of the small products that serve as a worker at the edge of a network."""
    if inventory is None or inventory.cpu is None or inventory.system_vendor is None:
        return False
    return inventory.cpu.architecture in EDGE_ARCHITECTURES and _squeezed(inventory.system_vendor.product_name) in {
        _squeezed(product) for product in products
    }


def _squeezed(product: str) -> str:
    """The name of a product without what people write differently."""
    return product.lower().replace(" ", "")


MIB = 2**20
FORGIVEN_MIB = 100
"""How much memory firmware may keep for itself without the host being refused."""


def has_cores(cpu: Cpu, figures: Figures) -> bool:
    """Whether there are CPU cores enough."""
    return cpu.count >= figures.cpu_cores


def has_memory(memory: Memory, figures: Figures) -> bool:
    """Whether there is memory enough."""
    return memory.physical_bytes >= (figures.ram_mib - FORGIVEN_MIB) * MIB


def has_cpu_and_memory_for(host: Host, figures: Figures) -> bool:
    """Whether a host is known to have the cores and the memory a role needs."""
    inventory = host.inventory
    return (
        inventory is not None
        and inventory.cpu is not None
        and inventory.memory is not None
        and has_cores(inventory.cpu, figures)
        and has_memory(inventory.memory, figures)
    )
