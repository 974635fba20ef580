"""Patches: a tree and a list of operations (RFC 6902) become another tree.

`wire/manifests.py` reads the operations; what generates the files of a cluster applies them to its manifests.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType, field

from muster.domain.errors import Invalid
from muster.domain.record import Record

LAST = "-"
"""The place after the last member of a list."""


class Operation(Record, forbid_unknown_fields=True):
    """One change of a tree, at a place written as `/spec/containers/0/image`."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str
    value: Any = UNSET
    from_: str | UnsetType = field(name="from", default=UNSET)

    @property
    def trouble(self) -> str:
        """What is missing or misplaced in the operation itself; "" if it can be applied at all."""
        if self.op in {"add", "replace", "test"} and self.value is UNSET:
            return f"{self.op} needs a value"
        if self.op in {"move", "copy"} and self.from_ is UNSET:
            return f"{self.op} needs from, the place to take it from"
        places = (self.path, *(() if self.from_ is UNSET else (self.from_,)))
        wrong = next((place for place in places if place and not place.startswith("/")), None)
        return "" if wrong is None else f"{wrong!r} is no place; begin it with a slash, as in /spec/replicas"


class _Misfit(Exception):
    """The tree has no such place."""


def patched(tree: Any, operations: Iterable[Operation]) -> Any:
    """The tree after all operations, one by one. `Invalid` names the first that does not fit; the tree stays."""
    for number, each in enumerate(operations, start=1):
        try:
            tree = _APPLIED[each.op](tree, each)
        except _Misfit as misfit:
            raise Invalid(f"operation {number}, {each.op} {each.path or 'of the whole'}: {misfit}") from None
    return tree


Parts = Sequence[str]


def _parts(place: str) -> Parts:
    return [part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]]


def _found(tree: Any, parts: Parts) -> Any:
    """What is at a place."""
    for part in parts:
        tree = tree[_key(tree, part)]
    return tree


def _key(tree: Any, part: str) -> Any:
    """The key of a member that is there."""
    if isinstance(tree, dict):
        if part not in tree:
            raise _Misfit(f"there is no {part!r}")
        return part
    if not isinstance(tree, list):
        raise _Misfit(f"{part!r} is looked for in what is neither an object nor a list")
    return _index(part, len(tree))


def _index(part: str, end: int) -> int:
    if not (part.isascii() and part.isdecimal()) or int(part) >= end:
        raise _Misfit(f"{part!r} is no place in a list of {end}")
    return int(part)


def _with(tree: Any, parts: Parts, change: Callable[[Any, str], Any]) -> Any:
    """The tree with the parent of a place changed."""
    if len(parts) == 1:
        return change(tree, parts[0])
    key = _key(tree, parts[0])
    inner = _with(tree[key], parts[1:], change)
    if isinstance(tree, dict):
        return {**tree, key: inner}
    return [*tree[:key], inner, *tree[key + 1 :]]


def _put(tree: Any, place: str, value: Any) -> Any:
    """The tree with a value added; in an object it takes the place of what was there."""

    def change(parent: Any, part: str) -> Any:
        if isinstance(parent, dict):
            return {**parent, part: value}
        if not isinstance(parent, list):
            raise _Misfit(f"{part!r} is to be added to what is neither an object nor a list")
        index = len(parent) if part == LAST else _index(part, len(parent) + 1)
        return [*parent[:index], value, *parent[index:]]

    parts = _parts(place)
    return _with(tree, parts, change) if parts else value


def _without(tree: Any, place: str) -> Any:
    """The tree without what is at a place."""

    def change(parent: Any, part: str) -> Any:
        key = _key(parent, part)
        if isinstance(parent, dict):
            return {name: value for name, value in parent.items() if name != key}
        return [*parent[:key], *parent[key + 1 :]]

    parts = _parts(place)
    return _with(tree, parts, change) if parts else None


def _moved(tree: Any, each: Operation) -> Any:
    if f"{each.path}/".startswith(f"{each.from_}/") and each.path != each.from_:
        raise _Misfit(f"{each.from_!r} cannot be moved into itself")
    value = _found(tree, _parts(str(each.from_)))
    return _put(_without(tree, str(each.from_)), each.path, value)


def _tested(tree: Any, each: Operation) -> Any:
    if _found(tree, _parts(each.path)) != each.value:
        raise _Misfit("something else is there than the patch expects")
    return tree


_APPLIED: dict[str, Callable[[Any, Operation], Any]] = {
    "add": lambda tree, each: _put(tree, each.path, each.value),
    "remove": lambda tree, each: _without(tree, each.path),
    "replace": lambda tree, each: _put(_without(tree, each.path), each.path, each.value),
    "move": _moved,
    "copy": lambda tree, each: _put(tree, each.path, _found(tree, _parts(str(each.from_)))),
    "test": _tested,
}
