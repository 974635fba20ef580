"""A service for the tests of the API: one for all that can share it, fresh ones for those that cannot."""

from collections.abc import Callable, Iterator

import pytest
from calling import Caller
from making import Made, made

from parts.service import RunningService


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that many tests talk to; each makes what it needs."""
    running = RunningService(tmp_path_factory.mktemp("service"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def api(service: RunningService) -> Iterator[Caller]:
    """A connection to the shared service."""
    caller = Caller(service.url)
    yield caller
    caller.close()


@pytest.fixture
def calling() -> Iterator[Callable[[RunningService], Caller]]:
    """Opens connections to services; all are closed in the end."""
    callers: list[Caller] = []

    def connect(running: RunningService) -> Caller:
        callers.append(Caller(running.url))
        return callers[-1]

    yield connect
    for caller in callers:
        caller.close()


@pytest.fixture(scope="module")
def it(service: RunningService) -> Iterator[Made]:
    """A cluster with a discovery image and a host, for tests that leave them as they are."""
    caller = Caller(service.url)
    yield made(caller)
    caller.close()
