"""The folder of tools: programs taken from releases, kept for the next who needs them. `tools.py` fills it.

Several processes may share it. A tool gets its name when it is whole and on the disk. A use is a link to it of its own,
and a lock on it for as long as it lasts: what is in use is not removed, and a link whose user was killed is found by
the lock being free. To use a tool takes no time; the other functions wait for the disk: call them in a thread.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import structlog

from muster.domain.base_images import megabytes
from muster.domain.errors import Invalid, Unavailable

from .room import check_room, free_room

LINKS = "in-use"
LOCK = ".lock"
WORK = ".work"
WORTH_KEEPING = timedelta(days=1)
"""How long what was begun is kept for whoever may go on with it."""

log = structlog.get_logger()


class Use(NamedTuple):
    """A tool as it is used by one of us."""

    path: Path
    held: int

    def end(self) -> None:
        """Let go of it."""
        self.path.unlink(missing_ok=True)
        os.utime(self.held)
        os.close(self.held)


class Entry(NamedTuple):
    """A tool that is kept."""

    used_at: float
    size: int
    path: Path


class ToolFolder:
    """Tools by key, together not larger than `capacity` bytes; 0 for as large as they like."""

    def __init__(self, folder: Path, capacity: int) -> None:
        self.folder = folder
        self._capacity = capacity

    def has(self, key: str) -> bool:
        """Whether a tool is here."""
        return (self.folder / key).is_file()

    def use(self, key: str, name: str) -> Use | None:
        """A tool under a name of our own, until the use ends; None if it is not here."""
        entry, link = self.folder / key, self.folder / LINKS / f"{uuid4()}-{name}"
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = os.open(entry, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        if not _linked(held, entry, link):
            os.close(held)
            return None
        os.utime(held)
        return Use(path=link, held=held)

    @contextmanager
    def making(self, key: str) -> Iterator[Path | None]:
        """The folder to make a tool in, which nobody else has meanwhile; None if somebody has it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{key}{LOCK}").open("ab") as file:
            if not _locked(file.fileno()):
                yield None
                return
            work = self.folder / f"{key}{WORK}"
            work.mkdir(exist_ok=True)
            try:
                yield work
            finally:
                # What somebody may go on with stays.
                with suppress(OSError):
                    work.rmdir()

    def admit(self, size: int) -> None:
        """See that another tool of a size fits beside the others; those that nobody uses go for it."""
        with self._settling():
            self._bound(size)
        self.make_room(size, "the installer of the release")

    def make_room(self, needed: int, what: str) -> None:
        """See that something fits on the disk; tools that nobody uses go for it."""
        for entry in self._oldest_first():
            if free_room(self.folder) >= needed:
                return
            self._evict(entry)
        check_room(self.folder, needed, what)

    def settle(self, unfinished: Path, key: str) -> None:
        """Give a tool that is whole its name; others go if there are too many."""
        unfinished.chmod(0o755)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        with self._settling():
            self._bound(unfinished.stat().st_size)
            unfinished.replace(self.folder / key)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        shutil.rmtree(self.folder / f"{key}{WORK}", ignore_errors=True)

    def tidy(self) -> None:
        """Remove what was left behind by those who were killed."""
        for link in self._inside(LINKS):
            with _free(link) as free:
                if free:
                    link.unlink(missing_ok=True)
        for work in self.folder.glob(f"*{WORK}"):
            key = work.name.removesuffix(WORK)
            with self.making(key) as mine, suppress(FileNotFoundError):
                if mine and time.time() - work.stat().st_mtime > WORTH_KEEPING.total_seconds():
                    shutil.rmtree(work, ignore_errors=True)

    @contextmanager
    def _settling(self) -> Iterator[None]:
        with (self.folder / f"settling{LOCK}").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _bound(self, size: int) -> None:
        """Evict tools until another one fits."""
        if not self._capacity:
            return
        if size > self._capacity:
            raise Invalid(
                f"INSTALLER_CACHE_CAPACITY is {megabytes(self._capacity)}, and one tool alone has {megabytes(size)};"
                " set it to 0, or to several times that"
            )
        entries = self._oldest_first()
        total = sum(entry.size for entry in entries)
        for entry in entries:
            if total + size > self._capacity and self._evict(entry):
                total -= entry.size
        if total + size > self._capacity:
            raise Unavailable(
                f"there is no place for another tool of {megabytes(size)}: INSTALLER_CACHE_CAPACITY is"
                f" {megabytes(self._capacity)}, and {megabytes(total)} are in use; wait, or set it higher"
            )

    @staticmethod
    def _evict(entry: Entry) -> bool:
        """Remove a tool that nobody uses; whether it is gone."""
        with _free(entry.path) as free:
            if free:
                entry.path.unlink(missing_ok=True)
                log.info("a tool was removed to make room for others", tool=entry.path.name)
            return free

    def _oldest_first(self) -> list[Entry]:
        """The tools, first that which was not used for longest."""
        found = []
        for path in self._inside(""):
            with suppress(FileNotFoundError):
                if path.is_file() and path.suffix != LOCK:
                    found.append(Entry(used_at=path.stat().st_mtime, size=path.stat().st_size, path=path))
        return sorted(found)

    def _inside(self, name: str) -> list[Path]:
        try:
            return list((self.folder / name).iterdir())
        except FileNotFoundError:
            return []


def _locked(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _free(path: Path) -> Iterator[bool]:
    """Whether nobody uses a tool; nobody begins to meanwhile."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _locked(number)
    finally:
        os.close(number)


def _linked(held: int, entry: Path, link: Path) -> bool:
    """Lock a tool that was opened and link to it; False if it is not the one of that name any more."""
    fcntl.flock(held, fcntl.LOCK_SH)
    try:
        link.hardlink_to(entry)
    except FileNotFoundError:
        return False
    same = os.path.samestat(os.fstat(held), link.stat())
    if not same:
        link.unlink()
    return same
