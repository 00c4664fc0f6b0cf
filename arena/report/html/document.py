"""What a report is made of, as data: chapters of sections of tables, plots, words and replays. No HTML is known here.

All texts may come from untrusted authors (names of bots, parameters, options): whoever writes them out escapes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    sort: float | str | None = None
    """What sorting goes by; None: the text. Numbers before texts, nan last."""
    share: float | None = None
    """0 to 1: colours the field of a heat map; 0.5 is neutral where the map has two sides."""
    link: str = ""
    """Anchor on this page."""
    hint: str = ""
    """Shown on pointing at it: nothing that is not also said elsewhere."""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    name: str
    is_number: bool = True
    """Aligned to the right, and sorted from the greatest at the first click."""
    meaning: str = ""
    """For who points at it."""
    is_code: bool = False
    """Hashes and the like, in letters of one width."""
    is_long: bool = False
    """Broken into lines where it does not fit."""

    @property
    def classes(self) -> str:
        """Of its fields."""
        kinds = {"number": self.is_number, "code": self.is_code, "long": self.is_long}
        return " ".join(kind for kind, is_there in kinds.items() if is_there)


@dataclass(frozen=True)
class Table:
    """Rows to sort by any column; the first column names the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    heat: str = ""
    """How shares are coloured: "" not at all, "sides" two colours around 0.5, "rising" one colour."""
    dim: Sequence[bool] = ()
    """Rows that are out of competition."""

    @property
    def kind(self) -> str:
        """For the template."""
        return "table"


@dataclass(frozen=True)
class Plot:
    """A drawing."""

    svg: str
    """From arena.report.html.plots: safe as it is."""
    caption: str

    @property
    def kind(self) -> str:
        """For the template."""
        return "plot"


@dataclass(frozen=True)
class Words:
    """A paragraph; here and in leads, `what stands between backticks` is code."""

    text: str
    is_warning: bool = False

    @property
    def kind(self) -> str:
        """For the template."""
        return "words"


@dataclass(frozen=True)
class Log:
    """A long text of its own lines, closed until somebody wants it: a replay, a bot's output."""

    anchor: str
    title: str
    text: str

    @property
    def kind(self) -> str:
        """For the template."""
        return "log"


Block = Table | Plot | Words | Log


@dataclass(frozen=True)
class Section:
    """One question and its answer."""

    name: str
    """Also its address within the chapter."""
    lead: str
    """What is shown, and how to read it."""
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Fact:
    """A figure of the first lines."""

    name: str
    value: str


@dataclass(frozen=True)
class Chapter:
    """A rating pool, or all of them."""

    anchor: str
    title: str
    subtitle: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    summary: str
    facts: Sequence[Fact]
    chapters: Sequence[Chapter]
    footer: str = ""
