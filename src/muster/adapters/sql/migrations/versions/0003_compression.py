"""Records are compressed quickly, where the database can: the usual way takes longer than writing them."""  # noqa: INP001 - Alembic loads this by path

from alembic import op

from muster.adapters.sql.schema import compress_large_texts

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Choose the compression of what is large and often written; what is there already is read as before."""
    compress_large_texts(op.get_bind())
