"""Files in a local folder or an S3 bucket, by way of obstore; `runtime/wiring.py` makes it from `--storage`."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from obstore import sign_async
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, S3Store

from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.ports import OpenFile

PIECE = 256 * 1024
"""The bytes that a stream hands on at a time, at least."""

RETRIES = 3
S3_OPTIONS = frozenset({"endpoint", "region"})
"""What may stand after the question mark of an S3 address; credentials come otherwise."""


def opened(address: str, login: Mapping[str, str]) -> LocalStore | S3Store:
    """The storage at an address: a path, `file:///path`, or `s3://bucket/prefix?endpoint=...&region=...`."""
    parts = urlsplit(address)
    if parts.scheme == "s3":
        return _bucket(parts, login)
    if parts.scheme == "file":
        return LocalStore(prefix=Path(unquote(parts.path)), mkdir=True)
    if "://" in address:
        raise Invalid(f"storage: {parts.scheme} cannot be used; write a path, file:///path or s3://bucket/prefix")
    return LocalStore(prefix=Path(address).absolute(), mkdir=True)


def _bucket(parts: SplitResult, login: Mapping[str, str]) -> S3Store:
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    unknown = options.keys() - S3_OPTIONS
    if unknown or not parts.netloc:
        raise Invalid(
            f"storage: {', '.join(sorted(unknown)) or 'an address without a bucket'} is not understood;"
            " write s3://bucket/prefix?endpoint=...&region=..."
        )
    return S3Store(
        parts.netloc,
        prefix=parts.path.strip("/") or None,
        # A whole transfer may take as long as whoever is on the other side does; silence may not.
        client_options={
            "allow_http": True,
            "connect_timeout": timedelta(seconds=5),
            "read_timeout": timedelta(seconds=30),
            "timeout": timedelta(hours=6),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=30)},
        **(options | dict(login)),
    )


def checked(key: str) -> str:
    """The key itself; `Invalid` if it could lead out of the storage."""
    if any(part in {"", ".", ".."} for part in key.split("/")):
        raise Invalid(f"file name: {key!r} has an empty part, or one made of dots only; name the file plainly")
    return key


class ObstoreBlobs:
    """Where generated files, manifests and logs are kept.

    `login` is how to sign in to a bucket; without it, the library looks for that in its usual places.
    """

    def __init__(self, address: str, login: Mapping[str, str] = {}) -> None:
        self._store = opened(address, login)
        self._place = address.partition("?")[0]

    async def put(self, key: str, data: bytes) -> None:
        """Store a file whole, replacing what was there."""
        with _named_faults(key, place=self._place):
            await self._store.put_async(checked(key), data)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> int:
        """Store a file as it comes; nothing is visible before the end. Returns its size."""
        size = 0

        async def counted() -> AsyncIterator[bytes]:
            nonlocal size
            async for chunk in chunks:
                size += len(chunk)
                yield chunk

        with _named_faults(key, place=self._place):
            await self._store.put_async(checked(key), counted())
        return size

    async def get(self, key: str) -> bytes:
        """A file's content; `NotFound` if there is none."""
        with _named_faults(key):
            found = await self._store.get_async(checked(key))
            return bytes(await found.bytes_async())

    async def open(self, key: str) -> OpenFile:
        """A file's content piece by piece, as it is now; `NotFound` if there is none."""
        with _named_faults(key):
            found = await self._store.get_async(checked(key))

        async def pieces() -> AsyncGenerator[bytes]:
            with _named_faults(key):
                async for piece in found.stream(min_chunk_size=PIECE):
                    yield bytes(piece)

        return OpenFile(size=found.meta["size"], pieces=pieces())

    async def exists(self, key: str) -> bool:
        """Whether there is such a file."""
        try:
            with _named_faults(key):
                await self._store.head_async(checked(key))
        except NotFound:
            return False
        return True

    async def keys(self, prefix: str) -> tuple[str, ...]:
        """The files below a prefix, in order."""
        with _named_faults(prefix, place=self._place):
            found = [meta["path"] async for batch in self._store.list(prefix) for meta in batch]
        return tuple(sorted(found))

    async def presigned(self, key: str, lasts: timedelta) -> str:
        """Where anybody may fetch a file for a while; `Invalid` if only the service can reach the storage."""
        if not isinstance(self._store, S3Store):
            raise Invalid("The files are kept in a folder, to which there are no links; download them from here")
        with _named_faults(key):
            link: str = await sign_async(self._store, "GET", checked(key), lasts)
        return link

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove files; absent ones are no error."""
        if not keys:
            return
        try:
            with _named_faults(keys[0]):
                await self._store.delete_async(list(keys))
        except NotFound:
            # S3 does not mind; a folder stops at the first absent file, so the rest goes one by one.
            for key in keys:
                await self._delete_one(key)

    async def _delete_one(self, key: str) -> None:
        try:
            with _named_faults(key):
                await self._store.delete_async(key)
        except NotFound:
            return


@contextmanager
def _named_faults(key: str, place: str = "") -> Iterator[None]:
    """What storage says, as one of our errors; what is missing is the `place`, if that is given, else the file."""
    try:
        yield
    except FileNotFoundError as error:
        if place:
            raise Unavailable(f"The storage {place} is not there any more; make the bucket again") from error
        raise NotFound(f"There is no file {key}") from error
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise Broken(f"The storage does not let us reach {key}; check its credentials and permissions") from error
    except BaseError as error:
        raise Unavailable(f"The storage does not answer for {key}; check that it runs and has space") from error
