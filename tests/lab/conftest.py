"""A service for the lab to talk to, and a lab that is up."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest

from muster.cli.serve import configure_logs
from parts.labs import Lab, bring_up
from parts.service import RunningService

BringUp = Callable[..., AbstractAsyncContextManager[Lab]]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service as it usually is."""
    yield from _running(RunningService(tmp_path_factory.mktemp("service")))


@pytest.fixture(scope="session")
def impatient_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that soon gives up hosts which do not ask for instructions."""
    folder = tmp_path_factory.mktemp("impatient")
    yield from _running(RunningService(folder, {"HOST_MAX_DISCONNECTION_TIME": "3s"}))


def _running(service: RunningService) -> Iterator[RunningService]:
    configure_logs("error")
    service.start()
    yield service
    service.stop()


@pytest.fixture
def lab(service: RunningService) -> BringUp:
    """Brings a lab up with a new cluster; faults are struck before the machines start."""
    return partial(bring_up, service.url)


@pytest.fixture
def impatient_lab(impatient_service: RunningService) -> BringUp:
    """The same, where silence is soon noticed."""
    return partial(bring_up, impatient_service.url)
