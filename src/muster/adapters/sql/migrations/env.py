"""Runs the migrations on the connection that `migrate.py` gives, in its transaction."""  # noqa: INP001 - Alembic loads this by path

from alembic import context

from muster.adapters.sql.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
