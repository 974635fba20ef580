"""Brings a database to the newest schema with Alembic; the store runs it at start, alone on its lock."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection

from muster.domain.errors import Broken

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Apply every migration that is missing, in the transaction of this connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise Broken("The database was last used by a newer muster; start that version, or restore a backup") from error
