"""Who has been heard of when. Not state: kept in memory, written down in one statement a second."""

import asyncio
from datetime import datetime

from muster.domain.errors import Unavailable
from muster.domain.views import View
from muster.ports import Seen, Store

EVERY = 1.0
"""Seconds between two writings."""


class Presence:
    """The last sign of life of every host."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: dict[str, datetime] = {}
        self._unwritten: dict[str, Seen] = {}
        self._noted = asyncio.Event()

    def note(self, infra_env_id: str, host_id: str, at: datetime) -> None:
        """A host asked for instructions."""
        self._seen[host_id] = at
        self._unwritten[host_id] = Seen(infra_env_id=infra_env_id, host_id=host_id, at=at)
        self._noted.set()

    def learn(self, stored: dict[str, datetime]) -> None:
        """What other replicas have noted; the newer word counts."""
        for host_id, at in stored.items():
            mine = self._seen.get(host_id)
            if mine is None or at > mine:
                self._seen[host_id] = at

    def of(self, view: View) -> dict[str, datetime]:
        """When each host of a view was last heard of."""
        seen = self._seen
        return {host_id: seen[host_id] for host_id in view.hosts if host_id in seen}

    async def flush(self) -> None:
        """Write down what is new. What cannot be written now is kept for the next time."""
        self._noted.clear()
        if not self._unwritten:
            return
        batch, self._unwritten = self._unwritten, {}
        try:
            await self._store.note_seen(tuple(batch.values()))
        except Unavailable:
            self._unwritten = batch | self._unwritten
            self._noted.set()

    async def run(self) -> None:
        """Write down once a second while there is something to write, for as long as the service runs."""
        while True:
            await self._noted.wait()
            await asyncio.sleep(EVERY)
            await self.flush()
