"""`muster backup` and `muster restore` as a person runs them, and as they are killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.sql import SqlStore
from muster.adapters.sql.schema import events
from muster.cli import app
from muster.domain.events import Event, Severity

MUSTER = Path(sys.executable).with_name("muster")
FEW, MANY = 20, 3000
LARGE = 48 * 1024 * 1024
PATIENCE = 60.0


async def _filled(folder: Path, rows: int, size: int) -> None:
    store = SqlStore(f"sqlite:///{folder}/muster.db")
    await store.migrate()
    for number in range(rows):
        await store.add_event(Event(name="told", severity=Severity.INFO, message=f"number {number} " * 20))
    await store.close()
    blobs = ObstoreBlobs(str(folder / "files"))
    await blobs.put("c/first", os.urandom(1000))
    await blobs.put("c/last", os.urandom(size))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a service with a little in it."""
    asyncio.run(_filled(tmp_path / "service", FEW, 1000))
    return tmp_path / "service"


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a service with enough in it to be interrupted on the way."""
    folder = tmp_path_factory.mktemp("service")
    asyncio.run(_filled(folder, MANY, LARGE))
    return folder


@pytest.fixture(scope="module")
def backup(much: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it."""
    file = tmp_path_factory.mktemp("backups") / "backup"
    said = run("backup", file, "--data", much)
    assert said.returncode == 0, said.stderr
    return file


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MUSTER, *words], capture_output=True, text=True, check=False, env=environment())


def run_here(*words: str | Path) -> Result:
    """The same without a process of its own, which takes most of the time."""
    return CliRunner().invoke(app, [*map(str, words)])


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def killed(*words: str | Path, when: Callable[[], bool]) -> None:
    """A command that is killed in the middle of what it does, as soon as something is so."""
    process = subprocess.Popen([MUSTER, *words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    give_up = monotonic() + PATIENCE
    while not when() and process.poll() is None:
        assert monotonic() < give_up, "it never got there"
    process.send_signal(signal.SIGKILL)
    process.wait()


def told_of(folder: Path) -> int | None:
    """How many events there are; None if there is no table."""

    async def ask() -> int | None:
        if not (folder / "muster.db").exists():
            return None
        store = SqlStore(f"sqlite:///{folder}/muster.db")
        try:
            return await store._database.read(_count)
        finally:
            await store.close()

    return asyncio.run(ask())


def _count(connection: Any) -> int | None:
    if "events" not in connection.dialect.get_table_names(connection):
        return None
    count: int = connection.execute(select(func.count()).select_from(events)).scalar_one()
    return count


def test_a_backup_says_what_is_in_it_and_that_there_are_secrets_and_comes_back_once(data, tmp_path):
    mine, there = tmp_path / "mine", tmp_path / "there"
    said = run("backup", mine, "--data", data)
    assert f"holds {FEW} rows and 2 files in" in said.stdout
    assert "There are secrets in it" in said.stdout
    assert mine.stat().st_mode & 0o777 == 0o600
    said = run("restore", mine, "--data", there)
    assert said.returncode == 0, said.stderr
    assert f"{FEW} rows and 2 files of 20" in said.stdout
    again = run_here("restore", mine, "--data", there)
    assert again.exit_code == 1
    assert str(again.exception).startswith("There is something already")
    assert run_here("restore", mine, "--data", there, "--force").exit_code == 0
    assert told_of(there) == FEW


def test_a_backup_does_not_go_into_the_storage_that_it_is_made_of(tmp_path):
    ended = run_here("backup", tmp_path / "files" / "backup", "--data", tmp_path)
    assert ended.exit_code == 1
    assert "name a place outside" in str(ended.exception)


@pytest.mark.slow
def test_a_backup_that_is_killed_leaves_the_one_before(backup, much, tmp_path):
    mine, partial = tmp_path / "mine", tmp_path / "mine.partial"
    shutil.copy(backup, mine)
    before = mine.read_bytes()
    for size in (1, 1_000_000, LARGE // 2):
        killed(
            "backup", mine, "--data", much, when=lambda size=size: partial.exists() and partial.stat().st_size > size
        )
        assert mine.read_bytes() == before
        assert partial.stat().st_mode & 0o777 == 0o600
    assert run("backup", mine, "--data", much).returncode == 0
    assert not partial.exists()
    assert run("restore", mine, "--data", tmp_path / "there").returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["unfinished-restore", "c/first", "c/last"])
def test_a_restore_that_is_killed_is_finished_by_the_next_one(backup, much, tmp_path, sign):
    killed("restore", backup, "--data", tmp_path, when=(tmp_path / "files" / sign).exists)
    assert told_of(tmp_path) in (None, MANY)
    if told_of(tmp_path) is None:
        said = run("restore", backup, "--data", tmp_path)
        assert said.returncode == 0, said.stderr
    assert told_of(tmp_path) == MANY
    for name in ("c/first", "c/last"):
        assert (tmp_path / "files" / name).read_bytes() == (much / "files" / name).read_bytes()


@pytest.mark.slow
def test_a_restore_that_is_killed_while_rows_are_written_leaves_none(backup, tmp_path):
    journal = tmp_path / "muster.db-wal"
    killed(
        *("restore", backup, "--data", tmp_path),
        when=lambda: journal.exists() and journal.stat().st_size > 500_000,
    )
    assert told_of(tmp_path) in (None, MANY)
    if told_of(tmp_path) is None:
        assert run("restore", backup, "--data", tmp_path).returncode == 0
    assert told_of(tmp_path) == MANY
