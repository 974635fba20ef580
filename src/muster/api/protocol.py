"""The HTTP protocol of the server, with what uvicorn's own has not (docs/decisions/0019).

Two messages more: a part of a file that goes out without being read, the ASGI extension `http.response.zerocopysend`,
and `http.response.whole`, our own: head and body in one piece. Over TLS every byte has to be encrypted here anyway, so
there the first is not offered. And a date that is read when somebody calls.
"""

from collections.abc import Awaitable, Callable
from email.utils import formatdate
from functools import lru_cache
from time import monotonic
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from muster.api.couriers import Couriers

ZERO_COPY = "http.response.zerocopysend"
WHOLE = "http.response.whole"
OFFERED: dict[str, dict[str, dict[str, Any]]] = {"http": {ZERO_COPY: {}, WHOLE: {}}, "https": {WHOLE: {}}}

Message = dict[str, Any]
App = Callable[..., Awaitable[None]]

COURIERS = Couriers()
"""Those of this process."""


@lru_cache(maxsize=1)
def _dated(_: int) -> list[tuple[bytes, bytes]]:
    """The header with the date; it lasts for the second that is given."""
    return [(b"date", formatdate(usegmt=True).encode())]


class Protocol(HttpToolsProtocol):
    """uvicorn's own, with two more messages, and a date that is read when somebody calls.

    uvicorn would wake up every second to have the date ready, which was most of what an idle service did.
    """

    def data_received(self, data: bytes) -> None:
        """Somebody calls, or goes on."""
        self.server_state.default_headers = _dated(int(monotonic()))
        super().data_received(data)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, Extended(cycle, app))  # type: ignore[arg-type]  # an application is anything that can be called like one


class Extended:
    """An application that may send two more messages in one call."""

    __slots__ = ("_app", "_cycle")

    def __init__(self, cycle: RequestResponseCycle, app: App) -> None:
        self._cycle = cycle
        self._app = app

    async def __call__(self, scope: Message, receive: Any, _: Any) -> None:
        """Serve the call."""
        scope["extensions"] = OFFERED[scope["scheme"]]
        await self._app(scope, receive, self.send)

    async def send(self, message: Any) -> None:
        """Send a message; a part of a file goes past the server, once the server has nothing left to send."""
        if message["type"] == WHOLE:
            await self._send_at_once(message)
            return
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

    async def _send_at_once(self, message: Message) -> None:
        """Send a whole answer in one piece; head and body apart would wake everybody on the way twice."""
        cycle = self._cycle
        line = Gathering(cycle.transport)
        cycle.transport = line  # type: ignore[assignment]  # as much of one as the server uses
        try:
            await cycle.send({**message, "type": "http.response.start"})  # type: ignore[arg-type]  # what is in it besides does no harm
            await cycle.send({"type": "http.response.body", "body": message["body"]})
        finally:
            line.flush()
            cycle.transport = line.behind


class Gathering:
    """The way to a caller on which what is written waits, to be sent in one piece."""

    def __init__(self, behind: Any) -> None:
        self.behind = behind
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> None:
        """Send something, later."""
        self._pieces.append(piece)

    def flush(self) -> None:
        """Send what has gathered: nothing, if the caller has gone."""
        if self._pieces:
            self.behind.write(b"".join(self._pieces))
            self._pieces.clear()

    def close(self) -> None:
        """Hang up, with everything sent."""
        self.flush()
        self.behind.close()
