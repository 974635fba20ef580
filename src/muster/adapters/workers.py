"""Who works in a folder: a file for each, locked for as long as its process lives.

A service that is started looks here for those that were killed: whatever they had leased is free at once, and nobody
has to wait until the leases are over. `runtime/wiring.py` uses it.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class Workers:
    """The workers of one folder, this process among them from `enlist` to `leave`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: tuple[Path, int] | None = None

    def enlist(self, name: str) -> None:
        """Be known as alive, for as long as the process is."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / name
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self._own = path, lock

    def dead(self) -> tuple[str, ...]:
        """Those who were killed."""
        found = sorted(self._folder.iterdir()) if self._folder.is_dir() else ()
        return tuple(path.name for path in found if _is_free(path))

    def bury(self, name: str) -> None:
        """Forget one who was killed."""
        (self._folder / name).unlink(missing_ok=True)

    def leave(self) -> None:
        """Be gone in good order."""
        if self._own is not None:
            path, lock = self._own
            path.unlink(missing_ok=True)
            os.close(lock)
            self._own = None


def _is_free(path: Path) -> bool:
    with suppress(FileNotFoundError, BlockingIOError):
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        finally:
            os.close(lock)
    return False
