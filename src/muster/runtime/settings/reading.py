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
    """The settings from the environment; what is given by name wins. Raises `Invalid` naming all that is wrong."""
    wrong: list[str] = []
    values = _values(Settings, environment, wrong)
    names = {row.field: row.setting.name for row in rows_of(Settings)}
    values |= {names[field]: value for field, value in given.items() if value is not None}
    settings = _converted(values, wrong)
    if wrong:
        raise Invalid("\n".join(wrong))
    return checked(settings)


def _converted(values: dict[str, Any], wrong: list[str]) -> Settings:
    """The values as settings, without those that do not fit; complaints about these are added to `wrong`."""
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        place, complaint = _named(error)
        wrong.append(complaint)
        rest = _without(values, re.split(r"\W", place)[0])
        assert rest != values, f"there is no {place} to leave out"
        return _converted(rest, wrong)


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    """The values, in all groups, but one."""
    return {
        key: _without(value, name) if isinstance(value, dict) and key not in FAMILIES else value
        for key, value in values.items()
        if key != name
    }


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


def _values(table: type[Record], environment: Mapping[str, str], wrong: list[str]) -> dict[str, Any]:
    """What the environment says of each field of a table, ready to be converted. An empty value is no value.

    Complaints about what cannot be read are added to `wrong`.
    """
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(table):
        name = field.encode_name
        try:
            if not isinstance(field.default_factory, Setting):
                values[name] = _values(field.type, environment, wrong)
            elif name in FAMILIES:
                values[name] = _family(name, environment)
            elif text := environment.get(name, ""):
                values[name] = form(field.type).read(name, text)
        except Invalid as error:
            wrong.append(str(error))
    return values


def _family(family: str, environment: Mapping[str, str]) -> dict[StrEnum, timedelta]:
    return {
        stage: duration(name, text) for name, stage in members(family).items() if (text := environment.get(name, ""))
    }


def _named(error: msgspec.ValidationError) -> tuple[str, str]:
    """The name of a setting, or the place in it, that does not fit its field, and the complaint."""
    said, _, path = str(error).partition(" - at `$.")
    name = re.sub(r"^[a-z_]+\.", "", path.rstrip("`"))
    written = next((form(row.kind) for row in rows_of(Settings) if row.setting.name == name), TEXT)
    hint = f"; write {written.words}" if written is not TEXT else ""
    return name, f"{name} is not right: {said}{hint}"
