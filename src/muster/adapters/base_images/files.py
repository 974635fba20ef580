"""The files of an image, and what is noted beside them. The other modules of the package write with it.

Whoever is killed leaves files that the next one can go on with: a file gets its name when it is whole and on the disk,
and a note counts only for the very file that it was written for.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from muster.domain.base_images import MINIMAL, file_name, own_path
from muster.domain.record import Record
from muster.domain.releases import OsImage

PIECE = 4 * 1024 * 1024

R = TypeVar("R", bound=Record)


class Places(Record):
    """Where the files of an image are."""

    full: Path
    """The image itself: in the folder, or wherever somebody has put it."""
    own: Path
    """What it is called in the folder; what is kept beside it is called after this."""
    minimal: Path
    in_place: bool
    """Whether the image is used from where somebody has put it."""


class Stamp(Record):
    """What tells a file from another one of the same name."""

    inode: int
    size: int
    modified_ns: int


class Note(Record):
    """What was found out about a file."""

    size: int
    modified_ns: int
    sha256: str = ""
    made_from: str = ""


def places(image: OsImage, folder: Path) -> Places:
    """Where the files of an image are to be."""
    own, path = folder / file_name(image), own_path(image.url)
    return Places(
        full=Path(path) if path else own, own=own, minimal=folder / file_name(image, MINIMAL), in_place=bool(path)
    )


def beside(path: Path, end: str) -> Path:
    """A file that is kept beside another."""
    return path.with_name(path.name + end)


def stamp_of(path: Path) -> Stamp | None:
    """What tells the file from others; None if there is none that could be looked at."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(inode=found.st_ino, size=found.st_size, modified_ns=found.st_mtime_ns)


def note_of(path: Path, own: Path) -> Note | None:
    """What was noted about a file; None if nothing was, or if the file has become another one since."""
    note, stamp = read(beside(own, ".json"), Note), stamp_of(path)
    if note is None or stamp is None or (note.size, note.modified_ns) != (stamp.size, stamp.modified_ns):
        return None
    return note


def note_for(path: Path, *, sha256: str = "", made_from: str = "") -> Note:
    """What is to be noted about a file as it is now."""
    found = path.stat()
    return Note(size=found.st_size, modified_ns=found.st_mtime_ns, sha256=sha256, made_from=made_from)


def read(path: Path, kind: type[R]) -> R | None:
    """What a note says; None if there is none that could be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def write(path: Path, note: Record) -> None:
    """Put a note in the place of the one before."""
    unfinished = beside(path, ".new")
    with unfinished.open("wb") as file:
        file.write(msgspec.json.encode(note))
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def settle(unfinished: Path, path: Path, note: Note) -> None:
    """Give a file that is whole its name, with what was found out about it."""
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    write(beside(path, ".json"), note)
    unfinished.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def sum_of(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def locked(path: Path, *, patient: bool) -> Iterator[None]:
    """Nobody else, in this process or another, works on a file meanwhile.

    Who is not patient gets a `BlockingIOError` if somebody does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside(path, ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX if patient else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
