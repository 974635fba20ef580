"""The menu lists every command, and a command loads what it needs and no more."""

import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest
from typer.testing import CliRunner

from muster import __version__
from muster.cli import app
from muster.cli.menu import COMMANDS, MENUS, ROOT, Row
from muster.wire.tokens import PRIVATE

OF_THE_SERVICE = {"alembic", "asyncpg", "cryptography", "muster.runtime", "obstore", "sqlalchemy", "uvicorn"}
"""What takes long to load, and only the service needs."""

NOT_LOADED = {
    "--version": OF_THE_SERVICE | {"aiohttp", "asyncio", "msgspec", "rich"},
    "--help": OF_THE_SERVICE | {"aiohttp", "asyncio", "msgspec"},
    "image --help": OF_THE_SERVICE | {"aiohttp", "asyncio", "msgspec"},
    "timeline --help": OF_THE_SERVICE | {"muster.api", "muster.image", "muster.lab"},
    "record --help": OF_THE_SERVICE | {"muster.api", "muster.image", "muster.lab"},
    "image list --help": OF_THE_SERVICE | {"muster.api", "muster.image", "muster.lab"},
    "image show --help": OF_THE_SERVICE | {"muster.api", "muster.lab"},
    "token user --help": OF_THE_SERVICE - {"cryptography", "muster.runtime"} | {"muster.api", "muster.lab"},
    "config --help": OF_THE_SERVICE - {"cryptography", "muster.runtime"} | {"muster.lab"},
    "serve --help": {"alembic"},
}
"""Commands, and what they must not load, the most modest first."""

LOADED = """
import io, json, sys
from contextlib import redirect_stdout, suppress
from muster.cli import main
loaded = {}
for words in json.load(sys.stdin):
    sys.argv = ["muster", *words.split()]
    with redirect_stdout(io.StringIO()), suppress(SystemExit):
        main()
    loaded[words] = sorted(sys.modules)
json.dump(loaded, sys.stdout)
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, list[str]]:
    """What a process has loaded after each command, all run one after the other."""
    asked = json.dumps([*NOT_LOADED]).encode()
    ended = subprocess.run([sys.executable, "-c", LOADED], input=asked, capture_output=True, timeout=30, check=True)
    told: dict[str, list[str]] = json.loads(ended.stdout)
    return told


@pytest.mark.parametrize("words", NOT_LOADED)
def test_a_command_loads_only_what_it_needs(loaded, words):
    assert "muster.cli.menu" in loaded[words]
    assert not NOT_LOADED[words] & {*loaded[words]}


def test_what_a_command_needs_is_loaded_when_it_is_called(loaded):
    assert "muster.cli.timeline" not in loaded["--help"]
    assert "muster.cli.timeline" in loaded["timeline --help"]
    assert OF_THE_SERVICE - {"alembic"} <= {*loaded["serve --help"]}


def function_of(row: Row):
    module, _, name = row.place.partition(":")
    return getattr(import_module(f"muster.cli.{module}"), name)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: f"{row.menu} {row.name}")
def test_the_menu_says_of_a_command_what_the_command_says_of_itself(row):
    assert inspect.getdoc(function_of(row)).startswith(row.help)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: f"{row.menu} {row.name}")
def test_every_command_can_be_called(row):
    words = [row.name] if row.menu == ROOT else [row.menu, row.name]
    ended = CliRunner().invoke(app, [*words, "--help"], catch_exceptions=False)
    assert ended.exit_code == 0
    assert f"Usage: muster {' '.join(words)}" in ended.output


@pytest.mark.parametrize("name", MENUS)
def test_a_menu_lists_all_that_is_in_it(name):
    words = [] if name == ROOT else [name]
    ended = CliRunner().invoke(app, [*words, "--help"], catch_exceptions=False)
    for row in COMMANDS:
        assert (f"│ {row.name} " in ended.output) == (row.menu == name)
    assert " ".join(MENUS[name].split()[:8]) in ended.output
    assert name != ROOT or all(f"│ {each} " in ended.output for each in MENUS if each != ROOT)


def test_a_command_that_there_is_not_is_told_with_the_one_that_may_be_meant():
    ended = CliRunner().invoke(app, ["timelne"])
    assert ended.exit_code == 2
    assert "timeline" in ended.output


def test_the_version_is_told():
    assert CliRunner().invoke(app, ["--version"]).stdout == f"muster {__version__}\n"


def test_where_the_key_for_tokens_is_looked_for_is_told():
    assert PRIVATE in MENUS["token"]
