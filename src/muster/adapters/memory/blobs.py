"""Files kept in memory; the twin of `ObstoreBlobs`."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import timedelta

from muster.adapters.blobs import checked
from muster.domain.errors import Invalid, NotFound
from muster.ports import OpenFile


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

    async def open(self, key: str) -> OpenFile:
        """A file's content piece by piece, as it is now; `NotFound` if there is none."""
        content = await self.get(key)

        async def pieces() -> AsyncGenerator[bytes]:
            yield content

        return OpenFile(size=len(content), pieces=pieces())

    async def exists(self, key: str) -> bool:
        """Whether there is such a file."""
        return checked(key) in self._files

    async def keys(self, prefix: str) -> tuple[str, ...]:
        """The files below a prefix, in order."""
        folder = f"{prefix.rstrip('/')}/" if prefix else ""
        return tuple(sorted(key for key in self._files if key.startswith(folder)))

    async def presigned(self, key: str, lasts: timedelta) -> str:  # noqa: ARG002 - there are no links, however short
        """Nobody else can reach what is in memory."""
        raise Invalid(f"{key} is kept in memory, to which there are no links; download it from here")

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove files; absent ones are no error."""
        for key in keys:
            self._files.pop(key, None)
