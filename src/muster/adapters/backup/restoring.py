"""Puts a backup back: the files first, then all rows in one transaction, so that no record tells of a file to come.

Nothing is written before the whole backup was compared with its digests. Whoever is killed on the way leaves a mark in
the storage that names the backup; the same command then goes on, although the storage is not empty any more.
"""

from collections.abc import AsyncIterator
from pathlib import Path

from muster.adapters.sql.migrate import is_known, newest
from muster.domain.errors import Invalid, NotFound, Refused
from muster.ports import Blobs

from .archive import Archive, Member
from .home import Home
from .tables import Filling, occupied
from .telling import Progress, Restored, Tell

MARK = "unfinished-restore"
"""The file that is in the storage for as long as a backup has not been brought back whole."""


async def restore(source: Path, home: Home, tell: Tell, *, force: bool = False) -> Restored:
    """Bring back what is in a backup; `force` throws away what is there, else there must be nothing."""
    tell(Progress(doing="checking", done=0))
    archive = Archive(source)
    head = archive.head
    if not is_known(head.revision):
        raise Invalid(
            f"{source} was made by a newer muster ({head.muster}, schema {head.revision}; this one knows up to "
            f"{newest()}); restore it with that version. Nothing was written"
        )
    if not force:
        await _require_room(archive, home)
    blobs = home.blobs
    await blobs.put(MARK, archive.id.encode())
    await _files(archive, blobs, tell)
    filling = Filling(head.revision, head.tables, archive.tables, home.clock.now(), tell)
    await home.database.replace(filling.instead if force else filling.into_empty)
    await blobs.delete([key for key in await blobs.keys("") if key not in archive.keys])
    return Restored(rows=filling.done, files=len(archive.keys), made_at=head.made_at)


async def _require_room(archive: Archive, home: Home) -> None:
    """Refuse if there is anything where the backup is to go, unless it comes from an attempt with the same one."""
    rows, files = await home.database.read(occupied), await home.blobs.keys("")
    begun = await _begun(home.blobs) == archive.id
    if rows or (files and not begun):
        raise Refused(
            f"There is something already (rows in the database: {rows}, files in the storage: {len(files)}); nothing "
            "was written. Name an empty database and storage, or say --force to throw away what is there"
        )


async def _begun(blobs: Blobs) -> str:
    """The backup that somebody began to bring back here; "" if nobody did."""
    try:
        return (await blobs.get(MARK)).decode(errors="replace")
    except NotFound:
        return ""


async def _files(archive: Archive, blobs: Blobs, tell: Tell) -> None:
    total = len(archive.keys)
    for number, member in enumerate(archive.files(), 1):
        await blobs.put_stream(member.name, _pieces(member))
        tell(Progress(doing="files", done=number, total=total))


async def _pieces(member: Member) -> AsyncIterator[bytes]:
    for piece in member.pieces():
        yield piece
