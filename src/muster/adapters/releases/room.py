"""Room on a disk, in sentences. Whoever is about to write something large asks first."""

import os
from pathlib import Path

from muster.domain.base_images import megabytes
from muster.domain.errors import Unavailable


def free_room(folder: Path) -> int:
    """Bytes that can still be written below a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def check_room(folder: Path, needed: int, what: str) -> None:
    """`Unavailable` if something does not fit."""
    free = free_room(folder)
    if needed > free:
        raise Unavailable(
            f"there is not enough room for {what}: it needs {megabytes(needed)}, but only {megabytes(free)} are free in"
            f" {folder}; free another {megabytes(needed - free)}"
        )


def disk_words(error: OSError, folder: Path) -> str:
    """What a disk has against it."""
    return f"{error.filename or folder}: {error.strerror or type(error).__name__}"
