"""The one door: what goes in, what is written, who hears of it."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from builders import NOW, a_policy
from muster.adapters.memory import FakeClock, MemoryBus, MemoryStore
from muster.domain.errors import Conflict, Invalid, NotFound, Refused
from muster.domain.events import Event, EventQuery, Severity
from muster.domain.hosts import HostState
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate
from muster.domain.inputs.scalars import ProxyInput
from muster.domain.triggers import (
    CheckedIn,
    DeleteInfraEnv,
    Install,
    RegisterCluster,
    Registered,
    RegisterInfraEnv,
    Ticked,
    UpdateCluster,
)
from muster.domain.views import cluster_scope, infra_env_scope
from muster.ports import Committed
from muster.runtime.engine import Engine, Sender
from muster.runtime.ticker import Ticker

CLUSTER = "10000000-0000-4000-8000-000000000001"
INFRA_ENV = "20000000-0000-4000-8000-000000000001"
HOST = "30000000-0000-4000-8000-000000000001"
SCOPE = cluster_scope(CLUSTER)
SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'


class Counting(MemoryStore):
    """A store that counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.commits = self.loads = 0

    async def commit(self, commit):
        await asyncio.sleep(0)
        self.commits += 1
        return await super().commit(commit)

    async def load(self, scope):
        self.loads += 1
        return await super().load(scope)


@pytest.fixture
def clock():
    return FakeClock(NOW)


@pytest.fixture
def store():
    return Counting()


def an_engine(store, clock, bus=None):
    return Engine(store, bus or MemoryBus(), clock, a_policy())


async def a_cluster_in(engine):
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET, base_dns_domain="example.com")
    await engine.submit(SCOPE, RegisterCluster(cluster_id=CLUSTER, inputs=inputs))


async def an_infra_env_in(engine):
    view = await engine.view(SCOPE)
    inputs = InfraEnvCreate(name="lab", pull_secret=SECRET, cluster_id=CLUSTER, openshift_version="4.20")
    trigger = RegisterInfraEnv(infra_env_id=INFRA_ENV, inputs=inputs, cluster=view.cluster)
    await engine.submit(infra_env_scope(INFRA_ENV), trigger)


def registered(number=1):
    return Registered(host_id=f"{HOST[:-1]}{number}", infra_env_id=INFRA_ENV)


async def test_a_change_is_written_once_and_read_back(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    assert (await engine.view(SCOPE)).version == 1
    again = an_engine(store, clock)
    view = await again.view(SCOPE)
    assert view.cluster == (await engine.view(SCOPE)).cluster
    assert store.commits == 1


async def test_the_common_case_reads_nothing(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    before = store.loads
    for name in ("a", "b", "c"):
        await engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name=name)))
    assert store.loads == before


async def test_triggers_that_wait_for_one_scope_are_committed_together(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    await an_infra_env_in(engine)
    before = store.commits
    await asyncio.gather(*(engine.submit(SCOPE, registered(number)) for number in range(1, 9)))
    assert len((await engine.view(SCOPE)).hosts) == 8
    assert store.commits - before <= 2


async def test_a_refused_trigger_harms_no_other(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    await an_infra_env_in(engine)
    outcomes = await asyncio.gather(
        engine.submit(SCOPE, registered(1)),
        engine.submit(SCOPE, Install()),
        engine.submit(SCOPE, registered(2)),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], Refused)
    assert len((await engine.view(SCOPE)).hosts) == 2


async def test_whoever_was_faster_is_taken_into_account(store, clock):
    one, other = an_engine(store, clock), an_engine(store, clock)
    await a_cluster_in(one)
    await other.view(SCOPE)
    await one.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(tags="one")))
    await other.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(ssh_public_key="")))
    await other.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name="other")))
    cluster = (await other.view(SCOPE)).cluster
    assert (cluster.tags, cluster.name) == ("one", "other")


async def test_news_of_another_replica_make_a_view_be_read_again(store, clock):
    bus = MemoryBus()
    one, other = an_engine(store, clock), an_engine(store, clock, bus)
    await a_cluster_in(one)
    await other.view(SCOPE)
    decision = await one.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name="new")))
    await bus.publish(Committed(scope=SCOPE, version=decision.view.version))
    assert (await other.view(SCOPE)).cluster.name == "new"


