"""The simulated twin of `ports.Machine`: answers from a profile and from the room the machine stands in.

Agents and installers use it as they would a real one. The lab holds its power switch, and changes its profile
while it runs.
"""

import asyncio
import io
import tarfile
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from muster.domain.errors import Broken
from muster.domain.inventory import Inventory
from muster.domain.networks import IPV4, NtpSource, Resolution, families, family, normal
from muster.machine import Echo, Ended, Landmark, LeasedAddress, Page, Pull

from . import web
from .identity import host_id
from .profile import DiskProfile, NicProfile, Profile, described
from .world import TIME_SERVER, World, noted_lease, on_wire, reaches

REMEMBERED = 100
"""How many lines the journal keeps."""

NAME_TAKEN = 125
"""The exit code of a container runtime that cannot start a container."""

STOPPED = 137
"""The exit code of a container that was ended."""

IMAGE_MEGABYTES = 400.0
WRITTEN_AT_ONCE = 5
"""Percent of a disk between two reports."""

NO_ANSWER = Echo(answered=False, packet_loss_percentage=100.0)

NO_LEASE_AFTER = 28
"""Seconds after which a DHCP server that does not answer is given up."""

BOOT_ENTRY = "loader/entries/00-assisted-discovery.conf"
"""What is in the boot folder of a machine that is to start the discovery image from its disk."""

Change = Callable[[Profile], Profile]


class Boot(StrEnum):
    """What a machine was started from."""

    IMAGE = "discovery image"
    DISK = "disk"


