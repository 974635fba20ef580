"""What doing a step comes to: a reply, and the words for arguments that cannot be read."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from muster.domain.errors import Invalid
from muster.domain.record import Record

T = TypeVar("T")

BAD_ARGUMENTS = -1
"""The exit code of a step that was not tried at all."""


MEDIA_LOST = 256
"""The exit code of a step on a machine that cannot read any more what it was started from."""


class Reply(Record):
    """How a step came out."""

    exit_code: int = 0
    output: str = ""
    error: str = ""


def replied(value: Any) -> Reply:
    """A good reply; equal values make equal texts."""
    return Reply(output=msgspec.json.encode(value).decode())


def first(args: Sequence[str], kind: type[T], count: int = 1) -> T:
    """The first argument, read as what it should be; `Invalid` if it is not, or if their number is wrong."""
    if len(args) != count:
        raise Invalid(f"{count} arguments are needed, {len(args)} were given")
    try:
        return msgspec.json.decode(args[0], type=kind)
    except msgspec.DecodeError as error:
        raise Invalid(f"the argument cannot be read: {error}") from error
