"""YAML that somebody else wrote: to plain values, or to the documents it is made of. `manifests.py` reads it.

A text is looked through before anything is built of it: a parser that builds at once can be brought down by a text
that is nested deeply or refers to itself. Complaints say where, and not what stands there: it may be a secret.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import yaml
from yaml import CSafeLoader, YAMLError
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
)

from muster.domain.errors import Invalid
from muster.domain.record import Record

DEEPEST = 100
"""How deep a document may be nested."""

MOST_VALUES = 200_000
"""How many values a document may have, those that it repeats by reference counted each time."""

NOTHING = frozenset({"", "~", "null"})
"""What stands for no value at all."""


class _Loader(CSafeLoader):
    """Plain values only, read as Kubernetes reads them: `2020-01-01`, `12:30` and MAC addresses are text."""

    yaml_implicit_resolvers: dict[str, Any] = {}
    yaml_constructors = {
        tag: build
        for tag, build in CSafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] in {"null", "bool", "int", "float", "str", "seq", "map"}
    }


_DIGITS = [*"-+0123456789"]
_PLAIN = {
    "bool": (r"(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)", [*"yYnNtTfFoO"]),
    "int": (r"[-+]?(?:0x[0-9a-fA-F]+|0b[01]+|0[0-7]*|[1-9][0-9]*)", _DIGITS),
    "float": (r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", [*_DIGITS, "."]),
    "merge": (r"<<", ["<"]),
    "null": (r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
}
"""What is no text unless it is quoted: how it looks, and how it begins."""

for _name, (_looks, _begins) in _PLAIN.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"{_looks}\Z"), _begins)


def documents(content: bytes, field: str) -> tuple[Any, ...]:
    """Every document as plain values; `Invalid`, naming the field, if it cannot be read or would never end."""
    text = _text(content, field)
    with _told(field):
        inspected(text)
        return tuple(yaml.load_all(text, Loader=_Loader))


def pieces(content: bytes, field: str) -> tuple[str, ...]:
    """The documents that have something in them, each as it was written; `Invalid` if one of them is no object."""
    text = _text(content, field)
    with _told(field):
        found = inspected(text)
    for number, each in enumerate(found, 1):
        if not (each.is_object or each.is_empty):
            raise Invalid(f"{field}: document {number} is no object with fields, so it is no manifest")
    cuts = pairwise([0, *(each.start for each in found[1:]), len(text)])
    return tuple(text[start:end] for each, (start, end) in zip(found, cuts, strict=False) if not each.is_empty)


def _text(content: bytes, field: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(f"{field}: must be text in UTF-8") from None


class Harmful(Exception):
    """It can be read, and better is not."""


@contextmanager
def _told(field: str) -> Iterator[None]:
    """What is wrong with a text, as one of our errors."""
    try:
        yield
    except Harmful as error:
        raise Invalid(f"{field}: {error}") from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        said = getattr(error, "problem", None) or getattr(error, "reason", None)
        raise Invalid(f"{field}: is not YAML: {place}{said}") from None


class Document(Record):
    """One document of a text: where it starts and what it is."""

    start: int
    is_object: bool
    is_empty: bool


class _Sizes:
    """How many values every part of a document has, with what it repeats by reference."""

    def __init__(self) -> None:
        self._open: list[tuple[str | None, int]] = []
        """The collections that have begun: their names, and how many values came before each."""
        self._named: dict[str, int] = {}
        self._count = 0

    def note(self, event: Event) -> None:
        """Count a value; `Harmful` if the document is too deep or too large, or repeats itself for ever."""
        if isinstance(event, CollectionEndEvent):
            name, before = self._open.pop()
            self._name(name, self._count - before)
        elif isinstance(event, AliasEvent):
            if event.anchor not in self._named:
                raise Harmful(f"it refers to {event.anchor!r}, and nothing that ends before has that name")
            self._count += self._named[event.anchor]
        elif isinstance(event, CollectionStartEvent):
            self._open.append((event.anchor, self._count))
            self._count += 1
        elif isinstance(event, ScalarEvent):
            self._count += 1
            self._name(event.anchor, 1)
        if len(self._open) > DEEPEST or self._count > MOST_VALUES:
            raise Harmful(f"it is more than {DEEPEST} levels deep, or has more than {MOST_VALUES} values")

    def _name(self, name: str | None, size: int) -> None:
        if name is not None:
            self._named[name] = size


def inspected(text: str) -> list[Document]:
    """The documents of a text, once it is sure that they can be read without harm."""
    found: list[Document] = []
    sizes, start = _Sizes(), -1
    for event in yaml.parse(text, Loader=CSafeLoader):
        if isinstance(event, DocumentStartEvent):
            assert event.start_mark is not None
            sizes, start = _Sizes(), event.start_mark.index
            continue
        sizes.note(event)
        if start >= 0:
            is_empty = isinstance(event, ScalarEvent) and event.value in NOTHING and event.implicit[0]
            found.append(Document(start=start, is_object=isinstance(event, MappingStartEvent), is_empty=is_empty))
            start = -1
    return found
