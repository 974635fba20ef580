"""The configuration of a host that joins a running cluster is in storage before the host is told to begin."""

import asyncio
import json

import pytest

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_day2_host, a_policy, a_running_cluster, an_infra_env
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.lab import LabReleases
from muster.domain.effects import GenerateHostIgnition
from muster.domain.hosts import HostState
from muster.domain.joining import ApiVipReply
from muster.domain.triggers import DeleteHost, InstallHost, Ticked
from muster.domain.views import cluster_scope, infra_env_scope
from muster.ports import Change, Commit
from muster.runtime.effects import Effects
from muster.runtime.engine import Engine

SCOPE = cluster_scope(CLUSTER_ID)
KEY = f"{CLUSTER_ID}/worker-h9.ign"


class World:
    """A service with a running cluster and a host that can join it."""

    def __init__(self):
        self.clock = FakeClock(NOW)
        self.store = MemoryStore(clock=self.clock)
        self.blobs = MemoryBlobs()
        self.engine = Engine(self.store, MemoryBus(), self.clock, a_policy())
        self.worker = Effects(self.engine, self.blobs, LabReleases(), "w1")

    async def put(self, scope, *records):
        changes = tuple(Change(old=None, new=each) for each in records)
        await self.store.commit(Commit(scope=scope, version=0, at=NOW, actor="t", triggers=("T",), changes=changes))

    async def host(self):
        return (await self.engine.view(SCOPE)).hosts["h9"]


@pytest.fixture
async def world():
    world = World()
    cluster = a_running_cluster(api_vip_dns_name="192.168.1.5")
    await world.put(infra_env_scope(INFRA_ENV_ID), an_infra_env())
    await world.put(SCOPE, cluster, a_day2_host(api_vip=ApiVipReply(is_success=True)))
    await world.engine.submit(SCOPE, InstallHost(host_id="h9"))
    return world


async def test_the_host_finds_its_configuration_and_may_begin(world):
    assert (await world.host()).ignition_stored is False
    await asyncio.gather(*await world.worker.claim())
    host = await world.host()
    assert (host.status, host.ignition_stored) == (HostState.INSTALLING, True)
    head = json.loads(await world.blobs.get(KEY))["ignition"]
    assert head["config"]["merge"] == [{"source": "http://192.168.1.5:22624/config/worker"}]
    assert await world.store.next_effect() is None


async def test_nothing_is_made_for_a_host_that_has_gone(world):
    await world.engine.submit(SCOPE, DeleteHost(host_id="h9"))
    await asyncio.gather(*await world.worker.claim())
    assert await world.store.next_effect() is None
    gone = GenerateHostIgnition(cluster_id=CLUSTER_ID, host_id="nobody")
    assert isinstance(await world.worker.perform(gone), Ticked)
