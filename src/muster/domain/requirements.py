"""How much machine a role needs, and whether a host has it."""

from .hosts import Host
from .inventory import Cpu, Memory
from .record import Record
from .roles import Role


class Figures(Record):
    """What one role needs of one host."""

    cpu_cores: int
    ram_mib: int
    disk_size_gb: int
    installation_disk_speed_threshold_ms: int = 10
    network_latency_threshold_ms: float | None = None
    packet_loss_percentage: float | None = None


class Requirements(Record):
    """What every role needs, for one version."""

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

    def of(self, role: Role, *, single_node: bool = False) -> Figures:
        """The figures for a role; a host without one is held to a worker's."""
        if role in (Role.MASTER, Role.BOOTSTRAP):
            return self.sno if single_node else self.master
        return self.arbiter if role is Role.ARBITER else self.worker

    def least(self, *, single_node: bool = False) -> tuple[Figures, Figures]:
        """The control plane's and the worker's figures: a host below both is of no use at all."""
        return self.of(Role.MASTER, single_node=single_node), self.worker

    @property
    def pool(self) -> Figures:
        """What a host without a cluster is held to: the role with the smallest disk."""
        return min((self.worker, self.master, self.arbiter), key=lambda figures: figures.disk_size_gb)


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
