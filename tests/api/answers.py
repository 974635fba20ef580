"""What the two contracts say of answers, side by side.

Answers are many and made of few parts, so a place is named after the definition of the original that it belongs to:
`host.status` wherever a host is told of.
"""

from collections.abc import Iterator
from typing import Any

from conforming import NOT_TOLD, REFUSED, Difference
from facts import Schema, fields, kind, resolved

from muster.wire.openapi import openapi
from parts.contract import contract, operations


def between_answers() -> set[Difference]:
    """Where what we promise to answer differs from what the original does."""
    whole = openapi()
    pairs = Pairs(contract()["definitions"], whole["components"]["schemas"])
    found: set[Difference] = set()
    for name, (method, path, theirs) in operations().items():
        ours = whole["paths"].get(path, {}).get(method.lower(), {"responses": {}})["responses"]
        for status, answer in theirs["responses"].items():
            media = ours.get(status, {}).get("content", {}).get("application/json")
            if int(status) < REFUSED and media and "schema" in answer:
                found |= set(pairs.compared(f"{name} {status}", answer["schema"], media["schema"]))
    return found


class Pairs:
    """Goes through two schemas at once; what was compared once is not compared again."""

    def __init__(self, theirs: Schema, ours: Schema) -> None:
        self._theirs = theirs
        self._ours = ours
        self._done: set[tuple[str, str]] = set()

    def compared(self, place: str, theirs: Schema, ours: Schema) -> Iterator[Difference]:
        """Where the second differs from the first."""
        place = theirs.get("$ref", place).rpartition("/")[2]
        if (place, str(ours)) in self._done:
            return
        self._done.add((place, str(ours)))
        theirs, ours = resolved(theirs, self._theirs), resolved(ours, self._ours)
        said, told = _kind(theirs, self._theirs), _kind(ours, self._ours)
        if said != told:
            yield Difference(place, said, told)
        yield from self._fields(place, theirs, ours)
        for key, sign in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(theirs.get(key), dict) and isinstance(ours.get(key), dict):
                yield from self.compared(place + sign, theirs[key], ours[key])

    def _fields(self, place: str, theirs: Schema, ours: Schema) -> Iterator[Difference]:
        one, other = dict(fields(theirs)), dict(fields(ours))
        for name in one.keys() & other.keys():
            yield from self.compared(f"{place}.{name}", one[name], other[name])
        for name in (one.keys() ^ other.keys()) if one else ():
            yield Difference(
                f"{place}.{name}", self._told(one.get(name), self._theirs), self._told(other.get(name), self._ours)
            )
        for name in set(theirs.get("required", ())) - set(ours.get("required", ())):
            yield Difference(f"{place}.{name}", "always there", "sometimes there")

    def _told(self, schema: Any, known: Schema) -> str:
        return NOT_TOLD if schema is None else _kind(resolved(schema, known), known)


def _kind(schema: Schema, known: Schema) -> str:
    """The kind of a value; what a list is made of is compared by itself."""
    return "list" if schema.get("type") == "array" else kind(schema, known)
