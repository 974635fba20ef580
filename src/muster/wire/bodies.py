"""Request bodies to typed records: null is absent, and the case of field names does not matter."""

from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

B = TypeVar("B")

LARGEST = 4 * 1024 * 1024
"""Bodies beyond this are refused; uploads have a limit of their own."""

Shape = dict[str, tuple[str, Any]] | list[Any] | None
"""What is known of a type: the fields of an object by their names in lower case, the member of a list."""


def decode_body(kind: Any, raw: bytes, *, strict: bool = True) -> Any:
    """The body as a record, or `msgspec.ValidationError` with the path of what is wrong.

    Nearly all bodies are written as the contract has them and are read at once; what is not gets a second look.
    Fields that nobody knows are wrong too, unless it is not `strict`: then they are passed over.
    """
    try:
        return _decoder(kind).decode(raw)
    except msgspec.ValidationError as error:
        return msgspec.convert(_tidied(_read(raw, error), shape_of(kind), strict=strict), kind)


def _read(raw: bytes, strict: msgspec.ValidationError) -> Any:
    """The body as it is; what no type could hold is told as it was noticed first, with its path."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.ValidationError:
        raise strict from None


@lru_cache(maxsize=64)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@lru_cache(maxsize=64)
def shape_of(kind: Any) -> Shape:
    """The names that may occur in a body of this kind, at every depth."""
    return _shape(inspect.type_info(kind))


def _shape(kind: inspect.Type) -> Shape:
    if isinstance(kind, inspect.StructType):
        return {field.encode_name.lower(): (field.encode_name, _shape(field.type)) for field in kind.fields}
    if isinstance(kind, inspect.VarTupleType):
        return [_shape(kind.item_type)]
    if isinstance(kind, inspect.UnionType):
        return next((shape for shape in map(_shape, kind.types) if shape), None)
    return None


def _tidied(value: Any, shape: Shape, *, strict: bool) -> Any:
    """The value without nulls and with its names in the spelling of the contract; without others if not `strict`."""
    if isinstance(value, dict):
        names = shape if isinstance(shape, dict) else {}
        kept = {key: each for key, each in value.items() if strict or not names or key.lower() in names}
        known = ((names.get(key.lower(), (key, None)), each) for key, each in kept.items() if each is not None)
        return {name: _tidied(each, inner, strict=strict) for (name, inner), each in known}
    if isinstance(value, list):
        inner = shape[0] if isinstance(shape, list) else None
        return [_tidied(each, inner, strict=strict) for each in value]
    return value
