"""Query strings to typed records, as leniently as clients have come to expect."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from muster.domain.record import Record

Q = TypeVar("Q", bound=Record)

Number = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A number as far as a database can hold it."""

REPEATED = Meta(extra={"repeated": True})
"""Marks a list whose members come one by one under the same name; all other lists are separated by commas."""

TRUE = frozenset({"true", "1", "yes", "ok", "y", "on", "selected", "checked", "t", "enabled"})
"""What counts as yes; anything else is no and never an error."""


def read_query(kind: type[Q], text: str) -> Q:
    """The query as a record. What is given twice counts as it was given last, unless it is meant to be repeated."""
    pairs = parse_qsl(text, keep_blank_values=True)
    given = dict(pairs)
    for name in _repeated(kind):
        given[name] = ",".join(value for key, value in pairs if key == name)
    return parse_query(kind, given)


@lru_cache(maxsize=64)
def _repeated(kind: type[Record]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(kind) if is_repeated(field.type))


def is_repeated(kind: Any) -> bool:
    """Whether a parameter of a type is given once for each of its members."""
    return REPEATED in get_args(kind)


def parse_query(kind: type[Q], given: Mapping[str, str]) -> Q:
    """The query as a record. Unknown and empty parameters are ignored, lists are separated by commas."""
    values = {name: read(text) for name, read in _readers(kind) if (text := given.get(name))}
    return msgspec.convert(values, kind, strict=False)


@lru_cache(maxsize=64)
def _readers(kind: type[Record]) -> tuple[tuple[str, Callable[[str], Any]], ...]:
    return tuple((field.encode_name, _reader(field.type)) for field in msgspec.structs.fields(kind))


def _reader(kind: Any) -> Callable[[str], Any]:
    """How the text of one parameter is read before its type is checked."""
    if kind is bool:
        return lambda text: text.lower() in TRUE
    if get_origin(kind) is tuple or is_repeated(kind):
        return lambda text: [part for part in text.split(",") if part]
    if datetime in (kind, *get_args(kind)):
        # A plus sign that was not escaped arrives as a space.
        return lambda text: text.strip().replace(" ", "+")
    return _printable


def _printable(text: str) -> str:
    """The text without the one character that not every database can look for."""
    return text.replace("\0", "")
