"""Brings a database to the newest schema; the store runs it at start, alone on its lock.

A new database gets the newest schema at once, an older one the migrations that it lacks, by Alembic. It is loaded
for nothing else: it takes a tenth of the time of a start, and eight megabytes for as long as the service runs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select

from muster.domain.errors import Broken

from .schema import compress_large_texts, metadata

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"

VERSIONS = "alembic_version"
"""The table that says how far the schema is."""

_versions = Table(VERSIONS, MetaData(), Column("version_num", String(32), primary_key=True))


def upgrade(connection: Connection, revision: str = "") -> None:
    """Apply every migration that is missing up to a revision, in the transaction of this connection."""
    wanted, found = revision or newest(), revision_of(connection)
    if found == wanted:
        return
    if found and not is_known(found):
        raise Broken("The database was last used by a newer muster; start that version, or restore a backup")
    if not found and wanted == newest():
        _create(connection, wanted)
        return
    from alembic import command  # noqa: PLC0415 - see above

    command.upgrade(_config(connection), wanted)


def _create(connection: Connection, revision: str) -> None:
    """Make a new database what all migrations together would make of it; a test compares the two."""
    metadata.create_all(connection, checkfirst=False)
    compress_large_texts(connection)
    _versions.create(connection, checkfirst=True)
    connection.execute(insert(_versions).values(version_num=revision))


def revision_of(connection: Connection) -> str:
    """The revision that a database is at; "" if it has no tables of ours."""
    if not inspect(connection).has_table(VERSIONS):
        return ""
    found: str | None = connection.execute(select(_versions.c.version_num)).scalar()
    return found or ""


def newest() -> str:
    """The revision of the newest schema that is known here."""
    return max(_revisions())


def is_known(revision: str) -> bool:
    """Whether there are migrations from this revision on."""
    return revision in _revisions()


def _revisions() -> set[str]:
    """Every revision: each has a file that is named for it."""
    return {file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("*_*.py")}


def _config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
