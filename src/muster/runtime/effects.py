"""Slow work: rows that are leased, done, answered by a trigger; whoever dies is replaced.

Work that nobody wants any more is called back in the middle: at once if that was decided here, with the next beat if it
was decided elsewhere. So is work whose lease was lost, since another worker is at it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import NamedTuple

import structlog

from muster.domain.accepts.controllers import TAKES_STAGES
from muster.domain.artifacts.host_ignition import host_ignition, ignition_name
from muster.domain.clusters import Cluster
from muster.domain.effects import (
    AnyEffect,
    DeleteFiles,
    GenerateFiles,
    GenerateHostIgnition,
    GiveUpHosts,
    PublishKubeconfig,
    WithdrawNames,
)
from muster.domain.errors import Finished, Invalid, NotFound, Unavailable
from muster.domain.triggers import (
    DeleteHost,
    FilesDeleted,
    HostIgnitionStored,
    KubeconfigDelayed,
    KubeconfigPublished,
    Prepared,
    Ticked,
    Trigger,
)
from muster.domain.views import cluster_scope
from muster.ports import Blobs, Commit, Lease, Names, Releases

from .engine import Engine, Sender
from .manifests import marked
from .names import NOBODY, withdraw
from .preparation import Unprepared, awaited, is_awaited, prepared

LEASE = timedelta(seconds=15)
BEAT = 5.0
AT_ONCE = 20
"""How much is under way in one process. Most of it waits: for the storage, a registry, or an installer's turn."""

LONGEST_SLEEP = 15.0
"""How late we may notice what another replica has left behind; our own work wakes us."""

SHORTEST_SLEEP = 0.1
"""How long we leave to another replica what it has just taken."""

LONGEST_WAIT = timedelta(minutes=1)

TRIES = 6
"""How often a release may be out of reach until its user is told; with the waits between, about a minute."""

log = structlog.get_logger()

WORKER = Sender(actor="worker")


class Held(NamedTuple):
    """Work under way."""

    lease: Lease
    work: asyncio.Task[Trigger]
    """The work itself; who cancels it calls it back, and nothing comes of it."""
    task: asyncio.Task[None]
    """The work and its answer; who cancels it leaves the work to others."""


