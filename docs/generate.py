"""The pages that follow from the code: states, validations, steps, events, settings and the API.

Run as `python docs/generate.py`; it writes them next to this file. A test fails when they are stale.
"""

import inspect
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from muster.api.app import SERVED
from muster.domain import events, steps
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.hosts import Host, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.states.cluster_table import CLUSTER_TABLE
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.table import Table, Transition
from muster.domain.triggers import Cancel, Install, Progressed, Registered, Replied, Reset, Ticked
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.validations.registry import Validation
from muster.runtime.settings import DOCUMENTS, LISTS, Settings
from muster.wire.endpoints import DROP_IN, ENDPOINTS, OURS, Endpoint

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py from the code; change the code, not this page. -->"


def page(title: str, opening: str, *sections: str) -> str:
    """A whole page."""
    return "\n\n".join([f"# {title}", NOTE, opening, *sections]) + "\n"


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows under their heads."""
    heads = tuple(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(*words: object) -> str:
    """Words as they are written in code."""
    return ", ".join(f"`{word}`" for word in words)


def first_line(documented: object) -> str:
    """What something promises."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def sentence(words: str) -> str:
    """Words that begin with a capital letter."""
    return words[:1].upper() + words[1:]


# States

ROADS = {
    "By itself": (Ticked,),
    "When a machine starts the discovery image": (Registered,),
    "While it installs": (Progressed, Replied),
    "On demand": (Install, Cancel, Reset),
}
"""The triggers whose rows are drawn together."""


def states() -> str:
    """What every state means, and every row between them."""
    return page(
        "States",
        "Each machine is a table. Of the rows for a trigger and a state the first whose condition holds is taken. "
        "A row without a target keeps the state. Words in braces are filled in; the words of a row are what "
        "`status_info` says.",
        *machine("Hosts", HostState, HOST_TABLE),
        *machine("Clusters", ClusterState, CLUSTER_TABLE),
    )


def machine(title: str, members: type[Enum], rows: Table[Any]) -> Iterable[str]:
    """One state machine: meanings, pictures, rows."""
    yield f"## {title}"
    yield table(("State", "Meaning"), [(code(state.value), getattr(state, "meaning", "")) for state in members])
    for road, triggers in ROADS.items():
        taken = [row for row in rows.rows if row.on in triggers]
        if taken:
            yield f"### {title}: {road[0].lower()}{road[1:]}"
            yield picture(taken)
            yield table(("On", "From", "When", "To", "Because", "And then"), [row_of(row) for row in taken])


def row_of(row: Transition) -> tuple[str, ...]:
    """A row of a state table in words."""
    return (
        row.on.__name__,
        code(*sorted(row.source)),
        row.when.name,
        code(row.target) if row.target else "",
        row.because or "",
        " ".join(first_line(each) for each in (row.does, row.tells) if each),
    )


def picture(rows: list[Transition]) -> str:
    """The moves between states, drawn."""
    moves = {
        (source, row.target): None
        for row in rows
        if row.target
        for source in sorted(row.source)
        if source is not row.target
    }
    names = dict.fromkeys(state for move in moves for state in move)
    lines = [f'  state "{name}" as {_drawn(name)}' for name in names]
    lines += [f"  {_drawn(source)} --> {_drawn(target)}" for source, target in moves]
    return "\n".join(["```mermaid", "stateDiagram-v2", *lines, "```"])


def _drawn(state: str) -> str:
    """A name that can be drawn: hyphens mean something else there."""
    return state.replace("-", "_")


# Validations


def validations() -> str:
    """Every check, what it promises, what it holds back and what it needs."""
    return page(
        "Validations",
        "A check passes, fails, or is pending while what it needs is not known. What does not pass closes the gates "
        "named under *Holds back*; one without a gate only informs. A check may be ignored by the user "
        "(`ignored_host_validations`, `ignored_cluster_validations`) unless it says otherwise, and switched off for "
        "the whole service (`DISABLED_HOST_VALIDATIONS`, `DISABLED_CLUSTER_VALIDATIONS`).",
        f"## Hosts\n\n{checks(HOST_VALIDATIONS)}",
        f"## Clusters\n\n{checks(CLUSTER_VALIDATIONS)}",
    )


