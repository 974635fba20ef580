"""Teaches the HTTP server the ASGI extension `http.response.zerocopysend`: parts of files go out without being read.

uvicorn has no such thing (docs/decisions/0019). The application sends the message where the scope offers it; over
TLS every byte has to be encrypted here anyway, so there it is not offered.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from muster.api.couriers import Couriers

ZERO_COPY = "http.response.zerocopysend"
OFFERED: dict[str, dict[str, Any]] = {ZERO_COPY: {}}

Message = dict[str, Any]
App = Callable[..., Awaitable[None]]

COURIERS = Couriers()
"""Those of this process."""


class Protocol(HttpToolsProtocol):
    """uvicorn's own, with one more message."""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, Extended(cycle, app) if self.scheme == "http" else app)  # type: ignore[arg-type]  # an application is anything that can be called like one


class Extended:
    """An application that may send one more message in one call."""

    __slots__ = ("_app", "_cycle")

    def __init__(self, cycle: RequestResponseCycle, app: App) -> None:
        self._cycle = cycle
        self._app = app

    async def __call__(self, scope: Message, receive: Any, _: Any) -> None:
        """Serve the call."""
        scope["extensions"] = OFFERED
        await self._app(scope, receive, self.send)

    async def send(self, message: Any) -> None:
        """Send a message; a part of a file goes past the server, once the server has nothing left to send."""
        if message["type"] != ZERO_COPY:
            await self._cycle.send(message)
            return
        cycle = self._cycle
        transport = cycle.transport
        transport.set_write_buffer_limits(0)
        await cycle.flow.drain()
        if cycle.disconnected or transport.is_closing():
            raise ConnectionResetError("the caller has gone")
        line = transport.get_extra_info("socket").fileno()
        await COURIERS.carry(line, message["file"], message["offset"], message["count"])
        cycle.expected_content_length -= message["count"]
