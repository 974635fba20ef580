"""A machine that starts in the very moment in which its infra-env is given up leaves nothing behind."""

import asyncio

import pytest

from builders import INFRA_ENV_ID, NOW, a_policy, an_infra_env
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.lab import LabReleases
from muster.domain.effects import GiveUpHosts
from muster.domain.errors import Invalid, NotFound
from muster.domain.triggers import DeleteInfraEnv, Registered, Ticked
from muster.domain.views import host_scope, infra_env_scope
from muster.ports import Change, Commit
from muster.runtime.effects import Effects
from muster.runtime.engine import Engine

SCOPE = infra_env_scope(INFRA_ENV_ID)
HOST = host_scope(INFRA_ENV_ID, "h1")
REGISTERED = Registered(host_id="h1", infra_env_id=INFRA_ENV_ID, agent_version="1")


class World:
    """Two replicas on one store that hear nothing of each other, and a worker."""

    def __init__(self):
        clock = FakeClock(NOW)
        self.store = MemoryStore(clock=clock)
        self.one, self.other = (Engine(self.store, MemoryBus(), clock, a_policy()) for _ in range(2))
        self.worker = Effects(self.one, MemoryBlobs(), LabReleases(), "w1")


@pytest.fixture
async def world():
    world = World()
    change = Change(old=None, new=an_infra_env())
    await world.store.commit(Commit(scope=SCOPE, version=0, at=NOW, actor="t", triggers=("T",), changes=(change,)))
    return world


async def test_an_infra_env_with_a_host_stays(world):
    await world.one.submit(HOST, REGISTERED)
    with pytest.raises(Invalid, match="still has 1 host"):
        await world.one.submit(SCOPE, DeleteInfraEnv())


async def test_a_host_that_registered_unnoticed_goes_with_its_infra_env(world):
    assert (await world.one.view(SCOPE)).tenants == 0
    await world.other.submit(HOST, REGISTERED)
    await world.one.submit(SCOPE, DeleteInfraEnv())
    assert await world.store.hosts_of(INFRA_ENV_ID) == (("h1", HOST),)
    await asyncio.gather(*await world.worker.claim())
    assert await world.store.hosts_of(INFRA_ENV_ID) == ()
    assert await world.store.next_effect() is None


async def test_no_host_registers_once_its_infra_env_is_gone(world):
    await world.other.view(SCOPE)
    await world.one.submit(SCOPE, DeleteInfraEnv())
    with pytest.raises(NotFound, match="There is no infra-env"):
        await world.other.submit(HOST, REGISTERED)
    assert isinstance(await world.worker.perform(GiveUpHosts(infra_env_id=INFRA_ENV_ID)), Ticked)
