"""The board: a cluster and its hosts as a live table on a terminal, as lines where there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from muster.domain.hosts import HostState

from .sight import HostSight, Problem, Sight

COLOURS: dict[str, str] = {
    HostState.KNOWN: "green",
    HostState.INSTALLED: "bold green",
    HostState.INSUFFICIENT: "yellow",
    HostState.PREPARING_FAILED: "yellow",
    HostState.DISCONNECTED: "red",
    HostState.PENDING_USER_ACTION: "bold yellow",
    HostState.ERROR: "bold red",
    HostState.CANCELLED: "red",
}
"""Of states that should catch the eye."""


class Board:
    """Shows what it is given: on a terminal in place, elsewhere each change as a line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._began = monotonic()
        self._told: dict[str, tuple[str, ...]] = {}

    @contextmanager
    def up(self) -> Iterator[None]:
        """The board hangs on the wall while this lasts."""
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, refresh_per_second=8) as self._live:
            yield
        self._live = None

    def say(self, text: str) -> None:
        """A sentence beside the table."""
        stamp = f"[{monotonic() - self._began:5.1f} s] "
        self._console.print(Text(stamp, style="dim") + Text(text), soft_wrap=True)

    def show(self, sight: Sight) -> None:
        """A cluster as it is now."""
        if self._live is not None:
            self._live.update(table_of(sight))
            return
        self._tell(f"cluster {sight.name}", (sight.state, sight.stage), f"{sight.percent}%")
        for host in sight.hosts:
            problem = host.problems[0].message if host.problems else ""
            self._tell(host.name, (host.state, host.stage), problem)

    def _tell(self, name: str, where: tuple[str, ...], more: str) -> None:
        """A line, if what is so is new. How far a cluster has come is not news by itself."""
        news = where if more.endswith("%") else (*where, more)
        if self._told.get(name) != news:
            self._told[name] = news
            self.say(f"{name}: {', '.join(filter(None, (*where, more)))}")

    def explain(self, host: HostSight, problem: Problem) -> None:
        """A problem, whole."""
        self.say(f"{host.name} is {host.state}: {problem.message}.")
        for word, text in (
            ("check", problem.check),
            ("measured", problem.measured),
            ("required", problem.required),
            ("fix", problem.fix),
        ):
            self.say(f"    {word:9} {text}")


def table_of(sight: Sight) -> Table:
    """The cluster as a table: a row a host."""
    title = f"{sight.name}: {sight.state} {sight.percent}% {sight.stage}".rstrip()
    table = Table("host", "role", "state", "stage", "what is wrong", "how to put it right", title=title, expand=True)
    for host in sight.hosts:
        problem = host.problems[0] if host.problems else Problem()
        table.add_row(
            host.name,
            host.role,
            Text(host.state, style=COLOURS.get(host.state, "")),
            _stage(host),
            problem.message,
            problem.fix,
        )
    return table


def _stage(host: HostSight) -> str:
    if not host.stage:
        return ""
    info = f" {host.info}" if host.info.endswith("%") else ""
    return f"{host.percent:3}% {host.stage}{info}"
