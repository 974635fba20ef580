"""The service put together. Nothing else names an adapter."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable

from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.bus import LocalBus, PostgresBus
from muster.adapters.clock import SystemClock, new_id, new_key
from muster.adapters.releases.lab import LAB_OS_IMAGES, LAB_RELEASES, LabReleases
from muster.adapters.sql.postgres import Pool
from muster.adapters.sql.store import SqlStore
from muster.domain.errors import NotFound
from muster.domain.inputs.releases import read_os_images, read_releases
from muster.domain.releases import Catalogue
from muster.domain.views import View
from muster.ports import Blobs, Bus, Clock, Releases, Store
from muster.runtime.effects import Effects
from muster.runtime.engine import Engine
from muster.runtime.measures import Measures
from muster.runtime.settings import Settings, policy_from
from muster.runtime.ticker import Ticker


class Service:
    """Everything a face needs, running or about to."""

    def __init__(
        self, store: Store, bus: Bus, blobs: Blobs, *, releases: Releases, settings: Settings, clock: Clock
    ) -> None:
        self.store = store
        self.bus = bus
        self.blobs = blobs
        self.clock = clock
        self.settings = settings
        self.policy = policy_from(settings).but(catalogue=releases.catalogue())
        self.new_id: Callable[[], str] = new_id
        self.new_key: Callable[[], str] = new_key
        self.engine = Engine(store, bus, clock, self.policy)
        self.measures = Measures()
        self.engine.on_commit.append(self.measures.hear)
        self.ticker = Ticker(self.engine)
        self.effects = Effects(self.engine, blobs, releases, owner=new_id())
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
        await self.bus.start()
        self._tasks = [
            asyncio.create_task(each) for each in (self.ticker.run(), self.effects.run(), self.engine.presence.run())
        ]

    async def stop(self) -> None:
        """Finish what is under way, write down what is new, let go."""
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.engine.close()
        await self.bus.close()
        await self.store.close()


def build(settings: Settings) -> Service:
    """The service that the settings ask for."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    offered = Catalogue(
        releases=(*LAB_RELEASES, *read_releases(settings.release_images)),
        os_images=(*LAB_OS_IMAGES, *read_os_images(settings.os_images)),
    ).without(settings.ignored_versions)
    releases = LabReleases(offered.releases, offered.os_images)
    url = settings.database_url
    origin = new_id()
    pool = Pool(connections=settings.db_connections, lifetime=settings.db_lifetime)
    store = SqlStore(url, origin=origin, pool=pool)
    bus: Bus = LocalBus() if url.startswith("sqlite") else PostgresBus(url, origin)
    blobs = ObstoreBlobs(settings.storage_url, settings.s3_login)
    return Service(store, bus, blobs, releases=releases, settings=settings, clock=SystemClock())
