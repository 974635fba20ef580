"""Turns a file into the base image that it is, or says what is wrong with it. `folder` asks in a thread."""

import hashlib
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from muster.domain.errors import Broken
from muster.domain.features.architectures import architecture_called
from muster.domain.releases import OsImage
from muster.image.live import Live, read_live
from muster.image.source import FileSource
from muster.ports import BaseFile

from .files import Note, Places, beside, note_for, note_of, sum_of, write


def checked(path: Path, image: OsImage, known: str = "") -> BaseFile:
    """The base image that a file is, if it is the one that was configured; its sha256 may be known already."""
    if image.sha256 and known.lower() != image.sha256.lower():
        raise Broken(
            f"its sha256 is {known}, and OS_IMAGES says {image.sha256}: the file is damaged, or one of the two is wrong"
        )
    with closing(FileSource(path)) as source:
        live = read_live(source)
    note = note_for(path, sha256=known)
    architecture = architecture_called(live.architecture)
    if architecture != image.cpu_architecture:
        raise Broken(f"it is an image for {architecture}, and OS_IMAGES says {image.cpu_architecture}")
    if live.minimal:
        raise Broken(f"{live.volume_id} is a minimal image, without the system in it; take the full one")
    modified = datetime.fromtimestamp(note.modified_ns / 1e9, UTC)
    return BaseFile(path=path, live=live, modified=modified, digest=known or _fingerprint(note, live))


def found(image: OsImage, places: Places) -> BaseFile:
    """The base image that is there already. It is read whole only if it has a sha256, and only once."""
    note = note_of(places.full, places.own)
    known = note.sha256 if note else ""
    if image.sha256 and not known:
        known = sum_of(places.full)
        with suppress(OSError):
            # Where nothing can be written it is read whole at every start.
            places.own.parent.mkdir(parents=True, exist_ok=True)
            write(beside(places.own, ".json"), note_for(places.full, sha256=known))
    return checked(places.full, image, known)


def _fingerprint(note: Note, live: Live) -> str:
    told = f"{note.size} {note.modified_ns} {live.volume_id}"
    return hashlib.sha256(told.encode()).hexdigest()
