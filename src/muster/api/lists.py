"""Long lists as answers: written down member by member, and sent in pieces if they are too long for one."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from muster.api.call import Answer

PIECE = 64 * 1024
"""The bytes that are sent at a time, at least; shorter lists are sent whole."""


async def streamed_list(members: AsyncGenerator[Any]) -> Answer:
    """A list as JSON. Its beginning is awaited, since what goes wrong there can still be told."""
    pieces = _pieces(members)
    first = await anext(pieces)
    if len(first) < PIECE:
        return Answer(first)
    return Answer(stream=_after(first, pieces))


async def _after(first: bytes, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    yield first
    async for piece in pieces:
        # Others are served between two pieces; sending alone need not wait for anything.
        await asyncio.sleep(0)
        yield piece


async def _pieces(members: AsyncGenerator[Any]) -> AsyncGenerator[bytes]:
    """The list in pieces of some size, but the last."""
    encoder, piece, before = msgspec.json.Encoder(), bytearray(b"["), b""
    async for member in members:
        if len(piece) >= PIECE:
            yield bytes(piece)
            piece.clear()
        piece += before
        encoder.encode_into(member, piece, -1)
        before = b","
    piece += b"]\n"
    yield bytes(piece)
