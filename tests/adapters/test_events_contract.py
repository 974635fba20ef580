"""What every store promises about events: which are found, in which order, and how they are counted."""

from datetime import timedelta
from typing import Any

import pytest
from commits import CLUSTER, a_commit, an_event, changed, pool, unbound, with_cluster
from commits import new as fresh

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_host
from muster.domain.events import EventPage, EventQuery, Severity
from muster.ports import Store

SECOND = timedelta(seconds=1)
NOTHING = {"info": 0, "warning": 0, "error": 0, "critical": 0}


async def ask(store: Store, **query: Any) -> EventPage:
    return await store.events(EventQuery(**query))


async def messages(store: Store, **query: Any) -> list[str]:
    return [event.message for event in (await ask(store, **query)).events]


@pytest.fixture
async def told(store: Store) -> Store:
    """A cluster with two hosts, one of them given up, another host in the pool, and something told of each."""
    await with_cluster(store, "h1", "h2")
    events = (
        an_event("cluster"),
        an_event("first host", host_id="h1", infra_env_id=INFRA_ENV_ID, severity=Severity.WARNING),
        an_event("second host", host_id="h2", infra_env_id=INFRA_ENV_ID, severity=Severity.ERROR),
        an_event("metric", category="metrics"),
        an_event("another cluster", cluster_id="other"),
        an_event("pool", cluster_id=None, host_id="h3", infra_env_id=INFRA_ENV_ID),
        an_event("image", cluster_id=None, infra_env_id=INFRA_ENV_ID, severity=Severity.CRITICAL),
        an_event("foreign image", cluster_id=None, infra_env_id="elsewhere"),
    )
    given_up = changed(a_host("h2"), deleted_at=NOW)
    timed = tuple(event.but(at=NOW + number * SECOND) for number, event in enumerate(events))
    await store.commit(a_commit(version=1, changes=given_up, events=timed))
    await store.commit(a_commit(pool("h3"), changes=fresh(unbound("h3"))))
    return store


async def test_an_event_comes_back_as_it_was_told(store: Store) -> None:
    event = an_event(host_id="h1", infra_env_id=INFRA_ENV_ID, severity=Severity.CRITICAL, category="metrics")
    await store.commit(a_commit(events=(event,), request_id="r1"))
    page = await ask(store, cluster_id=CLUSTER_ID, categories=("metrics",))
    assert page.events == (event.but(at=NOW),)


async def test_an_event_that_has_its_own_time_keeps_it(store: Store) -> None:
    await store.commit(a_commit(events=(an_event("late"), an_event("early", at=NOW - SECOND))))
    assert await messages(store, cluster_id=CLUSTER_ID) == ["early", "late"]


async def test_an_event_of_no_decision_is_kept_with_the_present_time(store: Store) -> None:
    await store.add_event(an_event("from outside"))
    (event,) = (await ask(store, cluster_id=CLUSTER_ID)).events
    assert event == an_event("from outside", at=NOW)


async def test_a_message_loses_the_character_that_no_database_keeps(store: Store) -> None:
    await store.commit(a_commit(events=(an_event("bad\0 output"),)))
    assert await messages(store, cluster_id=CLUSTER_ID) == ["bad output"]


async def test_a_clusters_events_are_counted_by_severity(told: Store) -> None:
    page = await ask(told, cluster_id=CLUSTER_ID)
    assert [event.message for event in page.events] == ["cluster", "first host", "second host"]
    assert page.count == 3
    assert page.severities == NOTHING | {"info": 1, "warning": 1, "error": 1}


async def test_severities_narrow_the_list_but_not_their_own_counts(told: Store) -> None:
    page = await ask(told, cluster_id=CLUSTER_ID, severities=("warning", "error"))
    assert [event.message for event in page.events] == ["first host", "second host"]
    assert page.count == 2
    assert page.severities == NOTHING | {"info": 1, "warning": 1, "error": 1}


async def test_paging_changes_no_count(told: Store) -> None:
    page = await ask(told, cluster_id=CLUSTER_ID, limit=1, offset=1)
    assert [event.message for event in page.events] == ["first host"]
    assert page.count == 3


async def test_a_limit_of_zero_gives_counts_only(told: Store) -> None:
    page = await ask(told, cluster_id=CLUSTER_ID, limit=0)
    assert (page.events, page.count) == ((), 3)


async def test_a_negative_limit_gives_all_and_a_negative_offset_is_none(told: Store) -> None:
    assert len(await messages(told, cluster_id=CLUSTER_ID, limit=-1, offset=-5)) == 3
    assert len(await messages(told, cluster_id=CLUSTER_ID, limit=-1, offset=1)) == 2


