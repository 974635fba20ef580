"""Backups: what goes in comes out, row by row and byte by byte, whatever kind of database and storage it comes from."""

import gzip
import io
import tarfile
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from commits import CLUSTER, CLUSTER_ID, a_commit, an_event, changed, with_cluster
from sqlalchemy import select, text

from builders import NOW, a_cluster
from muster.adapters.backup import Home, Restored, Saved, restore, save
from muster.adapters.backup.archive import Archive, Packing
from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.memory import FakeClock, MemoryBlobs
from muster.adapters.sql import SqlStore
from muster.adapters.sql.migrate import upgrade
from muster.adapters.sql.schema import metadata
from muster.adapters.sql.store import Database
from muster.domain.effects import DeleteFiles
from muster.domain.errors import Broken, Invalid, NotFound, Refused, Unavailable
from muster.ports import Blobs, Seen

HOST = "30000000-0000-4000-8000-000000000001"
LATER = NOW + timedelta(hours=3)
NUMBERS = count()
FILES = {
    f"{CLUSTER_ID}/kubeconfig": b"apiVersion: v1\n",
    f"{CLUSTER_ID}/logs/{HOST}/logs.tar.gz": bytes(range(256)) * 20_000,
    f"{CLUSTER_ID}/manifests/openshift/ein größerer Name.yaml": b"",
}

Rows = dict[str, list[tuple[Any, ...]]]


class Place(NamedTuple):
    """A home, and the store of whoever lives there."""

    home: Home
    store: SqlStore

    @property
    def database(self) -> Database:
        return self.home.database

    @property
    def blobs(self) -> Blobs:
        return self.home.blobs


@pytest.fixture
async def home(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Callable[[str], Place]]:
    """Opens a home of a kind, empty at first: `sqlite` with a folder, or `postgres` with a bucket."""
    stores: list[SqlStore] = []
    lent = ExitStack()

    def another(kind: str) -> Place:
        number = len(stores)
        if kind == "sqlite":
            address, files = f"sqlite:///{tmp_path}/{number}/muster.db", f"{tmp_path}/{number}/files"
        else:
            address = lent.enter_context(request.getfixturevalue("postgres").lent())
            files = request.getfixturevalue("s3_url").replace("?", f"/{next(NUMBERS)}?")
        stores.append(SqlStore(address, clock=FakeClock(NOW)))
        return Place(Home(stores[-1]._database, ObstoreBlobs(files), FakeClock(LATER)), stores[-1])

    with lent:
        yield another
        for each in stores:
            await each.close()


def nobody(_: object) -> None:
    """Listens to no progress."""


async def saved(file: Path, place: Place, blobs: Blobs | None = None) -> Saved:
    return await save(file, place.home._replace(blobs=blobs or place.blobs), nobody)


async def restored(file: Path, place: Place, blobs: Blobs | None = None, *, force: bool = False) -> Restored:
    return await restore(file, place.home._replace(blobs=blobs or place.blobs), nobody, force=force)


async def lived_in(home: Place) -> Place:
    """A home with something of everything in it."""
    store = home.store
    await store.migrate()
    await with_cluster(store, HOST)
    cluster = a_cluster()
    work = (DeleteFiles(cluster_id=CLUSTER_ID), DeleteFiles(cluster_id=CLUSTER_ID, everything=True))
    more = {"effects": work, "events": (an_event(), an_event("Ünd\nmore"))}
    await store.commit(a_commit(version=1, deadline=NOW, changes=changed(cluster, tags="one"), **more))
    await store.claim_effects("worker", NOW, timedelta(minutes=1), 1)
    await store.note_seen([Seen(infra_env_id="i", host_id=HOST, at=NOW)])
    for key, content in FILES.items():
        await home.blobs.put(key, content)
    return home


async def rows_of(home: Place) -> Rows:
    """Everything in a database."""

    def all_of(connection: Any) -> Rows:
        return {
            name: [tuple(row) for row in connection.execute(select(each).order_by(*each.primary_key.columns))]
            for name, each in metadata.tables.items()
        }

    return await home.database.read(all_of)


async def files_of(home: Place) -> dict[str, bytes]:
    return {key: await home.blobs.get(key) for key in await home.blobs.keys("")}


