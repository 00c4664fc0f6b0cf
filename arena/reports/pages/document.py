"""What a report is made of, as data: chapters of sections of tables, plots, words and replays. No HTML is known here.

The hall's pages show the same blocks.

All texts may come from untrusted authors (names of bots, parameters, options): whoever writes them out escapes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    text: str
    sort: float | str | None = None
    """What the column is sorted by; None: the text. Numbers come before texts, nan last."""
    share: float | None = None
    """0 to 1: the strength of the cell's colour in a heat map; 0.5 is neutral if the map has two sides."""
    link: str = ""
    """The address that the cell links to: `#` and an anchor on this page, or in the hall another page."""
    hint: str = ""
    """A tooltip: nothing that is not also said elsewhere."""
    anchor: str = ""
    """The address of the row on the page, for other cells to link to; only of a row's first cell."""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    name: str
    is_number: bool = True
    """Whether the column is aligned to the right, and sorted from the greatest value at the first click."""
    meaning: str = ""
    """A tooltip that says what the column holds."""
    is_code: bool = False
    """Whether the cells are hashes and the like, shown in a fixed-width font."""
    is_long: bool = False
    """Whether the cells are broken into lines where they do not fit."""

    @property
    def classes(self) -> str:
        """The CSS classes of the column's cells."""
        kinds = {"number": self.is_number, "code": self.is_code, "long": self.is_long}
        return " ".join(kind for kind, is_there in kinds.items() if is_there)


@dataclass(frozen=True)
class Table:
    """A table that can be sorted by any column; the first column names the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    heat: str = ""
    """How shares are coloured: "" not at all, "sides" in two colours around 0.5, "rising" in one colour."""
    dim: Sequence[bool] = ()
    """Whether each row is out of competition, and shown faintly."""

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "table"


@dataclass(frozen=True)
class Plot:
    """A plot with its caption."""

    svg: str
    """The SVG element, from arena.reports.html.plots: safe to insert as it is."""
    caption: str

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "plot"


@dataclass(frozen=True)
class Gallery:
    """Plots side by side where there is room, each under its caption."""

    plots: Sequence[Plot]

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "gallery"


@dataclass(frozen=True)
class Words:
    """A paragraph; here and in leads, `what stands between backticks` is code."""

    text: str
    is_warning: bool = False

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "words"


@dataclass(frozen=True)
class Log:
    """A long text with its own lines, folded until a reader opens it, such as what a bot printed."""

    anchor: str
    title: str
    text: str

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "log"


@dataclass(frozen=True)
class Replay:
    """A match in the replay player, folded until a reader opens it."""

    anchor: str
    title: str
    game: str
    match_id: str
    frames: str
    """The frames as `arena.reports.pages.packing.packed` wrote them."""

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "replay"


Block = Table | Plot | Gallery | Words | Log | Replay


@dataclass(frozen=True)
class Section:
    """One question and its answer."""

    name: str
    """The heading, and the section's address within the chapter."""
    lead: str
    """A sentence that says what is shown and how to read it."""
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Fact:
    """A figure in the first lines of the report."""

    name: str
    value: str


@dataclass(frozen=True)
class Chapter:
    """The sections of one rating pool, or of the whole tournament."""

    anchor: str
    title: str
    subtitle: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Document:
    """A whole report, as the page template takes it."""

    title: str
    summary: str
    facts: Sequence[Fact]
    chapters: Sequence[Chapter]
    footer: str = ""
