"""Something on its way into a file: how much of it has come, and whether it is what it should be.

`client.py` writes to it. Its functions wait for the disk: call them in a thread.
"""

import hashlib
from typing import BinaryIO

from muster.domain.errors import Broken, Unavailable

from .manifests import Blob, check_digest

PIECE = 4 * 1024 * 1024


class Arrival:
    """What has come of a blob. What is in the file already counts as its beginning until the end shows otherwise."""

    def __init__(self, blob: Blob, file: BinaryIO) -> None:
        check_digest(blob.digest, "a part of the image")
        self.blob = blob
        self.come = 0
        self._file = file
        self._source = ""
        self._patched = False
        self._sum = hashlib.new(self._rule)

    @property
    def _rule(self) -> str:
        return self.blob.digest.partition(":")[0]

    @property
    def whole(self) -> bool:
        """Whether as much has come as there is to come."""
        return self.come == self.blob.size

    def take_up(self) -> None:
        """Go on from what the file has in it."""
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            self._sum.update(piece)
            self.come += len(piece)
        self._patched = bool(self.come)
        if self.come > self.blob.size:
            self.begin()

    def begin(self) -> None:
        """Forget what has come."""
        self._file.seek(0)
        self._file.truncate()
        self._sum, self.come, self._patched = hashlib.new(self._rule), 0, False

    def open(self, source: str) -> None:
        """More is about to come, from somebody who may be another than before."""
        self._patched = bool(self.come)
        self._source = source

    def add(self, piece: bytes) -> None:
        """More has come; `Broken` if it is more than there is to come."""
        if self.come + len(piece) > self.blob.size:
            self.begin()
            raise Broken(
                f"{self._source} sends more than the {self.blob.size} bytes that {self.blob.digest} has; push the image"
                " there again"
            )
        self._file.write(piece)
        # Whoever is killed leaves it to the next.
        self._file.flush()
        self._sum.update(piece)
        self.come += len(piece)

    def check(self) -> None:
        """See that what has come is what it should be. What came in several goes is asked for once more as a whole."""
        if not self.whole:
            raise Unavailable(
                f"of the {self.blob.size} bytes of {self.blob.digest} only {self.come} came from {self._source}"
            )
        found = f"{self._rule}:{self._sum.hexdigest()}"
        if found == self.blob.digest:
            self._file.seek(0)
            return
        patched = self._patched
        self.begin()
        if patched:
            raise Unavailable(f"what came of {self.blob.digest} in several goes does not fit; it begins anew")
        raise Broken(
            f"{self._source} sends something else ({found}) as {self.blob.digest}: it is damaged where it is kept; push"
            " the image there again"
        )
