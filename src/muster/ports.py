"""What the engine needs of the world, as protocols. `adapters` fulfils them, `adapters/memory.py` too."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from .domain.clusters import Cluster
from .domain.effects import AnyEffect
from .domain.events import Event, EventPage, EventQuery
from .domain.hosts import Host
from .domain.infra_envs import InfraEnv
from .domain.inventory import Inventory
from .domain.manifests import Manifest
from .domain.networks import NtpSource, Resolution
from .domain.record import Record
from .domain.releases import Catalogue

AnyRecord = Cluster | Host | InfraEnv


class Stored(Record):
    """A scope as it lies in the store."""

    version: int
    cluster: Cluster | None = None
    hosts: dict[str, Host] = {}
    infra_envs: dict[str, InfraEnv] = {}
    reads: dict[str, int] = {}
    """The versions of the other scopes looked at; a commit holds only while they stay."""
    tenants: int = 0
    presence: dict[str, datetime] = {}


class Change(Record):
    """A record before and after; `old` None if it is new."""

    old: AnyRecord | None
    new: AnyRecord


class Commit(Record):
    """All that one decision writes, in one transaction or not at all."""

    scope: str
    version: int
    """The version that was looked at; the scope has the next one afterwards. 0: the scope is new."""
    at: datetime
    actor: str
    triggers: tuple[str, ...]
    reads: dict[str, int] = {}
    request_id: str = ""
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    effects: tuple[AnyEffect, ...] = ()
    finished_effect: str = ""
    deadline: datetime | None = None
    live: bool = True
    """False once the scope's own record has been given up."""


class Committed(Record):
    """The news that a scope has a new version; sent to every replica after the commit."""

    scope: str
    version: int
    touches: tuple[str, ...] = ()
    """Other scopes whose views hold what was changed."""


class HistoryRow(Record):
    """One change of one record, as it is kept."""

    cursor: str
    scope: str
    version: int
    at: datetime
    actor: str
    triggers: tuple[str, ...]
    kind: str
    key: str
    patch: dict[str, Any]


class Lease(Record):
    """An effect that this worker may work on until the lease runs out."""

    id: str
    scope: str
    effect: AnyEffect
    attempts: int


class Seen(Record):
    """A host asked for instructions."""

    infra_env_id: str
    host_id: str
    at: datetime


class Store(Protocol):
    """Where scopes, events, effects, history and presence are kept."""

    async def migrate(self) -> None:
        """Bring the schema up to date; safe to call from several replicas at once."""

    async def close(self) -> None:
        """Let go of every connection."""

    async def ready(self) -> None:
        """Return if the store answers, raise `Unavailable` if not."""

    async def load(self, scope: str, *, gone: bool = False) -> Stored | None:
        """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""

    async def scopes(self, kind: str, *, gone: bool = False) -> tuple[str, ...]:
        """The live scopes of a kind (`cluster`, `infra-env`, `host`), oldest first; all of them if `gone`."""

    async def scope_of_host(self, infra_env_id: str, host_id: str) -> str | None:
        """The scope in which a host is now; None if it was never heard of or has been given up."""

    async def hosts_of(self, infra_env_id: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host of an infra-env, oldest first."""

    async def commit(self, commit: Commit) -> Committed:
        """Write all of it and return the news; or raise `Conflict` (`Finished`) and write nothing."""

    async def claim_due(self, now: datetime, lease: timedelta, limit: int) -> tuple[str, ...]:
        """Take scopes whose deadline has come; no other replica gets them before the lease is over."""

    async def next_deadline(self) -> datetime | None:
        """The earliest deadline of any scope."""

    async def set_deadline(self, scope: str, version: int, deadline: datetime | None) -> None:
        """Note the next deadline of a scope that did not change (ignored if it has changed since)."""

    async def note_seen(self, seen: Sequence[Seen]) -> None:
        """Write down, in one statement, when hosts last asked for instructions."""

    async def presence_of(self, scope: str) -> dict[str, datetime]:
        """When each live host of a scope last asked for instructions, as far as that was written down."""

    async def add_event(self, event: Event) -> None:
        """Keep an event that belongs to no decision."""

    async def told_since(self, event: Event, since: datetime) -> bool:
        """Whether an event of that name was told of the same cluster, host and infra-env after a moment."""

    async def events(self, query: EventQuery) -> EventPage:
        """The events asked for."""

    async def history(self, *, after: str = "", scope: str = "", limit: int = 500) -> tuple[HistoryRow, ...]:
        """Rows after a cursor in the order of commits; never one that an earlier one may still precede."""

    async def history_of(self, kind: str, key: str, until: datetime | None = None) -> tuple[HistoryRow, ...]:
        """Every change of one record, oldest first."""

    async def last_cursor(self) -> str:
        """The cursor after the newest row, for those who want only what comes next."""

    async def claim_effects(self, owner: str, now: datetime, lease: timedelta, limit: int) -> tuple[Lease, ...]:
        """Take effects that are due and not leased to a living worker."""

    async def beat(self, owner: str, ids: Sequence[str], until: datetime) -> None:
        """Stretch the leases of effects that are still being worked on."""

    async def retry_effect(self, owner: str, effect_id: str, due: datetime, error: str) -> None:
        """Give an effect back to be tried again later."""

    async def next_effect(self) -> datetime | None:
        """When the next effect may be claimed."""