def checks(found: Iterable[Validation[Any]]) -> str:
    """Checks in the order in which clients list them."""
    return table(
        ("Id", "Category", "Promises", "Holds back", "Needs", "In the pool", "May be ignored"),
        [
            (
                code(check.id),
                check.category,
                check.promise.partition("\n")[0],
                ", ".join(sorted(check.gates)),
                check.needs.name if check.needs else "",
                "yes" if check.in_pool else "",
                "yes" if check.ignorable else "no",
            )
            for check in found
        ],
    )


# Steps

TABLES = {
    "Hosts of a new cluster": steps.DAY1,
    "Hosts that join a running cluster": steps.DAY2,
    "Hosts without a cluster": steps.UNBOUND,
}


def steps_page() -> str:
    """Every step, and which are asked for in which state."""
    kinds = [
        (
            code(kind),
            sentence(first_line(inspect.getmodule(steps.STEPS[kind].ask)).partition(": ")[2]),
            "yes" if steps.STEPS[kind].learn else "",
        )
        for kind in sorted(steps.STEPS)
    ]
    schedules = [
        f"## {title}\n\n"
        + table(
            ("State", "Steps, in order", "Ask again after", "Then"),
            [
                (code(state.value), code(*plan.kinds) if plan.kinds else "", f"{plan.seconds} s", plan.action)
                for state, plan in schedule.items()
            ],
        )
        for title, schedule in TABLES.items()
    ]
    return page(
        "Steps",
        "What an agent is asked to do when it asks for instructions. A state that is not listed asks for nothing and "
        f"lets the agent ask again after {steps.OTHERWISE.seconds} seconds. A step is left out where there is nothing "
        "to do, and where `DISABLED_STEPS` names it.",
        "## What each step is\n\n" + table(("Step", "What the host does", "Is learnt from"), kinds),
        *schedules,
    )


# Events

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
DATES: dict[str, Any] = {"created_at": EPOCH, "updated_at": EPOCH}
SOMETHING: dict[Any, Any] = {
    Cluster: Cluster(id="", name="", status=ClusterState.READY, status_updated_at=EPOCH, **DATES),
    Host: Host(id="", infra_env_id="", status=HostState.KNOWN, status_updated_at=EPOCH, registered_at=EPOCH, **DATES),
    InfraEnv: InfraEnv(id="", name="", **DATES),
    HostState: HostState.DISCOVERING,
    str: "",
    int: 0,
    tuple[str, ...]: (),
}
"""Something ordinary of each kind that events are about."""


def events_page() -> str:
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


# Settings


def settings() -> str:
    """Every setting."""
    return page(
        "Settings",
        "Read from the environment when `muster serve` starts; its own options win. An empty value is no "
        "value. What is wrong is told at the start, by name.",
        table(
            ("Environment", "Default", "Written as"),
            [
                (code(field.encode_name), written(field.default), form(field.encode_name, field.type))
                for field in msgspec.structs.fields(Settings)
            ],
        ),
    )


def written(default: Any) -> str:
    """A default as a user would write it."""
    return code(default) if default not in ("", (), False) else ("`false`" if default is False else "")


def form(name: str, kind: Any) -> str:
    """How a setting is written."""
    if name in LISTS:
        return "words, separated by commas"
    return "JSON" if name in DOCUMENTS else {int: "a number", bool: "true or false"}.get(kind, "text")


# The API


def api() -> str:
    """Every call."""
    promises = {served.endpoint.name: first_line(served.serve) for served in SERVED}
    sections = {f"Drop-in: `{DROP_IN}`": DROP_IN, f"Our own: `{OURS}`": OURS}
    return page(
        "API",
        "Every call the service answers, as declared in `wire/endpoints.py`. `/openapi.json` says what each takes.",
        *(
            f"## {title}\n\n{calls([each for each in ENDPOINTS if each.path.startswith(root)], promises)}"
            for title, root in sections.items()
        ),
    )


def calls(endpoints: list[Endpoint], promises: dict[str, str]) -> str:
    """Calls with what they are for."""
    return table(
        ("Method", "Path", "Operation", "Status", "What it does"),
        [
            (each.method, code(each.path), each.name, each.status, each.summary or promises.get(each.name, ""))
            for each in endpoints
        ],
    )


PAGES: dict[str, Callable[[], str]] = {
    "states.md": states,
    "validations.md": validations,
    "steps.md": steps_page,
    "events.md": events_page,
    "settings.md": settings,
    "api.md": api,
}


def main() -> None:
    """Write every page."""
    for name, write in PAGES.items():
        (HERE / name).write_text(write(), encoding="utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
