"""A table of figures: the first column names what was measured, the others are numbers."""

from collections.abc import Sequence

from arena.reports.table import Column, Table
from arena.reports.terminal import Page


def write_table(page: Page, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> None:
    """Write a title and a table; the first `names` columns hold words, the others numbers."""
    page.heading(title)
    columns = [Column(heading, "" if place < names else ">") for place, heading in enumerate(headings)]
    page.table(Table(columns, rows))  # whole: a name that is cut says nothing