class SimulatedMachine:
    """One machine. `programs` says what runs in a container, by the first of its arguments."""

    def __init__(self, profile: Profile, world: World) -> None:
        self.profile = profile
        self.world = world
        self.on = False
        self.powered = True
        """Whether it could be switched on."""
        self.booted: Boot | None = None
        self.programs: dict[str, Program] = {}
        self._made = profile
        self._inventory = described(profile)
        self._changes: dict[str, Change] = {}
        self._installed: str | None = None
        """The disk that holds a system to start from."""
        self._image_chosen = False
        """Whether somebody has chosen the discovery image for the next start."""
        self._pulled: set[str] = set()
        self._containers: dict[str, asyncio.Task[Ended]] = {}
        self._landmarks: dict[Landmark, float] = {}
        self._boot: Path | None = None
        """What the disk is started from, as far as someone has looked at it."""
        self._journal: deque[str] = deque(maxlen=REMEMBERED)
        self._news = asyncio.Event()
        world.enter(self)

    # What the lab does with it.

    def alter(self, name: str, change: Change) -> None:
        """Let the machine be other than it was made, until it is restored."""
        self._changes[name] = change
        self._remake()

    def restore(self, name: str) -> None:
        """Take back what was altered under a name."""
        self._changes.pop(name, None)
        self._remake()

    def _remake(self) -> None:
        profile = self._made
        for change in self._changes.values():
            profile = change(profile)
        self.profile = profile
        self.powered = self.powered or not profile.power_fails_at
        self._inventory = described(profile)
        self.world.rewire()
        self.nudge()

    def switch_on(self) -> Boot:
        """Start, from the disk if there is something on it, else from the discovery image."""
        from_image = self._installed is None or self.profile.boots_image_again or self._returns or self._image_chosen
        self.booted = Boot.IMAGE if from_image else Boot.DISK
        self._image_chosen = False
        self._landmarks.clear()
        self._pulled.clear()
        self._turn(on=True)
        return self.booted

    def switch_off(self) -> None:
        """Take the power away; whatever ran has ended."""
        self._turn(on=False)
        self.world.nodes.pop(self.identity(), None)
        for container in self._containers.values():
            container.cancel()
        self._containers.clear()

    def start_image(self) -> None:
        """Start again, this time from the discovery image whatever is on the disk: what a user does by hand."""
        self._image_chosen = True
        self.switch_off()

    def _turn(self, *, on: bool) -> None:
        if self.on is not on:
            self.on = on
            self.world.rewire()
            self.nudge()

    @property
    def astray(self) -> bool:
        """Whether it runs the discovery image although it has been installed and started again since."""
        lost = self.booted is Boot.IMAGE and self._installed is not None and not self._returns
        return self.on and lost and not self._containers

    @property
    def _returns(self) -> bool:
        """Whether its disk has been made to start the discovery image."""
        return self._boot is not None and (self._boot / BOOT_ENTRY).exists()

    @property
    def noted(self) -> tuple[str, ...]:
        """The lines of the journal, as far as they are kept."""
        return tuple(self._journal)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something to be so, looking again at each change of the machine."""
        while not holds():
            await self._news.wait()

    def nudge(self) -> None:
        """Let those who wait for something look again."""
        told, self._news = self._news, asyncio.Event()
        told.set()

    # What agents and installers do with it.

    def identity(self) -> str:
        """The host id."""
        made = self._made
        return host_id(made.serial, made.product_uuid, (nic.mac for nic in made.nics))

    def now(self) -> datetime:
        """The machine's own clock."""
        return datetime.now(UTC) + timedelta(seconds=self.profile.clock_offset)

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the room's time."""
        await self.world.sleep(seconds)

    async def inventory(self) -> Inventory:
        """Everything the machine says of itself."""
        return self._inventory

    async def ping(self, address: str) -> Echo:
        """Whether an address can be reached by routing."""
        for other, _ in self.world.at(address):
            if reaches(self.profile, other.profile):
                return _echo(self.profile, other.profile)
        return NO_ANSWER

    async def arp(self, nic: str, address: str) -> tuple[str, ...]:
        """The MAC addresses that answer for an address on the wire of a NIC."""
        mine = self._nic(nic)
        if mine is None or not on_wire(mine, address):
            return ()
        return tuple(theirs.mac for other, theirs in self.world.at(address) if reaches(self.profile, other.profile))

    def _nic(self, name: str) -> NicProfile | None:
        return next((each for each in self.profile.nics if each.name == name), None)

    async def carries(self, nic: str, address: str) -> bool | None:
        """Whether packets as large as a NIC may send arrive at an address: if the other end takes them."""
        mine = self._nic(nic)
        if mine is None or family(address) not in families(mine.addresses):
            return None
        ends = [theirs for other, theirs in self.world.at(address) if reaches(self.profile, other.profile)]
        return ends[0].mtu >= mine.mtu if ends else None

    async def lease(self, nic: str, name: str, mac: str, before: str) -> LeasedAddress:
        """An address leased under another MAC address; the room's DHCP server knows what it leased before."""
        mine = self._nic(nic)
        networks = [normal(each) for each in mine.addresses if family(each) == IPV4] if mine else []
        address = self.world.lease(networks[0], mac) if networks and self.profile.leases else ""
        if not address:
            await self.sleep(NO_LEASE_AFTER)
            raise Broken(f"No DHCP server has leased an address to {mac} on {nic} in {NO_LEASE_AFTER} seconds")
        return LeasedAddress(address=address, lease=noted_lease(name, address, before))

    async def fetch(self, url: str, headers: Mapping[str, str], authorities: str = "") -> Page:
        """What a web server says, in the room or outside."""
        if url in self.world.pages:
            return Page(status=200, content=self.world.pages[url])
        return await web.fetch(url, headers, authorities)

    async def download(self, url: str, target: Path) -> None:
        """Put what a web server outside has into a file."""
        await web.download(url, target)

    async def occupied(self, network: str) -> tuple[str, ...]:
        """The addresses of a network on which something answers."""
        return self.world.occupied(network)

    async def time_sources(self, wanted: Sequence[str]) -> tuple[NtpSource, ...]:
        """The time sources in use: the first that can be reached sets the clock, the others agree."""
        names = tuple(wanted) or (TIME_SERVER,)
        if not self.profile.keeps_time:
            return tuple(NtpSource(source_name=name, source_state="unreachable") for name in names)
        states = ("synced", *["combined"] * (len(names) - 1))
        return tuple(NtpSource(source_name=name, source_state=state) for name, state in zip(names, states, strict=True))

    async def resolve(self, name: str) -> Resolution:
        """What the room's name server says of a name."""
        found = self.world.names.get(name.rstrip("."), ()) if self.profile.resolves else ()
        return Resolution(
            domain_name=name,
            ipv4_addresses=tuple(each for each in found if ":" not in each),
            ipv6_addresses=tuple(each for each in found if ":" in each),
            cnames=(f"{name.rstrip('.')}.",) if found else None,
        )

    async def pull(self, image: str, timeout: float) -> Pull:  # noqa: ASYNC109 - the limit is the machine's, not ours
        """Fetch a container image."""
        if not (self.profile.pulls and self.profile.resolves):
            return Pull(fetched=False)
        if image in self._pulled:
            return Pull(fetched=True)
        seconds = IMAGE_MEGABYTES / self.profile.pull_megabytes_a_second
        await self.sleep(min(seconds, timeout))
        if seconds > timeout:
            return Pull(fetched=False, seconds=timeout)
        self._pulled.add(image)
        return Pull(fetched=True, size_bytes=IMAGE_MEGABYTES * 10**6, seconds=seconds)

    async def sync_duration(self, disk: str, timeout: float) -> int:  # noqa: ASYNC109 - as above
        """How many milliseconds the disk takes to write safely."""
        found = self._disk_at(disk)
        needed = self.profile.timings.disk_check
        await self.sleep(min(needed, timeout))
        if needed > timeout:
            raise Broken(f"Trying {disk} took longer than the {timeout:g} seconds allowed")
        return found.sync_ms

    def _disk_at(self, path: str) -> DiskProfile:
        found = next((each for each in self.profile.disks if path in (each.path, f"/dev/{each.name}")), None)
        if found is None:
            raise Broken(f"There is no disk {path}")
        return found

    async def media_is_readable(self) -> bool:
        """Whether what the machine was started from can still be read."""
        return self.profile.media or self.booted is Boot.DISK

    async def run(self, name: str, image: str, args: Sequence[str]) -> Ended:
        """Run a container to its end."""
        if name in self._containers:
            error = f'Error: creating container storage: the container name "{name}" is already in use'
            return Ended(code=NAME_TAKEN, error=error)
        program = self.programs.get(args[0]) if args else None
        if program is None:
            return Ended(code=127, error=f"Error: {image} has no program {args[0] if args else '(none)'}")
        task = asyncio.ensure_future(program(args[1:]))
        self._containers[name] = task
        await asyncio.wait({task})
        if not task.cancelled():
            return task.result()
        if not self.on:
            await asyncio.Event().wait()
        return Ended(code=STOPPED, error=f"{name} was stopped")

    async def stop(self, name: str) -> int:
        """End what runs in a container."""
        container = self._containers.get(name)
        if container is not None and container.cancel():
            self.journal(f"{name} was stopped")
        return 0

    async def start_bootstrap(self, ignition: bytes) -> None:
        """Turn the running system into the temporary control plane."""
        if not ignition:
            raise Broken("The bootstrap's configuration is empty")
        self._landmarks.clear()

    async def reached(self, landmark: Landmark) -> bool:
        """Whether the temporary control plane has come so far: some time after it was first looked for."""
        since = self._landmarks.setdefault(landmark, self.world.elapsed())
        timings = self.profile.timings
        needed = {Landmark.BOOTKUBE: timings.bootkube, Landmark.CONTROLLER: timings.controller}[landmark]
        return self.world.elapsed() - since >= needed

    async def wipe(self, disk: str) -> None:
        """Make a disk unbootable."""
        self._installed = None if self._installed == self._disk_at(disk).name else self._installed

    async def write_image(self, disk: str, ignition: bytes, args: Sequence[str]) -> AsyncIterator[int]:
        """Write the system and its first configuration to a disk, telling the percentage."""
        target, profile = self._disk_at(disk), self.profile
        if not ignition:
            raise Broken("The system's first configuration is empty")
        self.journal(" ".join(("writing to", disk, *args)))
        for percent in range(0, 101, WRITTEN_AT_ONCE):
            if profile.write_fails_at is not None and percent >= profile.write_fails_at:
                raise Broken(f"Input/output error while writing to {disk} at {percent}%")
            yield percent
            await self.sleep(profile.timings.write * WRITTEN_AT_ONCE / 100)
        self._installed = target.name
        self._boot = None

    async def boot_folder(self, root: str) -> Path:  # noqa: ARG002 - a simulated machine has one root only
        """The folder from which the machine starts. It lasts no longer than the machine."""
        if self._boot is None:
            self._boot = Path(mkdtemp(prefix="muster-boot-"))
            finalize(self, rmtree, self._boot, ignore_errors=True)
        return self._boot

    async def boot_room(self, root: str) -> int:  # noqa: ARG002 - as above
        """How many bytes that folder has room for."""
        return self.profile.boot_room

    async def make_boot_room(self, root: str) -> None:
        """Remove what the machine can do without."""
        room = self.profile.boot_room + self.profile.boot_clutter
        self.alter(f"room at {root}", lambda profile: profile.but(boot_room=room, boot_clutter=0))

    async def reboot(self) -> None:
        """Start again. Whoever asked for it goes down with the machine."""
        self.switch_off()
        await asyncio.Event().wait()

    async def reboot_into(self, root: str, options: str = "") -> None:
        """Start what lies in the boot folder."""
        self.journal(f"starting what lies at {root}{f' with {options}' if options else ''}")
        await self.reboot()

    def journal(self, line: str) -> None:
        """Note something in the machine's journal, which may be the last thing it does."""
        self._journal.append(f"{self.now().isoformat(timespec='seconds')} {line}")
        self.nudge()
        fatal = self.profile.power_fails_at
        if fatal and fatal in line:
            self.powered = False
            self.switch_off()

    async def logs(self) -> bytes:
        """The journal as a gzipped tar."""
        text = "\n".join(self.noted).encode() + b"\n"
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
            entry = tarfile.TarInfo(f"{self.profile.hostname}/journal.logs")
            entry.size, entry.mtime = len(text), int(self.now().timestamp())
            archive.addfile(entry, io.BytesIO(text))
        return packed.getvalue()


Program = Callable[[Sequence[str]], Awaitable[Ended]]
"""What runs in a container: from its arguments to its end."""


def _echo(one: Profile, other: Profile) -> Echo:
    return Echo(
        answered=True,
        average_rtt_ms=round(one.latency_ms + other.latency_ms, 3),
        packet_loss_percentage=max(one.loss_percentage, other.loss_percentage),
    )