async def test_missed_news_make_everything_be_read_again(store, clock):
    bus = MemoryBus()
    one, other = an_engine(store, clock), an_engine(store, clock, bus)
    await a_cluster_in(one)
    await other.view(SCOPE)
    await one.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name="new")))
    bus.tell(None)
    assert (await other.view(SCOPE)).cluster.name == "new"


async def test_news_that_come_while_a_scope_is_read_make_it_be_read_again(store, clock):
    bus = MemoryBus()
    one = an_engine(store, clock)
    await a_cluster_in(one)

    class Slow(Counting):
        async def load(self, scope):
            self.loads += 1
            old = await store.load(scope)
            if self.loads == 1:
                decision = await one.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name="new")))
                await bus.publish(Committed(scope=SCOPE, version=decision.view.version))
            return old

    slow = Slow()
    other = an_engine(slow, clock, bus)
    views = await asyncio.gather(other.view(SCOPE), other.view(SCOPE))
    assert [view.cluster.name for view in views] == ["new", "new"]
    assert (await other.view(SCOPE)).cluster.name == "new"
    assert slow.loads == 2


async def test_listeners_hear_of_a_change_after_it_is_written(store, clock):
    bus = MemoryBus()
    engine = an_engine(store, clock, bus)
    heard = []
    bus.subscribe(lambda news: heard.append((news.scope, news.version, store.commits)))
    await a_cluster_in(engine)
    assert heard == [(SCOPE, 1, 1)]


async def test_a_new_infra_env_is_seen_by_the_cluster_it_belongs_to(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    assert (await engine.view(SCOPE)).infra_envs == {}
    before = store.loads
    await an_infra_env_in(engine)
    assert INFRA_ENV in (await engine.view(SCOPE)).infra_envs
    assert store.loads == before + 1, "only the infra-env itself, of which nobody knew anything, was looked for"
    await engine.submit(SCOPE, registered())
    assert (await an_engine(store, clock).view(SCOPE)).infra_envs == (await engine.view(SCOPE)).infra_envs


async def test_a_decision_that_rests_on_an_old_infra_env_is_made_again(store, clock):
    one, other = an_engine(store, clock), an_engine(store, clock)
    await a_cluster_in(one)
    await an_infra_env_in(one)
    await other.view(SCOPE)
    from muster.domain.inputs.infra_envs import InfraEnvUpdate
    from muster.domain.triggers import UpdateInfraEnv

    changes = InfraEnvUpdate(additional_ntp_sources="clock.example.com")
    await one.submit(infra_env_scope(INFRA_ENV), UpdateInfraEnv(changes=changes))
    decision = await other.submit(SCOPE, registered())
    assert decision.view.infra_envs[INFRA_ENV].additional_ntp_sources == "clock.example.com"


async def test_a_host_more_makes_its_infra_env_be_read_again_only_before_a_decision_about_it(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    await an_infra_env_in(engine)
    await engine.view(infra_env_scope(INFRA_ENV))
    await engine.view(SCOPE)
    before = store.loads
    for number in range(3):
        await engine.submit(SCOPE, registered(number))
        await engine.view(infra_env_scope(INFRA_ENV))
    assert store.loads == before
    with pytest.raises(Invalid, match="still has 3 hosts"):
        await engine.submit(infra_env_scope(INFRA_ENV), DeleteInfraEnv())


async def test_who_asked_is_written_down(store, clock):
    engine = an_engine(store, clock)
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET)
    trigger = RegisterCluster(cluster_id=CLUSTER, inputs=inputs)
    await engine.submit(SCOPE, trigger, Sender(actor="ada", request_id="r1"))
    (row,) = await store.history()
    assert (row.actor, row.triggers, row.kind) == ("ada", ("RegisterCluster",), "cluster")


async def test_there_is_no_view_of_what_does_not_exist(store, clock):
    with pytest.raises(NotFound):
        await an_engine(store, clock).view(SCOPE)


async def test_a_caller_that_goes_away_does_not_take_the_work_with_it(store, clock):
    engine = an_engine(store, clock)
    await a_cluster_in(engine)
    leaving = asyncio.create_task(engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(name="left"))))
    await asyncio.sleep(0)
    leaving.cancel()
    await engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(tags="stayed")))
    cluster = (await engine.view(SCOPE)).cluster
    assert (cluster.name, cluster.tags) == ("left", "stayed")


