"""Hosts that move between the pool and clusters: between scopes, that is, on every kind of view there is."""

import pytest

from builders import NOW, a_machine, a_policy
from muster.adapters.memory import FakeClock, MemoryBus, MemoryStore
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.events import EventQuery
from muster.domain.hosts import HostState
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
    UnbindHost,
)
from muster.domain.views import cluster_scope, host_scope, infra_env_scope
from muster.runtime.engine import Engine

CLUSTER = "10000000-0000-4000-8000-000000000001"
INFRA_ENV = "20000000-0000-4000-8000-000000000001"
HOST = "30000000-0000-4000-8000-000000000001"
SCOPE = cluster_scope(CLUSTER)
POOL = host_scope(INFRA_ENV, HOST)
SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'
GIVE = BindHost(host_id=HOST, cluster_id=CLUSTER)


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def engine(store):
    return Engine(store, MemoryBus(), FakeClock(NOW), a_policy())


@pytest.fixture
async def pooled(engine):
    """A service with a cluster, and a host in the pool that is ready to be given to it."""
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET, base_dns_domain="example.com")
    await engine.submit(SCOPE, RegisterCluster(cluster_id=CLUSTER, inputs=inputs))
    image = InfraEnvCreate(name="pool", pull_secret=SECRET, openshift_version="4.20")
    await engine.submit(infra_env_scope(INFRA_ENV), RegisterInfraEnv(infra_env_id=INFRA_ENV, inputs=image))
    await engine.submit(POOL, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    await engine.submit(POOL, Replied(host_id=HOST, step="inventory", reply=a_machine()))
    return engine


async def give(engine):
    return await engine.submit(POOL, GIVE, beside=(SCOPE,))


async def test_a_host_that_is_given_to_a_cluster_is_seen_there_and_nowhere_else(pooled, store):
    decision = await give(pooled)
    assert decision.host(HOST).status is HostState.BINDING
    assert (await store.scope_of_host(INFRA_ENV, HOST)) == SCOPE
    assert HOST in (await pooled.view(SCOPE)).hosts
    assert HOST not in (await pooled.view(POOL)).hosts


async def test_a_host_that_is_taken_back_is_seen_in_the_pool_and_nowhere_else(pooled, store):
    await give(pooled)
    await pooled.submit(SCOPE, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    await pooled.submit(SCOPE, UnbindHost(host_id=HOST))
    assert (await store.scope_of_host(INFRA_ENV, HOST)) == POOL
    assert (await pooled.view(SCOPE)).hosts == {}
    await pooled.submit(POOL, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    assert (await pooled.view(POOL)).hosts[HOST].status is HostState.DISCOVERING_UNBOUND


async def test_a_cluster_that_went_meanwhile_gets_no_host(pooled, store):
    other = Engine(store, MemoryBus(), FakeClock(NOW), a_policy())
    await pooled.view(SCOPE)
    await other.submit(SCOPE, DeleteCluster())
    with pytest.raises(Exception, match="there is no cluster"):
        await give(pooled)
    assert (await pooled.view(POOL)).hosts[HOST].status is HostState.KNOWN_UNBOUND


async def test_a_cluster_that_never_was_gets_no_host_and_the_user_is_told(pooled, store):
    nowhere = cluster_scope("10000000-0000-4000-8000-000000000009")
    asked = GIVE.but(cluster_id=nowhere.partition(":")[2])
    with pytest.raises(Invalid, match="there is no cluster"):
        await pooled.submit(POOL, asked, beside=(nowhere,))
    told = (await store.events(EventQuery(infra_env_id=INFRA_ENV))).events
    assert "host_bind_failed" in {event.name for event in told}


async def test_a_host_is_given_away_only_once(pooled):
    await give(pooled)
    with pytest.raises(NotFound):
        await give(pooled)
    with pytest.raises(Refused, match="already"):
        await pooled.submit(SCOPE, GIVE, beside=(SCOPE,))


async def test_the_scope_that_a_host_comes_to_is_looked_at_soon(pooled, store):
    await give(pooled)
    assert SCOPE in await store.claim_due(NOW, NOW - NOW, 10)
    assert (await pooled.submit(SCOPE, Ticked())).host(HOST).status is HostState.BINDING


async def test_nothing_is_refused_for_what_another_replica_has_changed_already(pooled, store):
    other = Engine(store, MemoryBus(), FakeClock(NOW), a_policy())
    await other.view(SCOPE)
    await give(pooled)
    decision = await other.submit(SCOPE, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    assert decision.host(HOST).status is HostState.DISCOVERING
    await pooled.view(SCOPE)
    await other.submit(SCOPE, UnbindHost(host_id=HOST))
    with pytest.raises(NotFound):
        await pooled.submit(SCOPE, UnbindHost(host_id=HOST))
