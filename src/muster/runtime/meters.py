"""Figures that are counted, and the text in which Prometheus reads them.

Written out as clients of the original know them: a counter is called what it is called, without an ending that says
so, and the limit of a bucket is `1`, not `1.0`. The client library for Python insists on both.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import Literal


class Meter:
    """A counter or a gauge: one figure for each combination of labels."""

    def __init__(self, kind: Literal["counter", "gauge"], name: str, meaning: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self._head = _head(name, meaning, kind)
        self._labels = tuple(labels)
        self._figures: dict[tuple[str, ...], float] = {} if labels else {(): 0}

    def add(self, *labels: str, by: float = 1) -> None:
        """Count something, or that many."""
        self._figures[labels] = self._figures.get(labels, 0) + by

    def set(self, figure: float, *labels: str) -> None:
        """It is this much now."""
        self._figures[labels] = figure

    def text(self) -> Iterator[str]:
        """The lines of it; none if nothing was ever counted."""
        if self._figures:
            yield self._head
        for labels, figure in self._figures.items():
            yield f"{self.name}{_braces(self._labels, labels)} {_number(figure)}\n"


class Histogram:
    """How often something came to how much, for each combination of labels."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str] = (), *, buckets: Sequence[float]) -> None:
        self.name = name
        self._head = _head(name, meaning, "histogram")
        self._labels = tuple(labels)
        self._limits = (*buckets, inf)
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}
        if not labels:
            self._counts[()], self._sums[()] = [0] * len(self._limits), 0

    def observe(self, amount: float, *labels: str) -> None:
        """It came to this much once more."""
        counts = self._counts.get(labels)
        if counts is None:
            counts = self._counts[labels] = [0] * len(self._limits)
            self._sums[labels] = 0
        counts[bisect_left(self._limits, amount)] += 1
        self._sums[labels] += amount

    def text(self) -> Iterator[str]:
        """The lines of it; none if nothing was ever observed."""
        if self._counts:
            yield self._head
        for labels, counts in self._counts.items():
            for limit, count in zip(self._limits, accumulate(counts), strict=True):
                within = _braces((*self._labels, "le"), (*labels, _number(limit)))
                yield f"{self.name}_bucket{within} {count}\n"
            braces = _braces(self._labels, labels)
            yield f"{self.name}_sum{braces} {_number(self._sums[labels])}\n"
            yield f"{self.name}_count{braces} {sum(counts)}\n"


AnyMeter = Meter | Histogram


def text_of(meters: Iterable[AnyMeter]) -> bytes:
    """All of them, as they are read."""
    return "".join(line for meter in meters for line in meter.text()).encode()


def _head(name: str, meaning: str, kind: str) -> str:
    return f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"


def _number(figure: float) -> str:
    if figure == inf:
        return "+Inf"
    return str(int(figure)) if figure == int(figure) else repr(float(figure))


_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def _braces(names: Sequence[str], values: Sequence[str]) -> str:
    pairs = [f'{name}="{value.translate(_ESCAPED)}"' for name, value in zip(names, values, strict=True)]
    return f"{{{','.join(pairs)}}}" if pairs else ""
