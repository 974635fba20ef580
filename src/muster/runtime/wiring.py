"""The service put together. Nothing else names an adapter."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from pathlib import Path

from muster.adapters.base_images import Asking, BaseImageFolder, Keeping
from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.bus import LocalBus, PostgresBus
from muster.adapters.clock import SystemClock, new_id, new_key
from muster.adapters.machine.nmstatectl import Nmstatectl
from muster.adapters.memory import FakeClock
from muster.adapters.names import Login, Route53, SharedLogins
from muster.adapters.networks import OwnNetworks
from muster.adapters.recorded import RecordedBlobs, RecordedStore, opened
from muster.adapters.registry import Reaching, Registry, mirrors_in
from muster.adapters.releases import tools
from muster.adapters.releases.lab import LAB_OS_IMAGES, LAB_RELEASES, LabReleases
from muster.adapters.releases.offered import OfferedReleases
from muster.adapters.releases.openshift_install import OpenshiftInstall, Running
from muster.adapters.releases.payload import Payloads
from muster.adapters.sql.postgres import Pool
from muster.adapters.sql.store import SqlStore
from muster.adapters.workers import Workers
from muster.domain.cleaning import horizon
from muster.domain.errors import NotFound
from muster.domain.inputs.releases import read_os_images, read_releases
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, OsImage, minor
from muster.domain.views import View
from muster.ports import BaseImages, Blobs, Bus, Clock, Names, Networks, Releases, Store
from muster.runtime.effects import Effects
from muster.runtime.engine import Engine
from muster.runtime.measures import Measures
from muster.runtime.names import NOBODY
from muster.runtime.recovery import Recovery
from muster.runtime.settings import Settings, policy_from
from muster.runtime.settings.files import trust_in
from muster.runtime.ticker import Ticker


class Service:
    """Everything a face needs, running or about to."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        blobs: Blobs,
        *,
        base_images: BaseImages,
        releases: Releases,
        settings: Settings,
        clock: Clock,
        names: Names = NOBODY,
        policy: Policy | None = None,
    ) -> None:
        self.store = store
        self.bus = bus
        self.blobs = blobs
        self.base_images = base_images
        self.networks = _networks()
        self.names = names
        self.clock = clock
        self.settings = settings
        self.policy = policy or policy_from(settings).but(catalogue=releases.catalogue())
        self.new_id: Callable[[], str] = new_id
        self.new_key: Callable[[], str] = new_key
        self.engine = Engine(store, bus, clock, self.policy)
        self.measures = Measures()
        self.engine.on_commit.append(self.measures.hear)
        self.ticker = Ticker(self.engine)
        self.recovery = Recovery(store, bus)
        self._worker = new_id()
        self._workers = Workers(settings.folder / "workers")
        self.effects = Effects(self.engine, blobs, releases, owner=self._worker, names=names)
        self._releases = releases
        self._tasks: list[asyncio.Task[None]] = []

    async def views(self, kind: str) -> list[View]:
        """Every live scope of a kind, oldest first."""
        scopes = await self.store.scopes(kind)
        return [self.engine.present(await self.engine.view(scope)) for scope in scopes]

    async def each(self, kind: str, *, gone: bool = False) -> AsyncGenerator[View]:
        """Every live scope of a kind, oldest first, one at a time; with `gone`, also what was given up."""
        look = self.engine.remembered if gone else self.engine.glance
        for scope in await self.store.scopes(kind, gone=gone):
            try:
                view = await look(scope)
            except NotFound:
                # It was there when the list was made.
                continue
            yield self.engine.present(view)

    async def start(self) -> None:
        """Bring the store up to date and set the clockwork going."""
        await self.store.migrate()
        if self.policy.gives_up_clusters or self.policy.forgets:
            # What was written while nothing was cleared away, or later than now, has no deadline for it, or a late one.
            now = self.clock.now()
            await self.store.wake(now, horizon(self.policy, now))
        await self._take_over()
        await self.bus.start()
        self._tasks = [
            asyncio.create_task(each)
            for each in (
                self.ticker.run(),
                self.effects.run(),
                self.engine.presence.run(),
                self.recovery.run(),
                self.base_images.run(),
            )
        ]

    async def _take_over(self) -> None:
        """Go on with what those were at who were killed in this folder."""
        self._workers.enlist(self._worker)
        for name in self._workers.dead():
            await self.store.release_effects(name, self.clock.now())
            self._workers.bury(name)

    async def stop(self) -> None:
        """Finish what is under way, write down what is new, let go."""
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._workers.leave()
        await self._releases.close()
        await self.engine.close()
        await self.bus.close()
        await self.store.close()


