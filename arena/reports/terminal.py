"""Where tables and notes go: a terminal of any width, plain text for a pipe, or Markdown."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import rich.table
from rich import box
from rich.console import Console
from rich.text import Text

from arena.errors import one_line, visible
from arena.reports.table import BEST, DIM, INTERVAL, RANK, Cell, Column, Interval, Rank, Table, said

NAME_WIDTH = 16  # a bot's name is cut down to this before columns are dropped
PLOT_WIDTH = 25  # characters of the picture of the intervals
_STYLES = {DIM: "dim", BEST: "bold yellow"}
MARKDOWN_WIDTH = 1000  # no column is ever dropped
_BLOCK = re.compile(r"(\d*)(?:(?:#{1,6}|[-+*]|(?<=\d)[.)])(?:\s|$)|>|`{3}|~{3}|[-=*_ ]{3,}$)")  # what begins no paragraph


@dataclass(frozen=True)
class Glyphs:
    """Signs that a terminal, or plain ASCII, can show."""

    plus_minus: str = "+-"
    line: str = "-"
    mean: str = "o"
    at_least: str = ">="
    at_most: str = "<="


_PLAIN = Glyphs()
_FINE = Glyphs("±", "─", "●", "≥", "≤")


class Page(Protocol):
    """What is written from top to bottom."""

    width: int
    """Characters of a line."""
    glyphs: Glyphs

    def heading(self, text: str) -> None:
        """Write a heading for what follows."""
        ...

    def say(self, text: str, style: str = "") -> None:
        """A line of prose; empty: some space."""
        ...

    def line(self, text: str) -> None:
        """A line that is never wrapped, such as a command to copy."""
        ...

    def table(self, table: Table) -> Sequence[Column]:
        """A table; returns the columns that had room."""
        ...


class ConsolePage:
    """A terminal in colours, or plain ASCII; implements Page."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_fine = console.is_terminal and not console.options.ascii_only
        self.width = console.width
        self.glyphs = _FINE if self._is_fine else _PLAIN

    def heading(self, text: str) -> None:
        """Write a heading in colour."""
        self.say(text, "bold cyan")

    def say(self, text: str, style: str = "") -> None:
        """Write a text, wrapped between words."""
        text = visible(text)
        indent = text[: len(text) - len(text.lstrip(" "))][: self.width // 2]  # what is quoted stays apart from lines of ours
        lines = textwrap.wrap(
            text, self.width, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent
        ) or [""]  # fmt: skip
        for line in lines:
            self._console.print(line, style=style, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def line(self, text: str) -> None:
        """Write a line as it is, without wrapping."""
        self._console.print(visible(text), markup=False, highlight=False, emoji=False, soft_wrap=True)

    def table(self, table: Table) -> Sequence[Column]:
        """Write a table as plain text, without frame or trailing blanks; what has no room is dropped or cut."""
        columns = _fitting([one.in_lines() for one in _written(table, self.glyphs)], self.width)
        if not self._is_fine:
            for line in _plain_lines(columns):
                self._console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)
            return [one.column for one in columns]
        drawn = rich.table.Table(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
        )
        for one in columns:
            drawn.add_column(Text(one.head), justify=one.justify, style=one.column.style, no_wrap=True, width=one.width)
        for number, cells in enumerate(zip(*(one.cells for one in columns))):
            emphasis = table.emphasis[number] if table.emphasis else ""
            drawn.add_row(*map(Text, cells), style=_STYLES.get(emphasis, ""))
        self._console.print(drawn)
        return [one.column for one in columns]


class MarkdownPage:
    """Markdown with tables as GitHub shows them; implements Page. No text of it is HTML, a link or an image."""

    def __init__(self) -> None:
        self.width = MARKDOWN_WIDTH
        self.glyphs = _PLAIN
        self._lines: list[str] = []

    def heading(self, text: str) -> None:
        """Write a heading of the second level."""
        self._lines += [f"## {_markdown(text)}", ""]

    def say(self, text: str, style: str = "") -> None:
        """A paragraph; the title is a heading, and space is made anyway."""
        if text:
            self._lines += [f"# {_markdown(text)}" if not self._lines else _paragraph(text), ""]

    def line(self, text: str) -> None:
        """Write a line as a paragraph."""
        self.say(text)

    def table(self, table: Table) -> Sequence[Column]:
        """Write a Markdown table: a line for the heads, one for the alignment, one for each row. Intervals are not drawn."""
        columns = [one for one in _written(table, self.glyphs) if one.column.format != INTERVAL]
        self._lines += [_markdown_row([one.head for one in columns])]
        self._lines += ["|" + "|".join(":---" if one.justify == "left" else "---:" for one in columns) + "|"]
        self._lines += [_markdown_row(cells) for cells in zip(*(one.cells for one in columns))]
        self._lines += [""]
        return [one.column for one in columns]

    @property
    def text(self) -> str:
        """The whole page, ended by one line feed."""
        return "\n".join(self._lines).rstrip("\n") + "\n"


def has_room(table: Table, width: int) -> bool:
    """Return whether a table fits into a width with nothing dropped or cut."""
    return sum(one.width + 2 for one in _written(table, _PLAIN)) <= width


def cut(text: str, width: int) -> str:
    """The text cut to at most `width` characters, which must be at least 3."""
    return text if len(text) <= width else text[: width - 3] + "..."


@dataclass(frozen=True)
class _Written:
    """A column as texts."""

    column: Column
    cells: Sequence[str]

    @property
    def head(self) -> str:
        return one_line(said(self.column.title, "en"))

    def in_lines(self) -> "_Written":
        """The same with every text in one line of visible characters."""
        return replace(self, cells=[one_line(cell) for cell in self.cells])

    @property
    def justify(self) -> Literal["left", "right"]:
        return "right" if self.column.is_number and self.column.format not in (RANK, INTERVAL) else "left"

    @property
    def width(self) -> int:
        """Characters of the widest text."""
        return max(map(len, [self.head, *self.cells]))


def _written(table: Table, glyphs: Glyphs) -> list[_Written]:
    """The columns of a table that terminals show."""
    return [
        _Written(column, _texts(column, table.column(place), glyphs))
        for place, column in enumerate(table.columns)
        if column.in_terminals
    ]


def _texts(column: Column, cells: Sequence[Cell], glyphs: Glyphs) -> list[str]:
    if column.format == RANK:
        return rank_texts([cell.value for cell in cells if isinstance(cell.value, Rank)])
    if column.format == INTERVAL:
        return _drawn([cell.value if isinstance(cell.value, Interval) else None for cell in cells], glyphs)
    texts = [column.text(cell.value) if cell.text is None else said(cell.text, "en") for cell in cells]
    if column.is_number:
        signs = str.maketrans({"−": "-", "±": glyphs.plus_minus, "≥": glyphs.at_least, "≤": glyphs.at_most})
        texts = [text.translate(signs) for text in texts]
    return texts


def rank_texts(ranks: Sequence[Rank]) -> list[str]:
    """Ranks and their bounds, such as `2 (1-3)`; `~` in front: not separable from the bot above."""
    digits = max((len(str(one.rank)) for one in ranks if one.rank is not None), default=1)
    return [
        f"  {'-':>{digits}}"
        if one.rank is None
        else f"{' ' if one.is_separable else '~'} {one.rank:>{digits}}{one.bounds.replace('–', '-')}"
        for one in ranks
    ]


def _drawn(found: Sequence[Interval | None], glyphs: Glyphs) -> list[str]:
    """Intervals and means on one scale from the lowest end to the highest."""
    known = [one for one in found if one is not None]
    low = min((one.low for one in known), default=0.0)
    high = max((one.high for one in known), default=0.0)
    scale = (PLOT_WIDTH - 1) / (high - low) if high > low else 0.0
    cells = []
    for one in found:
        if one is None:
            cells.append(" " * PLOT_WIDTH)
            continue
        first, mean, last = (round((value - low) * scale) for value in (one.low, one.value, one.high))
        line = " " * first + glyphs.line * (last - first + 1)
        cells.append((line[:mean] + glyphs.mean + line[mean + 1 :]).ljust(PLOT_WIDTH))
    return cells


def _fitting(columns: Sequence[_Written], width: int) -> list[_Written]:
    """The columns that fit into `width` with two blanks between them, the least important dropped, names cut."""
    kept = list(columns)
    names = next((one for one in kept if one.column.is_cut), None) or next((one for one in kept if one.column.is_name), None)
    if names is None:
        return kept
    while True:
        room = width - sum(one.width + 2 for one in kept if one is not names)
        droppable = [one for one in kept if one.column.dropped]
        if room >= min(names.width, NAME_WIDTH) or not droppable:
            break
        kept.remove(min(droppable, key=lambda one: one.column.dropped))
    cells = [cut(cell, max(room, 4)) for cell in names.cells]
    return [replace(one, cells=cells) if one is names else one for one in kept]


def _markdown(text: str) -> str:
    r"""A text in one line, with nothing in it that Markdown takes for HTML, a link or an image.

    >>> print(_markdown("<b>x</b> ![](http://a.b/c.png)"))
    &lt;b>x&lt;/b> !\[\](http://a.b/c.png)
    """
    plain = re.sub(r"([\\\[\]])", r"\\\1", visible(" ".join(text.split())))
    return plain.replace("&", "&amp;").replace("<", "&lt;")


def _paragraph(text: str) -> str:
    r"""A text as a paragraph: its first sign makes no heading, list, quotation or block of code of it.

    >>> print(_paragraph("# Winner: me"))
    \# Winner: me
    """
    plain = _markdown(text)
    found = _BLOCK.match(plain)
    return plain if found is None else f"{found[1]}\\{plain[len(found[1]) :]}"


def _plain_lines(columns: Sequence[_Written]) -> list[str]:
    rows = [[one.head for one in columns], ["-" * one.width for one in columns]]
    rows += [list(cells) for cells in zip(*(one.cells for one in columns))]
    adjust = [str.ljust if one.justify == "left" else str.rjust for one in columns]
    return ["  ".join(a(c, one.width) for a, c, one in zip(adjust, row, columns)).rstrip() for row in rows]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_markdown(cell).replace("|", "\\|") for cell in cells) + " |"
