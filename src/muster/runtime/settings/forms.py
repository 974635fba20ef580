"""How the values of settings are written: from the text of the environment to what `Settings` takes, and back."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from muster.domain.errors import Invalid
from muster.domain.record import Record

Bytes = Annotated[int, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Words = frozenset[str]
Pairs = Annotated[dict[str, str], "written as name:value"]
Times = Annotated[dict[str, timedelta], "written as JSON"]

UNITS = {
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}
TIME = "a time such as 90s, 3m or 1h30m"
TIMES = 'JSON with times by name, such as {"name": "30m"}'


def duration(name: str, text: str) -> timedelta:
    """A time such as `90s`, `3m` or `1h30m`; none at all is refused, since everything would be late at once."""
    if not re.fullmatch(r"(\d+(\.\d+)?(h|ms|m|s))+", text):
        raise Invalid(f"{name} is {text!r}; write {TIME}")
    found = re.findall(r"(\d+(?:\.\d+)?)(h|ms|m|s)", text)
    try:
        time = sum((float(number) * UNITS[unit] for number, unit in found), timedelta())
    except OverflowError as error:
        raise Invalid(f"{name} is {text!r}, which is longer than any time; write {TIME}") from error
    if not time:
        raise Invalid(f"{name} is {text!r}; it must be longer than nothing: write {TIME}")
    return time


def _words(_: str, text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _pairs(name: str, text: str) -> dict[str, str]:
    pairs = [word.partition(":") for word in _words(name, text)]
    if not all(colon for _, colon, _ in pairs):
        raise Invalid(f"{name} is {text!r}; write pairs such as name:value, separated by commas")
    return {key: value for key, _, value in pairs}


def _document(name: str, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Invalid(f"{name} is not JSON: {error}") from error


def _times(name: str, text: str) -> dict[str, timedelta]:
    times = _document(name, text)
    if not isinstance(times, dict):
        raise Invalid(f"{name} is {text!r}; write {TIMES}")
    return {key: duration(f"{name}: {key}", str(value)) for key, value in times.items()}


class Form(Record):
    """How a setting is written."""

    words: str
    """For a sentence that begins with "write"."""
    read: Callable[[str, str], Any] = lambda _, text: text
    """From its name and its text to what `Settings` takes."""


TEXT = Form(words="text")
DOCUMENT = Form(words="JSON", read=_document)
FORMS: dict[Any, Form] = {
    bool: Form(words="true or false"),
    int: Form(words="a number"),
    Bytes: Form(words="a number of bytes, 0 for any"),
    Count: Form(words="a number from 1 on"),
    Port: Form(words="a port, which is a number from 1 to 65535"),
    timedelta: Form(words=TIME, read=duration),
    Words: Form(words="words, separated by commas", read=_words),
    Pairs: Form(words="pairs such as name:value, separated by commas", read=_pairs),
    Times: Form(words=TIMES, read=_times),
}


def form(kind: Any) -> Form:
    """How a setting of a type is written."""
    if kind in FORMS:
        return FORMS[kind]
    if get_origin(kind) is Literal:
        return Form(words=" or ".join(each for each in get_args(kind) if each))
    possible = next((each for each in get_args(kind) if each in FORMS), None)
    if possible is not None and type(None) in get_args(kind):
        return FORMS[possible]
    return DOCUMENT if get_origin(kind) in (tuple, dict) else TEXT


def written(value: Any) -> str:
    """A value as it would be written into the environment; "" if that would be nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return _time(value)
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    if isinstance(value, (tuple, dict)):
        return msgspec.json.encode(value).decode() if value else ""
    return "" if value is None else str(value)


def _time(time: timedelta) -> str:
    """A time in the largest unit that leaves nothing over."""
    unit, size = next((unit, size) for unit, size in UNITS.items() if not time % size)
    return f"{time // size}{unit}"
