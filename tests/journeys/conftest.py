"""A service for journeys, and labs that talk to it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest

from parts.labs import Lab, bring_up
from parts.service import RunningService

BringUp = Callable[..., AbstractAsyncContextManager[Lab]]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service as it usually is."""
    service = RunningService(tmp_path_factory.mktemp("journeys"))
    service.start()
    yield service
    service.stop()


@pytest.fixture
def lab(service: RunningService) -> BringUp:
    """Brings a lab up with a new cluster, in a room that is as it is said to be."""
    return partial(bring_up, service.url)
