"""`muster backup` and `muster restore`: all that matters in one file, and back; the service may run meanwhile."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from muster.adapters import backup as backups
from muster.adapters.backup.telling import Tell
from muster.domain.base_images import megabytes
from muster.domain.errors import Invalid
from muster.runtime.settings import Settings, read_settings

from .options import Data, Database, Storage

File = Annotated[Path, typer.Argument(help="The backup.", dir_okay=False)]
Force = Annotated[bool, typer.Option("--force", help="Throw away what is in the database and the storage.")]


def backup(file: File, *, data: Data = None, database: Database = None, storage: Storage = None) -> None:
    """Put everything into one file: records, history, events, work to be done, files. Takes the options of `serve`."""
    settings = read_settings(data=data, database=database, storage=storage)
    folder = Path(settings.storage_url.removeprefix("file://")).absolute()
    if file.absolute().is_relative_to(folder):
        raise Invalid(f"FILE: {file} lies in the storage itself, {folder}; name a place outside of it")
    with _shown() as tell:
        saved = uvloop.run(_save(file, settings, tell))
    typer.echo(
        f"{file} holds {saved.rows} rows and {saved.files} files in {megabytes(saved.size)}. There are secrets in it: "
        "pull secrets, passwords, keys. Only you may read it; keep it that way."
    )


def restore(
    file: File, *, force: Force = False, data: Data = None, database: Database = None, storage: Storage = None
) -> None:
    """Bring back a backup into an empty database and storage of any kind. Takes the options of `serve`."""
    settings = read_settings(data=data, database=database, storage=storage)
    with _shown() as tell:
        done = uvloop.run(_restore(file, settings, tell, force))
    typer.echo(
        f"{done.rows} rows and {done.files} files of {done.made_at} are back. A service that runs goes on with them by "
        "itself."
    )


async def _save(file: Path, settings: Settings, tell: Tell) -> backups.Saved:
    async with backups.home(settings.database_url, settings.storage_url, settings.s3_login) as home:
        return await backups.save(file, home, tell)


async def _restore(file: Path, settings: Settings, tell: Tell, force: bool) -> backups.Restored:
    async with backups.home(settings.database_url, settings.storage_url, settings.s3_login) as home:
        return await backups.restore(file, home, tell, force=force)


@contextmanager
def _shown() -> Iterator[Tell]:
    """Show on a terminal how far it has come."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    tasks = {}

    def tell(progress: backups.Progress) -> None:
        if progress.doing not in tasks:
            tasks[progress.doing] = bars.add_task(progress.doing, total=None)
        bars.update(tasks[progress.doing], completed=progress.done, total=progress.total)

    with bars:
        yield tell
