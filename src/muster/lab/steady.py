"""The client of machines whose time runs fast.

A service that is away for two seconds is away for many minutes of such a machine's time, longer than an agent
waits. So the time of whoever calls stands still until the service is back.
"""

import asyncio
import random
from typing import Any

import aiohttp

from muster.client import Client
from muster.domain.errors import Unavailable
from muster.wire.endpoints.endpoint import Endpoint

LOOKS_AGAIN = 0.3
GIVES_UP_AFTER = 60.0
"""Real seconds after which the caller is told after all."""


class SteadyClient(Client):
    """A connection to one service that bears with its being started again."""

    async def call(
        self,
        endpoint: Endpoint,
        *,
        body: Any = None,
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        **parameters: str,
    ) -> Any:
        """Call an endpoint, again and again while nobody listens. A form can be sent once only."""
        waited = 0.0
        while True:
            try:
                return await super().call(endpoint, body=body, query=query, headers=headers, **parameters)
            except Unavailable as error:
                answered = error.__cause__ is None
                if answered or isinstance(body, aiohttp.FormData) or waited >= GIVES_UP_AFTER:
                    raise
            pause = random.uniform(0.5, 1.5) * LOOKS_AGAIN  # noqa: S311 - keeps many machines apart, hides nothing
            await asyncio.sleep(pause)
            waited += pause
