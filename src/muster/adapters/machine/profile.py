"""What a simulated machine is made of and how it behaves: data that is read from files and changed by faults."""

from muster.domain.inventory import (
    Boot,
    Cpu,
    Disk,
    DriveType,
    Eligibility,
    Interface,
    Inventory,
    Memory,
    Route,
    SystemVendor,
)
from muster.domain.record import Record

GIB = 2**30
GB = 10**9
AF_INET, AF_INET6 = 2, 10


class Timings(Record, forbid_unknown_fields=True):
    """How many seconds things take in reality; a lab divides all of them by its speed."""

    spread: float = 30
    """Over which time the machines of a room are switched on."""
    disk_check: float = 20
    write: float = 240
    reboot: float = 300
    bootkube: float = 600
    controller: float = 120
    ignition: float = 30
    configuring: float = 120
    joining: float = 60
    ready: float = 60
    operators: float = 900


class DiskProfile(Record, forbid_unknown_fields=True):
    """One disk."""

    name: str = "vda"
    gigabytes: int = 200
    drive_type: DriveType = DriveType.SSD
    sync_ms: int = 2
    bootable: bool = False
    smart: str = ""
    """What it says of its own health."""
    unfit: str = ""
    """Why nothing can be installed to it, if so."""

    @property
    def path(self) -> str:
        """Where it is found."""
        return f"/dev/disk/by-path/pci-0000:00:{self.name}"


class NicProfile(Record, forbid_unknown_fields=True):
    """One network interface; addresses have their prefix length."""

    name: str = "eth0"
    mac: str = ""
    addresses: tuple[str, ...] = ()
    mtu: int = 1500


class Profile(Record, forbid_unknown_fields=True):
    """One machine: first what it is made of, then how it behaves."""

    hostname: str
    serial: str = ""
    product_uuid: str = ""
    cores: int = 8
    memory_gib: int = 16
    architecture: str = "x86_64"
    disks: tuple[DiskProfile, ...] = (DiskProfile(),)
    nics: tuple[NicProfile, ...] = ()
    gateway: str = ""
    second_gateway: str = ""
    """The way out for IPv6, where a machine has both families."""
    manufacturer: str = "muster"
    product: str = "Simulated Machine"
    tpm: str = "2.0"
    command_line: str = ""
    """What its kernel was told."""
    timings: Timings = Timings()

    latency_ms: float = 0.2
    loss_percentage: float = 0.0
    unreachable: tuple[str, ...] = ()
    """Names of machines to which no packet finds its way."""
    clock_offset: float = 0.0
    """Seconds by which the machine's clock is ahead."""
    keeps_time: bool = True
    """Whether time sources can be reached."""
    resolves: bool = True
    leases: bool = True
    """Whether the DHCP server answers."""
    boot_room: int = 10**9
    """Bytes that are free where it starts from."""
    boot_clutter: int = 0
    """Bytes there that it can do without."""
    media: bool = True
    """Whether the image that the machine was started from can still be read."""
    pulls: bool = True
    pull_megabytes_a_second: float = 100.0
    write_fails_at: int | None = None
    """The percentage at which writing to a disk fails."""
    agent_dead: bool = False
    boots_image_again: bool = False
    """Whether the machine starts from the discovery image although its disk could be started from."""
    power_fails_at: str = ""
    """What the journal says when the power fails."""

    @property
    def gateways(self) -> tuple[str, ...]:
        """Every way out."""
        return tuple(filter(None, (self.gateway, self.second_gateway)))

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address, with its prefix length."""
        return tuple(address for nic in self.nics for address in nic.addresses)


def described(profile: Profile) -> Inventory:
    """What a machine of this profile says of itself."""
    memory = profile.memory_gib * GIB
    return Inventory(
        hostname=profile.hostname,
        bmc_address="0.0.0.0",  # noqa: S104 - this is how agents say that there is none
        bmc_v6address="::/0",
        interfaces=tuple(map(_interface, profile.nics)),
        disks=tuple(map(_disk, profile.disks)),
        boot=Boot(
            current_boot_mode="uefi",
            command_line=profile.command_line,
            secure_boot_state="Disabled",
            device_type="ephemeral",
        ),
        system_vendor=SystemVendor(
            manufacturer=profile.manufacturer,
            product_name=profile.product,
            serial_number=profile.serial,
            virtual=True,
        ),
        memory=Memory(physical_bytes=memory, usable_bytes=memory - memory // 50, physical_bytes_method="dmidecode"),
        cpu=Cpu(count=profile.cores, architecture=profile.architecture, model_name="Simulated", frequency=2400.0),
        gpus=(),
        routes=_routes(profile),
        tpm_version=profile.tpm,
    )


def _interface(nic: NicProfile) -> Interface:
    return Interface(
        name=nic.name,
        mac_address=nic.mac,
        ipv4_addresses=tuple(each for each in nic.addresses if ":" not in each),
        ipv6_addresses=tuple(each for each in nic.addresses if ":" in each),
        has_carrier=True,
        mtu=nic.mtu,
        speed_mbps=10000,
        type="physical",
        flags=("up", "broadcast", "multicast", "running"),
    )


def _disk(disk: DiskProfile) -> Disk:
    return Disk(
        id=disk.path,
        name=disk.name,
        path=f"/dev/{disk.name}",
        by_path=disk.path,
        drive_type=disk.drive_type,
        size_bytes=disk.gigabytes * GB,
        bootable=disk.bootable,
        has_uuid=True,
        model="Simulated_Disk",
        vendor="muster",
        smart=disk.smart,
        installation_eligibility=Eligibility(
            eligible=not disk.unfit, not_eligible_reasons=(disk.unfit,) if disk.unfit else ()
        ),
    )


def _routes(profile: Profile) -> tuple[Route, ...]:
    """A way to everywhere by each gateway."""
    return tuple(
        Route(
            interface=nic.name,
            gateway=way,
            destination="::" if ":" in way else "0.0.0.0",  # noqa: S104 - the default route
            family=AF_INET6 if ":" in way else AF_INET,
            metric=100,
        )
        for nic in profile.nics[:1]
        for way in profile.gateways
    )
