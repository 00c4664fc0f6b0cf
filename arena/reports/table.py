"""A table of results, as data: columns, rows, and what programs get of it. It is defined once and written by three writers:
`arena.reports.terminal` (terminals and Markdown), `arena.reports.document` (HTML), `arena.reports.data` (CSV and JSON).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from arena.errors import one_line, printable
from arena.records import Rating

NAME_LETTERS = 80  # of a name that anybody may have chosen; a tournament allows 40
MILLISECONDS, RANK, INTERVAL = "ms", "rank", "interval"
"""Formats of columns that are not Python's: a `Rank`, and an `Interval`, which terminals and pages draw."""


class Phrase(NamedTuple):
    """A text in each language of the pages."""

    en: str
    ja: str


LANGUAGES = Phrase._fields
"""The languages of the pages; the first one is the default."""
Text = Phrase | str
"""A text in both languages, or one that is the same in both, such as a name."""
YES, NO = Phrase("yes", "はい"), Phrase("no", "いいえ")


def said(text: Text, language: str) -> str:
    """The text in a language."""
    return text if isinstance(text, str) else getattr(text, language)


class Rank(NamedTuple):
    """A rank and the ranks that are possible."""

    rank: int | None
    low: int | None = None
    high: int | None = None
    is_separable: bool = True
    """Whether the intervals separate the bot from the one above it."""

    @property
    def bounds(self) -> str:
        """The ranks that are possible, such as ` (1–3)`; empty if there is only one."""
        return "" if self.low == self.high else f" ({self.low}–{self.high})"

    @property
    def text(self) -> str:
        """Such as `≈ 2 (1–3)`."""
        return "-" if self.rank is None else f"{'' if self.is_separable else '≈ '}{self.rank}{self.bounds}"


class Interval(NamedTuple):
    """A value and its error interval."""

    low: float
    value: float
    high: float


Value = float | str | Rank | Interval | None


@dataclass(frozen=True)
class Column:
    """What stands in a column: its title in both languages, how its values are written, and what they mean."""

    title: Text
    format: str = ""
    """Python's format of its numbers, such as `.2f`, or one of the above; empty: texts."""
    meaning: Text = ""
    """What the column holds, where the title does not say it: a tooltip on pages."""
    key: str = ""
    """The column's name in the scripts of pages whose numbers move."""
    empty: str = "-"
    """What stands for a value that is not there."""
    dropped: int = 0
    """A narrow terminal drops columns in this order; 0: never."""
    style: str = ""
    """How terminals colour it."""
    is_name: bool = False
    """Whether it names the rows: narrow terminals cut its texts, pages keep it in sight."""
    is_cut: bool = False
    """Whether narrow terminals cut this column's texts, and not those of the names."""
    is_code: bool = False
    """Whether the cells are hashes and the like, shown in a fixed-width font."""
    is_long: bool = False
    """Whether pages break the cells into lines where they do not fit."""
    in_terminals: bool = True
    in_pages: bool = True

    @property
    def is_number(self) -> bool:
        """Whether the column is aligned to the right, and sorted from the greatest value at the first click."""
        return bool(self.format)

    def but(self, **changes: Any) -> "Column":
        """The same column with some other properties."""
        return replace(self, **changes)

    def text(self, value: Value) -> str:
        """A value of the column for people, with a true minus sign."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return self.empty
        if isinstance(value, str):
            return value
        if isinstance(value, Rank):
            return value.text
        if isinstance(value, Interval):
            return f"{value.value:.1f} ({value.low:.1f}–{value.high:.1f})".replace("-", "−")
        text = milliseconds(value) if self.format == MILLISECONDS else f"{value:{self.format}}"
        return self.empty if text == "-" else text.replace("-", "−")


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its value."""

    value: Value
    """What the column is sorted by; None: nothing. Numbers come before texts, nan last."""
    text: Text | None = None
    """What is shown; None: the value, as the column writes it."""
    share: float | None = None
    """0 to 1: the strength of the cell's colour in a heat map; 0.5 is neutral if the map has two sides."""
    link: str = ""
    """The address that the cell links to: `#` and an anchor on this page, or another page."""
    hint: Text = ""
    """A tooltip: nothing that is not also said elsewhere."""
    anchor: str = ""
    """The address of the row on the page, for other cells to link to."""


Row = Sequence[Cell | Phrase | Value]
DIM, BEST, CHOSEN = "dim", "best", "chosen"
"""How a row stands out: out of competition, first, asked for."""


@dataclass(frozen=True)
class Table:
    """A table that can be sorted by any column."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    caption: str = ""
    heat: str = ""
    """How shares are coloured: "" not at all, "sides" in two colours around 0.5, "rising" in one colour."""
    emphasis: Sequence[str] = ()
    """One of the above or nothing for each row."""
    about: Sequence[tuple[str, int]] = ()
    """The bot and the version that each row is about, for pages whose numbers move."""

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template of pages."""
        return "table"

    def without(self, *columns: Column) -> "Table":
        """The table without some of its columns."""
        kept = [place for place, column in enumerate(self.columns) if column not in columns]
        return replace(
            self, columns=[self.columns[place] for place in kept], rows=[[row[place] for place in kept] for row in self.rows]
        )

    def column(self, place: int) -> list[Cell]:
        """The cells of a column."""
        return [as_cell(row[place]) for row in self.rows]


def table(columns: Sequence[Column | None], rows: Sequence[Sequence[Any]], caption: str = "", **properties: Any) -> Table:
    """A table without the columns that are None, whose values in the rows are left out, too."""
    kept = [place for place, column in enumerate(columns) if column is not None]
    chosen = [column for column in columns if column is not None]
    return Table(chosen, [[row[place] for place in kept] for row in rows], caption, **properties)


def as_cell(value: Cell | Phrase | Value) -> Cell:
    """A value as a cell; a phrase is sorted by its English text."""
    if isinstance(value, Phrase):
        return Cell(value.en, value)
    return value if isinstance(value, Cell) else Cell(value)


def milliseconds(number: float) -> str:
    """A time in milliseconds for people; `-` for 0.

    >>> milliseconds(0.0214), milliseconds(1234.56), milliseconds(0.0)
    ('0.021', '1,234.6', '-')
    """
    return "-" if not number else f"{number:.3f}" if number < 1 else f"{number:,.1f}"


def bot_name(bot: str, version: int) -> str:
    """A bot's name, with its version unless that is the first."""
    return bot if version == 1 else f"{bot} v{version}"


def shown(name: str, version: int = 1) -> str:
    """A name (of a bot, a pool, a tournament) as a page shows it: cut to a length, in one line, all of it visible."""
    return one_line(printable(bot_name(name, version), NAME_LETTERS))


def name_of(rating: Rating) -> str:
    """The name of a rating's bot as a page shows it."""
    return shown(rating.bot, rating.bot_version)
