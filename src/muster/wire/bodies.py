"""Request bodies to typed records: null is absent, field names are matched as leniently as clients expect."""

from typing import Any, TypeVar

import msgspec

B = TypeVar("B")

LARGEST = 1024 * 1024
"""Bodies beyond this are refused before they are read; uploads have a limit of their own."""


def decode_body(kind: type[B], raw: bytes) -> B:
    """The body as a record, or `msgspec.ValidationError` with the path of what is wrong."""
    value = _without_nulls(msgspec.json.decode(raw))
    return msgspec.convert(_with_names_of(kind, value), kind)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value


def _with_names_of(kind: type[Any], value: Any) -> Any:
    """Top-level keys in the spelling of the contract, whatever their case."""
    if not isinstance(value, dict) or not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
        return value
    names = {name.lower(): name for name in kind.__struct_encode_fields__}
    return {names.get(key.lower(), key): each for key, each in value.items()}
