"""`muster config`: every setting with its value, where that comes from, and what it means."""

import re
from collections.abc import Iterator, Mapping
from os import environ
from typing import Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from muster.api.tls import tls_of
from muster.domain.record import SECRET, Record
from muster.domain.setting import Row, rows_of
from muster.runtime.settings import FAMILIES, Settings, doubts, members, policy_from, read_settings, source_of, written
from muster.wire.tokens import Keys

from .options import AsJson, Data, Database, Host, Port, Storage

WIDE = 240
"""Characters in a line where there is no terminal to say so."""

WIDEST = 60
"""Characters of a value in a line."""


class Line(Record, omit_defaults=False):
    """One setting as it counts."""

    name: str
    value: str
    source: str
    meaning: str


def config(
    *,
    host: Host = None,
    port: Port = None,
    data: Data = None,
    database: Database = None,
    storage: Storage = None,
    as_json: AsJson = False,
) -> None:
    """Show every setting: its value, where it comes from, what it means. Takes the options of `muster serve`."""
    given = {"host": host, "port": port, "data": data, "database": database, "storage": storage}
    settings = checked(read_settings(environ, **given))
    lines = list(lines_of(settings, environ, given))
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(lines)).decode())
        return
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    console.print(_table(lines))
    for doubt in doubts(settings, environ):
        console.print(doubt, style="yellow", soft_wrap=True, highlight=False)


def checked(settings: Settings) -> Settings:
    """The settings themselves; `Invalid` if the service would not start with them."""
    policy_from(settings)
    tls_of(settings)
    if settings.auth_type == "local":
        Keys(settings.private_key, settings.public_key)
    return settings


def lines_of(settings: Settings, environment: Mapping[str, str], given: Mapping[str, Any]) -> Iterator[Line]:
    """Every setting as it counts, secrets hidden."""
    for row in rows_of(Settings):
        source, value = source_of(row, environment, **given), _value(settings, row)
        if row.setting.name not in FAMILIES:
            text = SECRET if row.setting.secret and value else without_password(written(value))
            yield Line(name=row.setting.name, value=text, source=source, meaning=row.setting.meaning)
            continue
        for name, stage in members(row.setting.name).items():
            limit = value.get(stage, FAMILIES[row.setting.name][stage])
            said = "environment" if environment.get(name) else "default"
            yield Line(name=name, value=written(limit), source=said, meaning=row.setting.meaning)


def _value(settings: Settings, row: Row) -> Any:
    """The value of a setting, in whichever table it is."""
    parts = (getattr(settings, name) for name in settings.__struct_fields__)
    tables: tuple[Record, ...] = (settings, *(each for each in parts if isinstance(each, Record)))
    return next(getattr(each, row.field) for each in tables if row.field in each.__struct_fields__)


def without_password(text: str) -> str:
    """Addresses without what may be secret in them: a password, and the query, which may be a signature."""
    named = re.sub(r"(://[^/?#@:]*):[^/?#@]*@", rf"\1:{SECRET}@", text)
    return re.sub(r'(https?://[^\s"?#]*)\?[^\s"#]+', rf"\1?{SECRET}", named)


def _table(lines: list[Line]) -> Table:
    table = Table()
    table.add_column("Setting", no_wrap=True)
    table.add_column("Value", overflow="fold", max_width=WIDEST)
    table.add_column("From", no_wrap=True)
    table.add_column("Meaning")
    for line in lines:
        style = "bold" if line.source != "default" else ""
        table.add_row(line.name, line.value, line.source, line.meaning, style=style)
    return table
