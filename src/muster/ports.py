"""What the engine needs of the world, as protocols. `adapters` fulfils them, `adapters/memory.py` too."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from .domain.artifacts.assets import Assets, Order
from .domain.base_images import BaseImage
from .domain.cleaning import Horizon
from .domain.clusters import Cluster
from .domain.effects import AnyEffect
from .domain.events import Event, EventPage, EventQuery
from .domain.history import HistoryRow
from .domain.hosts import Host
from .domain.infra_envs import InfraEnv
from .domain.names import DnsName
from .domain.nmstate.network import ReadNetwork
from .domain.record import Record
from .domain.releases import Catalogue, OsImage, ReleaseImages
from .image.live import Live

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
    """Live hosts of an infra-env."""
    needed: bool = False
    """Whether a live cluster needs the infra-env: its own, or one that has hosts of it."""
    heard_at: datetime | None = None
    """When any live host of the infra-env last asked for instructions."""
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
    forgotten: bool = False
    """Nothing of the scope is kept: its records with their history, what was told of it, what is to be done for it.

    Hosts of a cluster go with it, those of an infra-env that were given up too; hosts elsewhere stay. It is told as
    every commit is. Only clusters and infra-envs can be forgotten.
    """


class Committed(Record):
    """The news that a scope has a new version; sent to every replica after the commit."""

    scope: str
    version: int
    touches: tuple[str, ...] = ()
    """Other scopes whose views hold what was changed."""
    counts: tuple[str, ...] = ()
    """Infra-envs that have more or fewer hosts now; whatever else is known of them still holds."""


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

    async def lost(self) -> None:
        """Return once what was kept is found to be gone, or to be something else; `migrate` puts that right."""

    async def load(self, scope: str, *, gone: bool = False) -> Stored | None:
        """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""

    async def scopes(self, kind: str, *, gone: bool = False) -> tuple[str, ...]:
        """The live scopes of a kind (`cluster`, `infra-env`, `host`), oldest first; all of them if `gone`."""

    async def scope_of_host(self, infra_env_id: str, host_id: str) -> str | None:
        """The scope in which a host is now; None if it was never heard of or has been given up."""

    async def hosts_of(self, infra_env_id: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host of an infra-env, oldest first."""

    async def hosts_called(self, start: str) -> tuple[tuple[str, str], ...]:
        """Host id and scope of every live host whose id starts like that, oldest first."""

    async def commit(self, commit: Commit) -> Committed:
        """Write all of it and return the news; or raise `Conflict` (`Finished`) and write nothing."""

    async def claim_due(self, now: datetime, lease: timedelta, limit: int) -> tuple[str, ...]:
        """Take scopes whose deadline has come; no other replica gets them before the lease is over."""

    async def next_deadline(self) -> datetime | None:
        """The earliest deadline of any scope."""

    async def set_deadline(self, scope: str, version: int, deadline: datetime | None) -> None:
        """Note the next deadline of a scope that did not change (ignored if it has changed since)."""

    async def wake(self, now: datetime, horizon: Horizon) -> None:
        """Let a deadline come for clusters that have none, given up or not, and for infra-envs that live.

        So it is for clusters and infra-envs whose deadline lies behind the horizon.
        """

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

    async def is_ahead(self, cursor: str) -> bool:
        """Whether a cursor lies behind all rows there are, as one does that was given out before they were lost."""

    async def claim_effects(self, owner: str, now: datetime, lease: timedelta, limit: int) -> tuple[Lease, ...]:
        """Take effects that are due and not leased to a living worker."""

    async def beat(self, owner: str, ids: Sequence[str], until: datetime) -> frozenset[str]:
        """Stretch the leases of effects that are still being worked on; those of them that are still the owner's."""

    async def retry_effect(self, owner: str, effect_id: str, due: datetime, error: str) -> None:
        """Give an effect back to be tried again later."""

    async def release_effects(self, owner: str, now: datetime) -> None:
        """Let others have at once what a worker had leased that has died."""

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

    def missed(self) -> None:
        """Tell every subscriber here that anything may have changed."""

    def subscribe(self, hear: Callable[[Committed | None], None]) -> Callable[[], None]:
        """Hear all news from now on; None means some may have been missed. Returns the way to stop."""


Tell = Callable[[str], Awaitable[None]]
"""Lets the user see how far some work has come."""


class Releases(Protocol):
    """The releases on offer and the installers that are in them."""

    def catalogue(self) -> Catalogue:
        """Every release and system image there is."""

    async def images(self, cluster: Cluster) -> ReleaseImages:
        """The images of a cluster's release that its hosts are told of, as the release itself names them.

        `Invalid` or `Broken`, with the reason, if it is no release or cannot be read; `Unavailable` if it may be later.
        """

    async def assets(self, order: Order, tell: Tell) -> Assets:
        """What the installer of a release makes of a cluster: the configs of its roles, kubeconfig, password, metadata.

        It tells what it is at as soon as that may take a while.
        `Invalid` or `Broken`, with the reason, if it will never do so; `Unavailable` if it may another time.
        """

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress; `Invalid` if what was given is no certificate."""

    async def close(self) -> None:
        """Let go of every connection."""


class BaseFile(Record):
    """A system image on disk, whole and looked at."""

    path: Path
    live: Live
    modified: datetime
    digest: str
    """Another for every other content: the sha256 where it is known."""


class BaseImages(Protocol):
    """The system images that discovery images are made from, as files on disk."""

    async def run(self) -> None:
        """Fetch and check them for as long as the service runs."""

    def states(self) -> tuple[BaseImage, ...]:
        """How far each of them has come."""

    def unused(self) -> tuple[str, ...]:
        """The files beside them that belong to none, by name."""

    async def full(self, image: OsImage) -> BaseFile:
        """The image as it was published. Not there yet: `Unavailable`, `NotFound` or `Broken`, with how it stands."""

    async def minimal(self, image: OsImage) -> BaseFile:
        """The image without its system, made when first wanted; `Invalid` if it has none. Else as for the full one."""


class Networks(Protocol):
    """Who can read the network settings that users write for hosts."""

    async def read(self, documents: Sequence[str]) -> tuple[ReadNetwork, ...]:
        """What each document says, what is wrong with it, and the keyfiles it makes; in their order."""


class Names(Protocol):
    """Who keeps the domains in which the service may create names. All may be done again without harm.

    `Unavailable` if nobody answers just now, `Broken`, with the reason, if it will not be done.
    """

    async def found(self, names: Sequence[DnsName]) -> tuple[DnsName, ...]:
        """Where each of these names leads now, as far as there is such a name of its kind."""

    async def publish(self, names: Sequence[DnsName]) -> None:
        """Let each of these names lead where it says, wherever it has led before."""

    async def withdraw(self, names: Sequence[DnsName]) -> None:
        """Remove these names, as far as they still lead where they say."""


class Clock(Protocol):
    """The present moment."""

    def now(self) -> datetime:
        """The time now, in UTC."""


NewId = Callable[[], str]
"""Makes an id that nobody has."""
