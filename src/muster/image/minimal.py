"""Turns a full image into the minimal one, which fetches the system when it starts. Base images are kept with it."""

from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from muster.domain.errors import Invalid

from .cut import write_cut
from .kargs import fetching, relisted, written
from .live import S390X, Live, read_live
from .miniso import write_miniso
from .partitions import unknown_tables
from .source import FileSource, Source
from .writing import whole


def why_not_minimal(source: Source, live: Live) -> str:
    """The reason why there is no minimal image of a full one, as a sentence; empty if there is."""
    if live.architecture == S390X:
        return f"There are no minimal images for {S390X}: its machines start from the whole image; take the full one"
    if live.minimal:
        return f"Image {live.volume_id} is a minimal one already"
    return unknown_tables(source) if live.miniso is None else ""


def write_minimal(source: Source, live: Live, target: Path) -> None:
    """Write the minimal image of a full one. Where it fetches the system from is yet to be customised.

    Where the image has a recipe the result is what coreos-installer makes of it, to the bit.
    """
    reason = why_not_minimal(source, live)
    if reason:
        raise Invalid(reason)
    with whole(target) as file:
        if live.miniso:
            write_miniso(source, live, live.miniso, file)
        else:
            write_cut(source, live, file)
        _have_it_fetched(file)


def _have_it_fetched(file: BinaryIO) -> None:
    """Take from the kernel arguments what has the system read from the medium, for it is not there."""
    file.flush()
    with closing(FileSource(Path(file.name))) as written_so_far:
        kargs = read_live(written_so_far).kargs
    if kargs is not None:
        needed = fetching(kargs.default)
        for patch in (*written(kargs, needed), *relisted(kargs, needed)):
            file.seek(patch.offset)
            file.write(patch.content)
