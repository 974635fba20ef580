"""The page of events: their names, how much they matter and what they mean."""

import inspect
from collections.abc import Callable

from muster.domain import events

from .samples import SOMETHING
from .writing import code, first_line, page, table


def written() -> str:
    """Every event."""
    tellers = [
        tell
        for name, tell in vars(events).items()
        if inspect.isfunction(tell) and tell.__module__ == events.__name__ and not name.startswith("_")
    ]
    return page(
        "Events",
        "What is told to the user, in the order in which it happens. Names and severities are those that clients "
        "know; the sentences are ours.",
        table(("Name", "Severity", "Meaning"), [event_row(tell) for tell in tellers]),
        "`host_status_updated` matters as much as the state it tells of: it is told of "
        + ", ".join(f"{code(state)} as {severity}" for state, severity in events.STATUS_SEVERITIES.items())
        + ", any other as info.",
    )


def event_row(tell: Callable[..., events.Event]) -> tuple[str, str, str]:
    """An event, by telling it of something ordinary."""
    told = tell(*(SOMETHING[each.annotation] for each in inspect.signature(tell).parameters.values()))
    return code(told.name), told.severity.value, first_line(tell)
