"""Slow work: rows that are leased, done, answered by a trigger; whoever dies is replaced."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from muster.domain.artifacts.host_ignition import host_ignition, ignition_name
from muster.domain.effects import (
    AnyEffect,
    DeleteFiles,
    GenerateFiles,
    GenerateHostIgnition,
    GiveUpHosts,
    PublishKubeconfig,
)
from muster.domain.errors import Finished, Invalid, NotFound, Unavailable
from muster.domain.triggers import (
    DeleteHost,
    FilesDeleted,
    HostIgnitionStored,
    KubeconfigPublished,
    Prepared,
    Ticked,
    Trigger,
)
from muster.domain.views import cluster_scope
from muster.ports import Blobs, Commit, Lease, Releases

from .engine import Engine, Sender
from .manifests import marked
from .preparation import Unprepared, prepared

LEASE = timedelta(seconds=15)
BEAT = 5.0
AT_ONCE = 4
LONGEST_SLEEP = 15.0
"""How late we may notice what another replica has left behind; our own work wakes us."""

SHORTEST_SLEEP = 0.1
"""How long we leave to another replica what it has just taken."""

LONGEST_WAIT = timedelta(minutes=1)

TRIES = 6
"""How often a release may be out of reach until its user is told; with the waits between, about a minute."""

log = structlog.get_logger()

WORKER = Sender(actor="worker")


class Effects:
    """Claims effects and runs them, a few at a time."""

    def __init__(self, engine: Engine, blobs: Blobs, releases: Releases, owner: str) -> None:
        self._engine = engine
        self._blobs = blobs
        self._releases = releases
        self._owner = owner
        self._wake = asyncio.Event()
        self._held: dict[str, asyncio.Task[None]] = {}
        engine.on_commit.append(self._hear)

    async def run(self) -> None:
        """Work for as long as the service runs."""
        beat = asyncio.create_task(self._beat())
        try:
            while True:
                await self._round()
        finally:
            for task in (beat, *self._held.values()):
                task.cancel()
            await asyncio.gather(beat, *self._held.values(), return_exceptions=True)

    async def claim(self) -> tuple[asyncio.Task[None], ...]:
        """Take what is due, as far as there are hands free, and begin it."""
        free = AT_ONCE - len(self._held)
        if free <= 0:
            return ()
        for lease in await self._engine.store.claim_effects(self._owner, self._engine.clock.now(), LEASE, free):
            self._held[lease.id] = asyncio.create_task(self._work(lease))
        return tuple(self._held.values())

    async def _round(self) -> None:
        self._wake.clear()
        try:
            wait = await self._until_due()
            if wait <= 0.0:
                await self.claim()
                wait = await self._until_due()
        except Unavailable as error:
            log.warning("the store does not answer; the workers wait", error=str(error))
            wait = LONGEST_SLEEP
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(max(wait, SHORTEST_SLEEP), LONGEST_SLEEP)):
                await self._wake.wait()

    async def _until_due(self) -> float:
        """Seconds until there is something to take."""
        if len(self._held) >= AT_ONCE:
            return LONGEST_SLEEP
        due = await self._engine.store.next_effect()
        return LONGEST_SLEEP if due is None else (due - self._engine.clock.now()).total_seconds()

    async def _work(self, lease: Lease) -> None:
        try:
            answer = await self._answer(lease)
            await self._engine.submit(lease.scope, answer, WORKER, finishes=lease.id)
        except (Finished, NotFound):
            log.info("an effect was finished elsewhere or is no longer wanted", effect=lease.id)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the work is tried again
            await self._retry(lease, error)
        finally:
            del self._held[lease.id]
            self._wake.set()

    async def _answer(self, lease: Lease) -> Trigger:
        """What came of the work. That a release is out of reach is an answer too, once it has been so for long."""
        try:
            return await self.perform(lease.effect)
        except Unprepared as error:
            if lease.attempts < TRIES or not isinstance(lease.effect, GenerateFiles):
                raise
            return Prepared(attempt=lease.effect.attempt, failure=str(error))

    async def _retry(self, lease: Lease, error: Exception) -> None:
        wait = min(timedelta(seconds=2 ** min(lease.attempts, 10)), LONGEST_WAIT)
        log.warning(
            "an effect failed and will be tried again", effect=lease.id, attempts=lease.attempts, error=repr(error)
        )
        with contextlib.suppress(Unavailable):
            await self._engine.store.retry_effect(
                self._owner, lease.id, self._engine.clock.now() + wait, type(error).__name__
            )

    async def _beat(self) -> None:
        """Keep the leases of work under way."""
        while True:
            await asyncio.sleep(BEAT)
            if self._held:
                with contextlib.suppress(Unavailable):
                    until = self._engine.clock.now() + LEASE
                    await self._engine.store.beat(self._owner, tuple(self._held), until)

    def _hear(self, commit: Commit) -> None:
        if commit.effects:
            self._wake.set()

    async def perform(self, effect: AnyEffect) -> Trigger:
        """Do the work and say what came of it."""
        work: Callable[[AnyEffect], Awaitable[Trigger]] = self._by_kind[type(effect)].__get__(self)
        return await work(effect)

    async def _generate(self, effect: GenerateFiles) -> Trigger:
        return await prepared(effect, self._engine, self._blobs, self._releases)

    async def _publish(self, effect: PublishKubeconfig) -> Trigger:
        try:
            plain = await self._blobs.get(f"{effect.cluster_id}/kubeconfig-noingress")
        except NotFound as error:
            raise Unavailable(
                f"The storage has lost the kubeconfig of {effect.cluster_id}; only `muster restore` brings it back"
            ) from error
        try:
            trusting = self._releases.with_ingress(plain, effect.ingress_ca)
        except Invalid as error:
            log.warning("an ingress certificate was of no use", cluster=effect.cluster_id, error=str(error))
            return Ticked()
        await self._blobs.put(f"{effect.cluster_id}/kubeconfig", trusting)
        return KubeconfigPublished()

    async def _generate_of_host(self, effect: GenerateHostIgnition) -> Trigger:
        view = await self._engine.view(cluster_scope(effect.cluster_id))
        host = view.hosts.get(effect.host_id)
        if view.cluster is None or host is None:
            return Ticked()
        await self._blobs.put(f"{effect.cluster_id}/{ignition_name(host)}", host_ignition(view.cluster, host))
        return HostIgnitionStored(host_id=host.id)

    async def _delete(self, effect: DeleteFiles) -> Trigger:
        keys = await self._blobs.keys(f"{effect.cluster_id}/")
        kept = frozenset() if effect.everything else marked(keys).union(key for key in keys if "/logs/" in key)
        await self._blobs.delete([key for key in keys if key not in kept])
        if not effect.everything:
            return Ticked()
        # Of a cluster that is forgotten nothing else tells.
        log.info("the last files of a cluster are gone; the cluster is forgotten", cluster=effect.cluster_id)
        return FilesDeleted()

    async def _give_up(self, effect: GiveUpHosts) -> Trigger:
        for host_id, scope in await self._engine.store.hosts_of(effect.infra_env_id):
            await self._engine.submit(scope, DeleteHost(host_id=host_id), WORKER)
        return Ticked()

    _by_kind = {
        GenerateFiles: _generate,
        GenerateHostIgnition: _generate_of_host,
        PublishKubeconfig: _publish,
        DeleteFiles: _delete,
        GiveUpHosts: _give_up,
    }
