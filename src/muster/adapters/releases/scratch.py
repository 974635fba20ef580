"""Folders to run a program in, for ourselves alone and for as long as it runs. `openshift_install.py` uses them.

A folder is locked for as long as it is in use, so that one whose user was killed is known by its lock being free:
there are secrets in it.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch(root: Path, name: str) -> Iterator[Path]:
    """A new folder, which goes with all that is in it."""
    root.mkdir(parents=True, exist_ok=True)
    folder, lock = _new(root, name)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _new(root: Path, name: str) -> tuple[Path, int]:
    """A folder that is ours; one that somebody tidied up before we had locked it is not."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=root))
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.is_dir():
                return folder, lock
            os.close(lock)


def tidy(root: Path) -> tuple[str, ...]:
    """Remove the folders of those who were killed; their names."""
    gone = []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        with suppress(FileNotFoundError, NotADirectoryError, BlockingIOError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder.name)
            finally:
                os.close(lock)
    return tuple(gone)


def write_private(path: Path, content: bytes) -> None:
    """A file that only we can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
