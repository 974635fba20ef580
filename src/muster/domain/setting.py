"""A row of a table of settings: its name in the environment, what counts where nothing is set, and what it means.

The tables are records whose fields are made with `setting`; `runtime/settings` reads them from the environment.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from .record import Record


class Setting(Record):
    """One row. The table calls it for what counts where nothing is set."""

    name: str
    default: Any
    meaning: str
    """One sentence for whoever is about to set it."""
    secret: bool = False
    """Its value is never shown."""

    def __call__(self) -> Any:
        """What counts where nothing is set."""
        return self.default


def setting(name: str, default: Any, meaning: str, *, secret: bool = False) -> Any:
    """A field that the environment may set under a name."""
    return msgspec.field(name=name, default_factory=Setting(name=name, default=default, meaning=meaning, secret=secret))


class Row(Record):
    """A field of a table with its row."""

    field: str
    kind: Any
    setting: Setting


def rows_of(table: type[Record]) -> Iterator[Row]:
    """The rows of a table, in order; a field that holds another table gives the rows of that."""
    for field in msgspec.structs.fields(table):
        if isinstance(field.default_factory, Setting):
            yield Row(field=field.name, kind=field.type, setting=field.default_factory)
        else:
            yield from rows_of(field.type)
