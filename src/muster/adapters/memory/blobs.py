"""Files kept in memory; the twin of `ObstoreBlobs`."""

from collections.abc import AsyncIterator, Sequence

from muster.adapters.blobs import checked
from muster.domain.errors import NotFound


class MemoryBlobs:
    """Where generated files, manifests and logs are kept for as long as the process lives."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    async def put(self, key: str, data: bytes) -> None:
        """Store a file whole, replacing what was there."""
        self._files[checked(key)] = data

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> int:
        """Store a file as it comes; nothing is visible before the end. Returns its size."""
        data = b"".join([chunk async for chunk in chunks])
        self._files[checked(key)] = data
        return len(data)

    async def get(self, key: str) -> bytes:
        """A file's content; `NotFound` if there is none."""
        if checked(key) not in self._files:
            raise NotFound(f"There is no file {key}")
        return self._files[key]

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        """A file's content piece by piece; `NotFound` if there is none."""
        yield await self.get(key)

    async def exists(self, key: str) -> bool:
        """Whether there is such a file."""
        return checked(key) in self._files

    async def keys(self, prefix: str) -> tuple[str, ...]:
        """The files below a prefix, in order."""
        folder = f"{prefix.rstrip('/')}/" if prefix else ""
        return tuple(sorted(key for key in self._files if key.startswith(folder)))

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove files; absent ones are no error."""
        for key in keys:
            self._files.pop(key, None)
