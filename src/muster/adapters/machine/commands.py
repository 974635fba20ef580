"""Programs of this machine, run to their end: what they wrote and how they ended.

`adapters/releases` runs tools with it. No shell is between: a program gets the words and the environment that it is
given, and nothing else. On Linux a program does not outlive whoever waits for it, even one who is killed.
"""

import asyncio
import ctypes
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

from muster.domain.errors import Unavailable
from muster.domain.record import Record

LONGEST = 64 * 1024
"""Bytes that are kept of what a program writes: the last ones, for there it says why it ended."""

AT_ONCE = 16 * 1024

DIES_WITH_PARENT = 1
"""What `prctl` calls the signal that a process gets when its parent ends."""

_PRCTL = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


class Ended(Record):
    """How a program ended."""

    code: int
    output: str
    complaint: str


async def run(words: Sequence[str], *, env: Mapping[str, str], patience: timedelta, cwd: Path | None = None) -> Ended:
    """Run a program. It is stopped, with all that it has started, when it takes too long or nobody waits any more."""
    try:
        running = await asyncio.create_subprocess_exec(
            *words,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=partial(_die_with, os.getpid()),
        )
    except OSError as error:
        raise Unavailable(f"{words[0]} cannot be run: {error.strerror or type(error).__name__}") from error
    try:
        async with asyncio.timeout(patience.total_seconds()):
            output, complaint = await asyncio.gather(_end_of(running.stdout), _end_of(running.stderr))
            code = await running.wait()
    except TimeoutError as error:
        raise Unavailable(f"{words[0]} has not ended after {patience.total_seconds():.0f} seconds") from error
    finally:
        if running.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            await running.wait()
    return Ended(code=code, output=output, complaint=complaint)


def _die_with(parent: int) -> None:
    """Have the kernel end this process with its parent, who may have ended just now. It runs between fork and exec."""
    if _PRCTL is not None:
        _PRCTL(DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


async def _end_of(stream: asyncio.StreamReader | None) -> str:
    """The last of what is written, until nothing more is."""
    kept = bytearray()
    while stream is not None and (piece := await stream.read(AT_ONCE)):
        kept += piece
        del kept[:-LONGEST]
    return kept.decode(errors="replace")
