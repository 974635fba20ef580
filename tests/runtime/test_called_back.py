"""Work that nobody wants any more is stopped in the middle, and nothing comes of it."""

import asyncio
from datetime import timedelta

import pytest

from builders import NOW, a_policy, a_ready_view
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.lab import LabReleases
from muster.domain.clusters import ClusterState, PreparationStatus
from muster.domain.effects import GenerateFiles
from muster.domain.errors import Unavailable
from muster.domain.hosts import HostState
from muster.domain.triggers import Cancel, DeleteCluster, PreparationReported, Reset
from muster.domain.views import cluster_scope
from muster.ports import Change, Commit
from muster.runtime import effects
from muster.runtime.effects import LEASE, Effects
from muster.runtime.engine import Engine

VIEW = a_ready_view(masters=3)
CLUSTER = VIEW.cluster.id
SCOPE = cluster_scope(CLUSTER)
WAYS = pytest.mark.parametrize("asked", [Cancel(), Reset(), DeleteCluster()], ids=["cancel", "reset", "delete"])


class Endless(LabReleases):
    """A release whose installer does not come to its end."""

    def __init__(self):
        super().__init__()
        self.begun = asyncio.Event()
        self.stopped = False

    async def assets(self, order, tell):
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise


class World:
    """A cluster whose files are being made, without end."""

    def __init__(self):
        self.clock = FakeClock(NOW)
        self.store = MemoryStore(clock=self.clock)
        self.blobs = MemoryBlobs()
        self.releases = Endless()
        self.engine = self.replica()

    def replica(self):
        """A replica that hears nothing of what others decide."""
        return Engine(self.store, MemoryBus(), self.clock, a_policy())

    def worker(self, owner):
        return Effects(self.engine, self.blobs, self.releases, owner)

    async def begin(self):
        before = VIEW.cluster.preparation
        preparing = VIEW.cluster.but(
            status=ClusterState.PREPARING, preparation=before.but(attempt=1, status=PreparationStatus.NOT_STARTED)
        )
        hosts = [host.but(cluster_id=CLUSTER, status=HostState.PREPARING) for host in VIEW.living]
        records = (preparing, *hosts, *VIEW.infra_envs.values())
        await self.store.commit(
            Commit(
                scope=SCOPE,
                version=0,
                at=NOW,
                actor="t",
                triggers=("T",),
                changes=tuple(Change(old=None, new=each) for each in records),
                effects=(GenerateFiles(cluster_id=CLUSTER, attempt=1),),
            )
        )
        self.effects = self.worker("mine")
        (self.task,) = await self.effects.claim()
        await self.releases.begun.wait()
        return self

    async def over(self):
        """The record of the cluster once the work has ended, of which nothing was left."""
        await asyncio.wait([self.task], timeout=5)
        assert self.task.done()
        assert self.releases.stopped
        assert not [key for key in await self.blobs.keys(f"{CLUSTER}/") if "/manifests/" not in key]
        left = await self.store.claim_effects("another", self.clock.now() + 2 * LEASE, LEASE, 10)
        assert not [each for each in left if isinstance(each.effect, GenerateFiles)]
        return (await self.replica().remembered(SCOPE)).cluster


@pytest.fixture
async def world():
    return await World().begin()


@WAYS
async def test_whoever_makes_files_stops_as_soon_as_they_are_not_wanted(world, asked):
    decision = await world.engine.submit(SCOPE, asked)
    cluster = await world.over()
    assert cluster.status is decision.view.cluster.status
    assert cluster.preparation.status is PreparationStatus.NOT_STARTED
    assert cluster.openshift_cluster_id == ""


@WAYS
async def test_what_another_replica_was_told_is_noticed_with_the_next_beat(world, asked):
    await world.replica().submit(SCOPE, asked)
    assert not world.task.done()
    await world.effects.beat()
    await world.over()


async def test_a_cluster_that_was_forgotten_wants_nothing(world):
    await world.store.commit(Commit(scope=SCOPE, version=2, at=NOW, actor="t", triggers=("T",), forgotten=True))
    await world.effects.beat()
    await asyncio.wait([world.task], timeout=5)
    assert world.releases.stopped


async def test_work_that_is_wanted_goes_on(world):
    await world.engine.submit(SCOPE, PreparationReported(attempt=1, words="well"))
    await world.effects.beat()
    assert not world.task.done()
    world.task.cancel()
    await asyncio.gather(world.task, return_exceptions=True)


async def test_work_whose_lease_was_lost_is_left_to_whoever_has_it(world):
    world.clock.advance(LEASE + timedelta(seconds=1))
    (lease,) = await world.store.claim_effects("another", world.clock.now(), LEASE, 1)
    await world.effects.beat()
    await asyncio.wait([world.task], timeout=5)
    assert world.releases.stopped
    assert await world.store.beat("another", [lease.id], world.clock.now() + LEASE) == {lease.id}


async def test_a_service_that_ends_leaves_its_work_to_the_next_at_once(world):
    running = asyncio.create_task(world.effects.run())
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert world.releases.stopped
    assert await world.store.claim_effects("another", world.clock.now(), LEASE, 1)


async def test_a_store_that_does_not_answer_in_a_beat_is_asked_again(world, monkeypatch):
    asked = asyncio.Queue()

    async def beat(*_):
        await asked.put(None)
        raise Unavailable("the database does not answer")

    monkeypatch.setattr(effects, "BEAT", 0)
    monkeypatch.setattr(world.store, "beat", beat)
    running = asyncio.create_task(world.effects.run())
    await asked.get()
    await asked.get()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert world.releases.stopped


class Slow(MemoryBlobs):
    """A storage in which the first file takes its time, and is there then, whoever has gone meanwhile."""

    def __init__(self):
        super().__init__()
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def put(self, key, data):
        self.begun.set()
        await self.may_end.wait()
        await super().put(key, data)


@pytest.mark.parametrize("asked", [Reset(), DeleteCluster()], ids=["reset", "delete"])
async def test_what_is_being_stored_when_it_is_not_wanted_any_more_is_cleared_away_with_the_rest(asked):
    world = World()
    world.blobs, world.releases = Slow(), LabReleases()
    world.releases.begun = world.blobs.begun
    await world.begin()
    await world.engine.submit(SCOPE, asked)
    tasks = await world.effects.claim()
    assert len(tasks) == 2
    await asyncio.sleep(0)
    world.blobs.may_end.set()
    await asyncio.gather(*tasks)
    assert await world.blobs.keys(f"{CLUSTER}/") == ()


async def test_no_more_is_stored_once_it_is_heard_that_nobody_wants_it():
    world = World()
    world.blobs, world.releases = Slow(), LabReleases()
    world.releases.begun = world.blobs.begun
    await world.begin()
    await world.replica().submit(SCOPE, Cancel())
    world.engine.forget(SCOPE)
    world.blobs.may_end.set()
    await world.task
    assert len(await world.blobs.keys(f"{CLUSTER}/")) == 1
    assert (await world.replica().view(SCOPE)).cluster.openshift_cluster_id == ""


async def test_work_that_is_broken_off_by_nobody_of_us_is_left_to_be_done_again(world):
    held = world.effects._held
    next(iter(held.values())).work.cancel()
    await asyncio.gather(world.task, return_exceptions=True)
    assert held == {}
    assert await world.store.claim_effects("another", world.clock.now(), LEASE, 1)
