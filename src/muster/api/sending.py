"""Answers on their way out: whole ones at once, compressed where that pays, streams piece by piece."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from muster.api.call import Answer
from muster.api.negotiation import reads_gzip
from muster.wire.endpoints.endpoint import JSON

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

COMPRESSED_FROM = 1400
"""Smaller bodies are not worth compressing."""


async def send_whole(send: Send, answer: Answer, accept_encoding: str) -> None:
    """Send an answer that is complete."""
    headers, body = _headers(answer), answer.body
    if len(body) >= COMPRESSED_FROM and reads_gzip(accept_encoding):
        body = gzip.compress(body, compresslevel=1)
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_stream(
    send: Send, answer: Answer, receive: Receive, ending: asyncio.Event, accept_encoding: str = ""
) -> None:
    """Send an answer as it comes, until there is no more of it, the listener has gone or the service ends.

    Long JSON is compressed for those who can read that; files are what they are, and events must not wait.
    """
    headers = _headers(answer)
    assert answer.stream is not None
    if answer.content_type == JSON and reads_gzip(accept_encoding):
        answer.stream = _compressed(answer.stream)
        headers.append((b"content-encoding", b"gzip"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    pump = asyncio.ensure_future(_pump(send, answer))
    watches = [asyncio.ensure_future(_gone(receive)), asyncio.ensure_future(ending.wait())]
    try:
        await asyncio.wait([pump, *watches], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (pump, *watches):
            task.cancel()
        await asyncio.gather(pump, *watches, return_exceptions=True)
    if pump.cancelled() or pump.exception() is None:
        await send({"type": "http.response.body", "body": b""})
    else:
        # What was sent so far must not pass for the whole: without an end the caller sees that something is missing.
        pump.result()


def _headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    headers.append((b"vary", b"Accept-Encoding"))
    if answer.body or answer.stream or "content-disposition" in answer.headers:
        headers.append((b"content-type", answer.content_type.encode()))
    return headers


async def _compressed(stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The stream as gzip, in pieces as they come out."""
    packer = zlib.compressobj(level=1, wbits=GZIP)
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            if packed := packer.compress(piece):
                yield packed
    yield packer.flush()


GZIP = zlib.MAX_WBITS | 16
"""How zlib is told to write the header and the end of a gzip file."""


async def _pump(send: Send, answer: Answer) -> None:
    assert answer.stream is not None
    async with aclosing(answer.stream) as pieces:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})


async def _gone(receive: Receive) -> None:
    """Return when the caller has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
