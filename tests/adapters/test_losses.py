"""A database or a bucket that is taken away under whoever uses it: what is noticed, what is said, what comes after."""

import asyncio
import shutil
import threading
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from commits import a_commit, an_event, new, with_cluster
from fetching_images import a_folder, an_image, running, until
from sqlalchemy import text

from builders import a_cluster
from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.bus import LocalBus
from muster.adapters.sql import SqlStore
from muster.adapters.sql.faults import Emptied
from muster.domain.base_images import State
from muster.domain.errors import Broken, Unavailable
from muster.domain.events import EventQuery
from muster.ports import Committed
from muster.runtime import recovery
from muster.runtime.recovery import Recovery
from parts.image_server import ImageServer, live_image

SOON = 5.0


@pytest.fixture
async def kept(sqlite_url: str):
    """A store in a file, with a cluster in it."""
    store = SqlStore(sqlite_url)
    await store.migrate()
    await with_cluster(store)
    yield store
    await store.close()


def file_of(store: SqlStore) -> Path:
    return Path(store._database._path)


async def test_a_file_that_is_gone_is_noticed_by_the_next_question(kept):
    file_of(kept).unlink()
    with pytest.raises(Emptied, match="is gone, or was replaced"):
        await kept.next_deadline()
    async with asyncio.timeout(SOON):
        await kept.lost()


async def test_nothing_is_written_to_a_file_that_is_gone(kept):
    file_of(kept).unlink()
    with pytest.raises(Emptied):
        await kept.add_event(an_event())
    await kept.migrate()
    assert await kept.scopes("cluster") == ()
    await with_cluster(kept)
    assert len(await kept.scopes("cluster")) == 1


async def test_a_question_under_way_does_not_harm_the_file_that_comes_next(kept, sqlite_url):
    going, free = threading.Event(), threading.Event()

    def slow(connection: Any) -> int:
        connection.execute(text("SELECT count(*) FROM scopes")).scalar()
        going.set()
        assert free.wait(SOON)
        return 1

    asked = asyncio.create_task(kept._database.snapshot(slow))
    await asyncio.to_thread(going.wait, SOON)
    file_of(kept).unlink()
    anew = asyncio.create_task(kept.migrate())
    free.set()
    assert await asked == 1
    await anew
    await kept.add_event(an_event("after"))
    other = SqlStore(sqlite_url)
    assert [each.message for each in (await other.events(EventQuery(limit=-1))).events] == ["after"]
    await other.close()


async def test_a_file_that_was_lost_before_it_was_ever_looked_at_has_no_tables(sqlite_url):
    store = SqlStore(sqlite_url)
    with pytest.raises(Emptied):
        await store.next_deadline()
    await store.close()


async def test_a_damaged_file_is_told_with_the_way_out_and_left_as_it_is(sqlite_url):
    store = SqlStore(sqlite_url)
    file_of(store).write_bytes(b"no database at all " * 1000)
    with pytest.raises(Unavailable, match=r"is damaged\. Move it away.*muster restore"):
        await store.next_deadline()
    with pytest.raises(Unavailable, match="is damaged"):
        await store.migrate()
    assert file_of(store).read_bytes().startswith(b"no database")
    await store.close()


async def test_tables_that_are_gone_from_a_server_are_noticed(postgres_url):
    store = SqlStore(postgres_url)
    await store.migrate()
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("DROP SCHEMA public CASCADE")
    for act in (store.next_deadline(), store.commit(a_commit(changes=new(a_cluster())))):
        with pytest.raises(Emptied):
            await act
    with pytest.raises(Emptied):
        await store.migrate()
    await connection.execute("CREATE SCHEMA public")
    await store.lost()
    await store.migrate()
    await with_cluster(store)
    assert not store._database.lost.is_set()
    await connection.close()
    await store.close()


async def test_a_store_that_is_lost_is_put_right_and_everybody_is_told(kept):
    bus, heard = LocalBus(), asyncio.Event()

    def hear(news: Committed | None) -> None:
        assert news is None
        heard.set()

    bus.subscribe(hear)
    running = asyncio.create_task(Recovery(kept, bus).run())
    file_of(kept).unlink()
    with pytest.raises(Emptied):
        await kept.ready()
    async with asyncio.timeout(SOON):
        await heard.wait()
    await kept.ready()
    running.cancel()


async def test_what_cannot_be_put_right_yet_is_tried_again(kept, monkeypatch):
    class Stubborn(SqlStore):
        tries = 0

        async def migrate(self) -> None:
            self.tries += 1
            if self.tries == 1:
                raise Broken("not yet")
            await super().migrate()

    monkeypatch.setattr(recovery, "PAUSE", 0.0)
    store = Stubborn(f"sqlite:///{file_of(kept)}")
    bus, heard = LocalBus(), asyncio.Event()
    bus.subscribe(lambda _: heard.set())
    await SqlStore.migrate(store)
    running = asyncio.create_task(Recovery(store, bus).run())
    file_of(kept).unlink()
    with pytest.raises(Emptied):
        await store.ready()
    async with asyncio.timeout(SOON):
        await heard.wait()
    assert store.tries == 2
    running.cancel()
    await store.close()


async def test_a_cursor_of_what_was_lost_lies_ahead(store):
    assert not await store.is_ahead("")
    assert await store.is_ahead("0.5")
    await with_cluster(store)
    last = await store.last_cursor()
    assert not await store.is_ahead(last)
    tx, _, row = last.partition(".")
    assert await store.is_ahead(f"{tx}.{int(row) + 1}")


async def test_a_bucket_that_is_not_there_is_told(s3_url):
    blobs = ObstoreBlobs(s3_url.replace("muster/", "another/"))
    with pytest.raises(Unavailable, match=r"storage s3://another/\S+ is not there any more; make the bucket again"):
        await blobs.put("a/b", b"x")


async def test_a_folder_of_images_that_is_gone_is_filled_anew(tmp_path):
    folder_of_images, content = tmp_path / "images", live_image()
    async with ImageServer(content) as server:
        image = an_image(server.url)
        async with running(a_folder(folder_of_images, image)) as folder:
            await until(folder, State.READY)
            await folder.minimal(image)
            shutil.rmtree(folder_of_images)
            with pytest.raises(Unavailable, match="is about to be downloaded"):
                await folder.full(image)
            await until(folder, State.READY)
            assert (await folder.full(image)).path.read_bytes() == content
            assert (await folder.minimal(image)).path.exists()
