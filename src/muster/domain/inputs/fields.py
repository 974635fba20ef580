"""What every input is made of: strict structs, absence, and the report of all that is wrong with one.

Rules are functions that yield problems, each a sentence beginning with the path of its field. Whoever
applies an input collects them in the order clients know and calls `require_none` once.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, TypeVar

from msgspec import UNSET, Meta, UnsetType

from muster.domain.errors import Invalid
from muster.domain.record import Record

T = TypeVar("T")

Problems = Iterator[str]
"""Sentences on what is wrong, each beginning with the path of its field."""

Uuid = Annotated[
    str,
    Meta(
        pattern=r"^(?:\{[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}|[0-9a-fA-F]{32}"
        r"|(?:urn:uuid:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\Z"
    ),
]


def canonical(uuid: str) -> str:
    """A UUID as everybody writes it, whichever of its forms it came in."""
    digits = uuid.removeprefix("urn:uuid:").strip("{}").replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Input(Record, forbid_unknown_fields=True):
    """What a user wrote; what was left out is `UNSET`."""

    @property
    def written(self) -> frozenset[str]:
        """The names of the fields that were not left out."""
        return frozenset(name for name in self.__struct_fields__ if getattr(self, name) is not UNSET)


def given(value: T | UnsetType, otherwise: T) -> T:
    """What was written, or `otherwise` where nothing was."""
    return otherwise if value is UNSET else value


def require_none(*problems: Iterable[str]) -> None:
    """Return if nothing is wrong; otherwise raise `Invalid` with every problem, a line each."""
    found = tuple(problem for each in problems for problem in each)
    if found:
        raise Invalid("\n".join(found))
