"""Alembic is asked only if there is something to bring up to date, and what is said without it is what it would say."""

import subprocess
import sys

import pytest
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from muster.adapters.sql import SqlStore
from muster.adapters.sql.migrate import MIGRATIONS, is_known, newest, revision_of, upgrade

START = """
import asyncio, sys
from muster.adapters.sql import SqlStore

async def start():
    store = SqlStore(sys.argv[1])
    await store.migrate()
    await store.close()

asyncio.run(start())
sys.exit("alembic" in sys.modules)
"""


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


@pytest.fixture
async def database(database_url):
    """A database of each kind, empty at first."""
    store = SqlStore(database_url)
    await store._database.migrate(lambda _: None)
    yield store._database
    await store.close()


def started(url: str) -> int:
    return subprocess.run([sys.executable, "-c", START, url], check=False, timeout=30).returncode


def test_a_start_that_finds_everything_up_to_date_does_without_alembic(sqlite_url):
    assert [started(sqlite_url), started(sqlite_url)] == [1, 0]


def test_every_revision_has_a_file_that_is_named_for_it():
    revisions = [each.revision for each in scripts().walk_revisions()]
    assert all(map(is_known, revisions))
    assert newest() == revisions[0] == scripts().get_current_head()
    assert sorted(revisions) == [each.name[:4] for each in sorted((MIGRATIONS / "versions").glob("*.py"))]
    assert not is_known("9999")


async def test_how_far_a_database_is_is_read_as_alembic_reads_it(database):
    def look(connection: Connection) -> None:
        for revision in ("", "0001", newest()):
            if revision:
                upgrade(connection, revision)
            assert revision_of(connection) == revision
            assert (MigrationContext.configure(connection).get_current_revision() or "") == revision

    await database.migrate(look)