async def test_the_newest_comes_first_if_asked(told: Store) -> None:
    assert await messages(told, cluster_id=CLUSTER_ID, descending=True) == ["second host", "first host", "cluster"]


async def test_events_of_the_same_moment_keep_the_order_they_were_told_in(store: Store) -> None:
    words = ["one", "two", "three"]
    await store.commit(a_commit(events=tuple(an_event(word) for word in words)))
    assert await messages(store, cluster_id=CLUSTER_ID) == words
    assert await messages(store, cluster_id=CLUSTER_ID, descending=True) == words[::-1]


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"host_ids": ("h1",)}, ["first host"]),
        ({"host_ids": ("h1", "h2")}, ["first host", "second host"]),
        ({"deleted_hosts": True}, ["second host"]),
        ({"cluster_level": True}, ["cluster"]),
        ({"host_ids": ("h1",), "cluster_level": True}, ["cluster", "first host"]),
        ({"deleted_hosts": True, "cluster_level": True}, ["cluster", "second host"]),
        ({"host_ids": ("nobody",)}, []),
    ],
)
async def test_the_groups_of_a_cluster_add_up(told: Store, groups: dict[str, Any], found: list[str]) -> None:
    page = await ask(told, cluster_id=CLUSTER_ID, **groups)
    assert [event.message for event in page.events] == found
    assert page.count == sum(page.severities.values()) == len(found)


async def test_categories_are_chosen(told: Store) -> None:
    assert await messages(told, cluster_id=CLUSTER_ID, categories=("metrics",)) == ["metric"]
    assert len(await messages(told, cluster_id=CLUSTER_ID, categories=("user", "metrics"))) == 4


async def test_a_message_is_searched_without_regard_to_case(told: Store) -> None:
    assert await messages(told, cluster_id=CLUSTER_ID, message="HOST") == ["first host", "second host"]


@pytest.mark.parametrize("sign", ["%", "_", "\\", "/"])
async def test_signs_in_a_searched_message_mean_themselves(store: Store, sign: str) -> None:
    await store.commit(a_commit(CLUSTER, events=(an_event(f"disk 5{sign} full"), an_event("disk 50 full"))))
    assert await messages(store, cluster_id=CLUSTER_ID, message=f"5{sign}") == [f"disk 5{sign} full"]


async def test_an_infra_envs_events_are_counted_but_not_by_severity(told: Store) -> None:
    page = await ask(told, infra_env_id=INFRA_ENV_ID, severities=("info", "critical"))
    assert [event.message for event in page.events] == ["pool", "image"]
    assert (page.count, page.severities) == (2, NOTHING)


async def test_a_cluster_counts_more_than_an_infra_env(told: Store) -> None:
    assert await messages(told, cluster_id="other", infra_env_id=INFRA_ENV_ID) == ["another cluster"]


async def test_hosts_alone_are_found_while_they_live(told: Store) -> None:
    page = await ask(told, host_ids=("h1", "h2", "h3"))
    assert [event.message for event in page.events] == ["first host", "pool"]
    assert (page.count, page.severities) == (2, NOTHING)


async def test_everything_is_given_but_not_counted(told: Store) -> None:
    page = await ask(told)
    assert len(page.events) == 7
    assert (page.count, page.severities) == (0, NOTHING)


async def test_what_was_reported_with_an_event_comes_back(store: Store) -> None:
    reported = an_event("reported", props='{"reboots": 2}')
    await store.add_event(reported)
    await store.commit(a_commit(events=(an_event("told"), reported.but(message="in a commit"))))
    assert [event.props for event in (await ask(store, cluster_id=CLUSTER_ID)).events] == [
        '{"reboots": 2}',
        "",
        '{"reboots": 2}',
    ]


async def test_it_is_known_whether_the_like_was_told_since(store: Store) -> None:
    told = an_event(host_id="h1", infra_env_id=INFRA_ENV_ID)
    await store.commit(a_commit(events=(told,)))
    assert await store.told_since(told, NOW - SECOND)
    assert not await store.told_since(told, NOW)
    for changes in ({"name": "else"}, {"cluster_id": "other"}, {"host_id": None}, {"infra_env_id": None}):
        assert not await store.told_since(told.but(**changes), NOW - SECOND)


async def test_the_like_of_what_concerns_nothing_in_particular_is_known_too(store: Store) -> None:
    of_nothing = an_event(cluster_id=None)
    assert not await store.told_since(of_nothing, NOW - SECOND)
    await store.add_event(of_nothing)
    assert await store.told_since(of_nothing, NOW - SECOND)
