"""The clockwork clears away what nobody wants any more: once, whole, on every replica, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from builders import NOW, a_machine, a_policy
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.lab import LabReleases
from muster.adapters.sql import SqlStore
from muster.domain.cleaning import horizon
from muster.domain.errors import NotFound, Unavailable
from muster.domain.events import EventQuery
from muster.domain.inputs.clusters import ClusterCreate
from muster.domain.inputs.infra_envs import InfraEnvCreate
from muster.domain.triggers import (
    BindHost,
    DeleteCluster,
    RegisterCluster,
    Registered,
    RegisterInfraEnv,
    Replied,
    Ticked,
)
from muster.domain.views import cluster_scope, host_scope, infra_env_scope
from muster.runtime.effects import Effects
from muster.runtime.engine import Engine
from muster.runtime.ticker import Ticker

CLUSTER = "10000000-0000-4000-8000-000000000001"
OTHER = "10000000-0000-4000-8000-000000000002"
INFRA_ENV = "20000000-0000-4000-8000-000000000001"
HOST = "30000000-0000-4000-8000-000000000001"
SCOPE, POOL, LOOSE = cluster_scope(CLUSTER), infra_env_scope(INFRA_ENV), host_scope(INFRA_ENV, HOST)
SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'
LOGS = f"{CLUSTER}/logs/h/logs.tar.gz"
DAY = timedelta(days=1)
INACTIVITY = timedelta(hours=480, seconds=1)
KEPT = timedelta(hours=72, seconds=1)


class Moody(MemoryBlobs):
    """A storage that sometimes does not answer."""

    answers = True

    async def keys(self, prefix):
        if not self.answers:
            raise Unavailable("The storage does not answer")
        return await super().keys(prefix)


class Replica:
    """One process of several: an engine, its clockwork and its worker."""

    def __init__(self, world, store, owner):
        self.engine = Engine(store, world.bus, world.clock, world.policy)
        self.ticker = Ticker(self.engine)
        self.worker = Effects(self.engine, world.blobs, LabReleases(), owner)


class World:
    """Two replicas on one store, and a clock that goes when it is told to."""

    def __init__(self, stores, policy):
        self.clock, self.bus, self.blobs, self.policy = FakeClock(NOW), MemoryBus(), Moody(), policy
        self.store = stores[0]
        self.replicas = [Replica(self, store, f"w{number}") for number, store in enumerate(stores)]
        self.engine = self.replicas[0].engine

    async def starts_again(self, **policy):
        """As a service does, with times that may be others."""
        for replica in self.replicas:
            replica.engine.policy = a_policy(**policy)
            replica.engine.forget(SCOPE, cluster_scope(OTHER), POOL)
        await self.store.wake(self.clock.now(), horizon(self.engine.policy, self.clock.now()))

    async def describe(self, cluster_id=CLUSTER):
        inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET, base_dns_domain="example.com")
        await self.engine.submit(cluster_scope(cluster_id), RegisterCluster(cluster_id=cluster_id, inputs=inputs))

    async def fill_the_pool(self):
        inputs = InfraEnvCreate(name="pool", pull_secret=SECRET)
        await self.engine.submit(POOL, RegisterInfraEnv(infra_env_id=INFRA_ENV, inputs=inputs))
        await self.engine.submit(LOOSE, Registered(host_id=HOST, infra_env_id=INFRA_ENV, agent_version="1"))
        self.heard()

    def heard(self):
        self.engine.presence.note(INFRA_ENV, HOST, self.clock.now())

    async def passes(self, time):
        """Time goes by, and both replicas do what is due at once."""
        await self.engine.presence.flush()
        self.clock.advance(time)
        for _ in range(3):
            await asyncio.gather(*(replica.ticker.tick() for replica in self.replicas))
            claimed = await asyncio.gather(*(replica.worker.claim() for replica in self.replicas))
            await asyncio.gather(*(task for tasks in claimed for task in tasks))

    async def told(self, cluster_id=None):
        return [event.name for event in (await self.store.events(EventQuery(cluster_id=cluster_id))).events]

    async def known(self, scope):
        """Whether any replica, or the store, still knows a scope."""
        found = [await self.store.load(scope, gone=True)]
        for replica in self.replicas:
            try:
                found.append(await replica.engine.view(scope))
            except NotFound:
                found.append(None)
        return [each is not None for each in found]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def stores(request, tmp_path) -> AsyncIterator[list]:
    """The same store, opened by two replicas; of each kind in turn."""
    if request.param == "memory":
        yield [MemoryStore(clock=FakeClock(NOW))] * 2
        return
    file = f"sqlite:///{tmp_path}/muster.db"
    url = file if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    opened = [SqlStore(url) for _ in range(2)]
    for store in opened:
        await store.migrate()
    yield opened
    for store in opened:
        await store.close()


@pytest.fixture
def world(stores):
    return World(stores, a_policy())


async def test_a_cluster_that_nobody_touches_is_given_up_and_forgotten_and_each_happens_once(world):
    await world.describe()
    await world.blobs.put(LOGS, b"x")
    await world.passes(INACTIVITY)
    told = await world.told(CLUSTER)
    assert told.count("after_inactivity_cluster_deregistered") == told.count("cluster_deregistered") == 1
    assert await world.store.scopes("cluster") == ()
    assert await world.blobs.keys(CLUSTER) == (LOGS,)
    await world.passes(KEPT)
    assert await world.blobs.keys(CLUSTER) == ()
    assert not any(await world.known(SCOPE))
    assert await world.store.scopes("cluster", gone=True) == ()
    assert await world.told(CLUSTER) == []
    assert await world.store.next_effect() is None
    assert await world.store.next_deadline() is None


async def test_nothing_of_a_cluster_goes_before_all_its_files_can(world):
    await world.describe()
    await world.blobs.put(LOGS, b"x")
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.passes(timedelta(minutes=1))
    world.blobs.answers = False
    await world.passes(KEPT)
    assert all(await world.known(SCOPE))
    assert await world.told(CLUSTER)
    world.blobs.answers = True
    await world.passes(DAY)
    assert not any(await world.known(SCOPE))
    assert await world.blobs.keys(CLUSTER) == ()


async def test_a_worker_that_dies_before_its_answer_is_replaced(world):
    await world.describe()
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.passes(timedelta(minutes=1))
    world.clock.advance(KEPT)
    await world.replicas[0].ticker.tick()
    (lease,) = await world.store.claim_effects("dead", world.clock.now(), timedelta(seconds=15), 4)
    await world.replicas[0].worker.perform(lease.effect)
    assert all(await world.known(SCOPE))
    await world.passes(timedelta(minutes=1))
    assert not any(await world.known(SCOPE))


async def test_an_id_may_be_used_again(world):
    await world.describe()
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.passes(KEPT)
    await world.describe()
    assert (await world.replicas[1].engine.view(SCOPE)).version == 1
    assert "cluster_deregistered" not in await world.told(CLUSTER)


async def test_an_infra_env_goes_with_its_hosts_once_none_is_heard_of(world):
    await world.fill_the_pool()
    await world.passes(10 * DAY)
    world.heard()
    await world.passes(15 * DAY)
    assert await world.store.hosts_of(INFRA_ENV) == ((HOST, LOOSE),)
    await world.passes(10 * DAY)
    assert await world.store.hosts_of(INFRA_ENV) == ()
    assert await world.store.scopes("infra-env") == ()
    await world.passes(KEPT)
    assert not any(await world.known(POOL))
    assert not any(await world.known(LOOSE))
    assert await world.told() == []
    assert await world.store.scopes("host", gone=True) == ()


async def test_an_infra_env_stays_while_a_cluster_has_one_of_its_hosts(world):
    world.engine.policy = world.replicas[1].engine.policy = a_policy(deregister_inactive=False)
    await world.describe()
    await world.fill_the_pool()
    await world.engine.submit(LOOSE, Replied(host_id=HOST, step="inventory", reply=a_machine()))
    await world.engine.submit(LOOSE, BindHost(host_id=HOST, cluster_id=CLUSTER), beside=(SCOPE,))
    await world.passes(INACTIVITY)
    await world.passes(INACTIVITY)
    assert await world.store.hosts_of(INFRA_ENV) == ((HOST, SCOPE),)
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.passes(2 * INACTIVITY)
    assert await world.store.scopes("infra-env") == ()


async def test_what_was_described_while_nothing_was_cleared_away_is_found_at_the_next_start(world):
    for replica in world.replicas:
        replica.engine.policy = a_policy(deregister_inactive=False, forgets=False)
    await world.describe()
    await world.describe(OTHER)
    await world.engine.submit(cluster_scope(OTHER), DeleteCluster())
    await world.passes(2 * INACTIVITY)
    assert await world.store.scopes("cluster") == (SCOPE,)
    assert await world.store.next_deadline() is None
    await world.starts_again()
    await world.passes(timedelta())
    assert await world.store.scopes("cluster", gone=True) == (SCOPE,)
    assert "after_inactivity_cluster_deregistered" in await world.told(CLUSTER)


async def test_a_deadline_that_comes_twice_forgets_once(world):
    await world.describe()
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.passes(KEPT)
    decision = await world.engine.submit(SCOPE, Ticked())
    assert not decision.changed
    assert await world.store.scopes("cluster", gone=True) == ()


async def test_less_time_that_is_given_at_a_start_counts_for_what_is_there_already(world):
    await world.describe()
    await world.describe(OTHER)
    await world.engine.submit(cluster_scope(OTHER), DeleteCluster())
    await world.passes(1.5 * DAY)
    await world.starts_again(inactivity=DAY, deleted_kept=DAY)
    await world.passes(timedelta())
    assert await world.store.scopes("cluster", gone=True) == (SCOPE,)
    assert await world.store.scopes("cluster") == ()


async def test_more_time_that_is_given_at_a_start_counts_too(world):
    await world.describe()
    await world.starts_again(inactivity=timedelta(hours=960))
    await world.passes(INACTIVITY)
    assert await world.store.scopes("cluster") == (SCOPE,)
    await world.passes(INACTIVITY)
    assert await world.store.scopes("cluster") == ()
