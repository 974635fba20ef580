"""The stores that a contract runs against, each on a real database that is empty at first."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from builders import NOW
from muster.adapters.memory import FakeClock, MemoryStore, counting_ids
from muster.adapters.sql import SqlStore
from muster.ports import Store

OpenStore = Callable[[], Store]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a database file that is not there yet."""
    return f"sqlite:///{tmp_path}/kept/muster.db"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, of each kind in turn."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def open_store(request: pytest.FixtureRequest) -> AsyncIterator[OpenStore]:
    """Opens the same store as often as it is called, as replicas do; each kind in turn."""
    opened: list[Store] = []
    ids, clock = counting_ids(), FakeClock(NOW)

    def another() -> Store:
        if request.param == "memory":
            return opened[0] if opened else MemoryStore(new_id=ids, clock=clock)
        return SqlStore(url, new_id=ids, clock=clock)

    def remembered() -> Store:
        opened.append(another())
        return opened[-1]

    url = "" if request.param == "memory" else request.getfixturevalue(f"{request.param}_url")
    await remembered().migrate()
    yield remembered
    for store in opened:
        await store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    """A store without anything in it."""
    return open_store()
