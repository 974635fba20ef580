"""A whole service behind the real server on a loopback port, for every suite that talks to one.

`RunningService` keeps the service in a thread with a loop of its own, so that any client can drive it:
blocking ones, asynchronous ones, and those that nobody here has written.
"""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from muster.api.app import App
from muster.api.server import Server
from muster.cli.serve import configure_logs
from muster.runtime.settings import read_settings
from muster.runtime.wiring import Service, build

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds after which a service that does not start, stop or answer counts as stuck."""

KNOCK = 0.002
"""Seconds between two tries to reach a server that is about to listen."""


class RunningService:
    """One service with its database and files in a folder, from `start` to `stop`; starting again keeps them."""

    def __init__(self, folder: Path, environment: dict[str, str] | None = None, **settings: Any) -> None:
        self.port = free_port()
        self.settings = read_settings(environment or {}, host="127.0.0.1", port=self.port, data=str(folder), **settings)
        self.service: Service
        self._loop: asyncio.AbstractEventLoop
        self._server: Server
        self._thread: threading.Thread
        self._serving = threading.Event()

    @property
    def url(self) -> str:
        """Where the service listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run the service; returns once it can be called."""
        configure_logs("error")
        self._serving.clear()
        self._thread = threading.Thread(target=lambda: uvloop.run(self._serve()), name="muster", daemon=True)
        self._thread.start()
        assert self._serving.wait(PATIENCE), "the service did not start"
        _knock(self.port)

    def stop(self) -> None:
        """End the service as a signal would."""
        self._loop.call_soon_threadsafe(self._server.stop)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the service did not stop"

    def within(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine gives that runs where the service runs."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def face(self) -> App:
        """What answers calls; a suite may put one there that is looked upon."""
        return App(self.service)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.service = build(self.settings)
        await self.service.start()
        self._server = Server(self.face(), "127.0.0.1", self.port)
        self._serving.set()
        try:
            await self._server.serve()
        finally:
            await self.service.stop()


def _knock(port: int) -> None:
    """Return once somebody listens on a port; the server says that it starts, not that it has."""
    for _ in range(int(PATIENCE / KNOCK)):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            threading.Event().wait(KNOCK)
        else:
            return
    raise AssertionError("the service did not listen")


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
