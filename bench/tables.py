"""Prints figures beside what they may be: a row for each promise, a column for each run. Every bench uses it."""

from rich.table import Table

from muster.domain.record import Record

Figures = dict[str, float]
"""What was measured, by the key of its row."""

TO_THE_UNIT = 50
"""Figures from here on are shown without decimals."""


class Row(Record):
    """One promise: what is measured, in which unit, and how much it may be."""

    key: str
    what: str
    unit: str = "ms CPU"
    budget: float | None = None
    at_least: bool = False
    """The budget is what has to be reached, not what may be used."""


def table(rows: tuple[Row, ...], columns: dict[str, Figures]) -> Table:
    """All figures, those over their budget marked; one that a run did not give is left out."""
    made = Table("what", "unit", "budget")
    for name in columns:
        made.add_column(name, justify="right")
    for row in rows:
        budget = "" if row.budget is None else f"{row.budget:g}"
        made.add_row(row.what, row.unit, budget, *(_shown(figures.get(row.key), row) for figures in columns.values()))
    return made


def _shown(figure: float | None, row: Row) -> str:
    if figure is None:
        return ""
    text = f"{figure:.0f}" if figure >= TO_THE_UNIT else f"{figure:.2f}"
    if row.budget is None:
        return text
    if row.at_least:
        return f"{text} ok" if figure >= row.budget else f"[bold red]{text} short[/]"
    return f"{text} ok" if figure <= row.budget else f"[bold red]{text} over[/]"
