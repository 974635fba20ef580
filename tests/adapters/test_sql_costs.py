"""What a real PostgreSQL does must follow from what changed, not from how much is kept."""

import asyncio
from datetime import timedelta

import asyncpg
from commits import CLUSTER, INFRA_ENV, a_commit, changed, new, with_cluster

from builders import NOW, a_cluster
from muster.adapters.sql import SqlStore

MANY = 1500
"""Scopes beside the one that changes: so many that reading all of them shows, and so few that it tempts the planner."""

OFTEN = 20
"""Commits after which the server has settled on a plan for them."""


async def read_through(address: str) -> int:
    """How many scopes have been read by going through all of them, once every session of a store has ended."""
    connection = await asyncpg.connect(address)
    async with asyncio.timeout(10):
        while await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'muster'"):
            pass
    found: int = await connection.fetchval("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'scopes'")
    await connection.close()
    return found


async def a_large_fleet(address: str) -> SqlStore:
    store = SqlStore(address)
    await store.migrate()
    connection = await asyncpg.connect(address)
    await connection.execute(
        "INSERT INTO scopes (id, kind, version, live, deadline)"
        f" SELECT 'cluster:' || number, 'cluster', 1, true, '2100-01-01' FROM generate_series(1, {MANY}) AS number"
    )
    await connection.execute("ANALYZE")
    await connection.close()
    return store


async def test_a_commit_reads_the_scopes_it_rests_on_and_no_others(postgres_url):
    store = await a_large_fleet(postgres_url)
    await with_cluster(store)
    for version in range(1, OFTEN):
        renamed = changed(a_cluster(), name=f"name-{version}")
        await store.commit(a_commit(version=version, changes=renamed, reads={INFRA_ENV: 1}))
    await store.close()
    assert await read_through(postgres_url) == 0


async def test_the_clockwork_reads_the_scopes_that_are_due_and_no_others(postgres_url):
    store = await a_large_fleet(postgres_url)
    await store.commit(a_commit(changes=new(a_cluster()), deadline=NOW))
    for _ in range(OFTEN):
        assert await store.claim_due(NOW, timedelta(), 50) == (CLUSTER,)
    await store.close()
    assert await read_through(postgres_url) == 0