class Effects:
    """Claims effects and runs them, a few at a time."""

    def __init__(self, engine: Engine, blobs: Blobs, releases: Releases, owner: str, names: Names = NOBODY) -> None:
        self._engine = engine
        self._blobs = blobs
        self._releases = releases
        self._owner = owner
        self._names = names
        self._wake = asyncio.Event()
        self._held: dict[str, Held] = {}
        self._unwanted: set[str] = set()
        """Of what is held, what was called back."""
        engine.on_commit.append(self._hear)

    async def run(self) -> None:
        """Work for as long as the service runs."""
        beat = asyncio.create_task(self._beat())
        try:
            while True:
                await self._round()
        finally:
            tasks = (beat, *(held.task for held in self._held.values()))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def claim(self) -> tuple[asyncio.Task[None], ...]:
        """Take what is due, as far as there are hands free, and begin it."""
        free = AT_ONCE - len(self._held)
        if free <= 0:
            return ()
        for lease in await self._engine.store.claim_effects(self._owner, self._engine.clock.now(), LEASE, free):
            work = asyncio.create_task(self._answer(lease))
            self._held[lease.id] = Held(lease, work, asyncio.create_task(self._work(lease, work)))
        return tuple(held.task for held in self._held.values())

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

    async def _work(self, lease: Lease, work: asyncio.Task[Trigger]) -> None:
        try:
            answer = await self._end_of(lease, work)
            await self._engine.submit(lease.scope, answer, WORKER, finishes=lease.id)
        except asyncio.CancelledError:
            # Whoever comes next need not wait until the lease is over.
            await self._give_back(lease, timedelta(), "stopped")
            raise
        except (Finished, NotFound):
            log.info("an effect was finished elsewhere or is no longer wanted", effect=lease.id)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the work is tried again
            await self._retry(lease, error)
        finally:
            del self._held[lease.id]
            self._unwanted.discard(lease.id)
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
        await self._give_back(lease, wait, type(error).__name__)

    async def _give_back(self, lease: Lease, wait: timedelta, reason: str) -> None:
        with contextlib.suppress(Unavailable):
            await self._engine.store.retry_effect(self._owner, lease.id, self._engine.clock.now() + wait, reason)

    async def _beat(self) -> None:
        """Keep the leases of work under way."""
        while True:
            await asyncio.sleep(BEAT)
            with contextlib.suppress(Unavailable):
                await self.beat()

    async def beat(self) -> None:
        """Keep the leases of work under way; work that is another's by now, or nobody's, is not gone on with."""
        under_way = tuple(held for held in self._held.values() if not held.work.done())
        if not under_way:
            return
        ids = tuple(held.lease.id for held in under_way)
        mine = await self._engine.store.beat(self._owner, ids, self._engine.clock.now() + LEASE)
        for held in under_way:
            if held.lease.id not in mine and not held.work.done():
                log.warning("a lease was lost; the work is left to whoever has it now", effect=held.lease.id)
                held.task.cancel()
            elif not await self._is_wanted(held.lease):
                self._call_back(held)

    async def _is_wanted(self, lease: Lease) -> bool:
        effect = lease.effect
        return not isinstance(effect, GenerateFiles) or await awaited(effect, self._engine) is not None

    def _call_back(self, held: Held) -> None:
        if held.work.done():
            return
        log.info("nobody wants what is being worked on any more; it is stopped", effect=held.lease.id)
        self._unwanted.add(held.lease.id)
        held.work.cancel()

    async def _end_of(self, lease: Lease, work: asyncio.Task[Trigger]) -> Trigger:
        """What came of the work; nothing if it was called back."""
        try:
            return await work
        except asyncio.CancelledError:
            here = asyncio.current_task()
            if lease.id not in self._unwanted or (here is not None and here.cancelling()):
                raise
            return Ticked()

    def _hear(self, commit: Commit) -> None:
        if commit.effects:
            self._wake.set()
        for held in self._held.values():
            if held.lease.scope == commit.scope and _ends(commit, held.lease.effect):
                self._call_back(held)

    async def perform(self, effect: AnyEffect) -> Trigger:
        """Do the work and say what came of it."""
        work: Callable[[AnyEffect], Awaitable[Trigger]] = self._by_kind[type(effect)].__get__(self)
        return await work(effect)

    async def _generate(self, effect: GenerateFiles) -> Trigger:
        return await prepared(effect, self._engine, self._blobs, self._releases, self._names)

    async def _publish(self, effect: PublishKubeconfig) -> Trigger:
        cluster = await self._cluster(effect.cluster_id)
        if cluster.preparation.attempt != effect.attempt or cluster.status not in TAKES_STAGES:
            return Ticked()
        try:
            return await self._kubeconfig(effect)
        except Unavailable as error:
            delayed = KubeconfigDelayed(reason=str(error))
            await self._engine.submit(cluster_scope(effect.cluster_id), delayed, WORKER)
            raise

    async def _kubeconfig(self, effect: PublishKubeconfig) -> Trigger:
        try:
            plain = await self._blobs.get(f"{effect.cluster_id}/kubeconfig-noingress")
        except NotFound as error:
            raise Unavailable(
                f"The storage has lost the kubeconfig of {effect.cluster_id}; `muster restore` brings it back, "
                "or the cluster is reset and installed again"
            ) from error
        try:
            trusting = self._releases.with_ingress(plain, effect.ingress_ca)
        except Invalid as error:
            log.warning("an ingress certificate was of no use", cluster=effect.cluster_id, error=str(error))
            return Ticked()
        await self._blobs.put(f"{effect.cluster_id}/kubeconfig", trusting)
        return KubeconfigPublished()

    async def _cluster(self, cluster_id: str) -> Cluster:
        """A cluster as it is, which may be later than what this replica has heard of it."""
        self._engine.forget(cluster_scope(cluster_id))
        cluster = (await self._engine.view(cluster_scope(cluster_id))).cluster
        assert cluster is not None
        return cluster

    async def _generate_of_host(self, effect: GenerateHostIgnition) -> Trigger:
        view = await self._engine.view(cluster_scope(effect.cluster_id))
        host = view.hosts.get(effect.host_id)
        if view.cluster is None or host is None:
            return Ticked()
        await self._blobs.put(f"{effect.cluster_id}/{ignition_name(host)}", host_ignition(view.cluster, host))
        return HostIgnitionStored(host_id=host.id)

    async def _delete(self, effect: DeleteFiles) -> Trigger:
        await self._stopped(effect.cluster_id)
        keys = await self._blobs.keys(f"{effect.cluster_id}/")
        kept = frozenset() if effect.everything else marked(keys).union(key for key in keys if "/logs/" in key)
        if not effect.everything and (await self._cluster(effect.cluster_id)).preparation.attempt > effect.attempt:
            # The storage was away for long: by now there may be files of an attempt that began later.
            return Ticked()
        await self._blobs.delete([key for key in keys if key not in kept])
        if not effect.everything:
            return Ticked()
        # Of a cluster that is forgotten nothing else tells.
        log.info("the last files of a cluster are gone; the cluster is forgotten", cluster=effect.cluster_id)
        return FilesDeleted()

    async def _stopped(self, cluster_id: str) -> None:
        """Return once those have stopped who make files that are to be deleted."""
        scope = cluster_scope(cluster_id)
        stopping = [
            held.task for held in self._held.values() if held.lease.scope == scope and held.lease.id in self._unwanted
        ]
        if stopping:
            await asyncio.wait(stopping)

    async def _give_up(self, effect: GiveUpHosts) -> Trigger:
        for host_id, scope in await self._engine.store.hosts_of(effect.infra_env_id):
            await self._engine.submit(scope, DeleteHost(host_id=host_id), WORKER)
        return Ticked()

    async def _withdraw(self, effect: WithdrawNames) -> Trigger:
        return await withdraw(effect, self._engine, self._names)

    _by_kind = {
        GenerateFiles: _generate,
        GenerateHostIgnition: _generate_of_host,
        PublishKubeconfig: _publish,
        DeleteFiles: _delete,
        GiveUpHosts: _give_up,
        WithdrawNames: _withdraw,
    }


def _ends(commit: Commit, effect: AnyEffect) -> bool:
    """Whether nobody wants the work any more, now that this was decided."""
    clusters = (change.new for change in commit.changes if isinstance(change.new, Cluster))
    return isinstance(effect, GenerateFiles) and any(not is_awaited(each, effect) for each in clusters)
