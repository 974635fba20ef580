"""What every store forgets when a scope is forgotten, and what it keeps; run on memory, SQLite and PostgreSQL."""

from datetime import timedelta

import pytest
from commits import CLUSTER, INFRA_ENV, a_commit, an_event, changed, new, pool, unbound, with_cluster, with_infra_env

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_cluster, a_host, an_infra_env
from muster.domain.cleaning import Horizon
from muster.domain.effects import DeleteFiles
from muster.domain.errors import Conflict, Finished
from muster.domain.events import EventQuery
from muster.ports import Change, Seen, Store

LATER = NOW + timedelta(hours=72)
GONE_CLUSTER = (*changed(a_host("h1"), deleted_at=NOW), *changed(a_cluster(), deleted_at=NOW))


async def with_gone_cluster(store: Store) -> None:
    """A cluster at version 2 that was given up with a host; another host of it went back to the pool."""
    await with_cluster(store, "h1", "h2")
    await store.note_seen([Seen(infra_env_id=INFRA_ENV_ID, host_id=each, at=NOW) for each in ("h1", "h2")])
    left = Change(old=a_host("h2"), new=unbound("h2"))
    effects = (DeleteFiles(cluster_id=CLUSTER_ID), DeleteFiles(cluster_id=CLUSTER_ID, everything=True))
    await store.commit(
        a_commit(
            version=1, live=False, changes=(*GONE_CLUSTER, left), events=(an_event(), an_event("h1")), effects=effects
        )
    )


async def messages(store: Store) -> list[str]:
    return [event.message for event in (await store.events(EventQuery())).events]


async def test_nothing_is_left_of_a_cluster_that_is_forgotten(store: Store) -> None:
    await with_gone_cluster(store)
    await store.commit(
        a_commit("cluster:other", changes=new(a_cluster(id="other")), events=(an_event("x", cluster_id="other"),))
    )
    news = await store.commit(a_commit(version=2, forgotten=True, live=False))
    assert (news.scope, news.version) == (CLUSTER, 3)
    assert await store.load(CLUSTER, gone=True) is None
    assert await store.scopes("cluster", gone=True) == ("cluster:other",)
    assert await store.history_of("cluster", CLUSTER_ID) == ()
    assert await store.history_of("host", f"{INFRA_ENV_ID}/h1") == ()
    assert await messages(store) == ["x"]
    assert await store.next_effect() is None
    assert (await store.history())[-1].key == "other"


async def test_a_host_that_went_back_to_the_pool_stays_with_its_whole_history(store: Store) -> None:
    await with_gone_cluster(store)
    before = await store.history_of("host", f"{INFRA_ENV_ID}/h2")
    await store.commit(a_commit(version=2, forgotten=True, live=False))
    stored = await store.load(pool("h2"))
    assert stored is not None
    assert stored.hosts == {"h2": unbound("h2")}
    assert stored.presence == {"h2": NOW}
    assert await store.history_of("host", f"{INFRA_ENV_ID}/h2") == before
    assert await store.load(INFRA_ENV) is not None


async def test_the_effect_that_was_the_last_goes_with_the_cluster_and_only_once(store: Store) -> None:
    await with_gone_cluster(store)
    first, second = await store.claim_effects("w", NOW, timedelta(minutes=1), 5)
    await store.commit(a_commit(version=2, forgotten=True, live=False, finished_effect=second.id))
    with pytest.raises(Finished):
        await store.commit(a_commit(version=0, finished_effect=first.id))
    with pytest.raises(Conflict):
        await store.commit(a_commit(version=2, forgotten=True))
    assert await store.scopes("cluster", gone=True) == ()


async def test_a_cluster_that_has_changed_meanwhile_is_not_forgotten(store: Store) -> None:
    await with_gone_cluster(store)
    with pytest.raises(Conflict):
        await store.commit(a_commit(version=1, forgotten=True, live=False))
    assert await store.load(CLUSTER, gone=True) is not None


async def test_places_in_the_history_stay_what_they_were(store: Store) -> None:
    await with_gone_cluster(store)
    place = await store.last_cursor()
    await store.commit(a_commit(version=2, forgotten=True, live=False))
    assert not await store.is_ahead(place)
    await store.commit(a_commit("cluster:other", changes=new(a_cluster(id="other"))))
    assert [row.key for row in await store.history(after=place)] == ["other"]


async def test_an_id_may_be_used_again_once_it_is_forgotten(store: Store) -> None:
    await with_gone_cluster(store)
    await store.commit(a_commit(version=2, forgotten=True, live=False))
    await store.commit(a_commit(changes=new(a_cluster(name="again"))))
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.version == 1
    assert stored.hosts == {}


