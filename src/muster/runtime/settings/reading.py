"""Reads the settings from the environment and the command line, and knows where each comes from."""

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

import msgspec

from muster.domain.errors import Invalid
from muster.domain.record import Record
from muster.domain.setting import Row, Setting, rows_of

from .checks import checked
from .families import FAMILIES, members
from .forms import TEXT, duration, form
from .table import Settings


def read_settings(environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """The settings from the environment; what is given by name wins. Raises `Invalid` naming what is wrong."""
    values = _values(Settings, environment)
    names = {row.field: row.setting.name for row in rows_of(Settings)}
    values |= {names[field]: value for field, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(_named(error)) from error
    return checked(settings)


class Source(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


def source_of(row: Row, environment: Mapping[str, str] = os.environ, **given: Any) -> Source:
    """Where the value of a setting comes from; that of a family, if any of its members is set."""
    if given.get(row.field) is not None:
        return Source.COMMAND_LINE
    name = row.setting.name
    names = members(name) if name in FAMILIES else [name]
    return Source.ENVIRONMENT if any(environment.get(each) for each in names) else Source.DEFAULT


def _values(table: type[Record], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment says of each field of a table, ready to be converted. An empty value is no value."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(table):
        name = field.encode_name
        if not isinstance(field.default_factory, Setting):
            values[name] = _values(field.type, environment)
        elif name in FAMILIES:
            values[name] = _family(name, environment)
        elif text := environment.get(name, ""):
            values[name] = form(field.type).read(name, text)
    return values


def _family(family: str, environment: Mapping[str, str]) -> dict[StrEnum, timedelta]:
    return {
        stage: duration(name, text) for name, stage in members(family).items() if (text := environment.get(name, ""))
    }


def _named(error: msgspec.ValidationError) -> str:
    """What does not fit a field, by the name of the setting."""
    said, _, path = str(error).partition(" - at `$.")
    name = re.sub(r"^[a-z_]+\.", "", path.rstrip("`"))
    written = next((form(row.kind) for row in rows_of(Settings) if row.setting.name == name), TEXT)
    hint = f"; write {written.words}" if written is not TEXT else ""
    return f"{name} is not right: {said}{hint}"
