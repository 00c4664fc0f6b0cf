"""Where tables and notes go: a terminal of any width, plain text for a pipe, or Markdown."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.errors import one_line, visible

NAME_WIDTH = 16  # a bot's name is cut down to this before columns are dropped
MARKDOWN_WIDTH = 1000  # no column is ever dropped
_BLOCK = re.compile(r"(\d*)(?:(?:#{1,6}|[-+*]|(?<=\d)[.)])(?:\s|$)|>|`{3}|~{3}|[-=*_ ]{3,}$)")  # what begins no paragraph


@dataclass(frozen=True)
class Glyphs:
    """Signs that a terminal, or plain ASCII, can show."""

    plus_minus: str = "+-"
    line: str = "-"
    mean: str = "o"


_PLAIN = Glyphs()
_FINE = Glyphs("±", "─", "●")


@dataclass
class Column:
    """One column as texts; all of them the same width but that of the names."""

    header: str
    cells: list[str]
    dropped: int = 0
    """Dropped in this order when the terminal is narrow; 0: never."""
    justify: str = "right"
    style: str = ""

    @property
    def width(self) -> int:
        """Characters of the widest text."""
        return max(map(len, [self.header, *self.cells]))


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

    def table(self, columns: Sequence[Column], styles: Sequence[str] = ()) -> None:
        """A table; `styles`: one for each row, or none at all."""
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

    def table(self, columns: Sequence[Column], styles: Sequence[str] = ()) -> None:
        """Write a table as plain text, without frame or trailing blanks."""
        columns = [_safe(column) for column in columns]
        if not self._is_fine:
            for line in _plain_lines(columns):
                self._console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)
            return
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        for column in columns:
            justify: Any = column.justify
            table.add_column(Text(column.header), justify=justify, style=column.style, no_wrap=True, width=column.width)
        for number, cells in enumerate(zip(*(column.cells for column in columns))):
            table.add_row(*map(Text, cells), style=styles[number] if styles else "")
        self._console.print(table)


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

    def table(self, columns: Sequence[Column], styles: Sequence[str] = ()) -> None:
        """Write a Markdown table: a line for the headers, one for the alignment, one for each row."""
        self._lines += [_markdown_row([column.header for column in columns])]
        self._lines += ["|" + "|".join(":---" if column.justify == "left" else "---:" for column in columns) + "|"]
        self._lines += [_markdown_row(cells) for cells in zip(*(column.cells for column in columns))]
        self._lines += [""]

    @property
    def text(self) -> str:
        """The whole page, ended by one line feed."""
        return "\n".join(self._lines).rstrip("\n") + "\n"


def fitting(columns: Sequence[Column], width: int, name: str = "bot") -> list[Column]:
    """The columns that fit into `width` with two blanks between them, the least important dropped, names cut.

    `name`: header of the column of the names.
    """
    kept = list(columns)
    while True:
        names = next(column for column in kept if column.header == name)
        room = width - sum(column.width + 2 for column in kept if column is not names)
        droppable = [column for column in kept if column.dropped]
        if room >= min(names.width, NAME_WIDTH) or not droppable:
            break
        kept.remove(min(droppable, key=lambda column: column.dropped))
    cells = [cut(cell, max(room, 4)) for cell in names.cells]
    return [Column(name, cells, 0, "left") if column is names else column for column in kept]


def cut(text: str, width: int) -> str:
    """The text cut to at most `width` characters, which must be at least 3."""
    return text if len(text) <= width else text[: width - 3] + "..."


def _safe(column: Column) -> Column:
    """The column with every text in one line of visible characters."""
    return replace(column, header=one_line(column.header), cells=[one_line(cell) for cell in column.cells])


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


def _plain_lines(columns: Sequence[Column]) -> list[str]:
    rows = [[column.header for column in columns], ["-" * column.width for column in columns]]
    rows += [list(cells) for cells in zip(*(column.cells for column in columns))]
    adjust = [str.ljust if column.justify == "left" else str.rjust for column in columns]
    return ["  ".join(a(c, column.width) for a, c, column in zip(adjust, row, columns)).rstrip() for row in rows]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_markdown(cell).replace("|", "\\|") for cell in cells) + " |"
