"""What the agent and the installer need of the machine they run on. `adapters/machine` fulfils it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from .domain.inventory import Inventory
from .domain.networks import NtpSource, Resolution
from .domain.record import Record


class Echo(Record):
    """What came back from an address."""

    answered: bool
    average_rtt_ms: float = 0.0
    packet_loss_percentage: float = 0.0


class Pull(Record):
    """How fetching a container image went. `size_bytes` is 0 if it was there already."""

    fetched: bool
    size_bytes: float = 0.0
    seconds: float = 0.0


class Page(Record):
    """What a web server answered."""

    status: int
    content: bytes


class LeasedAddress(Record):
    """What a DHCP server has leased, and how the DHCP client has written it down."""

    address: str
    lease: str


class Ended(Record):
    """How a program came out."""

    code: int
    output: str = ""
    error: str = ""


class Landmark(StrEnum):
    """How far a temporary control plane can have come."""

    BOOTKUBE = "bootkube"
    CONTROLLER = "controller"


class Machine(Protocol):
    """The door to one machine: its facts, its reach, its clock, its disks, its power.

    Everything an agent or installer does to a machine goes through here, one act at a time;
    what to do and in which order is theirs to know.
    """

    def identity(self) -> str:
        """The host id: the same after every boot, different on every machine."""

    def now(self) -> datetime:
        """The machine's own clock."""

    async def sleep(self, seconds: float) -> None:
        """Wait as long as a person at the machine would call so many seconds."""

    async def inventory(self) -> Inventory:
        """Everything the machine says of itself."""

    async def ping(self, address: str) -> Echo:
        """Whether an address can be reached by routing, how fast and how surely."""

    async def arp(self, nic: str, address: str) -> tuple[str, ...]:
        """The MAC addresses that answer for an address on the wire of a NIC, IPv4 and IPv6 alike."""

    async def carries(self, nic: str, address: str) -> bool | None:
        """Whether packets as large as a NIC may send arrive at an address; None if not even small ones do."""

    async def occupied(self, network: str) -> tuple[str, ...]:
        """The addresses of a network on which something answers."""

    async def lease(self, nic: str, name: str, mac: str, before: str) -> LeasedAddress:
        """An address leased on a NIC under another MAC address, `before` being the last lease, if any.

        It is not used by the machine itself. `Broken` if no DHCP server answers in time.
        """

    async def fetch(self, url: str, headers: Mapping[str, str], authorities: str = "") -> Page:
        """What a web server says; `authorities`, if given, are the only certificates (PEM) that are trusted.

        `Unavailable` if it cannot be reached, `Broken` if it cannot be trusted.
        """

    async def download(self, url: str, target: Path) -> None:
        """Put what a web server has into a file; `Unavailable` if that fails."""

    async def time_sources(self, wanted: Sequence[str]) -> tuple[NtpSource, ...]:
        """The time sources in use, after the wanted ones have been added."""

    async def resolve(self, name: str) -> Resolution:
        """What a name means here."""

    async def pull(self, image: str, timeout: float) -> Pull:  # noqa: ASYNC109 - the limit is the machine's, not ours
        """Fetch a container image."""

    async def sync_duration(self, disk: str, timeout: float) -> int:  # noqa: ASYNC109 - as above
        """How many milliseconds the disk takes to write safely; raises `Broken` if it cannot be told."""

    async def media_is_readable(self) -> bool:
        """Whether what the machine was started from can still be read; true if it does not need it any more."""

    async def run(self, name: str, image: str, args: Sequence[str]) -> Ended:
        """Run a container to its end, whoever waits for it; code 125 if there is one of that name already."""

    async def stop(self, name: str) -> int:
        """End what runs in a container, if there is one; its exit code is 0 if that went well."""

    async def start_bootstrap(self, ignition: bytes) -> None:
        """Turn the running system into the temporary control plane; `Broken` if that fails."""

    async def reached(self, landmark: Landmark) -> bool:
        """Whether the temporary control plane on this machine has come so far."""

    async def wipe(self, disk: str) -> None:
        """Make a disk unbootable; `Broken` if that fails."""

    def write_image(self, disk: str, ignition: bytes, args: Sequence[str]) -> AsyncIterator[int]:
        """Write the system and its first configuration to a disk, telling the percentage; `Broken` if it fails."""

    async def boot_folder(self, root: str) -> Path:
        """The folder from which a machine starts whose files are found at `root`, writable; `Broken` if it is not."""

    async def boot_room(self, root: str) -> int:
        """How many bytes that folder has room for."""

    async def make_boot_room(self, root: str) -> None:
        """Remove what the machine can do without from that folder."""

    async def reboot(self) -> None:
        """Start again, from the disk if all is well. Does not return to an agent that would live on."""

    async def reboot_into(self, root: str, options: str = "") -> None:
        """Start what lies in the boot folder; `options`, if given, are first written where the firmware reads them."""

    def journal(self, line: str) -> None:
        """Note something in the machine's journal."""

    async def logs(self) -> bytes:
        """What the machine has to say afterwards, its journal first of all, as a gzipped tar."""
