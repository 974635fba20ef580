"""Who hears which news: in the same process, in another one, and after the server was away."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from commits import CLUSTER, a_commit

from muster.adapters.bus import LocalBus, PostgresBus
from muster.adapters.memory import MemoryBus
from muster.adapters.news import CHANNEL
from muster.adapters.sql import SqlStore
from muster.ports import Bus, Committed
from parts.postgres import Postgres

NEWS = Committed(scope=CLUSTER, version=1)


class Ear:
    """Hears everything, and lets a test wait for the next thing."""

    def __init__(self) -> None:
        self.news: asyncio.Queue[Committed | None] = asyncio.Queue()

    async def next(self) -> Committed | None:
        async with asyncio.timeout(30):
            return await self.news.get()


def listens(bus: Bus) -> Ear:
    ear = Ear()
    bus.subscribe(ear.news.put_nowait)
    return ear


@pytest.fixture
async def replicas(postgres_url: str) -> AsyncIterator[tuple[PostgresBus, PostgresBus]]:
    """Two processes on one database, both listening."""
    buses = (PostgresBus(postgres_url, "one"), PostgresBus(postgres_url, "two"))
    for bus in buses:
        await bus.start()
        await bus.listening.wait()
    yield buses
    for bus in buses:
        await bus.close()


async def committed(url: str, origin: str) -> None:
    store = SqlStore(url, origin=origin)
    await store.migrate()
    await store.commit(a_commit())
    await store.close()


@pytest.mark.parametrize("kind", [LocalBus, MemoryBus])
async def test_every_subscriber_hears_until_it_stops(kind: type[LocalBus]) -> None:
    bus = kind()
    heard: list[Committed | None] = []
    stop = bus.subscribe(heard.append)
    bus.subscribe(heard.append)
    await bus.publish(NEWS)
    assert heard == [NEWS, NEWS]
    stop()
    stop()
    await bus.publish(NEWS)
    assert len(heard) == 3


async def test_a_commit_is_heard_in_the_other_process_and_only_once(
    postgres_url: str, replicas: tuple[PostgresBus, PostgresBus]
) -> None:
    here, there = listens(replicas[0]), listens(replicas[1])
    await committed(postgres_url, "one")
    await replicas[0].publish(NEWS)
    assert await there.next() == NEWS
    assert await here.next() == NEWS
    await committed_elsewhere(postgres_url)
    assert await here.next() is None
    assert await there.next() is None


async def committed_elsewhere(url: str) -> None:
    """A notice that comes after everything sent before it."""
    connection = await asyncpg.connect(url)
    await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, "in words we do not know")
    await connection.close()


async def test_a_subscriber_may_have_missed_news_when_listening_begins(postgres_url: str) -> None:
    bus = PostgresBus(postgres_url, "one")
    ear = listens(bus)
    await bus.start()
    assert await ear.next() is None
    await bus.close()


async def test_a_bus_listens_again_after_the_server_was_away() -> None:
    server = Postgres()
    server.start()
    bus = PostgresBus(server.url, "one")
    ear = listens(bus)
    try:
        await bus.start()
        assert await ear.next() is None
        server.stop()
        server.start()
        assert await ear.next() is None
        await committed(server.url, "two")
        assert await ear.next() == NEWS
    finally:
        await bus.close()
        server.remove()


async def test_a_bus_waits_for_a_server_that_comes_later() -> None:
    server = Postgres()
    bus = PostgresBus(server.url, "one")
    ear = listens(bus)
    try:
        await bus.start()
        await asyncio.sleep(0)
        await asyncio.to_thread(server.start)
        assert await ear.next() is None
    finally:
        await bus.close()
        server.remove()


async def test_a_bus_that_never_started_can_be_closed() -> None:
    await PostgresBus("postgresql://nowhere/x", "one").close()
