"""Names of clusters are in the DNS before hosts are installed, and go when the cluster does; nothing is left behind."""

import asyncio

import pytest

from builders import NOW, a_cluster, a_policy, a_ready_view
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.memory.names import MemoryNames
from muster.adapters.releases.lab import LabReleases
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.effects import GenerateFiles, WithdrawNames
from muster.domain.errors import Broken, Unavailable
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.managed_domains import ManagedDomain
from muster.domain.names import DnsName
from muster.domain.triggers import Cancel, DeleteCluster, Reset, Ticked
from muster.domain.views import cluster_scope
from muster.ports import Change, Commit, Names
from muster.runtime.effects import TRIES, Effects
from muster.runtime.engine import Engine
from muster.runtime.names import NOBODY, looked_up

VIEW = a_ready_view(masters=3, workers=2)
CLUSTER = VIEW.cluster.id
SCOPE = cluster_scope(CLUSTER)
MANAGED = (ManagedDomain(domain="example.com", provider="route53", zone_id="Z1"),)


def a_name(label, address, cluster="lab"):
    return DnsName(zone_id="Z1", name=f"{label}.{cluster}.example.com", kind="A", address=address)


WANTED = (a_name("api", "192.168.1.5"), a_name("*.apps", "192.168.1.6"))
OLD = a_name("api", "192.168.1.5", "old")


class World:
    """A cluster that has been told to install, and whoever works for it."""

    def __init__(self, managed=MANAGED):
        self.clock = FakeClock(NOW)
        self.names = MemoryNames()
        self.blobs = MemoryBlobs()
        self.store = MemoryStore(clock=self.clock)
        self.engine = Engine(self.store, MemoryBus(), self.clock, a_policy(managed_domains=managed))

    async def begin(self, attempt=1, **changes):
        status = {"attempt": attempt, "status": PreparationStatus.NOT_STARTED}
        cluster = VIEW.cluster.but(status=ClusterState.PREPARING, preparation=Preparation(**status)).but(**changes)
        new = [cluster, *(host.but(cluster_id=CLUSTER) for host in VIEW.living), *VIEW.infra_envs.values()]
        effects = (GenerateFiles(cluster_id=CLUSTER, attempt=attempt),)
        told = tuple(Change(old=None, new=each) for each in new)
        await self.store.commit(
            Commit(scope=SCOPE, version=0, at=NOW, actor="t", triggers=("T",), changes=told, effects=effects)
        )
        return self

    async def work(self, names=None):
        worker = Effects(self.engine, self.blobs, LabReleases(), "w", names or self.names)
        await asyncio.gather(*await worker.claim(), return_exceptions=True)

    async def later(self):
        self.clock.advance((await self.store.next_effect() or self.clock.now()) - self.clock.now())

    async def cluster(self):
        return (await self.engine.view(SCOPE)).cluster


async def test_a_prepared_cluster_is_found_by_its_names():
    world = await World().begin()
    await world.work()
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS
    assert (await world.cluster()).dns_names == WANTED
    assert await world.names.found(WANTED) == WANTED


async def test_where_the_domain_is_not_managed_nobody_is_asked():
    world = await World(()).begin()
    await world.work(Refusing(Broken("who are you")))
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS


async def test_names_that_the_cluster_had_before_it_was_called_otherwise_go():
    world = await World().begin(dns_names=(OLD,))
    await world.names.publish((OLD,))
    await world.work()
    assert await world.names.found((OLD,)) == ()
    assert (await world.cluster()).dns_names == WANTED


async def test_a_name_that_is_somebody_elses_stops_the_installation_and_stays():
    world = await World().begin()
    foreign = WANTED[0].but(address="203.0.113.1")
    await world.names.publish((foreign,))
    await world.work()
    preparation = (await world.cluster()).preparation
    assert preparation.status is PreparationStatus.FAILED
    assert "api.lab.example.com leads to 203.0.113.1" in preparation.reason
    assert await world.names.found(WANTED) == (foreign,)