async def test_a_scope_that_never_stands_still_is_given_up(store, clock):
    class Restless(Counting):
        async def commit(self, commit):
            raise Conflict("again")

    engine = an_engine(Restless(), clock)
    with pytest.raises(Conflict, match="changes faster"):
        await a_cluster_in(engine)


class TestTheClockwork:
    async def test_a_silent_host_is_noticed_when_its_time_has_come(self, store, clock):
        engine = an_engine(store, clock)
        ticker = Ticker(engine)
        await a_cluster_in(engine)
        await an_infra_env_in(engine)
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        await engine.submit(SCOPE, registered())
        due = await ticker.tick()
        assert due is not None
        clock.advance(due - clock.now())
        await ticker.tick()
        assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCONNECTED

    async def test_a_host_that_was_heard_of_is_left_alone_and_looked_at_later(self, store, clock):
        engine = an_engine(store, clock)
        ticker = Ticker(engine)
        await a_cluster_in(engine)
        await an_infra_env_in(engine)
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        await engine.submit(SCOPE, registered())
        first = await ticker.tick()
        clock.advance(timedelta(minutes=2))
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        clock.advance(first - clock.now())
        commits = store.commits
        later = await ticker.tick()
        assert later > first
        assert store.commits == commits
        assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCOVERING

    async def test_what_another_replica_heard_counts(self, store, clock):
        engine, other = an_engine(store, clock), an_engine(store, clock)
        ticker = Ticker(engine)
        await a_cluster_in(engine)
        await an_infra_env_in(engine)
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        await engine.submit(SCOPE, registered())
        due = await ticker.tick()
        clock.advance(due - clock.now())
        other.presence.note(INFRA_ENV, HOST, clock.now())
        await other.presence.flush()
        await ticker.tick()
        assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCOVERING

    async def test_a_host_that_comes_back_is_connected_again(self, store, clock):
        engine = an_engine(store, clock)
        await a_cluster_in(engine)
        await an_infra_env_in(engine)
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        await engine.submit(SCOPE, registered())
        clock.advance(timedelta(minutes=10))
        await engine.submit(SCOPE, Ticked())
        assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCONNECTED
        engine.presence.note(INFRA_ENV, HOST, clock.now())
        await engine.submit(SCOPE, CheckedIn(host_id=HOST))
        assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCOVERING


async def test_the_like_is_told_again_only_after_a_while(clock):
    store, hour = MemoryStore(clock=clock), timedelta(hours=1)
    engine = Engine(store, MemoryBus(), clock, a_policy(event_limits={"proxy_settings_changed": hour, "noise": hour}))
    await a_cluster_in(engine)

    async def told():
        proxy = ProxyInput(http_proxy=f"http://{clock.now().timestamp()}.example.com")
        for changes in (proxy, proxy.but(no_proxy="example.com")):
            await engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(**msgspec.structs.asdict(changes))))
        await engine.tell(Event(name="noise", severity=Severity.INFO, message="", cluster_id=CLUSTER))
        names = [event.name for event in (await store.events(EventQuery(cluster_id=CLUSTER))).events]
        return names.count("proxy_settings_changed"), names.count("noise")

    assert await told() == (1, 1)
    clock.advance(hour - timedelta(seconds=1))
    assert await told() == (1, 1)
    clock.advance(timedelta(seconds=1))
    assert await told() == (2, 2)


async def test_of_the_like_in_one_decision_the_first_is_told(clock):
    engine = Engine(MemoryStore(clock=clock), MemoryBus(), clock, a_policy(event_limits={"noise": timedelta(hours=1)}))
    noise = Event(name="noise", severity=Severity.INFO, message="first", cluster_id=CLUSTER)
    others = (noise.but(message="second"), noise.but(host_id=HOST))
    assert await engine._worth_telling((noise, *others), NOW) == (noise, others[1])


async def test_whoever_looks_at_very_many_scopes_keeps_none_of_them_in_mind(store, clock):
    await a_cluster_in(an_engine(store, clock))
    other = an_engine(store, clock)
    assert (await other.glance(SCOPE)).cluster.name == "lab"
    before = store.loads
    assert (await other.view(SCOPE)).cluster.name == "lab"
    assert store.loads == before + 1
    assert (await other.glance(SCOPE)).cluster.name == "lab"
    assert store.loads == before + 1
    with pytest.raises(NotFound):
        await other.glance(cluster_scope("nowhere"))
