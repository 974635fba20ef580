"""What a machine says of itself: the agent's inventory, as learnt from the `inventory` step."""

from enum import StrEnum
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

import msgspec

from .record import Record


class DriveType(StrEnum):
    """The kinds of drive an agent tells apart."""

    UNKNOWN = "Unknown"
    HDD = "HDD"
    FDD = "FDD"
    ODD = "ODD"
    SSD = "SSD"
    VIRTUAL = "virtual"
    MULTIPATH = "Multipath"
    ISCSI = "iSCSI"
    FC = "FC"
    LVM = "LVM"
    RAID = "RAID"
    ECKD = "ECKD"
    ECKD_ESE = "ECKD (ESE)"
    FBA = "FBA"


class Eligibility(Record):
    """Whether the installation may write to a disk, and every reason against it.

    Clients expect the reasons to be there, null, when there are none; `()` stands for an agent that gave none.
    """

    eligible: bool = False
    not_eligible_reasons: tuple[str, ...] | None = ()


class IoPerf(Record):
    """How fast a disk answers."""

    sync_duration: int = 0


class Iscsi(Record):
    """Where an iSCSI disk comes from."""

    host_ip_address: str = ""


class Disk(Record):
    """One drive."""

    id: str = ""
    name: str = ""
    path: str = ""
    by_path: str = ""
    by_id: str = ""
    drive_type: str = ""
    size_bytes: int = 0
    bootable: bool = False
    removable: bool = False
    is_installation_media: bool = False
    has_uuid: bool = False
    hctl: str = ""
    holders: str = ""
    model: str = ""
    serial: str = ""
    vendor: str = ""
    wwn: str = ""
    smart: str = ""
    partition_types: str = msgspec.field(name="partitionTypes", default="")
    io_perf: IoPerf | None = None
    iscsi: Iscsi | None = None
    installation_eligibility: Eligibility = Eligibility()

    @property
    def device(self) -> str:
        """The name the kernel gives it."""
        return f"/dev/{self.name}"

    @property
    def identifier(self) -> str:
        """The name that stays the same over a reboot, as far as there is one."""
        return self.id or self.device

    def answers_to(self, name: str) -> bool:
        """Whether a user who wrote `name` meant this disk."""
        return name in {self.identifier, self.by_path, self.device}


class Interface(Record):
    """One network interface."""

    name: str = ""
    mac_address: str = ""
    ipv4_addresses: tuple[str, ...] | None = None
    ipv6_addresses: tuple[str, ...] | None = None
    has_carrier: bool = False
    mtu: int = 0
    speed_mbps: int = 0
    type: str = ""
    vendor: str = ""
    product: str = ""
    biosdevname: str = ""
    client_id: str = ""
    flags: tuple[str, ...] | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address with its prefix length, IPv4 first."""
        return (*(self.ipv4_addresses or ()), *(self.ipv6_addresses or ()))


class Cpu(Record):
    """The processors, as one."""

    count: int = 0
    architecture: str = ""
    model_name: str = ""
    frequency: float = 0.0
    flags: tuple[str, ...] | None = None


class Memory(Record):
    """The memory, fitted and usable."""

    physical_bytes: int = 0
    usable_bytes: int = 0
    physical_bytes_method: str = ""


class Boot(Record):
    """How the machine was started."""

    current_boot_mode: str = ""
    pxe_interface: str = ""
    command_line: str = ""
    secure_boot_state: str = ""
    device_type: str = ""


class SystemVendor(Record):
    """Who made the machine."""

    manufacturer: str = ""
    product_name: str = ""
    serial_number: str = ""
    virtual: bool = False


class Route(Record):
    """One row of the routing table."""

    interface: str = ""
    gateway: str = ""
    destination: str = ""
    family: int = 0
    metric: int = 0


class Gpu(Record):
    """One graphics or compute card."""

    vendor: str = ""
    vendor_id: str = ""
    device_id: str = ""
    name: str = ""
    address: str = ""


class Truncation(Record):
    """What the agent left out of an inventory that was too large."""

    type: str = ""
    reasons: tuple[str, ...] = ()


class Inventory(Record):
    """Everything a machine says of itself."""

    hostname: str = ""
    bmc_address: str = ""
    bmc_v6address: str = ""
    interfaces: tuple[Interface, ...] | None = None
    disks: tuple[Disk, ...] | None = None
    boot: Boot | None = None
    system_vendor: SystemVendor | None = None
    memory: Memory | None = None
    cpu: Cpu | None = None
    gpus: tuple[Gpu, ...] | None = None
    routes: tuple[Route, ...] | None = None
    tpm_version: str = ""
    truncation: Truncation | None = None

    @property
    def networks(self) -> tuple[IPv4Interface | IPv6Interface, ...]:
        """Every address of every interface, with its network; what cannot be read is left out."""
        found = (_read(address) for address in self.addresses)
        return tuple(each for each in found if each is not None)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address of every interface, with its prefix length."""
        return tuple(address for nic in self.interfaces or () for address in nic.addresses)

    def disk(self, name: str) -> Disk | None:
        """The disk a user or an earlier choice calls `name`."""
        return next((disk for disk in self.disks or () if disk.answers_to(name)), None)


def _read(address: str) -> IPv4Interface | IPv6Interface | None:
    try:
        return ip_interface(address)
    except ValueError:
        return None
