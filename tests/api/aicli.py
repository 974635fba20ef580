"""The command `aicli` from PyPI, unmodified, as a user runs it: a process with a home of its own."""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import ailib.cli

PATIENCE = 30
COMMAND = Path(sys.executable).with_name("aicli")


class Aicli:
    """A user at a desk, with a service to talk to."""

    def __init__(self, folder: Path, url: str) -> None:
        self.desk = folder
        self._surroundings = {**os.environ, "HOME": str(folder), "AI_URL": url, "NO_COLOR": "1"}

    def __call__(self, command: str, *more: str) -> str:
        """What a command prints; it must succeed."""
        words = [str(COMMAND), *command.split(), *more]
        done = subprocess.run(
            words, cwd=self.desk, env=self._surroundings, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    def file(self, name: str) -> str:
        """What a command has left on the desk."""
        return (self.desk / name).read_text()


def commands() -> set[str]:
    """Every command there is, as `create cluster`; of several names for one, the first."""
    parsers: list[argparse.ArgumentParser] = []

    class Found(Exception):
        pass

    def caught(parser: argparse.ArgumentParser) -> None:
        parsers.append(parser)
        raise Found

    with patch.object(argparse.ArgumentParser, "parse_args", caught), patch.object(sys, "argv", ["aicli", "list"]):
        try:
            ailib.cli.cli()
        except Found:
            (parser,) = parsers
    return {f"{verb} {noun}" for verb, inner in _choices(parser) for noun, _ in _choices(inner)}


def _choices(parser: argparse.ArgumentParser) -> list[tuple[str, argparse.ArgumentParser]]:
    """The words that may follow, each with what follows it."""
    found: dict[int, tuple[str, argparse.ArgumentParser]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                found.setdefault(id(inner), (name, inner))
    return list(found.values())
