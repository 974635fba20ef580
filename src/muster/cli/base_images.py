"""`muster image list`: the system images of a service, and how far the file of each has come."""

from datetime import datetime
from typing import Any

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.table import Table
from rich.text import Text

from muster.client import Client, of_user
from muster.domain.base_images import State, megabytes, progress
from muster.wire.base_images import BaseImageOut, BaseImagesOut
from muster.wire.endpoints.base_images import LIST_BASE_IMAGES

from .options import URL, AsJson, Url

WIDE = 240
"""Characters in a line where there is no terminal to say so."""

COLOURS = {State.READY: "green", State.FETCHING: "cyan", State.CHECKING: "cyan", State.FAILED: "bold red"}
"""Of states that should catch the eye."""


def list_images(
    *,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Show the system images that a service makes discovery images from, and how far each has come."""
    told = uvloop.run(_asked(url))
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(told)).decode())
        return
    found = msgspec.convert(told, BaseImagesOut)
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    console.print(_table(found.images))
    if found.unused_files:
        console.print(
            f"Files that OS_IMAGES does not name: {', '.join(found.unused_files)}. Delete them, or have them deleted "
            "at the start with MUSTER_DELETE_UNUSED_IMAGES=true.",
            style="yellow",
            soft_wrap=True,
            highlight=False,
        )


async def _asked(url: str) -> Any:
    async with Client(url, credentials=of_user()) as client:
        return await client.call(LIST_BASE_IMAGES)


def _table(images: tuple[BaseImageOut, ...]) -> Table:
    table = Table()
    for name in ("Version", "Architecture", "Build", "State", "Progress"):
        table.add_column(name, no_wrap=True)
    table.add_column("What is to be known", overflow="fold")
    for image in images:
        table.add_row(
            image.openshift_version,
            image.cpu_architecture,
            image.version,
            Text(image.state, style=COLOURS.get(image.state, "")),
            _progress(image),
            _words(image),
        )
    return table


def _progress(image: BaseImageOut) -> str:
    if image.state is State.READY:
        return megabytes(image.fetched)
    if not image.fetched and image.size is None:
        return ""
    come = progress(image.fetched, image.size)
    return f"{come}, {megabytes(round(image.rate))}/s" if image.rate else come


def _words(image: BaseImageOut) -> str:
    """Why an image is not there, or where it comes from."""
    if image.retry_at is not None:
        moment = datetime.fromisoformat(image.retry_at).strftime("%H:%M:%S")
        return f"{image.reason}; it is tried again at {moment} UTC"
    return image.reason or image.source
