"""What every clock and every maker of ids promises."""

from datetime import UTC, timedelta
from uuid import UUID

import pytest

from builders import NOW
from muster.adapters.clock import SystemClock, new_id
from muster.adapters.memory import FakeClock, counting_ids
from muster.ports import Clock, NewId


@pytest.mark.parametrize("clock", [SystemClock(), FakeClock(NOW)])
def test_the_time_is_utc_and_does_not_run_backwards(clock: Clock) -> None:
    first, second = clock.now(), clock.now()
    assert first.tzinfo is UTC
    assert first <= second


@pytest.mark.parametrize("make", [new_id, counting_ids()])
def test_an_id_is_a_uuid_that_nobody_has(make: NewId) -> None:
    ids = [make() for _ in range(100)]
    assert len(set(ids)) == 100
    assert [str(UUID(each)) for each in ids] == ids


def test_a_fake_clock_goes_only_when_told() -> None:
    clock = FakeClock(NOW)
    assert clock.advance(timedelta(minutes=3)) == clock.now() == NOW + timedelta(minutes=3)


def test_counted_ids_are_the_same_every_time() -> None:
    one, other = counting_ids(), counting_ids()
    assert [one(), one()] == [other(), other()]