class Refusing(MemoryNames):
    """A provider that does nothing that is asked for."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    async def found(self, names):
        raise self.error

    async def publish(self, names):
        raise self.error

    async def withdraw(self, names):
        raise self.error


async def test_a_provider_that_does_not_answer_is_asked_again_and_told_of_at_last():
    world = await World().begin()
    for _ in range(TRIES - 1):
        await world.work(Refusing(Unavailable("nobody answers")))
        preparation = (await world.cluster()).preparation
        assert (preparation.status, preparation.reason) == (
            PreparationStatus.NOT_STARTED,
            "nobody answers; it is tried again",
        )
        await world.later()
    await world.work(Refusing(Unavailable("nobody answers")))
    assert (await world.cluster()).preparation.reason == "nobody answers"


async def test_who_dies_in_between_leaves_no_name_that_nobody_knows_of():
    class Dying(MemoryNames):
        async def publish(self, names):
            raise KeyboardInterrupt

    world = await World().begin()
    worker = Effects(world.engine, world.blobs, LabReleases(), "w", Dying())
    with pytest.raises(KeyboardInterrupt):
        await worker.perform(GenerateFiles(cluster_id=CLUSTER, attempt=1))
    assert (await world.cluster()).dns_names == WANTED


async def test_an_installation_that_was_cancelled_meanwhile_gets_no_names():
    world = await World().begin()

    class Slow(MemoryNames):
        async def found(self, names):
            await world.engine.submit(SCOPE, Cancel())
            return ()

    names = Slow()
    await Effects(world.engine, world.blobs, LabReleases(), "w", names).perform(
        GenerateFiles(cluster_id=CLUSTER, attempt=1)
    )
    assert (await world.cluster()).dns_names == ()
    assert await MemoryNames.found(names, WANTED) == ()


# The way back.


async def prepared():
    world = await World().begin()
    await world.work()
    return world


async def test_names_go_with_a_reset_and_are_not_withdrawn_twice():
    world = await prepared()
    await world.engine.submit(SCOPE, Reset())
    await world.work()
    assert await world.names.found(WANTED) == ()
    assert (await world.cluster()).dns_names == ()


async def test_names_go_with_the_cluster():
    world = await prepared()
    await world.engine.submit(SCOPE, Cancel())
    await world.engine.submit(SCOPE, DeleteCluster())
    await world.work()
    assert await world.names.found(WANTED) == ()


async def test_names_that_a_later_attempt_needs_stay():
    world = await World().begin(attempt=2, dns_names=WANTED)
    await world.names.publish(WANTED)
    late = WithdrawNames(cluster_id=CLUSTER, attempt=1, names=WANTED)
    worker = Effects(world.engine, world.blobs, LabReleases(), "w", world.names)
    assert isinstance(await worker.perform(late), Ticked)
    assert await world.names.found(WANTED) == WANTED


async def test_names_of_a_cluster_that_is_forgotten_go_all_the_same():
    world = World()
    await world.names.publish(WANTED)
    worker = Effects(world.engine, world.blobs, LabReleases(), "w", world.names)
    await worker.perform(WithdrawNames(cluster_id="forgotten", attempt=1, names=WANTED))
    assert await world.names.found(WANTED) == ()


async def test_a_provider_that_refuses_keeps_nobody_from_starting_over():
    world = await prepared()
    await world.engine.submit(SCOPE, Reset())
    await world.work(Refusing(Broken("the login is gone")))
    assert (await world.cluster()).dns_names == WANTED
    assert await world.store.next_effect() is None


async def test_a_provider_that_does_not_answer_is_asked_again_to_withdraw():
    world = await prepared()
    await world.engine.submit(SCOPE, Reset())
    await world.work(Refusing(Unavailable("nobody answers")))
    await world.later()
    await world.work()
    assert await world.names.found(WANTED) == ()


async def test_where_there_is_no_provider_there_are_no_names():
    nobody: Names = NOBODY
    await nobody.publish(WANTED)
    assert await nobody.found(WANTED) == ()
    await nobody.withdraw(WANTED)
    assert a_cluster().dns_names == ()


# When a cluster is called otherwise.


async def test_names_that_are_taken_are_found_when_a_cluster_is_renamed():
    view = VIEW.but(policy=a_policy(managed_domains=MANAGED))
    taken = a_name("api", "203.0.113.1", "other")
    names = MemoryNames()
    await names.publish((taken,))
    assert await looked_up(view, ClusterUpdate(name="other"), names) == (taken,)
    assert await looked_up(VIEW, ClusterUpdate(name="other"), names) == ()


@pytest.mark.parametrize("error", [Broken("the login is gone"), Unavailable("nobody answers")])
async def test_a_provider_that_does_not_answer_keeps_nobody_from_describing_a_cluster(error):
    view = VIEW.but(policy=a_policy(managed_domains=MANAGED))
    assert await looked_up(view, ClusterUpdate(name="other"), Refusing(error)) == ()
