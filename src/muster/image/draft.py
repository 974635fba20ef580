"""An image in which bytes are being changed: what was changed is kept, the rest is read. `cut.py` works on one."""

from collections.abc import Iterator

from .iso9660 import SECTOR
from .regions import Patch
from .source import Source


class Draft:
    """A source with changes. Only the sectors that were changed are in memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._changed: dict[int, bytearray] = {}
        self.size = source.size

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes from a place on, as they are by now."""
        content = bytearray(self._source.read(offset, length))
        for sector in range(offset // SECTOR, -(-(offset + length) // SECTOR)):
            changed = self._changed.get(sector)
            if changed is not None:
                begins = sector * SECTOR
                start, stop = max(offset, begins), min(offset + length, begins + SECTOR)
                content[start - offset : stop - offset] = changed[start - begins : stop - begins]
        return bytes(content)

    def put(self, offset: int, content: bytes) -> None:
        """Lay bytes over what is at a place."""
        at = 0
        while at < len(content):
            sector, within = divmod(offset + at, SECTOR)
            if sector not in self._changed:
                begins = sector * SECTOR
                self._changed[sector] = bytearray(self._source.read(begins, min(SECTOR, self.size - begins)))
            piece = content[at : at + SECTOR - within]
            self._changed[sector][within : within + len(piece)] = piece
            at += len(piece)

    def patches(self) -> Iterator[Patch]:
        """All that was changed."""
        for sector, content in sorted(self._changed.items()):
            yield Patch(offset=sector * SECTOR, content=bytes(content))
