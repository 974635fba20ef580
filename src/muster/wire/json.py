"""JSON inside JSON: the older fields of the API hold whole documents as text."""

from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(order="sorted")


def text(value: Any) -> str:
    """A value as JSON text, with its keys in order so that equal values are equal texts."""
    return _encoder.encode(value).decode()


def filled(values: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty, false or zero, as clients expect."""
    return {key: value for key, value in values.items() if value or value not in EMPTY}


EMPTY: tuple[Any, ...] = (None, "", False, 0)
