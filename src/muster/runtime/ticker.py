"""The clockwork: wakes a scope when its deadline has come. Nothing is scanned; one index says who is next."""

import asyncio
from datetime import datetime, timedelta

import structlog

from muster.domain.errors import Conflict, NotFound, Unavailable
from muster.domain.triggers import Ticked
from muster.ports import Commit

from .engine import Engine

LEASE = timedelta(seconds=30)
"""How long a claimed scope is ours; if we die, its deadline comes again after that."""

AT_ONCE = 50
LONGEST_SLEEP = 15.0
"""Other replicas may set earlier deadlines and die; this is how late we may notice."""

SHORTEST_SLEEP = 0.1
"""How long we leave to another replica what it has just taken."""

log = structlog.get_logger()


class Ticker:
    """Takes the scopes that are due, on PostgreSQL together with the other replicas."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._wake = asyncio.Event()
        self._next: datetime | None = None
        engine.on_commit.append(self._hear)

    async def run(self) -> None:
        """Wake what is due, sleep until something is."""
        while True:
            try:
                self._next = await self.tick()
            except Unavailable as error:
                log.warning("the store does not answer; the clockwork waits", error=str(error))
                self._next = None
            await self._sleep()

    async def tick(self) -> datetime | None:
        """Wake everything that is due now; returns when something will be due next."""
        store, clock = self._engine.store, self._engine.clock
        due = await store.next_deadline()
        while due is not None and due <= clock.now():
            scopes = await store.claim_due(clock.now(), LEASE, AT_ONCE)
            if not scopes:
                break
            await asyncio.gather(*(self._wake_up(scope) for scope in scopes))
            due = await store.next_deadline()
        return due

    async def _wake_up(self, scope: str) -> None:
        """Let a scope look at the time. Its hosts may have been heard of by another replica."""
        if scope.startswith("infra-env:"):
            # Who needs it, and when its hosts were heard of, is news of other scopes that it does not follow.
            self._engine.forget(scope)
        try:
            self._engine.presence.learn(await self._engine.store.presence_of(scope))
            await self._engine.submit(scope, Ticked())
        except (Conflict, NotFound, Unavailable) as error:
            log.info("a scope could not be woken; its deadline will come again", scope=scope, error=str(error))

    async def _sleep(self) -> None:
        wait = LONGEST_SLEEP
        if self._next is not None:
            until = (self._next - self._engine.clock.now()).total_seconds()
            wait = min(max(until, SHORTEST_SLEEP), LONGEST_SLEEP)
        self._wake.clear()
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return

    def _hear(self, commit: Commit) -> None:
        """A commit may have set a deadline before the one we sleep for."""
        if commit.deadline is not None and (self._next is None or commit.deadline < self._next):
            self._wake.set()
