"""Work in a thread that is waited for, even by whoever is told to stop: it may be writing to what others take up."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """What the work returns. Who is cancelled meanwhile is so when the work has ended."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **named))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
