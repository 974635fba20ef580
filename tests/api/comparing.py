"""What differs between a recorded answer and ours: keys, types, nulls, zeros, and every value that can be the same."""

import json
import re
from collections.abc import Iterator
from typing import Any

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NEVER = "0001-01-01T00:00:00"
BLANKED = frozenset({"<text>", "<secret>"})
"""What stands in a recording in place of free text."""

NAMES = ("id", "host_id", "name", "operator_name", "cidr", "domain_name", "step_type")
"""What tells the members of a list apart. Ids have no order; what has none of these is compared in order."""


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[str]:
    """Every difference, as `path: theirs, ours`."""
    if isinstance(theirs, str) and isinstance(ours, str):
        yield from _texts(theirs, ours, path)
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        yield from _objects(theirs, ours, path)
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield from _objects(_by_name(theirs), _by_name(ours), path)
    elif _kind(theirs) != _kind(ours) or theirs != ours:
        yield f"{path}: {theirs!r:.80}, {ours!r:.80}"


def _kind(value: Any) -> str:
    """The JSON type of a value."""
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def _objects(theirs: dict[Any, Any], ours: dict[Any, Any], path: str) -> Iterator[str]:
    for key in sorted(theirs.keys() | ours.keys(), key=str):
        here = f"{path}.{key}" if path else str(key)
        if key not in ours:
            yield f"{here}: {theirs[key]!r:.80}, absent"
        elif key not in theirs:
            yield f"{here}: absent, {ours[key]!r:.80}"
        else:
            yield from differences(theirs[key], ours[key], here)


def _by_name(members: list[Any]) -> dict[Any, Any]:
    """The members of a list by what tells them apart, else by their place."""
    for name in NAMES:
        names = [each[name] for each in members if isinstance(each, dict) and name in each]
        if members and len(set(names)) == len(members):
            return dict(zip(names, members, strict=True))
    ids = members and all(isinstance(each, str) and ID.fullmatch(each) for each in members)
    return dict.fromkeys(members, "") if ids else dict(enumerate(members))


def _texts(theirs: str, ours: str, path: str) -> Iterator[str]:
    if theirs in BLANKED or theirs == ours:
        return
    if MOMENT.fullmatch(theirs) and MOMENT.fullmatch(ours):
        if theirs.startswith(NEVER) != ours.startswith(NEVER) or not _as_precise(ours, path):
            yield f"{path}: {theirs}, {ours}"
        return
    documents = _document(theirs), _document(ours)
    if None not in documents:
        yield from differences(*documents, f"{path}:")
    else:
        yield f"{path}: {theirs!r:.80}, {ours!r:.80}"


def _as_precise(moment: str, path: str) -> bool:
    """Milliseconds are always three digits; creation and change are written with as many as it takes."""
    digits = len(moment.partition(".")[2].rstrip("Z"))
    return digits <= 6 if path.rpartition(".")[2] in {"created_at", "updated_at"} else digits == 3


def _document(text: str) -> Any:
    """The JSON inside a text; None if there is none."""
    if text[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
