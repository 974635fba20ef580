"""The service may be killed at any moment: the installation goes on, nothing is lost, nothing is told twice."""

import asyncio
import random
from pathlib import Path

import pytest

from muster.adapters.sql import SqlStore
from muster.domain.views import cluster_scope
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS
from muster.wire.endpoints.events import LIST_EVENTS
from parts.balancer import Balancer
from parts.installs import SPEED, installed
from parts.process import MusterProcess

pytestmark = pytest.mark.slow

KILLS = 10


async def test_an_installation_survives_ten_kills_at_random_moments(tmp_path: Path) -> None:
    service = MusterProcess(tmp_path / "data")
    service.start()
    moments = random.Random(20261115)
    try:
        async with SteadyClient(service.url) as client:
            room = Room()
            place = await new_place(client, "tough", room)
            async with up(client, place, profiles_of(room), SPEED):
                killer = asyncio.create_task(_kill_now_and_then(service, moments))
                cluster = await installed(client, place.cluster_id)
                await killer
            assert cluster["progress"]["total_percentage"] == 100
            assert {host["status"] for host in cluster["hosts"]} == {"installed"}
            kubeconfig = await client.call(
                DOWNLOAD_CREDENTIALS, cluster_id=place.cluster_id, query={"file_name": "kubeconfig"}
            )
            assert b"certificate-authority-data" in kubeconfig
            await _nothing_is_told_twice(client, place.cluster_id)
        assert service.problems() == []
    finally:
        service.kill()
    await _history_has_no_gap(f"sqlite:///{tmp_path}/data/muster.db", place.cluster_id)


async def _kill_now_and_then(service: MusterProcess, moments: random.Random) -> None:
    for _ in range(KILLS):
        await asyncio.sleep(moments.uniform(0.3, 1.8))
        service.kill()
        await asyncio.to_thread(service.start)


async def _nothing_is_told_twice(client: SteadyClient, cluster_id: str) -> None:
    events = await client.call(LIST_EVENTS, query={"cluster_id": cluster_id, "limit": "-1"})
    told = [(each["name"], each.get("host_id"), each["message"], each["event_time"]) for each in events]
    assert len(told) == len(set(told))
    ends = [each for each in events if each["name"] == "cluster_installation_completed"]
    assert len(ends) == 1


async def _history_has_no_gap(database: str, cluster_id: str) -> None:
    """Every record, put together from its changes, is what the store holds."""
    store = SqlStore(database)
    try:
        scope = cluster_scope(cluster_id)
        rows = []
        while page := await store.history(after=rows[-1].cursor if rows else "", scope=scope):
            rows += page
        assert [row.version for row in rows] == sorted(row.version for row in rows)
        assert len({(row.version, row.kind, row.key) for row in rows}) == len(rows)
        stored = await store.load(scope)
        assert stored is not None
        assert stored.version >= rows[-1].version
        assert stored.cluster is not None
        changes = await store.history_of("cluster", cluster_id)
        last = [row.patch["status"] for row in changes if "status" in row.patch][-1]
        assert last == stored.cluster.status
    finally:
        await store.close()


async def test_two_replicas_install_twenty_clusters_and_one_of_them_dies(tmp_path: Path, postgres_url: str) -> None:
    files = f"{tmp_path}/files"
    replicas = [MusterProcess(tmp_path / name, database=postgres_url, storage=files) for name in ("one", "other")]
    for replica in replicas:
        replica.start()
    balancer = Balancer([replica.port for replica in replicas])
    await balancer.start()
    try:
        async with SteadyClient(balancer.url) as client:
            installs = [asyncio.create_task(_install_one(client, number)) for number in range(20)]
            done, _ = await asyncio.wait(installs, timeout=240, return_when=asyncio.FIRST_COMPLETED)
            replicas[0].kill()
            clusters = await asyncio.gather(*installs)
            assert len(done) >= 1
            assert [cluster["status"] for cluster in clusters] == ["installed"] * 20
            for cluster in clusters:
                await _nothing_is_told_twice(client, cluster["id"])
        assert [replica.problems() for replica in replicas] == [[], []]
    finally:
        await balancer.stop()
        replicas[1].kill()


async def _install_one(client: SteadyClient, number: int) -> dict[str, object]:
    room = Room(network=f"10.{number}.0.0/24", seed=f"room-{number}")
    place = await new_place(client, f"room-{number}", room)
    async with up(client, place, profiles_of(room), 150.0):
        return await installed(client, place.cluster_id)
