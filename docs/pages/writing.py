"""What every page is made of."""

import inspect
from collections.abc import Iterable

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
