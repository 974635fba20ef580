"""A recording opened again: a store that holds what it holds, and takes nothing in. `runtime/wiring.py` names it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from muster.adapters.memory import MemoryBlobs, MemoryStore
from muster.adapters.memory.records import Scope
from muster.adapters.rows import cursor, filed, host_key
from muster.domain.errors import Forbidden
from muster.domain.events import Event
from muster.domain.views import cluster_scope
from muster.ports import AnyRecord, Change, Commit, Committed, Seen
from muster.wire.recorder import Recording, as_of, read_recording


def opened(path: Path, at: datetime | None = None) -> Recording:
    """A recording, as it was taken or as of an earlier moment; `Invalid` if the file or the moment is of no use."""
    recording = read_recording(path)
    return recording if at is None else as_of(recording, at)


class RecordedStore(MemoryStore):
    """What a recording holds, to be read only."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        head = recording.head
        versions = {row.scope: row.version for row in recording.history} | {
            cluster_scope(head.cluster_id): head.version
        }
        records: tuple[AnyRecord, ...] = (recording.cluster, *recording.hosts, *recording.infra_envs)
        for record in records:
            kept = filed(Change(old=None, new=record))
            self._records[kept.kind, kept.key] = kept
            if kept.is_the_scopes_own:
                version = versions.get(kept.scope, 1)
                self._scopes[kept.scope] = Scope(version=version, deadline=None, live=not kept.gone)
        self._events += recording.events
        # Places in this history are its own: where a row stood in another store means nothing here.
        self._history += [row.but(cursor=cursor(0, place)) for place, row in enumerate(recording.history, 1)]
        self._presence |= {
            host_key(host.infra_env_id, host.id): head.heard_at[host.id]
            for host in recording.hosts
            if host.id in head.heard_at
        }

    async def commit(self, commit: Commit) -> Committed:
        """What is recorded cannot be changed."""
        raise Forbidden(f"{commit.scope} is in a recording, which can only be looked at")

    async def note_seen(self, seen: Sequence[Seen]) -> None:
        """Nobody is heard of here."""

    async def add_event(self, event: Event) -> None:
        """What is done with a recording is not part of it."""


class RecordedBlobs(MemoryBlobs):
    """The files of what was recorded: they stayed where they were, since there are secrets in them."""

    async def get(self, key: str) -> bytes:
        """None is here."""
        raise Forbidden(f"{key} is not part of a recording; download it from the service that it was taken from")
