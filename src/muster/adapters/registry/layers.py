"""A layer of an image: files, and what it hides of the layers below. `client.py` looks into each from the top down."""

import gzip
import lzma
import posixpath
import sys
import tarfile
import zlib
from collections.abc import Callable
from typing import IO, BinaryIO

from muster.domain.errors import Broken

Take = Callable[[str, int, IO[bytes]], None]
"""Is given a file that was wanted: its path, its size, and its content to read."""

_GONE = ".wh."
_ALL_BELOW_GONE = ".wh..wh..opq"
_ZSTD = b"\x28\xb5\x2f\xfd"
_UNREADABLE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)


def look_into(layer: BinaryIO, wanted: frozenset[str], take: Take) -> frozenset[str]:
    """Take what is wanted and there; returns what has yet to be looked for in the layers below."""
    try:
        with tarfile.open(fileobj=layer, mode="r:*") as archive:
            return _looked(archive, wanted, take)
    except _UNREADABLE as error:
        raise Broken(f"a layer of the image cannot be read: {_words(layer, error)}") from error


def _looked(archive: tarfile.TarFile, wanted: frozenset[str], take: Take) -> frozenset[str]:
    left, hidden = set(wanted), set[str]()
    for member in archive:
        path = posixpath.normpath(f"/{member.name}").lstrip("/")
        if path in left and not member.isdir():
            _give(archive, member, path, take)
            left.remove(path)
        else:
            hidden |= {each for each in left if _hides(path, member, each)}
        if not left:
            break
    return frozenset(left - hidden)


def _give(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str, take: Take) -> None:
    """Hand a file over; for a link that which it leads to, which has to be in the same layer."""
    try:
        content = archive.extractfile(member)
    except KeyError:
        content = None
    if content is None:
        raise Broken(f"{path} in the image is no file, or a link to one in another layer")
    with content:
        size = content.seek(0, 2)
        content.seek(0)
        take(path, size, content)


def _hides(path: str, member: tarfile.TarInfo, wanted: str) -> bool:
    """Whether an entry of a layer hides a path of the layers below."""
    folder, name = posixpath.split(path)
    if name == _ALL_BELOW_GONE:
        return _is_below(wanted, folder)
    if name.startswith(_GONE):
        gone = posixpath.join(folder, name.removeprefix(_GONE))
        return wanted == gone or _is_below(wanted, gone)
    return not member.isdir() and _is_below(wanted, path)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _words(layer: BinaryIO, error: Exception) -> str:
    layer.seek(0)
    if layer.read(len(_ZSTD)) == _ZSTD:
        running = ".".join(map(str, sys.version_info[:2]))
        return (
            f"it is compressed with zstd, which Python {running} cannot read; run the service on Python 3.14 or later,"
            " put oc on its PATH, or push the image with gzip"
        )
    return str(error) or type(error).__name__
