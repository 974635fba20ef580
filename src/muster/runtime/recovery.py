"""The way back after a total loss: the store's tables are made anew, and nobody goes by what was in them.

`wiring.py` runs it. Calls that come in between are answered by what the store raises, `Unavailable`.
"""

import asyncio

import structlog

from muster.domain.errors import MusterError
from muster.ports import Bus, Store

PAUSE = 1.0
"""Seconds between two attempts."""

log = structlog.get_logger()


class Recovery:
    """Waits for a loss that is to be hoped never comes."""

    def __init__(self, store: Store, bus: Bus) -> None:
        self._store = store
        self._bus = bus

    async def run(self) -> None:
        """Put the store right whenever it is lost, for as long as the service runs."""
        while True:
            await self._store.lost()
            log.warning("the records are gone or were replaced; the service goes on with what it finds")
            await self._recover()

    async def _recover(self) -> None:
        """Bring the store up to date, however long that takes; then everybody forgets what it held before."""
        while True:
            try:
                await self._store.migrate()
            except MusterError as error:
                log.warning("the store cannot be used yet; this is tried again", error=str(error))
                await asyncio.sleep(PAUSE)
            else:
                break
        self._bus.missed()
        log.info("the store can be used again")
