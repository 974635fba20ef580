"""A twin of every port that lives in memory: for tests, and wherever nothing needs to last."""

from muster.adapters.bus import LocalBus as MemoryBus

from .blobs import MemoryBlobs
from .clock import FakeClock, counting_ids
from .store import MemoryStore

__all__ = ["FakeClock", "MemoryBlobs", "MemoryBus", "MemoryStore", "counting_ids"]
