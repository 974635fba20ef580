"""Brings a database to the newest schema with Alembic; the store runs it at start, alone on its lock.

Alembic is loaded only if there is something to bring: at most starts there is not, and it takes a tenth of their time.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, column, inspect, select, table

from muster.domain.errors import Broken

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"

VERSIONS = "alembic_version"
"""The table that says how far the schema is."""


def upgrade(connection: Connection, revision: str = "") -> None:
    """Apply every migration that is missing up to a revision, in the transaction of this connection."""
    wanted, found = revision or newest(), revision_of(connection)
    if found == wanted:
        return
    if found and not is_known(found):
        raise Broken("The database was last used by a newer muster; start that version, or restore a backup")
    from alembic import command  # noqa: PLC0415 - see above

    command.upgrade(_config(connection), wanted)


def revision_of(connection: Connection) -> str:
    """The revision that a database is at; "" if it has no tables of ours."""
    if not inspect(connection).has_table(VERSIONS):
        return ""
    found: str | None = connection.execute(select(column("version_num")).select_from(table(VERSIONS))).scalar()
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
