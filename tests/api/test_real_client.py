"""The original's own client, unmodified from PyPI, makes every call it knows."""

from collections.abc import Iterator

import pytest
from scenario import DRIVEN, methods
from scenario_stage import Stage

from parts.service import RunningService


@pytest.fixture(scope="module")
def stage(service: RunningService) -> Iterator[Stage]:
    it = Stage(service.url)
    yield it
    it.close()


def test_no_call_of_the_client_is_left_out():
    assert methods() - DRIVEN.keys() == set()


@pytest.mark.parametrize("method", sorted(DRIVEN))
def test_the_client_makes_every_call(stage, method):
    DRIVEN[method](stage)