async def test_an_infra_env_is_forgotten_with_the_hosts_that_were_given_up(store: Store) -> None:
    await with_infra_env(store)
    told = {"cluster_id": None, "infra_env_id": INFRA_ENV_ID}
    for host_id in ("h1", "h2"):
        await store.commit(a_commit(pool(host_id), changes=new(unbound(host_id)), events=(an_event(**told),)))
        await store.commit(a_commit(pool(host_id), 1, changes=changed(unbound(host_id), deleted_at=NOW), live=False))
    await store.note_seen([Seen(infra_env_id=INFRA_ENV_ID, host_id="h1", at=NOW)])
    other = an_infra_env(id="i2", cluster_id=None)
    await store.commit(a_commit("infra-env:i2", changes=new(other)))
    await store.commit(a_commit("host:i2/h1", changes=new(unbound("h1").but(infra_env_id="i2"))))
    await store.commit(a_commit(INFRA_ENV, 1, changes=changed(an_infra_env(), deleted=True), live=False))
    await store.commit(a_commit(INFRA_ENV, 2, forgotten=True, live=False))
    assert await store.load(INFRA_ENV) is None
    assert await store.scopes("infra-env", gone=True) == ("infra-env:i2",)
    assert await store.scopes("host", gone=True) == ("host:i2/h1",)
    assert await store.history_of("host", f"{INFRA_ENV_ID}/h1") == ()
    assert await store.history_of("host", "i2/h1")
    assert await messages(store) == []


async def test_what_was_told_of_an_infra_env_for_a_cluster_stays_as_long_as_the_cluster(store: Store) -> None:
    await with_cluster(store, "h1")
    event = an_event("of both", infra_env_id=INFRA_ENV_ID)
    await store.commit(a_commit(version=1, changes=GONE_CLUSTER, events=(event,), live=False))
    await store.commit(a_commit(INFRA_ENV, 1, changes=changed(an_infra_env(), deleted=True), live=False))
    await store.commit(a_commit(INFRA_ENV, 2, forgotten=True, live=False))
    assert await messages(store) == ["of both"]
    stored = await store.load(CLUSTER, gone=True)
    assert stored is not None
    assert list(stored.hosts) == ["h1"]


async def test_an_infra_env_is_needed_while_its_cluster_lives(store: Store) -> None:
    await with_cluster(store)
    before = await store.load(INFRA_ENV)
    await store.commit(a_commit(version=1, changes=changed(a_cluster(), deleted_at=NOW), live=False))
    after = await store.load(INFRA_ENV)
    assert before is not None
    assert after is not None
    assert (before.needed, after.needed) == (True, False)


async def test_an_infra_env_of_the_pool_is_needed_while_a_cluster_has_one_of_its_hosts(store: Store) -> None:
    await store.commit(a_commit(INFRA_ENV, changes=new(an_infra_env(cluster_id=None))))
    await store.commit(a_commit(pool("h2"), changes=new(unbound("h2"))))
    before = await store.load(INFRA_ENV)
    await store.commit(a_commit(changes=new(a_cluster(), a_host("h1"))))
    after = await store.load(INFRA_ENV)
    assert before is not None
    assert after is not None
    assert (before.needed, after.needed) == (False, True)


async def test_an_infra_env_knows_when_any_of_its_hosts_was_last_heard_of(store: Store) -> None:
    await with_infra_env(store)
    nobody = await store.load(INFRA_ENV)
    for host_id in ("h1", "h2", "h3"):
        await store.commit(a_commit(pool(host_id), changes=new(unbound(host_id))))
    await store.commit(a_commit(pool("h3"), 1, changes=changed(unbound("h3"), deleted_at=NOW), live=False))
    minutes = {"h1": 1, "h2": 2, "h3": 3}
    await store.note_seen(
        [
            Seen(infra_env_id=INFRA_ENV_ID, host_id=host_id, at=NOW + timedelta(minutes=each))
            for host_id, each in minutes.items()
        ]
    )
    found = await store.load(INFRA_ENV)
    assert nobody is not None
    assert found is not None
    assert (nobody.heard_at, found.heard_at) == (None, NOW + timedelta(minutes=2))


async def test_what_has_no_deadline_is_woken_if_there_may_be_something_to_clear_away(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit("cluster:gone", changes=new(a_cluster(id="gone", deleted_at=NOW)), live=False))
    await store.commit(a_commit("cluster:busy", changes=new(a_cluster(id="busy")), deadline=LATER))
    await store.commit(a_commit("infra-env:gone", changes=new(an_infra_env(id="gone", deleted=True)), live=False))
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1"))))
    await store.wake(NOW, Horizon(clusters=LATER, infra_envs=LATER, gone=LATER))
    woken = await store.claim_due(NOW, timedelta(days=30), 10)
    assert set(woken) == {CLUSTER, INFRA_ENV, "cluster:gone"}
    assert await store.next_deadline() == LATER


async def test_a_deadline_that_was_set_when_more_time_was_given_comes_at_once(store: Store) -> None:
    days = {each: NOW + timedelta(days=each) for each in range(1, 5)}
    for name, live, deadline in (
        ("cluster:early", True, days[1]),
        ("cluster:late", True, days[2]),
        ("cluster:gone", False, days[4]),
        ("infra-env:early", True, days[2]),
        ("infra-env:late", True, days[3]),
        ("infra-env:gone", False, days[4]),
        ("infra-env:forgotten-soon", False, days[3]),
    ):
        kind, _, key = name.partition(":")
        made = (
            a_cluster(id=key, deleted_at=None if live else NOW)
            if kind == "cluster"
            else an_infra_env(id=key, cluster_id=None, deleted=not live)
        )
        await store.commit(a_commit(name, changes=new(made), deadline=deadline, live=live))
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1")), deadline=days[4]))
    await store.wake(NOW, Horizon(clusters=days[1], infra_envs=days[2], gone=days[3]))
    woken = await store.claim_due(NOW, timedelta(days=30), 10)
    assert set(woken) == {"cluster:late", "cluster:gone", "infra-env:late", "infra-env:gone"}
