"""The file of a backup: a compressed tar whose last member has the digests of all others.

It is written in one go, under another name until it is whole and on the disk; whoever is killed leaves the backup that
was there before. It is read in order too, as often as need be, and nothing in it is believed before all of it was
compared with its digests: `saving` writes, `restoring` reads.
"""

import fcntl
import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from muster.domain.errors import Broken, Invalid, NotFound, Refused, Unavailable
from muster.domain.record import Record

HEAD = "backup.json"
ROWS = "tables/"
FILES = "files/"
DIGESTS = "digests.json"

FORMAT = 1
"""Which form of file this is."""

LEVEL = 4
"""How hard it is tried to make it small; most of what is large is compressed already."""

OWNER_ONLY = 0o600
PIECE = 1024 * 1024
BLOCK = 512
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError, msgspec.MsgspecError, ValueError)
"""What a file says that is not what was written."""


class Column(Record, array_like=True):
    """A column of a table and the kind of what is in it."""

    name: str
    kind: str


class Head(Record, omit_defaults=False):
    """What has to be known before the rest can be read."""

    format: int
    made_at: str
    muster: str
    revision: str
    """Of the schema."""
    tables: dict[str, tuple[Column, ...]]


class Digests(Record):
    """What every other member has to be, by its name."""

    sha256: dict[str, str]


class Packing:
    """A backup in the making, to be used in `with`; `finish` makes it one."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._partial = target.with_name(f"{target.name}.partial")
        self._digests: dict[str, str] = {}
        self._file: IO[bytes]
        self._packed: gzip.GzipFile

    def __enter__(self) -> Self:
        with _told(self._partial):
            self._file = os.fdopen(os.open(self._partial, os.O_RDWR | os.O_CREAT, OWNER_ONLY), "r+b")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._file.close()
                raise Refused(f"{self._partial} is being written by another `muster backup`; wait for it") from None
            os.fchmod(self._file.fileno(), OWNER_ONLY)
            self._file.truncate()
            self._packed = gzip.GzipFile("", "wb", LEVEL, self._file, 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._partial.unlink(missing_ok=True)
        self._file.close()

    def add(self, name: str, content: bytes) -> None:
        """Put a member in."""
        with _told(self._partial):
            self._packed.write(_header(name, len(content)) + content + _padding(len(content)))
        self._digests[name] = hashlib.sha256(content).hexdigest()

    async def stream(self, name: str, size: int, pieces: AsyncIterator[bytes]) -> None:
        """Put a member in as it comes."""
        digest, come = hashlib.sha256(), 0
        with _told(self._partial):
            self._packed.write(_header(name, size))
        async for piece in pieces:
            digest.update(piece)
            come += len(piece)
            with _told(self._partial):
                self._packed.write(piece)
        if come != size:
            raise Unavailable(f"{name}: the storage said {size} bytes and gave {come}; try the backup again")
        with _told(self._partial):
            self._packed.write(_padding(size))
        self._digests[name] = digest.hexdigest()

    def finish(self) -> int:
        """Make it a backup: on the disk, whole, under its own name. Returns its size."""
        self.add(DIGESTS, msgspec.json.encode(Digests(sha256=dict(self._digests))))
        with _told(self._partial):
            self._packed.write(bytes(2 * BLOCK))
            self._packed.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            size = self._file.tell()
            self._partial.replace(self._target)
            _sync(self._target.parent)
        return size


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, OWNER_ONLY
    return info.tobuf(tarfile.PAX_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % BLOCK)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the disk has against it, as one of our errors."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"The backup cannot be written: {path}: {error.strerror}") from error


class Member(Record):
    """A part of a backup, to be read before the next one is."""

    name: str
    content: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """All of it, piece by piece."""
        while piece := self.content.read(PIECE):
            yield piece


class Archive:
    """A backup that was compared with its digests."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._damage():
            self.head, self.digests = self._verified()

    @property
    def id(self) -> str:
        """What tells it from every other backup."""
        return hashlib.sha256(msgspec.json.encode(self.digests, order="sorted")).hexdigest()

    @property
    def keys(self) -> frozenset[str]:
        """The names of the files in it, as the storage knows them."""
        return frozenset(name.removeprefix(FILES) for name in self.digests.sha256 if name.startswith(FILES))

    def tables(self) -> Iterator[tuple[str, bytes]]:
        """Some rows of a table with its name, again and again, in order."""
        with self._damage():
            for member in self._members():
                if member.name.startswith(FILES):
                    # The rows come first.
                    break
                if member.name.startswith(ROWS):
                    yield member.name.split("/")[1], member.content.read()

    def files(self) -> Iterator[Member]:
        """Every file, under the name by which the storage knows it."""
        with self._damage():
            for member in self._members():
                if member.name.startswith(FILES):
                    yield member.but(name=member.name.removeprefix(FILES))

    def _verified(self) -> tuple[Head, Digests]:
        found: dict[str, str] = {}
        head = digests = None
        for member in self._members():
            first, summed, kept = not found, hashlib.sha256(), b""
            for piece in member.pieces():
                summed.update(piece)
                kept = kept + piece if member.name in {HEAD, DIGESTS} else b""
            if first:
                head = _head(member.name, kept)
            if member.name == DIGESTS:
                digests = msgspec.json.decode(kept, type=Digests)
            else:
                found[member.name] = summed.hexdigest()
        if head is None or digests is None or digests.sha256 != found:
            raise EOFError
        return head, digests

    def _members(self) -> Iterator[Member]:
        with gzip.open(self._path) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as tar:
            for info in tar:
                content = tar.extractfile(info)
                if content is None:
                    raise EOFError
                yield Member(name=info.name, content=content)
            while unpacked.read(PIECE):
                # The sum over everything stands at the very end.
                continue

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise NotFound(f"There is no file {self._path}") from None
        except OSError as error:
            if isinstance(error, DAMAGE):
                raise self._broken() from error
            raise Unavailable(f"The backup cannot be read: {self._path}: {error.strerror}") from error
        except DAMAGE as error:
            raise self._broken() from error

    def _broken(self) -> Broken:
        return Broken(f"{self._path} is damaged, or no backup of muster; nothing was written. Take another one")


def _head(name: str, content: bytes) -> Head:
    """What the first member says."""
    if name != HEAD:
        raise EOFError
    says = msgspec.json.decode(content, type=dict[str, object])
    if says.get("format") != FORMAT:
        raise Invalid(
            f"The backup has the form {says.get('format')}, made by muster {says.get('muster')}; this one reads only "
            f"{FORMAT}. Restore it with that version"
        )
    return msgspec.convert(says, Head)
