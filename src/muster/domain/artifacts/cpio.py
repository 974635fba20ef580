"""Turns files into the kind of archive that a kernel unpacks before anything else runs: cpio `newc`, compressed.

The discovery image carries its Ignition config in one, and what a minimal image needs to reach the network.
"""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from muster.domain.record import Record

DIRECTORY, FILE, LINK = 0o040000, 0o100000, 0o120000
ALIGNED = 4
END = "TRAILER!!!"


class Member(Record):
    """One entry: its mode says what it is, too. The content of a link is where it leads."""

    path: str
    content: bytes
    mode: int


def regular(path: str, content: str, mode: int) -> Member:
    """A file."""
    return Member(path=path, content=content.encode(), mode=FILE | mode)


def link(path: str, target: str) -> Member:
    """A symbolic link."""
    return Member(path=path, content=target.encode(), mode=LINK | 0o777)


def archive(members: Iterable[Member]) -> bytes:
    """The members with the folders they are in, parents first; the same bytes whenever it is made."""
    return gzip.compress(uncompressed(members), mtime=0)


def uncompressed(members: Iterable[Member]) -> bytes:
    """The same archive before it is compressed, for whoever compresses it otherwise."""
    listed = [*_with_folders(members), Member(path=END, content=b"", mode=0)]
    return b"".join(_entry(number, each) for number, each in enumerate(listed))


def padded(content: bytes) -> bytes:
    """The content, filled up so that another archive may follow."""
    return content + bytes(-len(content) % ALIGNED)


def _with_folders(members: Iterable[Member]) -> Iterator[Member]:
    seen: set[str] = set()
    for member in members:
        for parent in reversed(PurePosixPath(member.path).parents):
            if parent.name and str(parent) not in seen:
                seen.add(str(parent))
                yield Member(path=str(parent), content=b"", mode=DIRECTORY | 0o755)
        yield member


def _entry(number: int, member: Member) -> bytes:
    name = member.path.encode() + b"\0"
    fields = (number, member.mode, 0, 0, 1, 0, len(member.content), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    return padded(head + name) + padded(member.content)
