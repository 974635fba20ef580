"""Threads that carry parts of files to sockets by `sendfile`, so that an image goes out without being read into memory.

A disk that is slow to answer holds up a courier, never the loop that decides. `protocol.py` hands them their errands.
"""

import asyncio
import os
import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from muster.domain.errors import Broken

AT_ONCE = 1 << 20
"""Bytes that one errand is given before the next one has its turn."""

STALLED = 600.0
"""Seconds after which somebody who takes no more is given up."""

LOOK = 30.0
"""Seconds between two looks for those."""

Done = Callable[[BaseException | None], None]


@dataclass(slots=True)
class Errand:
    """A part of a file on its way to a socket."""

    file: int
    offset: int
    left: int
    done: Done
    moved: float


class Courier(threading.Thread):
    """Serves many sockets in turn, each as it can take more."""

    def __init__(self) -> None:
        super().__init__(name="courier", daemon=True)
        self._ready = select.epoll()
        self._errands: dict[int, Errand] = {}

    def take(self, to: int, errand: Errand) -> None:
        """Carry a part of a file to the socket `to`, which is this courier's from now on."""
        self._errands[to] = errand
        self._ready.register(to, select.EPOLLOUT)

    def run(self) -> None:
        """Go on until the process ends."""
        while True:
            for to, _ in self._ready.poll(LOOK):
                self._carry(to, self._errands[to])
            self._give_up(monotonic() - STALLED)

    def _carry(self, to: int, errand: Errand) -> None:
        try:
            sent = os.sendfile(to, errand.file, errand.offset, min(errand.left, AT_ONCE))
        except BlockingIOError:
            return
        except OSError as error:
            self._end(to, errand, error)
            return
        errand.offset += sent
        errand.left -= sent
        errand.moved = monotonic()
        if not sent:
            self._end(to, errand, Broken(f"a file ended {errand.left} bytes early while it was sent"))
        elif not errand.left:
            self._end(to, errand, None)

    def _give_up(self, before: float) -> None:
        """End what has not moved for long."""
        for to, errand in list(self._errands.items()):
            if errand.moved < before:
                self._end(to, errand, TimeoutError("the receiver has taken nothing for long"))

    def _end(self, to: int, errand: Errand, error: BaseException | None) -> None:
        del self._errands[to]
        self._ready.unregister(to)
        os.close(to)
        errand.done(error)


class Couriers:
    """As many as there are processors, within reason; they are called when first needed."""

    def __init__(self) -> None:
        self._staff: list[Courier] = []
        self._turn = 0

    async def carry(self, to: int, file: int, offset: int, count: int) -> None:
        """Send a part of a file to a socket; raises `OSError` if the receiver is gone."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[None] = loop.create_future()

        def done(error: BaseException | None) -> None:
            with suppress(RuntimeError):
                # The loop may have ended before the errand has.
                loop.call_soon_threadsafe(_settle, arrived, error)

        with socket.socket(fileno=os.dup(to)) as line:
            self._next().take(os.dup(to), Errand(file, offset, count, done, monotonic()))
            try:
                await asyncio.shield(arrived)
            except asyncio.CancelledError:
                # Nothing can follow half an answer, so the connection is of no more use; the errand ends with it,
                # and how it ends is no longer of interest.
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
                await asyncio.gather(arrived, return_exceptions=True)
                raise

    def _next(self) -> Courier:
        if not self._staff:
            self._staff = [Courier() for _ in range(min(max(os.cpu_count() or 1, 2), 4))]
            for courier in self._staff:
                courier.start()
        self._turn += 1
        return self._staff[self._turn % len(self._staff)]


def _settle(arrived: asyncio.Future[None], error: BaseException | None) -> None:
    if not arrived.done():
        if error is None:
            arrived.set_result(None)
        else:
            arrived.set_exception(error)
