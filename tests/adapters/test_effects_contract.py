"""What every store promises about deadlines and effects: who gets what, and when it comes back."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from commits import CLUSTER, a_commit, with_cluster

from builders import CLUSTER_ID, NOW
from muster.domain.effects import DeleteFiles, GenerateFiles, PublishKubeconfig
from muster.domain.errors import Conflict
from muster.ports import Lease, Store

LEASE = timedelta(seconds=15)
SECOND = timedelta(seconds=1)


async def with_due_scopes(store: Store, count: int) -> tuple[str, ...]:
    """Scopes that are due, the last one first."""
    names = tuple(f"cluster:{number}" for number in range(count))
    for number, name in enumerate(names):
        await store.commit(a_commit(name, deadline=NOW - number * SECOND))
    return names


async def with_effects(store: Store, count: int = 1) -> None:
    effects = tuple(GenerateFiles(cluster_id=CLUSTER_ID, attempt=number) for number in range(count))
    await store.commit(a_commit(effects=effects))


async def the_lease(store: Store, owner: str = "a") -> Lease:
    (lease,) = await store.claim_effects(owner, NOW, LEASE, 1)
    return lease


async def test_a_scope_is_claimed_once_its_deadline_has_come(store: Store) -> None:
    await store.commit(a_commit(deadline=NOW))
    await store.commit(a_commit("cluster:never"))
    assert await store.next_deadline() == NOW
    assert await store.claim_due(NOW - SECOND, LEASE, 10) == ()
    assert await store.claim_due(NOW, LEASE, 10) == (CLUSTER,)


async def test_a_claimed_scope_comes_due_again_after_the_lease(store: Store) -> None:
    await store.commit(a_commit(deadline=NOW))
    await store.claim_due(NOW, LEASE, 10)
    assert await store.claim_due(NOW + LEASE - SECOND, LEASE, 10) == ()
    assert await store.next_deadline() == NOW + LEASE
    assert await store.claim_due(NOW + LEASE, LEASE, 10) == (CLUSTER,)


async def test_the_scopes_that_waited_longest_are_claimed_first(store: Store) -> None:
    names = await with_due_scopes(store, 3)
    assert await store.claim_due(NOW, LEASE, 2) == names[1:]
    assert await store.claim_due(NOW, LEASE, 2) == names[:1]


async def test_two_replicas_never_claim_the_same_scope(open_store: Callable[[], Store]) -> None:
    stores = [open_store(), open_store()]
    names = await with_due_scopes(stores[0], 20)
    claims = await asyncio.gather(*(store.claim_due(NOW, LEASE, 4) for store in stores * 3))
    claims += [await stores[0].claim_due(NOW, LEASE, 20)]
    assert sorted(name for claim in claims for name in claim) == sorted(names)


async def test_a_deadline_is_set_without_a_new_version(store: Store) -> None:
    await with_cluster(store)
    await store.set_deadline(CLUSTER, 1, NOW)
    assert await store.next_deadline() == NOW
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.version == 1
    await store.set_deadline(CLUSTER, 1, None)
    assert await store.next_deadline() is None


async def test_a_deadline_for_an_old_version_is_ignored(store: Store) -> None:
    await with_cluster(store)
    await store.commit(a_commit(version=1, deadline=NOW))
    await store.set_deadline(CLUSTER, 1, NOW + LEASE)
    await store.set_deadline("cluster:none", 1, NOW - LEASE)
    assert await store.next_deadline() == NOW


async def test_effects_come_back_as_they_were_written(store: Store) -> None:
    effects = (
        GenerateFiles(cluster_id=CLUSTER_ID, attempt=3),
        PublishKubeconfig(cluster_id=CLUSTER_ID, ingress_ca="pem"),
        DeleteFiles(cluster_id=CLUSTER_ID, everything=True),
    )
    await store.commit(a_commit(effects=effects))
    leases = await store.claim_effects("a", NOW, LEASE, 10)
    assert tuple(lease.effect for lease in leases) == effects
    assert {(lease.scope, lease.attempts) for lease in leases} == {(CLUSTER, 1)}
    assert len({lease.id for lease in leases}) == 3


async def test_an_effect_may_be_claimed_at_once(store: Store) -> None:
    assert await store.next_effect() is None
    await with_effects(store)
    assert await store.next_effect() == NOW
    assert await store.claim_effects("a", NOW - SECOND, LEASE, 1) == ()


async def test_two_workers_never_get_the_same_effect(open_store: Callable[[], Store]) -> None:
    stores = [open_store(), open_store()]
    await with_effects(stores[0], 20)
    claims = await asyncio.gather(*(store.claim_effects("a", NOW, LEASE, 4) for store in stores * 3))
    claims += [await stores[0].claim_effects("a", NOW, LEASE, 20)]
    ids = [lease.id for claim in claims for lease in claim]
    assert len(ids) == len(set(ids)) == 20


async def test_an_effect_goes_to_another_worker_once_its_lease_is_over(store: Store) -> None:
    await with_effects(store)
    first = await the_lease(store)
    assert await store.next_effect() == NOW + LEASE
    assert await store.claim_effects("b", NOW + LEASE - SECOND, LEASE, 1) == ()
    (second,) = await store.claim_effects("b", NOW + LEASE, LEASE, 1)
    assert (second.id, second.attempts) == (first.id, 2)


async def test_a_beat_stretches_the_lease(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    assert await store.beat("a", [lease.id, "unknown"], NOW + 3 * LEASE) == {lease.id}
    assert await store.claim_effects("b", NOW + 2 * LEASE, LEASE, 1) == ()
    assert await store.next_effect() == NOW + 3 * LEASE


async def test_a_beat_of_a_worker_that_lost_its_lease_does_nothing(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    await store.claim_effects("b", NOW + LEASE, LEASE, 1)
    assert await store.beat("a", [lease.id], NOW + 9 * LEASE) == set()
    assert await store.beat("a", [], NOW + 9 * LEASE) == set()
    await store.retry_effect("a", lease.id, NOW, "late")
    assert await store.next_effect() == NOW + 2 * LEASE


async def test_an_effect_given_back_is_tried_again_when_it_is_due(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    await store.retry_effect("a", lease.id, NOW + SECOND, "The storage does not answer\0")
    assert await store.claim_effects("b", NOW, LEASE, 1) == ()
    (again,) = await store.claim_effects("b", NOW + SECOND, LEASE, 1)
    assert (again.id, again.attempts) == (lease.id, 2)


async def test_what_a_worker_held_that_died_may_be_claimed_at_once(store: Store) -> None:
    await with_effects(store, 3)
    (held,) = await store.claim_effects("dead", NOW, LEASE, 1)
    (others,) = await store.claim_effects("b", NOW, LEASE, 1)
    (given_back,) = await store.claim_effects("dead", NOW, LEASE, 1)
    await store.retry_effect("dead", given_back.id, NOW + LEASE, "The storage does not answer")
    await store.release_effects("dead", NOW)
    assert [each.id for each in await store.claim_effects("c", NOW, LEASE, 10)] == [held.id]
    assert await store.beat("b", [others.id], NOW + LEASE) == {others.id}


async def test_a_finished_effect_is_gone(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    await store.commit(a_commit(version=1, finished_effect=lease.id))
    assert await store.next_effect() is None


async def test_an_effect_cannot_be_finished_twice(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    await store.commit(a_commit(version=1, finished_effect=lease.id))
    with pytest.raises(Conflict):
        await store.commit(a_commit(version=2, finished_effect=lease.id))
    stored = await store.scopes("cluster")
    assert stored == (CLUSTER,)


async def test_a_conflict_leaves_the_effect_to_be_finished(store: Store) -> None:
    await with_effects(store)
    lease = await the_lease(store)
    with pytest.raises(Conflict):
        await store.commit(a_commit(version=5, finished_effect=lease.id))
    assert await store.next_effect() == NOW + LEASE
    await store.commit(a_commit(version=1, finished_effect=lease.id))


async def test_an_effect_that_is_put_off_is_handed_out_when_its_time_has_come(store: Store) -> None:
    later = DeleteFiles(cluster_id=CLUSTER_ID, wait=SECOND)
    await store.commit(a_commit(effects=(later,)))
    assert await store.next_effect() == NOW + SECOND
    assert await store.claim_effects("a", NOW, LEASE, 1) == ()
    (lease,) = await store.claim_effects("a", NOW + SECOND, LEASE, 1)
    assert lease.effect == later
