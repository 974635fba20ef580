"""Makes the minimal image of a full one, once for all processes that share the folder. `folder` asks in a thread."""

import hashlib
from contextlib import closing
from pathlib import Path

from muster.image.live import read_live
from muster.image.minimal import write_minimal
from muster.image.source import FileSource
from muster.ports import BaseFile

from .files import beside, locked, note_for, note_of, settle

RECIPE = 1
"""Which way they are made; those that were made another way are made anew."""


def origin(full: BaseFile) -> str:
    """What a minimal image is made from, and how."""
    return f"{full.digest}/{RECIPE}"


def made(full: BaseFile, path: Path) -> BaseFile:
    """The minimal image of a full one. It is made if there is none, or one of another full image."""
    with locked(path, patient=True):
        note = note_of(path, path)
        if note is None or note.made_from != origin(full):
            _make(full, path)
    with closing(FileSource(path)) as source:
        live = read_live(source)
    digest = hashlib.sha256(origin(full).encode()).hexdigest()
    # The same full image always gives the same minimal one, whenever it was made.
    return BaseFile(path=path, live=live, modified=full.modified, digest=digest)


def _make(full: BaseFile, path: Path) -> None:
    unfinished = beside(path, ".part")
    for left_over in path.parent.glob(f".{unfinished.name}.*"):
        left_over.unlink(missing_ok=True)
    with closing(FileSource(full.path)) as source:
        write_minimal(source, full.live, unfinished)
    settle(unfinished, path, note_for(unfinished, made_from=origin(full)))
