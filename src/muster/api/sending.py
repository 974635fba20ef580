"""Answers on their way out: whole ones at once, compressed where that pays, streams piece by piece."""

import asyncio
import gzip
import os
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any, NamedTuple

from muster.api.call import Answer, FileParts
from muster.api.negotiation import reads_gzip
from muster.api.protocol import WHOLE, ZERO_COPY
from muster.domain.errors import Broken
from muster.image.regions import Region
from muster.wire.endpoints.endpoint import JSON

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

COMPRESSED_FROM = 1400
"""Smaller bodies are not worth compressing."""

PIECE = 1 << 18
"""Bytes of a file that are read at once where it has to be read."""


async def send_whole(send: Send, answer: Answer, accept_encoding: str) -> None:
    """Send an answer that is complete."""
    headers, body = _headers(answer), answer.body
    if len(body) >= COMPRESSED_FROM and reads_gzip(accept_encoding):
        body = gzip.compress(body, compresslevel=1)
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": WHOLE, "status": answer.status, "headers": headers, "body": body})


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
    pump = await _while_wanted(_pump(send, answer), _gone(receive), ending.wait())
    if pump.cancelled() or pump.exception() is None:
        await send({"type": "http.response.body", "body": b""})
    else:
        # What was sent so far must not pass for the whole: without an end the caller sees that something is missing.
        pump.result()


async def _while_wanted(work: Coroutine[Any, Any, Any], *ends: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Work until it is done, or one of the ends has come; the work as it stands then."""
    pump, *watches = (asyncio.ensure_future(each) for each in (work, *ends))
    try:
        await asyncio.wait([pump, *watches], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (pump, *watches):
            task.cancel()
        await asyncio.gather(pump, *watches, return_exceptions=True)
    return pump


class Line(NamedTuple):
    """What is known of the way to a caller."""

    receive: Receive
    head_only: bool
    zero_copy: bool


async def send_file(send: Send, answer: Answer, line: Line) -> None:
    """Send an answer whose bytes are in a file, past the reader if the server can; a caller that goes ends it."""
    parts = answer.file
    assert parts is not None
    headers = [*_headers(answer), (b"content-length", str(parts.length).encode())]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if line.head_only or not parts.length:
        await send({"type": "http.response.body", "body": b""})
        return
    with parts.path.open("rb") as file:
        pump = await _while_wanted(_send_regions(send, parts, file.fileno(), line), _gone(line.receive))
    if not pump.cancelled():
        with suppress(ConnectionError, TimeoutError):
            pump.result()
            await send({"type": "http.response.body", "body": b""})


async def _send_regions(send: Send, parts: FileParts, file: int, line: Line) -> None:
    for region in parts.regions:
        await _send_region(send, region, file, zero_copy=line.zero_copy)


async def is_my_turn(streams: asyncio.Semaphore, receive: Receive) -> bool:
    """Wait until one more image may be sent; False if the caller has gone before."""
    if not streams.locked():
        return await streams.acquire()
    turn, gone = asyncio.ensure_future(streams.acquire()), asyncio.ensure_future(_gone(receive))
    await asyncio.wait([turn, gone], return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    if turn.done():
        return True
    turn.cancel()
    return False


async def _send_region(send: Send, region: Region, file: int, *, zero_copy: bool) -> None:
    if region.content is not None:
        content = region.content[region.offset : region.offset + region.length]
        await send({"type": "http.response.body", "body": content, "more_body": True})
    elif zero_copy:
        await send({"type": ZERO_COPY, "file": file, "offset": region.offset, "count": region.length})
    else:
        for at in range(region.offset, region.offset + region.length, PIECE):
            wanted = min(PIECE, region.offset + region.length - at)
            piece = await asyncio.to_thread(os.pread, file, wanted, at)
            if len(piece) < wanted:
                raise Broken(f"a file ended {wanted - len(piece)} bytes early while it was sent")
            await send({"type": "http.response.body", "body": piece, "more_body": True})


def _headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    headers.append((b"vary", b"Accept-Encoding"))
    if answer.body or answer.stream or answer.file or "content-disposition" in answer.headers:
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
