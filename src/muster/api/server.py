"""The HTTP server around the application, in this very process."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from muster.api.app import App

WAITING = 1024
"""Connections that may wait to be taken in, as when all machines of a room are switched on together."""

KEPT = 75
"""Seconds a silent connection is kept: a little longer than agents pause between two calls."""

FAREWELL = 5
"""Seconds that calls under way have to end when the service does."""


class Server(uvicorn.Server):
    """Serves until told to stop. Signals are left to whoever runs it."""

    def __init__(self, app: App, host: str, port: int) -> None:
        self._app = app
        self._stopped = asyncio.Event()
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=WAITING,
                timeout_keep_alive=KEPT,
                timeout_graceful_shutdown=FAREWELL,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """End the streams, finish what is under way, and return from `serve`."""
        self._app.close()
        self.should_exit = True
        self._stopped.set()

    async def main_loop(self) -> None:
        """Keep the date up to date until it is time to stop; once a second is enough, and costs next to nothing."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), 1.0)
