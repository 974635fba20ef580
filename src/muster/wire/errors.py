"""The two shapes of an error, and what is wrong with an input in a sentence that names the field."""

import re
from typing import Any, get_args

import msgspec
from msgspec import inspect

from muster.domain.inputs.fields import Uuid

_PLACED = re.compile(r"(?P<what>.*) - at `\$(?P<path>.*)`", re.DOTALL)
_FIELD = re.compile(r"Object (?P<trouble>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)
_NO_UUID = f"Expected `str` matching regex {get_args(Uuid)[1].pattern!r}"
_TROUBLES = {"missing required": "is required", "contains unknown": "is not a field that is known here"}


def refusal(status: int, reason: str) -> dict[str, Any]:
    """An error of an operation: what was asked is understood and not done."""
    return {"code": str(status), "href": "", "id": status, "kind": "Error", "reason": reason}


def malformed(status: int, message: str) -> dict[str, Any]:
    """An error before any operation: the call itself is not understood."""
    return {"code": status, "message": message}


def problem(place: str, kind: Any, error: msgspec.ValidationError) -> str:
    """What is wrong with an input of this kind, beginning with the path of the field: `body.name: is required`."""
    placed = _PLACED.fullmatch(str(error))
    what, path = (placed["what"], placed["path"]) if placed else (str(error), "")
    field = _FIELD.fullmatch(what)
    if field:
        return f"{place}{path}.{field['name']}: {_TROUBLES[field['trouble']]}"
    if what == _NO_UUID:
        return f"{place}{path}: is not a UUID, such as 6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
    allowed = _allowed(kind, path)
    return f"{place}{path}: {what}{f'; it can be one of {allowed}' if allowed else ''}"


def _allowed(kind: Any, path: str) -> str:
    """The values that the field at a path can have, if they can be counted."""
    found: inspect.Type | None = inspect.type_info(kind)
    for step in re.findall(r"\.([^.\[]+)|\[\.\.\.\]|\[\d+\]", path):
        found = _inside(found, step)
    values: tuple[Any, ...] = ()
    for each in _choices(found):
        if isinstance(each, inspect.LiteralType):
            values += each.values
        elif isinstance(each, inspect.EnumType):
            values += tuple(each.cls)
    return ", ".join(str(value) for value in values if value != "")


def _inside(kind: inspect.Type | None, step: str) -> inspect.Type | None:
    """The type of a field, or of the members of a list where no field is named."""
    for each in _choices(kind):
        if isinstance(each, inspect.StructType):
            return next((field.type for field in each.fields if field.encode_name == step), None)
        if isinstance(each, inspect.VarTupleType):
            return each.item_type
    return None


def _choices(kind: inspect.Type | None) -> tuple[inspect.Type, ...]:
    if isinstance(kind, inspect.UnionType):
        return kind.types
    return (kind,) if kind is not None else ()