class OpenFile(Record):
    """A file about to be read: how many bytes it has, and they themselves, as they come."""

    size: int
    pieces: AsyncGenerator[bytes]


class Blobs(Protocol):
    """Where generated files, manifests and logs are kept."""

    async def put(self, key: str, data: bytes) -> None:
        """Store a file whole, replacing what was there."""

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> int:
        """Store a file as it comes; nothing is visible before the end. Returns its size."""

    async def get(self, key: str) -> bytes:
        """A file's content; `NotFound` if there is none."""

    async def open(self, key: str) -> OpenFile:
        """A file's content piece by piece, as it is now; `NotFound` if there is none."""

    async def exists(self, key: str) -> bool:
        """Whether there is such a file."""

    async def keys(self, prefix: str) -> tuple[str, ...]:
        """The files below a prefix, in order."""

    async def presigned(self, key: str, lasts: timedelta) -> str:
        """Where anybody may fetch a file for a while; `Invalid` if only the service can reach the storage."""

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove files; absent ones are no error."""


class Bus(Protocol):
    """News between the parts of one process and between replicas."""

    async def start(self) -> None:
        """Begin to hear what other replicas tell."""

    async def close(self) -> None:
        """Stop hearing."""

    async def publish(self, news: Committed) -> None:
        """Tell every subscriber, here and elsewhere."""

    def subscribe(self, hear: Callable[[Committed | None], None]) -> Callable[[], None]:
        """Hear all news from now on; None means some may have been missed. Returns the way to stop."""


class Files(Record):
    """What a release makes of a cluster: the files its hosts install from."""

    openshift_cluster_id: str
    files: dict[str, bytes]
    """By name; those below `manifests/` are listed beside the manifests of the user."""


class Order(Record):
    """What a release needs to know to generate the files of a cluster."""

    cluster: Cluster
    hosts: tuple[Host, ...]
    infra_envs: tuple[InfraEnv, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    """What the user wants applied to the cluster besides."""


class Releases(Protocol):
    """The releases on offer and the way to make files of them."""

    def catalogue(self) -> Catalogue:
        """Every release and system image there is."""

    async def generate(self, order: Order) -> Files:
        """The files of one cluster: ignition of every role and host, kubeconfig, password, metadata."""

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress; `Invalid` if what was given is no certificate."""


class Clock(Protocol):
    """The present moment."""

    def now(self) -> datetime:
        """The time now, in UTC."""


NewId = Callable[[], str]
"""Makes an id that nobody has."""


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
