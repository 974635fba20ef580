"""Makes a backup: everything in the database as of one moment, then every file of the storage.

Files are written before the record that tells of them, so those that the records of that moment tell of are still to
come when the rows have been read; what was deleted meanwhile nobody asks for any more.
"""

from collections import Counter
from datetime import datetime
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from muster import __version__
from muster.domain.errors import NotFound
from muster.ports import Blobs

from .archive import FILES, FORMAT, HEAD, ROWS, Head, Packing
from .home import Home
from .restoring import MARK
from .tables import kept, revision, saved
from .telling import Progress, Saved, Tell


async def save(target: Path, home: Home, tell: Tell) -> Saved:
    """Put all there is into a file, while whoever uses it goes on; the file is there once it is whole."""
    with Packing(target) as packing:

        def rows(connection: Connection) -> int:
            return _rows(connection, packing, home.clock.now(), tell)

        count = await home.database.snapshot(rows)
        files = await _files(packing, home.blobs, tell)
        return Saved(rows=count, files=files, size=packing.finish())


def _rows(connection: Connection, packing: Packing, now: datetime, tell: Tell) -> int:
    at, tables, parts = revision(connection), kept(connection), Counter[str]()
    head = Head(format=FORMAT, made_at=now.isoformat(), muster=__version__, revision=at, tables=tables)
    packing.add(HEAD, msgspec.json.encode(head))

    def take(name: str, lines: bytes) -> None:
        parts[name] += 1
        packing.add(f"{ROWS}{name}/{parts[name]:06}.jsonl", lines)

    return saved(connection, tables, take, tell)


async def _files(packing: Packing, blobs: Blobs, tell: Tell) -> int:
    keys = [key for key in await blobs.keys("") if key != MARK]
    done = 0
    for number, key in enumerate(keys, 1):
        try:
            file = await blobs.open(key)
        except NotFound:
            # It was there when the list was made.
            continue
        await packing.stream(FILES + key, file.size, file.pieces)
        done += 1
        tell(Progress(doing="files", done=number, total=len(keys)))
    return done
