"""The table engine: conditions, rows, and the search for the first row that matches.

A condition knows when it may next change by itself; that is where deadlines come from,
so a new row that waits for a time needs no other code.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from muster.domain.events import Event
from muster.domain.record import Record
from muster.domain.triggers import Trigger

S = TypeVar("S")
"""The situation a row is judged in: a host or a cluster in its view."""

Test = Callable[[S], bool]
Due = Callable[[S], datetime | None]


class Condition(Generic[S]):
    """A named boolean. Joined with `&`, `|` and `~`; its name joins with it."""

    __slots__ = ("due", "name", "negation", "test")

    def __init__(self, name: str, test: Test[S], due: tuple[Due[S], ...] = (), negation: str = "") -> None:
        self.name = name
        self.test = test
        self.due = due
        self.negation = negation or f"not {name}"

    def __and__(self, other: "Condition[S]") -> "Condition[S]":
        mine, theirs = self.test, other.test
        name = f"{self.name} and {other.name}"
        return Condition(name, lambda s: mine(s) and theirs(s), self.due + other.due, f"not ({name})")

    def __or__(self, other: "Condition[S]") -> "Condition[S]":
        mine, theirs = self.test, other.test
        return Condition(f"({self.name} or {other.name})", lambda s: mine(s) or theirs(s), self.due + other.due)

    def __invert__(self) -> "Condition[S]":
        mine = self.test
        return Condition(self.negation, lambda s: not mine(s), self.due, self.name)


def condition(test: Test[S]) -> Condition[S]:
    """A condition called as its function is."""
    return Condition(test.__name__.replace("_", " "), test)


def since(name: str, measure: Callable[[Any], tuple[datetime, timedelta] | None]) -> Condition[Any]:
    """More than so long has passed since then; `measure` gives None where no clock runs."""

    def due(case: Any) -> datetime | None:
        measured = measure(case)
        return None if measured is None else measured[0] + measured[1] + TICK

    def test(case: Any) -> bool:
        moment = due(case)
        return moment is not None and case.now >= moment

    return Condition(name, test, (due,))


TICK = timedelta(milliseconds=1)
"""A limit is passed only after it, so a deadline falls just behind."""


def always(_: Any) -> bool:
    """No condition at all."""
    return True


class Transition(Record):
    """A row: in these states, when this is so, go there, because.

    `target` None keeps the state. `because` None keeps the words already there; its braces are
    filled from the situation. `does` changes the record along with the move; `tells` what the record
    has become, in addition to its new state.
    """

    on: type[Trigger]
    source: frozenset[Any]
    target: Any = None
    when: Condition[Any] = Condition("always", always)
    does: Callable[..., Any] | None = None
    tells: Callable[[Any], tuple[Event, ...]] | None = None
    because: str | None = None


class Table(Generic[S]):
    """The rows of one machine, found by trigger and state, in the order they were written."""

    def __init__(self, rows: Iterable[Transition]) -> None:
        self.rows = tuple(rows)
        self._by_key: dict[tuple[type[Trigger], Any], list[Transition]] = {}
        for row in self.rows:
            for state in row.source:
                self._by_key.setdefault((row.on, state), []).append(row)
        self._dues = {
            # Rows that wait for the same thing look at the same clock once.
            key: tuple(dict.fromkeys(due for row in rows for due in row.when.due))
            for key, rows in self._by_key.items()
        }

    def matching(self, on: type[Trigger], state: Any, situation: S) -> Transition | None:
        """The first row that applies, or none."""
        for row in self._by_key.get((on, state), ()):
            if row.when.test(situation):
                return row
        return None

    def next_due(self, on: type[Trigger], state: Any, situation: S, now: datetime) -> datetime | None:
        """The next moment at which a row of this state may start to match by time alone."""
        dues = [due(situation) for due in self._dues.get((on, state), ())]
        return min((moment for moment in dues if moment is not None and moment > now), default=None)
