"""Brings a database to the newest schema with Alembic; the store runs it at start, alone on its lock."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from muster.domain.errors import Broken

MIGRATIONS = Path(__file__).parent / "migrations"

VERSIONS = "alembic_version"
"""The table that says how far the schema is."""


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Apply every migration that is missing up to a revision, in the transaction of this connection."""
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise Broken("The database was last used by a newer muster; start that version, or restore a backup") from error


def revision_of(connection: Connection) -> str:
    """The revision that a database is at; "" if it has no tables of ours."""
    return MigrationContext.configure(connection).get_current_revision() or ""


def newest() -> str:
    """The revision of the newest schema that is known here."""
    return _scripts().get_current_head() or ""


def is_known(revision: str) -> bool:
    """Whether there are migrations from this revision on."""
    return revision in {each.revision for each in _scripts().walk_revisions()}


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config
