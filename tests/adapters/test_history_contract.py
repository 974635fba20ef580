"""What every store promises about history: nothing skipped, nothing secret, everything in order."""

from datetime import timedelta

import pytest
from commits import CLUSTER, INFRA_ENV, a_commit, changed, new, with_cluster

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_cluster, a_host, an_infra_env
from muster.domain.errors import Invalid
from muster.domain.history import HistoryRow
from muster.domain.record import SECRET
from muster.ports import Store

MINUTE = timedelta(minutes=1)
HOST_KEY = f"{INFRA_ENV_ID}/h1"


def versions(rows: tuple[HistoryRow, ...]) -> list[int]:
    return [row.version for row in rows]


async def with_names(store: Store, *names: str) -> None:
    """A cluster that goes by one name after the other, a minute each."""
    cluster = a_cluster()
    await store.commit(a_commit(changes=new(cluster)))
    for version, name in enumerate(names, 1):
        commit = a_commit(version=version, changes=changed(cluster, name=name), at=NOW + version * MINUTE)
        await store.commit(commit)
        cluster = cluster.but(name=name)


async def test_every_changed_record_has_a_row(store: Store) -> None:
    await with_cluster(store, "h1")
    renamed = changed(a_host("h1"), requested_hostname="other")
    await store.commit(a_commit(version=1, changes=renamed, actor="someone", triggers=("UpdateHost", "Ticked")))
    row = (await store.history())[-1]
    assert row.patch == {"requested_hostname": "other"}
    assert (row.scope, row.version, row.at, row.actor) == (CLUSTER, 2, NOW, "someone")
    assert (row.kind, row.key, row.triggers) == ("host", HOST_KEY, ("UpdateHost", "Ticked"))


async def test_a_new_record_is_there_from_its_first_row(store: Store) -> None:
    await with_cluster(store, "h1")
    rows = await store.history()
    assert [(row.scope, row.kind, row.key) for row in rows] == [
        (INFRA_ENV, "infra_env", INFRA_ENV_ID),
        (CLUSTER, "cluster", CLUSTER_ID),
        (CLUSTER, "host", HOST_KEY),
    ]
    assert rows[1].patch["name"] == a_cluster().name


async def test_a_record_that_did_not_change_has_no_row(store: Store) -> None:
    await with_cluster(store)
    before = await store.last_cursor()
    await store.commit(a_commit(version=1, changes=changed(a_cluster(), name=a_cluster().name)))
    assert await store.history(after=before) == ()
    assert await store.last_cursor() == before


async def test_secrets_are_not_in_the_history(store: Store) -> None:
    cluster, host = a_cluster(pull_secret="hush1"), a_host("h1", ignition_endpoint_token="hush2")
    infra_env = an_infra_env(pull_secret="hush3")
    await store.commit(a_commit(INFRA_ENV, changes=new(infra_env)))
    await store.commit(a_commit(changes=new(cluster, host)))
    await store.commit(a_commit(version=1, changes=changed(cluster, pull_secret="hush4")))
    await store.commit(a_commit(version=2, changes=changed(host, ignition_endpoint_http_headers={"a": "hush5"})))
    rows = await store.history()
    assert "hush" not in str(rows)
    assert rows[3].patch == {"pull_secret": SECRET}
    stored = await store.load(CLUSTER)
    assert stored is not None
    assert stored.cluster is not None
    assert stored.cluster.pull_secret == "hush4"


async def test_history_goes_on_after_a_cursor(store: Store) -> None:
    await with_names(store, "b", "c", "d")
    first = await store.history(limit=2)
    second = await store.history(after=first[-1].cursor, limit=1)
    rest = await store.history(after=second[-1].cursor)
    assert versions(first + second + rest) == [1, 2, 3, 4]
    assert await store.history(after=rest[-1].cursor) == ()


async def test_the_last_cursor_is_where_news_begin(store: Store) -> None:
    assert await store.last_cursor() == ""
    await with_names(store, "b")
    cursor = await store.last_cursor()
    assert await store.history(after=cursor) == ()
    await store.commit(a_commit(version=2, changes=changed(a_cluster(name="b"), name="c")))
    assert versions(await store.history(after=cursor)) == [3]


async def test_history_of_one_scope_leaves_out_the_others(store: Store) -> None:
    await with_cluster(store, "h1")
    assert [row.kind for row in await store.history(scope=CLUSTER)] == ["cluster", "host"]
    assert [row.kind for row in await store.history(scope=INFRA_ENV)] == ["infra_env"]


async def test_history_of_one_record_ends_where_asked(store: Store) -> None:
    await with_names(store, "b", "c")
    assert versions(await store.history_of("cluster", CLUSTER_ID)) == [1, 2, 3]
    assert versions(await store.history_of("cluster", CLUSTER_ID, NOW + MINUTE)) == [1, 2]
    assert await store.history_of("cluster", "other") == ()


@pytest.mark.parametrize("cursor", ["x", "1", "1.", "-1.2", "1.2.3", f"{'9' * 30}.1"])
async def test_a_cursor_that_was_never_given_out_is_invalid(store: Store, cursor: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        await store.history(after=cursor)
