"""Trying again: calls of a service that does not answer right now. Agents, installers and controllers use it."""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from muster.domain.errors import Unavailable

T = TypeVar("T")

Sleep = Callable[[float], Awaitable[None]]

FIRST_DELAY = 2.0
LONGEST_DELAY = 10.0


async def patiently(call: Callable[[], Awaitable[T]], sleep: Sleep, tries: int) -> T:
    """What a call gives. While the service does not answer it is called again, at most `tries` times more."""
    for attempt in range(tries):
        try:
            return await call()
        except Unavailable:
            longest = min(LONGEST_DELAY, FIRST_DELAY * 2 ** min(attempt, 8))
            await sleep(random.uniform(0, longest))  # noqa: S311 - keeps many callers apart, hides nothing
    return await call()
