"""A file on its way: what has come of it, how much of that is safe on the disk, and what the server said of it.

`fetching` writes to it. A download that was broken off, by whatever, goes on from what is safe.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from muster.domain.record import Record

from .files import PIECE, beside, read, write

STRIDE = 16 * 1024 * 1024
"""Bytes after which what has come is made safe; so much may have to come again."""

WEAK = "W/"


class Said(Record):
    """What the server said of a file, and how much of it is safe here."""

    source: str
    etag: str = ""
    modified: str = ""
    size: int | None = None
    safe: int = 0

    @property
    def validator(self) -> str:
        """By which the server knows whether it still has the same; "" if it gave nothing that tells."""
        return self.etag if self.etag and not self.etag.startswith(WEAK) else self.modified


class Part:
    """What has come of a file so far. Its functions wait for the disk: call them in a thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.said = Said(source="")
        self.come = 0
        self._number = -1
        self._sum = hashlib.sha256()
        self._lock = Lock()

    @property
    def whole(self) -> bool:
        """Whether all of it has come."""
        return self.said.size is not None and self.come == self.said.size

    @property
    def sha256(self) -> str:
        """Of what has come."""
        return self._sum.hexdigest()

    def open(self, source: str) -> None:
        """Take up what came before; nothing if it came from elsewhere or if the server cannot go on from there."""
        said = read(beside(self.path, ".json"), Said)
        self._number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.said = said if said and said.source == source and said.validator else Said(source=source)
        self._keep_first(min(self.said.safe, os.fstat(self._number).st_size))

    def begin(self, said: Said) -> None:
        """Forget what has come; from now on comes what the server said this of."""
        self.said = said
        self._keep_first(0)
        write(beside(self.path, ".json"), said)

    def write(self, piece: bytes) -> None:
        """More has come."""
        with self._lock:
            if self._number < 0:
                return
            left = memoryview(piece)
            while left:
                left = left[os.write(self._number, left) :]
            self._sum.update(piece)
            self.come += len(piece)
            if self.come - self.said.safe >= STRIDE:
                self._make_safe()

    def close(self) -> None:
        """Make safe what has come, if the disk lets us, and let the file go."""
        with self._lock:
            number, self._number = self._number, -1
            if number < 0:
                return
            with suppress(OSError):
                os.fsync(number)
                self._note()
            os.close(number)

    def discard(self) -> None:
        """Forget all about it."""
        self.close()
        for path in (beside(self.path, ".json"), self.path):
            path.unlink(missing_ok=True)

    def _keep_first(self, length: int) -> None:
        os.ftruncate(self._number, length)
        os.lseek(self._number, 0, os.SEEK_SET)
        self._sum, self.come = hashlib.sha256(), 0
        while self.come < length:
            piece = os.read(self._number, min(PIECE, length - self.come))
            self._sum.update(piece)
            self.come += len(piece)

    def _make_safe(self) -> None:
        os.fsync(self._number)
        self._note()

    def _note(self) -> None:
        if self.said.validator:
            self.said = self.said.but(safe=self.come)
            write(beside(self.path, ".json"), self.said)
