"""The command line: a skin over the client, and the way to start the service."""

import sys
from typing import Annotated

import typer

from muster import __version__
from muster.cli.menu import MENUS, ROOT, menu
from muster.domain.errors import MusterError

app = menu(ROOT)
for each in MENUS:
    if each != ROOT:
        app.add_typer(menu(each))


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"muster {__version__}")
        raise typer.Exit


@app.callback()
def muster(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What may be said before any command."""


def main() -> None:
    """Run a command; what can be foreseen to go wrong is told in one sentence."""
    try:
        app()
    except MusterError as error:
        sys.stderr.writelines(f"muster: {line}\n" for line in str(error).splitlines())
        sys.exit(1)
