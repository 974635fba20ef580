"""The HTTP server around the application, in this very process."""

import asyncio
import gc
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from muster.api.app import App
from muster.api.plain import ScriptsOnly
from muster.api.protocol import Protocol

WAITING = 1024
"""Connections that may wait to be taken in, as when all machines of a room are switched on together."""

KEPT = 75
"""Seconds a silent connection is kept: a little longer than agents pause between two calls."""

SELDOM = (20_000, 20, 50)
"""How much has to be allocated before garbage is searched for. Records refer to each other in one direction only, so
there is next to none; searching as often as usual took a third of the time of a decision."""

FAREWELL = 5
"""Seconds that calls under way have to end when the service does."""


class Server(uvicorn.Server):
    """Serves until told to stop, by HTTPS if `tls` is given. Signals are left to whoever runs it."""

    def __init__(self, app: App | ScriptsOnly, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._app = app
        self._stopped = asyncio.Event()
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                http=Protocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=WAITING,
                timeout_keep_alive=KEPT,
                timeout_graceful_shutdown=FAREWELL,
                ssl_context_factory=None if tls is None else lambda *_: tls,
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
        """Serve, with what was loaded to do so set aside from the search for garbage."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(*SELDOM)
        await self._stopped.wait()
