"""`muster timeline`: what the time of an installation was spent on, as bars on a terminal."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.table import Table
from rich.text import Text

from muster.client import Client, of_user
from muster.domain.errors import Invalid, NotFound
from muster.domain.spans import Result, SpanKind
from muster.wire.endpoints.clusters import LIST_CLUSTERS
from muster.wire.endpoints.ours import TIMELINE
from muster.wire.timeline import SpanOut, TimelineOut

from .options import URL, AsJson, ClusterArgument, Url

WIDE = 160
"""Characters in a line where there is no terminal to say so."""

BAR = 48
"""Characters that stand for the whole time."""

COLOURS = {Result.FAILED: "red", Result.CANCELLED: "yellow", Result.RESET: "yellow", Result.RUNNING: "cyan"}
"""Of results that should catch the eye."""


def timeline(
    cluster: ClusterArgument,
    *,
    attempt: Annotated[int | None, typer.Option(min=0, help="Which attempt; the last if left out.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show what every host went through.")] = False,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Show what the time of an installation was spent on, and what it waited for."""
    told = uvloop.run(_asked(url, cluster, attempt))
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(told)).decode())
        return
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    found = msgspec.convert(told, TimelineOut)
    console.print(chart(found, everything=everything))
    console.print(path(found))
    for line in closing(found):
        console.print(line, soft_wrap=True, highlight=False)


async def _asked(url: str, wanted: str, attempt: int | None) -> Any:
    async with Client(url, credentials=of_user()) as client:
        cluster = await cluster_called(client, wanted)
        query = {} if attempt is None else {"attempt": str(attempt)}
        return await client.call(TIMELINE, query=query, cluster_id=cluster["id"])


async def cluster_called(client: Client, wanted: str) -> dict[str, Any]:
    """The one cluster that is called so or has that id."""
    found = [each for each in await client.call(LIST_CLUSTERS) if wanted in (each["id"], each["name"])]
    if not found:
        raise NotFound(f"There is no cluster {wanted!r}; write the name or the id of one")
    if len(found) > 1:
        raise Invalid(f"{len(found)} clusters are called {wanted!r}; write the id of one of them")
    cluster: dict[str, Any] = found[0]
    return cluster


def chart(told: TimelineOut, *, everything: bool = False) -> Table:
    """Every span as a bar; of what hosts went through only what mattered, unless everything is wanted."""
    table = Table(title=f"{told.name}, attempt {told.attempt.number}: {told.attempt.kind} {told.attempt.result}")
    for name in ("", "What", "When", "Took", "Result"):
        table.add_column(name, no_wrap=True, justify="right" if name == "Took" else "left")
    for span in shown(told, everything=everything):
        style = COLOURS.get(span.result, "")
        table.add_row(
            Text("*" if span.critical else "", style="bold magenta"),
            f"{'  ' * _depth(told, span)}{span.name}",
            bar(told, span),
            words(span.seconds),
            Text(span.result, style=style),
        )
    return table


def shown(told: TimelineOut, *, everything: bool = False) -> Iterator[SpanOut]:
    """The spans worth a line."""
    for span in told.spans:
        matters = span.critical or span.result in {Result.FAILED, Result.RUNNING}
        if everything or matters or not span.parent:
            yield span


def bar(told: TimelineOut, span: SpanOut) -> Text:
    """When a span was, as a part of the whole."""
    whole = told.attempt.seconds or 1.0
    offset = (_moment(span.start) - _moment(told.attempt.start)).total_seconds()
    first = min(int(BAR * offset / whole), BAR - 1)
    last = max(first + 1, min(round(BAR * (offset + span.seconds) / whole), BAR))
    style = "bold magenta" if span.critical else COLOURS.get(span.result, "dim")
    return Text(f"{' ' * first}{'█' * (last - first)}{' ' * (BAR - last)}", style=style)


def path(told: TimelineOut) -> Table:
    """What was waited for, one after the other, and how much of the time each took."""
    table = Table(title="Critical path")
    for name in ("After", "Took", "Share", "What", "Where"):
        table.add_column(name, no_wrap=True, justify="right" if name in {"After", "Took", "Share"} else "left")
    for leg in told.critical_path:
        span = told.spans[leg.span]
        after = (_moment(leg.start) - _moment(told.attempt.start)).total_seconds()
        share = 100 * leg.seconds / told.attempt.seconds
        table.add_row(words(after), words(leg.seconds), f"{share:.0f}%", span.name, _where(told, span))
    return table


def closing(told: TimelineOut) -> Iterator[str]:
    """What a person takes away from it."""
    attempt = told.attempt
    if told.slowest is not None:
        slow = told.spans[told.slowest]
        yield f"Slowest: {slow.name} of {_where(told, slow)}, {words(slow.seconds)} of {words(attempt.seconds)}."
    if attempt.result not in {Result.RUNNING, Result.DONE}:
        yield f"It is {attempt.result}: {attempt.because}"
    others = [str(each.number) for each in told.attempts if each.number != attempt.number]
    if others:
        yield f"There are other attempts: --attempt {', '.join(others)} (0 is what was before the first)."


def words(seconds: float) -> str:
    """A time as a person says it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h {minutes:02}m"
    return f"{minutes}m {rest:02}s" if minutes else f"{seconds:.1f}s"


def _where(told: TimelineOut, span: SpanOut) -> str:
    """What a span was of."""
    parent = told.spans[span.parent] if span.parent else None
    return parent.name if parent is not None and parent.kind is SpanKind.HOST else "the cluster"


def _depth(told: TimelineOut, span: SpanOut) -> int:
    return 0 if span.parent is None else 1 + _depth(told, told.spans[span.parent])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
