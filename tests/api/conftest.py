"""A service for the tests of the API: one for all that can share it, fresh ones for those that cannot."""

from collections.abc import Callable, Iterator

import pytest
from calling import Caller
from conforming import Witness
from guarding import Guards, Scene, staged
from listed import unlisted
from making import Made, made
from witnessing import WitnessedService

from parts.keys import Locksmith
from parts.service import RunningService


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that many tests talk to; each makes what it needs. All that it answers is held against the contract."""
    running = WitnessedService(tmp_path_factory.mktemp("service"), witness=Witness(reads_documents=False))
    running.start()
    # One that knows of nothing at all takes that for a loss, whichever test comes first.
    first = Caller(running.url)
    made(first)
    first.close()
    yield running
    running.stop()
    assert unlisted(running.witness.differences) == []


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


@pytest.fixture(scope="session")
def smith() -> Locksmith:
    """Who has the key of the service that asks who calls."""
    return Locksmith()


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory, smith: Locksmith) -> Iterator[RunningService]:
    """A service that asks everybody who calls."""
    running = RunningService(tmp_path_factory.mktemp("guarded"), smith.environment)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def scene(guarded: RunningService, smith: Locksmith) -> Iterator[Scene]:
    """Two clusters behind it, and who may get at them."""
    guards = Guards(guarded.url, smith)
    yield staged(guards)
    guards.close()
