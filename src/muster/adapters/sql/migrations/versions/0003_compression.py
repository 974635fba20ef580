"""Records are compressed quickly, where the database can: the usual way takes longer than writing them."""  # noqa: INP001 - Alembic loads this by path

from alembic import op
from sqlalchemy import text

revision = "0003"
down_revision = "0002"

CAN_LZ4 = text("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")
COLUMNS = (("records", "body"), ("history", "patch"))


def upgrade() -> None:
    """Choose the compression of what is large and often written; what is there already is read as before."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql" or not connection.execute(CAN_LZ4).scalar():
        return
    for table, column in COLUMNS:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION lz4")
