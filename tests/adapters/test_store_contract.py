"""What every store promises about scopes and commits; run on memory, SQLite and PostgreSQL."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from commits import CLUSTER, INFRA_ENV, a_commit, an_event, changed, new, pool, unbound, with_cluster, with_infra_env

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_cluster, a_host, an_infra_env
from muster.domain.effects import DeleteFiles
from muster.domain.errors import Conflict
from muster.domain.events import EventQuery
from muster.ports import Commit, Seen, Store

MINUTE = timedelta(minutes=1)


async def conflicts(store: Store, commit: Commit) -> None:
    with pytest.raises(Conflict):
        await store.commit(commit)


async def test_a_scope_that_nobody_wrote_is_none(store: Store) -> None:
    for scope in (CLUSTER, INFRA_ENV, pool("h1"), "nonsense"):
        assert await store.load(scope) is None


async def test_a_cluster_comes_back_with_its_hosts_and_infra_envs(store: Store) -> None:
    await with_cluster(store, "h1", "h2")
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.version == 1
    assert stored.cluster == a_cluster()
    assert list(stored.hosts.items()) == [("h1", a_host("h1")), ("h2", a_host("h2"))]
    assert stored.infra_envs == {INFRA_ENV_ID: an_infra_env()}
    assert stored.reads == {INFRA_ENV: 1}


async def test_a_cluster_sees_the_infra_env_of_its_hosts_even_if_bound_elsewhere(store: Store) -> None:
    await store.commit(a_commit(INFRA_ENV, changes=new(an_infra_env(cluster_id=None))))
    await store.commit(a_commit(changes=new(a_cluster())))
    before = await store.load(CLUSTER)
    assert before is not None
    assert before.infra_envs == {}
    await store.commit(a_commit(version=1, changes=new(a_host("h1"))))
    after = await store.load(CLUSTER)
    assert after is not None
    assert list(after.infra_envs) == [INFRA_ENV_ID]
    assert after.reads == {INFRA_ENV: 1}


async def test_hosts_and_infra_envs_given_up_are_left_out_of_the_cluster(store: Store) -> None:
    await with_cluster(store, "h1", "h2")
    await store.commit(a_commit(version=1, changes=changed(a_host("h1"), deleted_at=NOW)))
    await store.commit(a_commit(version=2, changes=changed(a_host("h2"), deleted_at=NOW)))
    await store.commit(a_commit(INFRA_ENV, 1, changes=changed(an_infra_env(), deleted=True), live=False))
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert (stored.hosts, stored.infra_envs, stored.reads) == ({}, {}, {})


async def test_whoever_asks_for_what_is_gone_gets_a_cluster_with_the_hosts_that_were_given_up_in_it(
    store: Store,
) -> None:
    await with_cluster(store, "h1", "h2", "h3")
    await store.commit(a_commit(version=1, changes=changed(a_host("h2"), cluster_id=None)))
    gone = (*changed(a_host("h1"), deleted_at=NOW), *changed(a_cluster(), deleted_at=NOW))
    await store.commit(a_commit(version=2, changes=gone, live=False))
    stored = await store.load(CLUSTER, gone=True)
    assert stored is not None
    assert stored.cluster == a_cluster(deleted_at=NOW)
    assert stored.hosts == {"h1": a_host("h1", deleted_at=NOW), "h3": a_host("h3")}
    assert await store.scopes("cluster") == ()
    assert await store.scopes("cluster", gone=True) == (CLUSTER,)


async def test_a_cluster_given_up_can_still_be_looked_at(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(version=1, changes=changed(a_cluster(), deleted_at=NOW), live=False))
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.cluster == a_cluster(deleted_at=NOW)
    assert await store.scopes("cluster") == ()


async def test_a_new_host_finds_the_infra_env_it_may_register_with(store: Store) -> None:
    await with_infra_env(store)
    stored = await store.load(pool("h1"))
    assert stored is not None
    assert (stored.version, stored.hosts) == (0, {})
    assert stored.infra_envs == {INFRA_ENV_ID: an_infra_env()}
    assert stored.reads == {INFRA_ENV: 1}


async def test_a_new_host_finds_nothing_in_an_infra_env_given_up(store: Store) -> None:
    await with_infra_env(store)
    await store.commit(a_commit(INFRA_ENV, 1, changes=changed(an_infra_env(), deleted=True), live=False))
    assert await store.load(pool("h1")) is None


async def test_a_host_without_a_cluster_comes_back_alone(store: Store) -> None:
    await with_infra_env(store)
    for host_id in ("h1", "h2"):
        await store.commit(a_commit(pool(host_id), reads={INFRA_ENV: 1}, changes=new(unbound(host_id))))
    await store.note_seen([Seen(infra_env_id=INFRA_ENV_ID, host_id="h1", at=NOW)])
    stored = await store.load(pool("h1"))
    assert stored is not None
    assert stored.version == 1
    assert stored.hosts == {"h1": unbound("h1")}
    assert stored.reads == {INFRA_ENV: 1}
    assert stored.presence == {"h1": NOW}


async def test_a_host_given_up_may_register_again_in_its_old_scope(store: Store) -> None:
    await with_infra_env(store)
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1"))))
    gone = a_commit(pool("h1"), 1, changes=changed(unbound("h1"), deleted_at=NOW), live=False)
    await store.commit(gone)
    stored = await store.load(pool("h1"))
    assert stored is not None
    assert (stored.version, stored.hosts) == (2, {})
    await store.commit(a_commit(pool("h1"), 2, changes=new(unbound("h1"))))
    assert await store.scope_of_host(INFRA_ENV_ID, "h1") == pool("h1")


async def test_an_infra_env_counts_its_hosts_bound_or_not(store: Store) -> None:
    await with_cluster(store, "h1", "h2")
    await store.commit(a_commit(pool("h3"), changes=new(unbound("h3"))))
    await store.commit(a_commit(version=1, changes=changed(a_host("h2"), deleted_at=NOW)))
    stored = await store.load(INFRA_ENV)
    assert stored is not None
    assert stored.infra_envs == {INFRA_ENV_ID: an_infra_env()}
    assert (stored.version, stored.tenants, stored.reads) == (1, 2, {})


async def test_every_commit_makes_the_next_version(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(version=1, changes=changed(a_cluster(), name="two")))
    await store.commit(a_commit(version=2))
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.version == 3
    assert stored.cluster == a_cluster(name="two")


async def test_a_commit_on_an_old_version_conflicts(store: Store) -> None:
    await with_cluster(store)
    for version in (0, 2):
        await conflicts(store, a_commit(version=version, changes=changed(a_cluster(), name="late")))
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.cluster == a_cluster()


async def test_a_commit_conflicts_if_what_it_read_has_changed(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(INFRA_ENV, 1, changes=changed(an_infra_env(), name="other")))
    await conflicts(store, a_commit(version=1, reads={INFRA_ENV: 1}))
    await conflicts(store, a_commit(pool("h1"), reads={INFRA_ENV: 1}, changes=new(unbound("h1"))))
    await store.commit(a_commit(version=1, reads={INFRA_ENV: 2}))


async def test_a_commit_conflicts_if_what_it_read_is_not_there(store: Store) -> None:
    await with_cluster(store)
    await conflicts(store, a_commit(version=1, reads={INFRA_ENV: 1, "infra-env:none": 1}))


async def test_a_commit_that_conflicts_leaves_nothing(store: Store) -> None:
    await with_cluster(store)
    before = await store.last_cursor()
    late = a_commit(
        version=7,
        changes=(*new(a_host("h9")), *changed(a_cluster(), name="late")),
        events=(an_event(),),
        effects=(DeleteFiles(cluster_id=CLUSTER_ID),),
        deadline=NOW,
    )
    await conflicts(store, late)
    await conflicts(store, late.but(version=1, finished_effect="gone"))
    assert await store.last_cursor() == before
    assert await store.scope_of_host(INFRA_ENV_ID, "h9") is None
    assert (await store.events(EventQuery(cluster_id=CLUSTER_ID))).events == ()
    assert await store.next_effect() is None
    assert await store.next_deadline() is None
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert (stored.version, stored.cluster) == (1, a_cluster())


async def test_of_many_commits_at_once_one_wins(open_store: Callable[[], Store]) -> None:
    stores = [open_store() for _ in range(3)]
    await with_cluster(stores[0])
    attempts = [store.commit(a_commit(version=1, changes=changed(a_cluster(), name="x"))) for store in stores * 3]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Committed"] + ["Conflict"] * 8
    assert len(await stores[0].history(scope=CLUSTER)) == 2


async def test_of_many_first_commits_at_once_one_wins(open_store: Callable[[], Store]) -> None:
    stores = [open_store() for _ in range(3)]
    outcomes = await asyncio.gather(
        *(store.commit(a_commit(changes=new(a_cluster()))) for store in stores * 3), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Committed"] + ["Conflict"] * 8


async def test_live_scopes_are_listed_oldest_first(store: Store) -> None:
    ids = ("z", "a", "m")
    for cluster_id in ids:
        await store.commit(a_commit(f"cluster:{cluster_id}", changes=new(a_cluster(id=cluster_id))))
    await store.commit(a_commit("cluster:z", 1))
    await store.commit(a_commit("cluster:a", 1, live=False))
    assert await store.scopes("cluster") == ("cluster:z", "cluster:m")
    assert await store.scopes("host") == ()


async def test_a_host_is_found_by_its_infra_env(store: Store) -> None:
    await with_cluster(store, "h2")
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1"))))
    assert await store.scope_of_host(INFRA_ENV_ID, "h2") == CLUSTER
    assert await store.scope_of_host(INFRA_ENV_ID, "h1") == pool("h1")
    assert await store.scope_of_host("elsewhere", "h1") is None
    assert await store.hosts_of(INFRA_ENV_ID) == (("h2", CLUSTER), ("h1", pool("h1")))
    await store.commit(a_commit(version=1, changes=changed(a_host("h2"), deleted_at=NOW)))
    assert await store.scope_of_host(INFRA_ENV_ID, "h2") is None
    assert await store.hosts_of(INFRA_ENV_ID) == (("h1", pool("h1")),)


async def test_hosts_are_found_by_how_their_ids_start(store: Store) -> None:
    await with_cluster(store, "abc-1", "abd-2", "ab_-3")
    await store.commit(a_commit(version=1, changes=changed(a_host("abd-2"), deleted_at=NOW)))
    assert await store.hosts_called("ab") == (("abc-1", CLUSTER), ("ab_-3", CLUSTER))
    assert await store.hosts_called("ab_") == (("ab_-3", CLUSTER),)
    assert await store.hosts_called("bc") == ()


async def test_a_host_that_moves_gives_both_scopes_a_new_version(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1")), deadline=NOW + MINUTE))
    bind = changed(unbound("h1"), cluster_id=CLUSTER_ID)
    await store.commit(a_commit(version=1, reads={pool("h1"): 1}, changes=bind))
    left, entered = await store.load(pool("h1")), await store.load(CLUSTER)
    assert left is not None
    assert entered is not None
    assert (left.version, left.hosts) == (2, {})
    assert (entered.version, list(entered.hosts)) == (2, ["h1"])
    assert await store.scopes("host") == ()
    assert await store.next_deadline() is None


async def test_a_host_that_moves_makes_its_new_scope_due(store: Store) -> None:
    await with_cluster(store, "h1")
    await store.commit(a_commit(version=1, changes=changed(a_host("h1"), cluster_id=None)))
    entered = await store.load(pool("h1"))
    assert entered is not None
    assert (entered.version, entered.hosts) == (1, {"h1": unbound("h1")})
    assert await store.scopes("host") == (pool("h1"),)
    assert await store.claim_due(NOW, MINUTE, 10) == (pool("h1"),)


async def test_an_infra_env_given_up_with_its_cluster_is_no_longer_live(store: Store) -> None:
    await with_cluster(store)
    given_up = (*changed(a_cluster(), deleted_at=NOW), *changed(an_infra_env(), deleted=True))
    await store.commit(a_commit(version=1, reads={INFRA_ENV: 1}, changes=given_up, live=False))
    assert await store.scopes("infra-env") == await store.scopes("cluster") == ()
    stored = await store.load(INFRA_ENV)
    assert stored is not None
    assert stored.version == 2
    assert await store.next_deadline() is None


async def test_a_host_that_changed_meanwhile_does_not_move(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(pool("h1"), changes=new(unbound("h1"))))
    await store.commit(a_commit(pool("h1"), 1, changes=changed(unbound("h1"), requested_hostname="x")))
    bind = changed(unbound("h1"), cluster_id=CLUSTER_ID)
    await conflicts(store, a_commit(version=1, reads={pool("h1"): 1}, changes=bind))
    assert await store.scope_of_host(INFRA_ENV_ID, "h1") == pool("h1")


async def test_presence_keeps_the_latest_time_of_every_host(store: Store) -> None:
    await with_cluster(store, "h1", "h2")
    await store.note_seen([])
    batch = [
        Seen(infra_env_id=INFRA_ENV_ID, host_id=host_id, at=NOW + minutes * MINUTE)
        for host_id, minutes in (("h1", 2), ("h1", 1), ("h2", 1), ("unknown", 1))
    ]
    await store.note_seen(batch)
    await store.note_seen([Seen(infra_env_id=INFRA_ENV_ID, host_id="h2", at=NOW)])
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.presence == {"h1": NOW + 2 * MINUTE, "h2": NOW + MINUTE}
    assert await store.presence_of(CLUSTER) == stored.presence


async def test_presence_is_told_of_the_live_hosts_of_a_scope_only(store: Store) -> None:
    await with_cluster(store, "h1", "h2", "h3")
    await store.note_seen([Seen(infra_env_id=INFRA_ENV_ID, host_id=each, at=NOW) for each in ("h1", "h2", "h9")])
    await store.commit(a_commit(version=1, changes=changed(a_host("h2"), deleted_at=NOW)))
    assert await store.presence_of(CLUSTER) == {"h1": NOW}
    assert await store.presence_of("cluster:unheard-of") == {}


async def test_a_store_that_answers_is_ready(store: Store) -> None:
    await store.ready()


async def test_a_microsecond_is_kept(store: Store) -> None:
    moment = NOW + timedelta(microseconds=1)
    await store.commit(a_commit(changes=new(a_cluster(updated_at=moment)), deadline=moment))
    assert await store.next_deadline() == moment
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.cluster == a_cluster(updated_at=moment)
