"""Where everything is kept that a backup is made of, and where one is brought back to. `cli/backup.py` names it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.clock import SystemClock
from muster.adapters.sql.store import Database, opened
from muster.ports import Blobs, Clock


class Home(NamedTuple):
    """A database, a storage, and the time that it is there."""

    database: Database
    blobs: Blobs
    clock: Clock


@asynccontextmanager
async def home(database: str, storage: str, login: Mapping[str, str]) -> AsyncIterator[Home]:
    """The home at these addresses; `login` is how to sign in to a bucket."""
    found = Home(opened(database, ""), ObstoreBlobs(storage, login), SystemClock())
    try:
        yield found
    finally:
        await found.database.close()
