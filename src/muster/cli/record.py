"""`muster record`: a cluster with all its past into one file, which `muster replay` shows anywhere."""

from pathlib import Path
from typing import Annotated

import typer
import uvloop

from muster.client import Client, of_user
from muster.domain.errors import Invalid
from muster.wire.endpoints.ours import RECORDING

from .options import URL, ClusterArgument, Url
from .timeline import cluster_called


def record(
    cluster: ClusterArgument,
    *,
    to: Annotated[Path | None, typer.Option(help="The file to write; NAME.muster.zip if left out.")] = None,
    url: Url = URL,
) -> None:
    """Save all that is known of a cluster, without its secrets, in a file for `muster replay`."""
    typer.echo(uvloop.run(_record(cluster, to, url)))


async def _record(wanted: str, to: Path | None, url: str) -> Path:
    async with Client(url, credentials=of_user()) as client:
        cluster = await cluster_called(client, wanted)
        content: bytes = await client.call(RECORDING, cluster_id=cluster["id"])
    file = to or Path(f"{cluster['name']}.muster.zip")
    try:
        file.write_bytes(content)
    except OSError as error:
        raise Invalid(f"--to: {file} cannot be written: {error.strerror}") from error
    return file
