"""Every command of `muster`, a row each; what one needs is loaded when it is called. `muster.cli` shows the menu."""

import gc
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

ROOT = "muster"


class Row(NamedTuple):
    """A command: in which menu, by which name, where its function is, and what it does in one sentence."""

    menu: str
    name: str
    place: str
    """The module beside this one, and the function in it."""
    help: str


MENUS = {
    ROOT: "Turn a room of bare machines into an OpenShift cluster.",
    "image": "Live images: what is in one, and one made your own.",
    "lab": "Simulated machines that speak the real agent protocol, with faults.",
    "token": "Tokens for AUTH_TYPE=local, signed with the key in EC_PRIVATE_KEY_PEM of the environment.",
}
"""Commands that have commands."""

COMMANDS = (
    Row(ROOT, "serve", "serve:serve", "Run the service: REST API, engine and files in one process."),
    Row(ROOT, "config", "config:config", "Show every setting: its value, where it comes from, what it means."),
    Row(
        ROOT,
        "backup",
        "backup:backup",
        "Put everything into one file: records, history, events, work to be done, files.",
    ),
    Row(ROOT, "restore", "backup:restore", "Bring back a backup into an empty database and storage of any kind."),
    Row(
        ROOT,
        "timeline",
        "timeline:timeline",
        "Show what the time of an installation was spent on, and what it waited for.",
    ),
    Row(
        ROOT,
        "record",
        "record:record",
        "Save all that is known of a cluster, without its secrets, in a file for `muster replay`.",
    ),
    Row(
        ROOT,
        "replay",
        "replay:replay",
        "Show a recorded cluster as it was, by the calls of the service that it was recorded from; nothing can change.",
    ),
    Row("image", "show", "image:show", "Show what a live image is, and what it was customised with."),
    Row(
        "image",
        "customise",
        "image:customise",
        "Write a copy of a live image that has an Ignition config, kernel arguments, or only what is needed to start.",
    ),
    Row(
        "image",
        "list",
        "base_images:list_images",
        "Show the system images that a service makes discovery images from, and how far each has come.",
    ),
    Row("lab", "up", "lab:up", "Start simulated machines and show how they fare, until interrupted or installed."),
    Row(
        "lab",
        "demo",
        "lab:demo",
        "Install a cluster of simulated machines from nothing, with one fault that is explained and mended.",
    ),
    Row(
        "token",
        "user",
        "token:user",
        "A token for a person or program that uses the API: put it into MUSTER_TOKEN, or send it as a bearer.",
    ),
    Row(
        "token",
        "infra-env",
        "token:infra_env",
        "The token of a discovery image: its agents have it, in PULL_SECRET_TOKEN, and links to its files.",
    ),
    Row("token", "cluster", "token:cluster", "The token of a cluster, for links to its files, logs and events."),
)


class Listed(TyperCommand):
    """A command that is known by its row, and loaded when somebody calls it."""

    def __init__(self, row: Row) -> None:
        super().__init__(name=row.name, help=row.help)
        self._row = row

    def make_context(self, *words: Any, **more: Any) -> Any:
        """The context of the command itself."""
        return loaded(self._row).make_context(*words, **more)


class Menu(TyperGroup):
    """A menu with what the table lists for it, in the order of the table, and then the menus in it."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        listed = {row.name: Listed(row) for row in COMMANDS if row.menu == self.name}
        self.commands = {**listed, **self.commands}


def loaded(row: Row) -> Any:
    """The command itself, with all that it needs."""
    module, _, function = row.place.partition(":")
    # What is loaded stays; to search it for garbage meanwhile would take a tenth of the time.
    gc.disable()
    try:
        found = getattr(import_module(f".{module}", __package__), function)
    finally:
        gc.enable()
    alone = typer.Typer(add_completion=False)
    alone.command(row.name)(found)
    return get_command(alone)


def menu(name: str) -> typer.Typer:
    """A menu of the table, by its name."""
    return typer.Typer(name=name, cls=Menu, no_args_is_help=True, help=MENUS[name])
