"""Alembic is asked only if something older is to be brought up to date; what is done without it is what it would do."""

import subprocess
import sys
from typing import Any

import pytest
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

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


def test_a_start_that_finds_nothing_or_everything_up_to_date_does_without_alembic(sqlite_url):
    assert [started(sqlite_url), started(sqlite_url)] == [0, 0]


async def test_a_start_that_finds_something_older_asks_alembic(sqlite_url):
    store = SqlStore(sqlite_url)
    await store._database.migrate(lambda connection: upgrade(connection, "0001"))
    await store.close()
    assert [started(sqlite_url), started(sqlite_url)] == [1, 0]


def schema(connection: Connection) -> Any:
    """All that there is to say of the tables."""
    found = inspect(connection)
    packed = "SELECT attrelid::regclass::text, attname, attcompression FROM pg_attribute WHERE attcompression <> ''"
    return (
        {
            name: (
                [
                    (each["name"], str(each["type"]), each["nullable"], each["default"])
                    for each in found.get_columns(name)
                ],
                found.get_pk_constraint(name)["constrained_columns"],
                sorted((each["name"], each["column_names"]) for each in found.get_indexes(name)),
                sorted((each["name"], each["column_names"]) for each in found.get_unique_constraints(name)),
            )
            for name in found.get_table_names()
        },
        sorted(map(tuple, connection.exec_driver_sql(packed))) if connection.dialect.name == "postgresql" else [],
    )


async def test_what_is_made_at_once_is_what_all_migrations_make(database):
    made = []

    def both(connection: Connection) -> None:
        for steps in (["0001", newest()], [newest()]):
            for revision in steps:
                upgrade(connection, revision)
            made.append(schema(connection))
            for name in inspect(connection).get_table_names():
                connection.exec_driver_sql(f"DROP TABLE {name}")

    await database.migrate(both)
    assert made[0] == made[1]
    assert "scopes" in made[0][0]


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
