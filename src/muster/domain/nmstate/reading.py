"""How values are read from a tree: each reading takes a place, and returns what stands there or reports why not.

`shapes.py` puts them together. A reading never gives up at the first problem: what cannot be read is left out.
"""

import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Any

from msgspec import UNSET, UnsetType

from muster.domain.record import Record

from .tree import At, Node, Problem

FLAGS = {
    **dict.fromkeys(("1", "true", "yes", "on", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n"), False),
}
"""What nmstate takes for yes and no, in any case."""

LONGEST_SHOWN = 60
MAC = re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2}")
NAME = re.compile(r"[^\s/\x00-\x1f\x7f]+")
PLAIN = re.compile(r"[^\s;\\\x00-\x1f\x7f]+")


class Report:
    """What was found while a document was read."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unsupported: list[Problem] = []


class Spot(Record):
    """A value and the way to it."""

    node: Node
    path: str
    report: Any
    """A `Report`."""

    @property
    def at(self) -> At:
        """The place, for those who speak of it later."""
        return At(line=self.node.line, path=self.path)

    def wrong(self, text: str) -> UnsetType:
        """Report a problem; nothing can be read here."""
        self.report.problems.append(Problem(at=self.at, text=text))
        return UNSET

    def unknown(self, text: str) -> UnsetType:
        """Report what nmstate may know and is not converted here."""
        self.report.unsupported.append(Problem(at=self.at, text=text))
        return UNSET

    def below(self, name: str, node: Node) -> "Spot":
        """The place of one of the values by name."""
        return Spot(node=node, path=f"{self.path}.{name}" if self.path else name, report=self.report)

    def item(self, number: int, node: Node) -> "Spot":
        """The place of one of the values in a list."""
        return Spot(node=node, path=f"{self.path}[{number}]", report=self.report)


Reading = Callable[[Spot], Any]
"""What stands at a place, or UNSET where that has been reported."""


def shown(value: Any) -> str:
    """What a user wrote, short enough for a sentence."""
    if isinstance(value, dict):
        return "a group of fields"
    if isinstance(value, tuple):
        return "a list"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def text(spot: Spot) -> Any:
    """Any text that fits in a line."""
    value = spot.node.value
    if not isinstance(value, str):
        hint = '; put it in quotes ("...") if it is meant as text' if isinstance(value, (bool, int, float)) else ""
        return spot.wrong(f"is {shown(value)}, where text is expected{hint}")
    if not value.isprintable():
        return spot.wrong("has characters that cannot be seen; leave them out")
    return value


def matching(pattern: re.Pattern[str], words: str) -> Reading:
    """A text that looks as it must; `words` say how."""

    def read(spot: Spot) -> Any:
        value = text(spot)
        if value is UNSET or pattern.fullmatch(value):
            return value
        return spot.wrong(f"is {shown(value)}; {words}")

    return read


def flag(spot: Spot) -> Any:
    """Yes or no."""
    value = spot.node.value
    known = FLAGS.get(str(value).lower()) if isinstance(value, (bool, int, str)) else None
    return spot.wrong(f"is {shown(value)}; write true or false") if known is None else known


def whole(low: int, high: int) -> Reading:
    """A whole number within bounds, quoted or not."""

    def read(spot: Spot) -> Any:
        value = spot.node.value
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            return spot.wrong(f"is {shown(value)}; write a whole number from {low} to {high}")
        return value

    return read


def word(choices: Collection[str], also: Mapping[str, str] | None = None) -> Reading:
    """One of some words; `also` has other spellings of them."""

    def read(spot: Spot) -> Any:
        value = spot.node.value
        written = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
        found = (also or {}).get(written, written)
        if found in choices:
            return found
        return spot.wrong(f"is {shown(value)}; write one of {', '.join(sorted(choices))}")

    return read


def address(spot: Spot) -> Any:
    """An IP address, as everybody writes it."""
    value = text(spot)
    if value is UNSET:
        return UNSET
    try:
        return str(ip_address(value.replace("%", " ")))
    except ValueError:
        hint = " (the length of the prefix is a field of its own)" if "/" in value else ""
        return spot.wrong(f"is {shown(value)}, which is no IP address{hint}; write it as 192.168.1.10 or fd00::10")


_mac = matching(MAC, "write a MAC address as 52:54:00:12:34:56")


def mac(spot: Spot) -> Any:
    """A MAC address, in capitals."""
    value = _mac(spot)
    return value if value is UNSET else value.upper()


name = matching(NAME, "a name of an interface has no blanks and no slash, and is not empty")
plain = matching(PLAIN, "leave out blanks, semicolons and backslashes")


def many(reading: Reading) -> Reading:
    """A list; what cannot be read is left out."""

    def read(spot: Spot) -> Any:
        value = spot.node.value
        if value is None:
            return UNSET
        if not isinstance(value, tuple):
            return spot.wrong(f"is {shown(value)}, where a list is expected; begin every entry with a dash")
        found = (reading(spot.item(number, each)) for number, each in enumerate(value))
        return tuple(each for each in found if each is not UNSET)

    return read


def ignored(_: Spot) -> UnsetType:
    """What nmstate shows and nobody can wish for."""
    return UNSET


def later(spot: Spot) -> UnsetType:
    """What nmstate knows and is not converted here."""
    return spot.unknown("is not converted to NetworkManager's keyfiles by this service")


def fields(readings: Mapping[str, Reading], required: tuple[str, ...] = ()) -> Reading:
    """Values by name; what cannot be read is left out, and nothing is left if something required cannot."""

    def read(spot: Spot) -> Any:
        values = spot.node.value
        if values is None and not required:
            return UNSET
        if not isinstance(values, dict):
            return spot.wrong(f"is {shown(values)}, where fields are expected, such as {next(iter(readings))}: ...")
        found: dict[str, Any] = {}
        for each, node in values.items():
            here = spot.below(each, node)
            value = readings[each](here) if each in readings else here.wrong(_stranger(each, readings))
            if value is not UNSET:
                found[each] = value
        for each in required:
            if each not in values:
                spot.wrong(f"{each} is missing; write it")
        return found if found.keys() >= {*required} else UNSET

    return read


def shape(
    makes: type[Record],
    readings: Mapping[str, Reading],
    required: tuple[str, ...] = (),
    alias: Mapping[str, str] | None = None,
) -> Reading:
    """Values by name, as a record whose fields are called like them; `alias` has other names of fields."""
    attributes = {each: (alias or {}).get(each, each).replace("-", "_") for each in readings}
    places = "at" in makes.__struct_fields__
    by_name = fields(readings, required)

    def read(spot: Spot) -> Any:
        found = by_name(spot)
        if found is UNSET:
            return UNSET
        place = {"at": spot.at} if places else {}
        return makes(**place, **{attributes[each]: value for each, value in found.items()})

    return read


def _stranger(written: str, known: Collection[str]) -> str:
    close = get_close_matches(written, known, n=1)
    return "nmstate has no such field" + (f"; did you mean {close[0]}?" if close else f"; it has {', '.join(known)}")
