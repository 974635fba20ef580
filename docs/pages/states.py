"""The page of states: what each means, every row between them, and pictures of them."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from muster.domain.clusters import ClusterState
from muster.domain.hosts import HostState
from muster.domain.states.cluster_table import CLUSTER_TABLE
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.table import Table, Transition
from muster.domain.triggers import (
    AllowAddHosts,
    BindHost,
    Cancel,
    Install,
    InstallHost,
    Progressed,
    ReclaimHost,
    Registered,
    Replied,
    Reset,
    ResetHost,
    Ticked,
    UnbindHost,
)

from .writing import code, first_line, page, table

ROADS = {
    "By itself": (Ticked,),
    "When a machine starts the discovery image": (Registered,),
    "While it installs": (Progressed, Replied),
    "On demand": (Install, Cancel, Reset, ResetHost, InstallHost, AllowAddHosts),
    "Between the pool and clusters": (BindHost, UnbindHost, ReclaimHost),
}
"""The triggers whose rows are drawn together."""


def written() -> str:
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