def build(settings: Settings) -> Service:
    """The service that the settings ask for."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    offered = Catalogue(
        releases=(*LAB_RELEASES, *read_releases(settings.release_images)),
        os_images=_os_images(settings),
    ).without(settings.ignored_versions)
    releases = _releases(settings, offered)
    url = settings.database_url
    origin = new_id()
    pool = Pool(connections=settings.db_connections, lifetime=settings.db_lifetime)
    store = SqlStore(url, origin=origin, pool=pool)
    bus: Bus = LocalBus() if url.startswith("sqlite") else PostgresBus(url, origin)
    blobs = ObstoreBlobs(settings.storage_url, settings.s3_login)
    clock = SystemClock()
    base_images = _base_images(settings, offered, clock)
    return Service(
        store,
        bus,
        blobs,
        base_images=base_images,
        releases=releases,
        settings=settings,
        clock=clock,
        names=_names(settings, clock),
    )


def replayed(file: Path, at: datetime | None, settings: Settings) -> Service:
    """A service that shows what a recording holds, its clock standing at that moment. It is not to be started."""
    recording = opened(file, at)
    policy, clock = recording.head.policy, FakeClock(recording.head.taken_at)
    return Service(
        RecordedStore(recording),
        LocalBus(),
        RecordedBlobs(),
        base_images=_base_images(settings, Catalogue(), clock),
        releases=LabReleases(policy.catalogue.releases, policy.catalogue.os_images),
        settings=settings,
        clock=clock,
        policy=policy,
    )


def _releases(settings: Settings, offered: Catalogue) -> Releases:
    """The releases on offer, and how their installers are fetched and run."""
    ways, folder = settings.installers, settings.folder / "installers"
    mirrors = trust_in(settings.discovery).mirrors
    registry = Registry(Reaching(mirrored=mirrors_in(mirrors.registries), ca=mirrors.ca))
    keeping = tools.Keeping(
        folder=folder,
        capacity=ways.installer_cache,
        oc=shutil.which("oc") or "",
        fips=tools.keeps_to_fips(),
    )
    payloads = Payloads(registry, folder)
    lent = tools.Tools(registry, payloads, keeping)
    running = Running(
        folder=settings.folder / "install-config-generate",
        invoker=ways.install_invoker,
        patience=ways.installer_timeout,
        certificates=ways.cluster_certificates,
    )
    real = OpenshiftInstall(lent.binary, running, asyncio.Semaphore(ways.installers_at_once))
    real.tidy()
    lent.tidy()
    return OfferedReleases(offered, real, payloads, ways.installer)


def _names(settings: Settings, clock: Clock) -> Names:
    """Who keeps the domains in which names are created. Names of clusters may be older than the settings."""
    ways = settings.names
    given = Login(key_id=settings.s3_key_id, key=settings.s3_key) if settings.s3_key else None
    return Route53(SharedLogins(file=ways.logins_file, part=ways.logins_part, given=given), clock, ways.route53_url)


def _networks() -> Networks:
    """Who reads network settings: nmstate itself converts them where it is installed."""
    program = shutil.which("nmstatectl")
    return OwnNetworks() if program is None else Nmstatectl(program)


def _os_images(settings: Settings) -> tuple[OsImage, ...]:
    """The system images that were configured, and where there are none for a minor version, the lab's."""
    given = read_os_images(settings.os_images)
    has = {(minor(each.openshift_version), each.cpu_architecture) for each in given}
    return (
        *given,
        *(each for each in LAB_OS_IMAGES if (minor(each.openshift_version), each.cpu_architecture) not in has),
    )


def _base_images(settings: Settings, offered: Catalogue, clock: Clock) -> BaseImages:
    """The files of the system images; the lab's machines start from none."""
    ways = settings.base_images
    return BaseImageFolder(
        settings.images_folder,
        (each.but(url="") if each in LAB_OS_IMAGES else each for each in offered.os_images),
        clock=clock,
        asking=Asking(
            headers=ways.images_headers,
            query=ways.images_query,
            ca_file=ways.images_ca_file,
            insecure=ways.images_insecure,
        ),
        keeping=Keeping(eager=ways.images_fetched == "start", tidy=ways.images_tidied),
    )
