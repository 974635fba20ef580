"""The least that can be called an HTTP client: one kept connection, one call at a time.

Written for `load.py` so that the sender takes as little of the machine as possible. Calls are made
ready as bytes before anything is measured.
"""

import asyncio
from typing import Any

import msgspec

from muster.wire.endpoints.endpoint import DROP_IN

ROOT = f"{DROP_IN}/v2"
HEADERS = "Host: bench\r\nAccept: application/json\r\n"
GOOD = range(200, 300)
LARGEST = 2**26
"""The largest answer that is read, in bytes."""


def call(method: str, path: str, body: Any = None, headers: str = "") -> bytes:
    """A call as it goes over the wire."""
    line = f"{method} {ROOT}{path} HTTP/1.1\r\n{HEADERS}{headers}"
    if body is None:
        return f"{line}\r\n".encode()
    content = msgspec.json.encode(body)
    return f"{line}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


class Caller:
    """One connection to the service, made anew when the service has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, request: bytes) -> bytes:
        """The body of the answer. Anything but success ends the bench: its figures would mean nothing."""
        reader, writer = await self._connected()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        content = await (_in_pieces(reader) if PIECES in head.lower() else reader.readexactly(_length(head)))
        if status not in GOOD:
            asked = request.partition(b"\r\n")[0].decode()
            raise AssertionError(f"{asked} was answered with {status}: {content[:500].decode()}")
        return content

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=LARGEST)
        return self._streams

    async def ask(self, request: bytes) -> Any:
        """The answer, decoded."""
        return msgspec.json.decode(await self.send(request))

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


PIECES = b"transfer-encoding: chunked"


async def _in_pieces(reader: asyncio.StreamReader) -> bytes:
    """The body of an answer whose length nobody knows beforehand."""
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(pieces)


def _length(head: bytes) -> int:
    before, found, after = head.lower().partition(b"content-length: ")
    assert found or b"204 no content" in before, f"an answer of unknown length: {head!r}"
    return int(after.partition(b"\r\n")[0]) if found else 0
