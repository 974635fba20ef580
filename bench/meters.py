"""Reads what processes cost: their processor time and their memory, with all that belongs to them.

A process is measured together with its children, those that have ended included. `load.py` puts a
`Meter` around what it sends; time that passes on the clock is never taken for cost.
"""

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")
CPUCLOCK_OF_PROCESS = 2
"""What the kernel calls the exact clock of a whole process, in the lowest bits of a clock's number."""

ENDED_CHILDREN = slice(13, 15)
"""Where `stat` keeps the time of children that have ended and been waited for, counted after the name."""


class Meter:
    """The processes of a service and of its database."""

    def __init__(self, *roots: int) -> None:
        self._roots = roots

    def cpu_ms(self) -> float:
        """The processor time of all of them so far, in milliseconds."""
        living = sum(_clock(pid) for pid in self._all())
        return 1000 * (living + sum(_ended(root) for root in self._roots))

    def memory_mb(self) -> float:
        """The memory they hold; what several share is counted once."""
        return sum(_proportional_kb(pid) for pid in self._all()) / 1024

    def _all(self) -> Iterable[int]:
        for root in self._roots:
            yield root
            yield from _children(root)


def _children(pid: int) -> list[int]:
    tasks = (PROC / str(pid) / "task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _clock(pid: int) -> float:
    """The seconds that a living process has worked, to the nanosecond; 0 for one that has just ended."""
    try:
        return time.clock_gettime(~pid << 3 | CPUCLOCK_OF_PROCESS)
    except OSError:
        return 0.0


def _ended(pid: int) -> float:
    after_name = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[ENDED_CHILDREN])) / TICKS


def _proportional_kb(pid: int) -> int:
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) if found else 0


class Others:
    """What everybody else takes of the machine, from now on. Our own children count once they have ended."""

    def __init__(self) -> None:
        self._began = self._reading()

    def percent(self) -> float:
        """The share of all processors that others have used so far."""
        total, busy, ours = (now - then for now, then in zip(self._reading(), self._began, strict=True))
        return 100 * max(busy - ours, 0.0) / total

    @staticmethod
    def _reading() -> tuple[float, float, float]:
        """Seconds that all processors had, that they worked, and that they worked for us."""
        figures = [int(each) / TICKS for each in (PROC / "stat").read_text().partition("\n")[0].split()[1:9]]
        idle = figures[3] + figures[4]
        return sum(figures), sum(figures) - idle, sum(os.times()[:4])
