"""A document with the lines its values stand in, and what is wrong at them. `wire/nmstate.py` makes the tree."""

from typing import Any

from muster.domain.record import Record

Scalar = str | int | float | bool | None


class Node(Record):
    """A value of a document: a scalar, a list, or values by name."""

    line: int
    value: "Scalar | tuple[Node, ...] | dict[str, Node]"

    @property
    def plain(self) -> Any:
        """The value without its lines."""
        if isinstance(self.value, dict):
            return {name: each.plain for name, each in self.value.items()}
        if isinstance(self.value, tuple):
            return [each.plain for each in self.value]
        return self.value


class At(Record):
    """A place in a document."""

    line: int = 0
    path: str = ""

    def __str__(self) -> str:
        return ", ".join(([f"line {self.line}"] if self.line else []) + ([self.path] if self.path else []))


class Problem(Record):
    """What is wrong at a place: a sentence that goes on after the name of the place."""

    at: At
    text: str

    def __str__(self) -> str:
        where = str(self.at)
        return f"{where}: {self.text}" if where else self.text