def without_transactions(rows: Rows) -> Rows:
    """The rows as they are where nobody remembers the transaction, nor holds a lease."""
    names = list(metadata.tables["history"].columns.keys())
    tx = names.index("tx")
    return rows | {
        "history": [(*row[:tx], 0, *row[tx + 1 :]) for row in rows["history"]],
        "effects": [(*row[:5], LATER if row[6] else row[5], "", *row[7:]) for row in rows["effects"]],
    }


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
@pytest.mark.parametrize("source", ["sqlite", "postgres"])
async def test_what_goes_in_comes_out_row_by_row_and_byte_by_byte(home, tmp_path, source, target):
    before, after, file = await lived_in(home(source)), home(target), tmp_path / "backup"
    told = await saved(file, before)
    back = await restored(file, after)
    rows = await rows_of(before)
    assert without_transactions(rows) == await rows_of(after)
    assert await files_of(before) == await files_of(after) == FILES
    total = sum(map(len, rows.values()))
    assert (told.rows, told.files, back.rows, back.files) == (total, 3, total, 3)
    assert told.size == file.stat().st_size


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
async def test_a_store_goes_on_from_where_the_backup_was_made(home, tmp_path, target):
    before, after = await lived_in(home("postgres")), home(target)
    await saved(tmp_path / "backup", before)
    await restored(tmp_path / "backup", after)
    store = after.store
    await store.migrate()
    last = await store.last_cursor()
    await store.commit(a_commit(version=2, changes=changed(a_cluster(tags="one"), tags="two"), events=(an_event("x"),)))
    assert [row.version for row in await store.history(after=last)] == [3]
    assert [row.version for row in await store.history(scope=CLUSTER)] == [1, 1, 2, 3]
    assert len(await store.claim_effects("another", LATER, timedelta(minutes=1), 5)) == 2
    assert await store.next_deadline() is None


async def test_only_its_owner_may_read_a_backup(home, tmp_path):
    file = tmp_path / "backup"
    await saved(file, await lived_in(home("sqlite")))
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.glob("backup*")] == ["backup"]


async def test_any_tar_shows_what_is_in_a_backup(home, tmp_path):
    await saved(tmp_path / "backup", await lived_in(home("sqlite")))
    with tarfile.open(tmp_path / "backup") as tar:
        names = tar.getnames()
    assert names[0] == "backup.json"
    assert names[-1] == "digests.json"
    assert f"files/{CLUSTER_ID}/kubeconfig" in names
    assert "tables/records/000001.jsonl" in names


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_home_with_something_in_it_is_left_alone(home, tmp_path, kind):
    before, there = await lived_in(home("sqlite")), await lived_in(home(kind))
    await saved(tmp_path / "backup", before)
    rows = await rows_of(there)
    with pytest.raises(Refused, match=r"database: \d+, files in the storage: 3\); nothing was written.*--force"):
        await restored(tmp_path / "backup", there)
    assert await rows_of(there) == rows
    assert await files_of(there) == FILES


async def test_that_agents_were_heard_of_keeps_nothing_from_being_restored(home, tmp_path):
    before, there = await lived_in(home("sqlite")), home("sqlite")
    await saved(tmp_path / "backup", before)
    await there.store.migrate()
    await there.store.note_seen([Seen(infra_env_id="i", host_id="another", at=NOW)])
    await restored(tmp_path / "backup", there)
    await there.store.migrate()
    assert (await rows_of(there))["presence"] == (await rows_of(before))["presence"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_force_throws_away_what_is_there(home, tmp_path, kind):
    before, there = await lived_in(home("sqlite")), await lived_in(home(kind))
    await saved(tmp_path / "backup", before)
    await there.store.commit(a_commit(version=2, changes=changed(a_cluster(tags="one"), tags="two")))
    await there.blobs.put("another/file", b"x")
    await restored(tmp_path / "backup", there, force=True)
    await there.store.migrate()
    assert await rows_of(there) == without_transactions(await rows_of(before))
    assert await files_of(there) == FILES


async def test_rows_that_came_meanwhile_are_not_overwritten(home, tmp_path):
    before, there = await lived_in(home("sqlite")), home("sqlite")
    await saved(tmp_path / "backup", before)
    store = there.store
    await store.migrate()

    class Late(MemoryBlobs):
        async def put(self, key: str, data: bytes) -> None:
            await with_cluster(store)
            await super().put(key, data)

    with pytest.raises(Refused, match="Somebody has written"):
        await restored(tmp_path / "backup", there, Late())
    assert [row[1] for row in (await rows_of(there))["scopes"]] == [row[1] for row in (await rows_of(before))["scopes"]]


def damaged(good: bytes) -> dict[str, bytes]:
    """A backup in the ways in which one is damaged."""
    middle = len(good) // 2
    inside = bytearray(gzip.decompress(good))
    inside[inside.index(b"apiVersion")] ^= 1
    return {
        "cut": good[:middle],
        "without its end": good[:-1],
        "empty": b"",
        "text": b"something else",
        "flipped": good[:middle] + bytes([good[middle] ^ 0x40]) + good[middle + 1 :],
        "flipped at the end": good[:-6] + bytes([good[-6] ^ 1]) + good[-5:],
        "changed inside": gzip.compress(bytes(inside)),
        "another tar": another_tar(),
    }


def another_tar() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("hello"), io.BytesIO())
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    return held.getvalue()


