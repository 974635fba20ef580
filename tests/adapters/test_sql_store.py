"""What only real databases can get wrong: migrations, outages, and transactions that commit out of order."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from commits import CLUSTER, INFRA_ENV, a_commit, an_event, changed, new, with_cluster
from sqlalchemy import Connection, event, inspect

from builders import a_cluster, a_host
from muster.adapters.news import CHANNEL
from muster.adapters.sql import SqlStore
from muster.adapters.sql.schema import metadata
from muster.domain.errors import Broken, Invalid, Unavailable
from parts.postgres import Postgres

OTHER = "cluster:other"
OpenSql = Callable[..., SqlStore]
Connect = Callable[[], Awaitable[Any]]


@pytest.fixture
async def open_sql() -> AsyncIterator[OpenSql]:
    """Opens stores and closes them in the end, however the test goes."""
    opened: list[SqlStore] = []

    def another(address: str, **options: Any) -> SqlStore:
        opened.append(SqlStore(address, **options))
        return opened[-1]

    yield another
    for store in opened:
        await store.close()


@pytest.fixture
async def pg_store(postgres_url: str, open_sql: OpenSql) -> SqlStore:
    """A store on PostgreSQL that tells the other replicas."""
    store = open_sql(postgres_url, origin="here")
    await store.migrate()
    return store


@pytest.fixture
async def connect(postgres_url: str) -> AsyncIterator[Connect]:
    """Opens connections to the PostgreSQL of the test beside those of the store."""
    opened: list[Any] = []

    async def another() -> Any:
        opened.append(await asyncpg.connect(postgres_url))
        return opened[-1]

    yield another
    for connection in opened:
        await connection.close()


def differences(connection: Connection) -> list[Any]:
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))


async def until(connection: Any, question: str) -> None:
    """Ask the server until it says yes."""
    while not await connection.fetchval(question):
        pass


def tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


async def test_the_migrations_make_exactly_the_schema(database_url: str, open_sql: OpenSql) -> None:
    store = open_sql(database_url)
    await store.migrate()
    assert await store._database.read(differences) == []
    assert await store._database.read(tables) == {*metadata.tables, "alembic_version"}


async def test_replicas_that_start_together_migrate_once(database_url: str, open_sql: OpenSql) -> None:
    stores = [open_sql(database_url) for _ in range(4)]
    await asyncio.gather(*(store.migrate() for store in stores))
    await asyncio.gather(*(store.migrate() for store in stores))
    await with_cluster(stores[0])
    assert await stores[3].load(CLUSTER) is not None


async def test_what_is_large_and_often_written_is_compressed_the_quick_way_if_the_database_can(
    pg_store: SqlStore, connect: Connect
) -> None:
    del pg_store
    asked = await connect()
    known = await asked.fetchval("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'")
    used = await asked.fetch(
        "SELECT attcompression FROM pg_attribute WHERE attname IN ('body', 'patch') AND attcompression <> ''"
    )
    assert [row["attcompression"] for row in used] == ([b"l", b"l"] if "lz4" in (known or ()) else [])


async def test_readers_of_a_file_do_not_wait_for_its_writer(sqlite_url: str, open_sql: OpenSql) -> None:
    store, other = open_sql(sqlite_url), open_sql(sqlite_url)
    await store.migrate()
    await with_cluster(store)

    def look_while_writing(connection: Connection) -> Any:
        connection.exec_driver_sql("DELETE FROM scopes")
        return asyncio.run(other.load(CLUSTER))

    assert await store._database.write(look_while_writing) is not None


async def test_what_was_committed_is_there_after_opening_again(database_url: str, open_sql: OpenSql) -> None:
    store = open_sql(database_url)
    await store.migrate()
    await with_cluster(store, "h1")
    await store.close()
    again = open_sql(database_url)
    await again.migrate()
    stored = await again.load(CLUSTER)
    assert stored is not None
    assert (stored.cluster, stored.hosts) == (a_cluster(), {"h1": a_host("h1")})


async def test_a_database_of_a_newer_muster_is_refused(database_url: str, open_sql: OpenSql) -> None:
    store = open_sql(database_url)
    await store.migrate()
    await store._database.write(lambda connection: connection.exec_driver_sql(_FROM_TOMORROW).close())
    with pytest.raises(Broken, match="newer"):
        await store.migrate()


async def test_a_plain_path_or_the_name_of_a_driver_will_do(
    tmp_path: Path, postgres_url: str, open_sql: OpenSql
) -> None:
    for address in (f"{tmp_path}/a b/%20.db", f"sqlite+aiosqlite:///{tmp_path}/b.db", _with_driver(postgres_url)):
        store = open_sql(address)
        await store.migrate()
    assert (tmp_path / "a b" / "%20.db").exists()
    assert (tmp_path / "b.db").exists()


def _with_driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+asyncpg://")


@pytest.mark.parametrize("address", ["mysql://x/y", "sqlite://", "://"])
def test_an_address_that_cannot_be_used_is_invalid(address: str) -> None:
    with pytest.raises(Invalid, match="database: "):
        SqlStore(address)


async def test_a_folder_in_place_of_the_file_is_an_outage(tmp_path: Path, open_sql: OpenSql) -> None:
    store = open_sql(str(tmp_path))
    with pytest.raises(Unavailable):
        await store.ready()


async def test_a_store_comes_back_by_itself_after_the_server_restarts(open_sql: OpenSql) -> None:
    server = Postgres()
    server.start()
    store = open_sql(server.url)
    try:
        await store.migrate()
        await with_cluster(store)
        server.stop()
        for attempt in (store.ready(), store.load(CLUSTER), store.commit(a_commit(version=1))):
            with pytest.raises(Unavailable):
                await attempt
        server.start()
        await store.ready()
        await store.commit(a_commit(version=1, changes=changed(a_cluster(), name="back")))
        stored = await store.load(CLUSTER)
        assert stored is not None
        assert stored.version == 2
    finally:
        server.remove()


async def test_a_session_that_the_server_ended_is_replaced_unnoticed(pg_store: SqlStore, connect: Connect) -> None:
    admin, sessions = await connect(), []
    engine = pg_store._database._engine  # type: ignore[union-attr]  # this one is a PostgreSQL
    event.listen(engine, "connect", lambda session, _: sessions.append(session.driver_connection))
    await with_cluster(pg_store)
    await pg_store.load(CLUSTER)
    async with await pg_store._database._driver() as session:  # type: ignore[union-attr]  # as above
        sessions.append(session._con)
    await admin.execute(_END_THE_OTHERS)
    while not all(session.is_closed() for session in sessions):
        await admin.execute("SELECT 1")
    await pg_store.commit(a_commit(version=1))
    assert (await pg_store.load(CLUSTER)).version == 2
    assert len(sessions) == 3


async def test_history_waits_for_an_earlier_transaction_that_commits_later(
    pg_store: SqlStore, connect: Connect
) -> None:
    await with_cluster(pg_store)
    cursor = await pg_store.last_cursor()
    blocker = await connect()
    watcher = await connect()
    held = blocker.transaction()
    await held.start()
    await blocker.execute("SELECT 1 FROM scopes WHERE id = $1 FOR UPDATE", CLUSTER)
    earlier = asyncio.create_task(pg_store.commit(a_commit(version=1, changes=changed(a_cluster(), name="earlier"))))
    await until(watcher, _WAITING)

    await pg_store.commit(a_commit(OTHER, changes=new(a_cluster(id="other", name="later"))))
    assert await pg_store.load(OTHER) is not None
    assert await pg_store.history(after=cursor) == ()
    assert await pg_store.last_cursor() == cursor

    await held.rollback()
    await earlier
    rows = await pg_store.history(after=cursor)
    assert [row.patch["name"] for row in rows] == ["earlier", "later"]
    assert await pg_store.history(after=rows[0].cursor) == rows[1:]


async def test_other_replicas_are_told_with_the_commit(pg_store: SqlStore, connect: Connect) -> None:
    heard: list[Any] = []
    listener = await connect()
    await listener.add_listener(CHANNEL, lambda *news: heard.append(json.loads(news[-1])))
    await with_cluster(pg_store, "h1")
    await pg_store.commit(
        a_commit(version=1, changes=changed(a_host("h1"), requested_hostname="x"), events=(an_event(),))
    )
    await listener.execute("SELECT 1")
    assert [news["news"] for news in heard] == [
        {"scope": INFRA_ENV, "version": 1, "touches": [CLUSTER]},
        {"scope": CLUSTER, "version": 1, "counts": [INFRA_ENV]},
        {"scope": CLUSTER, "version": 2},
    ]
    assert {news["origin"] for news in heard} == {"here"}


async def test_too_much_news_for_one_notice_says_only_that_there_is_some(pg_store: SqlStore, connect: Connect) -> None:
    heard: list[Any] = []
    listener = await connect()
    await listener.add_listener(CHANNEL, lambda *news: heard.append(json.loads(news[-1])))
    hosts = [a_host("h1", infra_env_id=f"infra-env-{number:0100}") for number in range(100)]
    await pg_store.commit(a_commit(changes=new(a_cluster(), *hosts)))
    await listener.execute("SELECT 1")
    assert heard == [{"origin": "here"}]


async def test_the_common_commit_is_one_statement(pg_store: SqlStore) -> None:
    await with_cluster(pg_store, "h1")
    host = changed(a_host("h1"), requested_hostname="x")
    await pg_store.commit(a_commit(version=1, reads={INFRA_ENV: 1}, changes=host, events=(an_event(),)))
    statements: list[str] = []
    async with await pg_store._database._driver() as session:  # type: ignore[union-attr]  # this one is a PostgreSQL
        session._con.add_query_logger(lambda record: statements.append(record.query))
    await pg_store.commit(a_commit(version=2, reads={INFRA_ENV: 1}, changes=host, events=(an_event(),)))
    assert len(statements) == 1


_FROM_TOMORROW = "UPDATE alembic_version SET version_num = '9999'"
_END_THE_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND datname = current_database()"
)
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
