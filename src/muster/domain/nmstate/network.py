"""What is known of the network settings of a host once they have been read, and what is kept of them.

`wire/nmstate.py` and the adapters behind the port `Networks` make the one; `inputs/static_networks.py` the other.
"""

from typing import Any

from msgspec import UNSET

from muster.domain.record import Record

from . import checks
from .keyfiles import Keyfile, keyfiles
from .reading import Report, Spot
from .shapes import document
from .state import State
from .tree import At, Node, Problem


class ReadNetwork(Record):
    """The settings of one host as a service has read them; only without problems they mean something."""

    state: State = State()
    values: Any = None
    """The document as plain values."""
    keyfiles: tuple[Keyfile, ...] = ()
    problems: tuple[Problem, ...] = ()
    unsupported: tuple[Problem, ...] = ()
    """What keeps them from being turned into keyfiles, though nmstate may know it."""


class HostNetwork(Record):
    """The settings of one host as they are put into its image."""

    names: str
    """Which MAC address stands for which name, a line each."""
    policy: str
    """For a system that has nmstate."""
    keyfiles: tuple[Keyfile, ...] = ()
    """For everything else; none if there is something unsupported."""
    unsupported: tuple[str, ...] = ()


def read_tree(root: Node) -> ReadNetwork:
    """What a document says, with everything that is wrong about it."""
    report = Report()
    state = document(Spot(node=root, path="", report=report))
    if state is UNSET:
        return unreadable(*report.problems)
    problems = report.problems or [*checks.problems(state)]
    if not problems and not report.unsupported:
        problems = [*checks.problems_together(state)]
    read = ReadNetwork(state=state, values=root.plain)
    if problems:
        return read.but(problems=tuple(problems))
    unsupported = report.unsupported or [*checks.unsupported(state)]
    return read.but(unsupported=tuple(unsupported)) if unsupported else read.but(keyfiles=keyfiles(state))


def unreadable(*problems: Problem) -> ReadNetwork:
    """A document that nothing is known of but what is wrong with it."""
    nothing = Problem(at=At(), text="says nothing; describe the network of the host in nmstate's YAML")
    return ReadNetwork(problems=problems or (nothing,))
