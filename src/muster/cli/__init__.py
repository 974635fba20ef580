"""The command line: a skin over the client, and the way to start the service."""

import sys

import typer

from muster.cli.backup import backup, restore
from muster.cli.base_images import list_images
from muster.cli.config import config
from muster.cli.image import image
from muster.cli.lab import lab
from muster.cli.replay import record, replay
from muster.cli.serve import serve
from muster.cli.timeline import timeline
from muster.cli.token import token
from muster.domain.errors import MusterError

app = typer.Typer(name="muster", no_args_is_help=True)
app.command()(serve)
app.command()(config)
app.command()(backup)
app.command()(restore)
app.command()(timeline)
app.command()(record)
app.command()(replay)
image.command("list")(list_images)
app.add_typer(image, name="image")
app.add_typer(lab, name="lab")
app.add_typer(token, name="token")


@app.callback()
def muster() -> None:
    """Turn a room of bare machines into an OpenShift cluster."""


def main() -> None:
    """Run a command; what can be foreseen to go wrong is told in one sentence."""
    try:
        app()
    except MusterError as error:
        sys.stderr.write(f"muster: {error}\n")
        sys.exit(1)
