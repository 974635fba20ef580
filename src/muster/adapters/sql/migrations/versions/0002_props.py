"""Events keep what was reported with them."""  # noqa: INP001 - Alembic loads this by path

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; what was told before has nothing in it."""
    op.add_column("events", sa.Column("props", sa.Text))