async def test_a_damaged_backup_is_refused_before_anything_is_written(home, tmp_path):
    await saved(tmp_path / "backup", await lived_in(home("sqlite")))
    for how, content in damaged((tmp_path / "backup").read_bytes()).items():
        (tmp_path / "bad").write_bytes(content)
        there = home("sqlite")
        with pytest.raises(Broken, match="is damaged, or no backup of muster; nothing was written"):
            await restored(tmp_path / "bad", there)
        assert await there.blobs.keys("") == (), how
        assert await there.database.read(lambda each: each.dialect.get_table_names(each)) == [], how


async def test_every_byte_of_a_backup_counts(home, tmp_path):
    await saved(tmp_path / "backup", await lived_in(home("sqlite")))
    good = (tmp_path / "backup").read_bytes()
    for place in range(10, len(good), max(len(good) // 150, 1)):
        (tmp_path / "bad").write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        with pytest.raises(Broken):
            Archive(tmp_path / "bad")


def repacked(source: Path, target: Path, **changes: Any) -> None:
    """A backup with another head."""
    with tarfile.open(source) as tar, Packing(target) as packing:
        for info in tar:
            content = tar.extractfile(info).read()
            if info.name == "backup.json":
                content = msgspec.json.encode(msgspec.json.decode(content) | changes)
            if info.name != "digests.json":
                packing.add(info.name, content)
        packing.finish()


async def test_a_backup_of_a_newer_muster_is_refused(home, tmp_path):
    await saved(tmp_path / "backup", await lived_in(home("sqlite")))
    there = home("sqlite")
    repacked(tmp_path / "backup", tmp_path / "newer", revision="9999", muster="7.0")
    with pytest.raises(Invalid, match=r"made by a newer muster \(7\.0, schema 9999; this one knows up to \d+\)"):
        await restored(tmp_path / "newer", there)
    repacked(tmp_path / "backup", tmp_path / "other", format=2, muster="7.0")
    with pytest.raises(Invalid, match=r"has the form 2, made by muster 7\.0; this one reads only 1"):
        await restored(tmp_path / "other", there)
    assert await there.blobs.keys("") == ()


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
@pytest.mark.parametrize("source", ["sqlite", "postgres"])
async def test_a_backup_of_an_older_schema_is_brought_up_to_date(home, tmp_path, source, target):
    before, after = home(source), home(target)
    await before.database.migrate(lambda connection: upgrade(connection, "0001"))
    columns = "seq, at, name, severity, category, message, request_id"
    old = f"INSERT INTO events ({columns}) VALUES (7, :at, 'a', 'b', 'c', 'd', '')"
    await before.database.write(lambda each: each.execute(text(old), {"at": 5 if source == "sqlite" else NOW}) and None)
    await saved(tmp_path / "backup", before)
    await restored(tmp_path / "backup", after)
    (event,) = (await rows_of(after))["events"]
    assert (event[0], event[2], event[-1]) == (7, "a", None)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_database_of_a_newer_muster_is_neither_saved_nor_thrown_away(home, tmp_path, kind):
    there = await lived_in(home(kind))
    await saved(tmp_path / "backup", there)
    await there.database.write(
        lambda each: each.execute(text("UPDATE alembic_version SET version_num = '9999'")) and None
    )
    for act in (
        lambda: saved(tmp_path / "another", there),
        lambda: restored(tmp_path / "backup", there, force=True),
    ):
        with pytest.raises(Refused, match="last used by a newer muster"):
            await act()
    assert not (tmp_path / "another").exists()


async def test_where_there_is_nothing_there_is_no_backup(home, tmp_path, postgres_url):
    with pytest.raises(NotFound, match="There is no database"):
        await saved(tmp_path / "backup", home("sqlite"))
    with pytest.raises(NotFound, match="nothing to back up"):
        await saved(tmp_path / "backup", home("postgres"))
    with pytest.raises(NotFound, match="There is no file"):
        await restored(tmp_path / "backup", home("sqlite"))
    assert list(tmp_path.glob("backup*")) == []


async def test_a_place_where_nothing_can_be_written_is_told(home, tmp_path):
    there = await lived_in(home("sqlite"))
    with pytest.raises(Unavailable, match=r"cannot be written: .*No such file or directory"):
        await saved(tmp_path / "nowhere" / "backup", there)
    with pytest.raises(Unavailable, match=r"cannot be read: .*Is a directory"):
        await restored(tmp_path, home("sqlite"))


async def test_two_backups_do_not_get_into_each_others_way(home, tmp_path):
    there = await lived_in(home("sqlite"))
    with Packing(tmp_path / "backup"), pytest.raises(Refused, match="being written by another"):
        await saved(tmp_path / "backup", there)
    await saved(tmp_path / "backup", there)


async def test_a_file_that_goes_meanwhile_is_left_out_and_one_that_shrinks_stops_the_backup(home, tmp_path):
    there = await lived_in(home("sqlite"))

    class Going(MemoryBlobs):
        async def keys(self, prefix: str) -> tuple[str, ...]:
            return ("gone", *await super().keys(prefix))

    class Shrinking(MemoryBlobs):
        async def open(self, key: str) -> Any:
            return (await super().open(key)).but(size=3)

    going, shrinking = Going(), Shrinking()
    for each in (going, shrinking):
        await each.put("a", b"12")
    assert (await saved(tmp_path / "backup", there, going)).files == 1
    with pytest.raises(Unavailable, match="said 3 bytes and gave 2"):
        await saved(tmp_path / "other", there, shrinking)
    assert not list(tmp_path.glob("other*"))


async def test_a_restore_that_was_broken_off_goes_on_with_the_same_backup_only(home, tmp_path):
    before, there = await lived_in(home("sqlite")), home("sqlite")
    await saved(tmp_path / "backup", before)
    await before.blobs.put("more", b"x")
    await saved(tmp_path / "other", before)

    class Failing(ObstoreBlobs):
        async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> int:
            await super().put_stream(key, chunks)
            raise Unavailable("the power is gone")

    failing = Failing.__new__(Failing)
    failing.__dict__.update(there.blobs.__dict__)
    with pytest.raises(Unavailable):
        await restored(tmp_path / "backup", there, failing)
    assert len(await there.blobs.keys("")) == 2
    with pytest.raises(Refused, match="files in the storage: 2"):
        await restored(tmp_path / "other", there)
    await restored(tmp_path / "backup", there)
    assert await files_of(there) == FILES


async def test_what_is_written_while_a_backup_is_made_is_not_half_in_it(home, tmp_path):
    before, there = await lived_in(home("postgres")), home("sqlite")
    rows = await rows_of(before)
    begun: list[object] = []
    store = before.store

    class Busy(MemoryBlobs):
        async def keys(self, prefix: str) -> tuple[str, ...]:
            begun.append(1)
            await store.commit(a_commit(version=2, changes=changed(a_cluster(tags="one"), tags="two")))
            return ()

    await saved(tmp_path / "backup", before, Busy())
    await restored(tmp_path / "backup", there)
    assert begun
    assert await rows_of(there) == without_transactions(rows)


async def test_history_keeps_the_order_in_which_it_was_committed(home, tmp_path):
    before, there = await lived_in(home("postgres")), home("sqlite")
    # A transaction that began first and ended last.
    await before.database.write(
        lambda each: each.execute(text("UPDATE history SET tx = tx + 1000 WHERE seq = 1")) and None
    )
    await saved(tmp_path / "backup", before)
    await restored(tmp_path / "backup", there)
    keys = [row[8] for row in (await rows_of(there))["history"]]
    told = [row[8] for row in sorted((await rows_of(before))["history"], key=lambda row: (row[1], row[0]))]
    assert keys == told
