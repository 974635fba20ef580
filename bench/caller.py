"""The least that can be called an HTTP client: one kept connection, one call at a time.

Written for `load.py` so that the sender takes as little of the machine as possible. Calls are made
ready as bytes before anything is measured.
"""

import asyncio
from typing import Any

import msgspec

from muster.wire.endpoints import DROP_IN

ROOT = f"{DROP_IN}/v2"
HEADERS = "Host: bench\r\nAccept: application/json\r\n"
GOOD = range(200, 300)


def call(method: str, path: str, body: Any = None, headers: str = "") -> bytes:
    """A call as it goes over the wire."""
    line = f"{method} {ROOT}{path} HTTP/1.1\r\n{HEADERS}{headers}"
    if body is None:
        return f"{line}\r\n".encode()
    content = msgspec.json.encode(body)
    return f"{line}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


class Caller:
    """One connection to the service."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int) -> "Caller":
        """Connect to the service on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**26))

    async def send(self, request: bytes) -> bytes:
        """The body of the answer. Anything but success ends the bench: its figures would mean nothing."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        content = await self._reader.readexactly(_length(head))
        if status not in GOOD:
            asked = request.partition(b"\r\n")[0].decode()
            raise AssertionError(f"{asked} was answered with {status}: {content[:500].decode()}")
        return content

    async def ask(self, request: bytes) -> Any:
        """The answer, decoded."""
        return msgspec.json.decode(await self.send(request))

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


def _length(head: bytes) -> int:
    before, found, after = head.lower().partition(b"content-length: ")
    assert found or b"204 no content" in before, f"an answer of unknown length: {head!r}"
    return int(after.partition(b"\r\n")[0]) if found else 0
