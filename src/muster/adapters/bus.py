"""News of commits: within one process, and between replicas that share a PostgreSQL.

The engine publishes after each commit, and its own process hears that at once. Other processes hear
of it by the notification that the store sends within the commit itself; a process leaves out the
notifications of its own origin, so nobody hears the same news twice.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import asyncpg
import msgspec
import structlog

from muster.adapters.news import CHANNEL, decoded
from muster.adapters.sql.postgres import dsn
from muster.ports import Committed

Hear = Callable[[Committed | None], None]

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
"""Seconds between attempts to reach a server that is away: doubled from the first to the longest."""

SILENCE = 30.0
"""Seconds after which a quiet connection is asked whether it still lives."""

PATIENCE = 10.0
"""Seconds the server may take to answer."""

log = structlog.get_logger()


class LocalBus:
    """News within one process."""

    def __init__(self) -> None:
        self._hearers: dict[object, Hear] = {}

    async def start(self) -> None:
        """Nothing has to be begun."""

    async def close(self) -> None:
        """Nothing has to be ended."""

    async def publish(self, news: Committed) -> None:
        """Tell every subscriber."""
        self.tell(news)

    def missed(self) -> None:
        """Tell every subscriber here that anything may have changed."""
        self.tell(None)

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Hear all news from now on; None means some may have been missed. Returns the way to stop."""
        place = object()
        self._hearers[place] = hear

        def stop() -> None:
            self._hearers.pop(place, None)

        return stop

    def tell(self, news: Committed | None) -> None:
        """Tell every subscriber now."""
        for hear in tuple(self._hearers.values()):
            hear(news)


class PostgresBus:
    """News within this process and from every other one on the same database.

    `origin` is the name that the store of this process puts into its notifications.
    """

    def __init__(self, address: str, origin: str) -> None:
        self._dsn = dsn(address)
        self._origin = origin
        self._here = LocalBus()
        self._task: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()
        """Set while news of others can be heard."""

    async def start(self) -> None:
        """Begin to listen; the server may be away, it is waited for in the background."""
        self._task = asyncio.create_task(self._keep_listening())

    async def close(self) -> None:
        """Stop listening."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def publish(self, news: Committed) -> None:
        """Tell every subscriber here; elsewhere it is known from the commit."""
        self._here.tell(news)

    def missed(self) -> None:
        """Tell every subscriber here that anything may have changed."""
        self._here.missed()

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Hear all news from now on; None means some may have been missed. Returns the way to stop."""
        return self._here.subscribe(hear)

    async def _keep_listening(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._listen()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("cannot hear the news of other replicas", error=type(error).__name__, pause=pause)
            pause = FIRST_PAUSE if self.listening.is_set() else min(2 * pause, LONGEST_PAUSE)
            self.listening.clear()
            await asyncio.sleep(pause)

    async def _listen(self) -> None:
        """Hear notifications until the connection is lost."""
        lost = asyncio.Event()
        connection = await asyncpg.connect(self._dsn, timeout=PATIENCE)
        try:
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, self._heard)
            self.listening.set()
            self._here.tell(None)
            while not await _within(SILENCE, lost):
                await connection.execute("SELECT 1", timeout=PATIENCE)
        finally:
            connection.terminate()

    def _heard(self, _: Any, __: int, ___: str, payload: str) -> None:
        try:
            notice = decoded(payload)
        except msgspec.DecodeError:
            # Another version of muster may say it in other words: all we know is that something changed.
            self._here.tell(None)
            return
        if notice.origin != self._origin:
            self._here.tell(notice.news)


async def _within(seconds: float, happening: asyncio.Event) -> bool:
    """Whether something happens in so many seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await happening.wait()
    return happening.is_set()
