"""Where the bytes of an image come from: a file on disk, or anything else that can be read from any place on."""

import os
from pathlib import Path
from typing import Protocol

from muster.domain.errors import Broken


class Source(Protocol):
    """Bytes that can be read from any place on."""

    @property
    def size(self) -> int:
        """How many there are."""

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes from a place on; `Broken` if they are not all there."""


class FileSource:
    """A file. It is open as long as this is."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.path = path
        self.size = os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes from a place on; `Broken` if they are not all there."""
        found = os.pread(self._file.fileno(), length, offset)
        if len(found) != length:
            raise Broken(f"{self.path.name} ends after {self.size} bytes, within the {length} bytes from {offset} on")
        return found

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
