"""Writes the pages that follow from the code. A test fails when they are stale.

Run as `python docs/generate.py`; each page lies next to this file and is made by a module in `pages`.
"""

from collections.abc import Callable
from pathlib import Path

from pages import api, events, features, operators, settings, states, steps, validations

HERE = Path(__file__).parent

PAGES: dict[str, Callable[[], str]] = {
    f"{module.__name__.rpartition('.')[2]}.md": module.written
    for module in (states, validations, features, operators, steps, events, settings, api)
}


def main() -> None:
    """Write every page."""
    for name, write in PAGES.items():
        (HERE / name).write_text(write(), encoding="utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
