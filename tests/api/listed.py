"""The table of differences in `docs/compatibility.md`, as something that can be compared with what is found."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from conforming import Difference

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
SECTION = "## Differences to the contract"


class Row(NamedTuple):
    """A listed difference, or a kind of them: `*` stands for anything."""

    where: str
    theirs: str
    ours: str
    why: str

    def covers(self, found: Difference) -> bool:
        """Whether this row tells of a difference."""
        return all(
            re.fullmatch(re.escape(said).replace(r"\*", ".*"), told)
            for said, told in zip((self.where, self.theirs, self.ours), found, strict=True)
        )


def listed() -> list[Row]:
    """The rows of the table."""
    section = PAGE.read_text().partition(SECTION)[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [Row(*(cell.strip().strip("`") for cell in line.strip("| ").split(" | "))) for line in lines]


def unlisted(found: Iterable[Difference]) -> list[str]:
    """The rows that are missing from the table."""
    rows = listed()
    missing = [each for each in sorted(found) if not any(row.covers(each) for row in rows)]
    return [f"| `{each.where}` | {each.theirs} | {each.ours} | why? |" for each in missing]
