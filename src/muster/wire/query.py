"""Query strings to typed records, as leniently as clients have come to expect."""

from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from muster.domain.record import Record

Q = TypeVar("Q", bound=Record)

TRUE = frozenset({"true", "1", "yes", "ok", "y", "on", "selected", "checked", "t", "enabled"})
"""What counts as yes; anything else is no and never an error."""


def parse_query(kind: type[Q], given: Mapping[str, str]) -> Q:
    """The query as a record. Unknown and empty parameters are ignored, lists are separated by commas."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        text = given.get(field.encode_name, "")
        if text == "":
            continue
        if field.type is bool:
            values[field.encode_name] = text.lower() in TRUE
        elif get_origin(field.type) is tuple or tuple in map(get_origin, get_args(field.type)):
            values[field.encode_name] = [part for part in text.split(",") if part]
        else:
            values[field.encode_name] = text
    return msgspec.convert(values, kind, strict=False)
