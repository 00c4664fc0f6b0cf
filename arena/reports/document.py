"""What a page of results is made of, as data: chapters of sections of tables, plots, paragraphs and replays; and the writer
that turns it into HTML, with the templates of all pages: the one door to jinja2.

All texts may come from untrusted authors (names of bots, parameters, options): every text is escaped, and what cannot be seen
in it is left out. `blocks.html.jinja` draws sections; the report's page and those of `arena serve` import its macros.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup, escape

from arena.errors import printable
from arena.reports import columns
from arena.reports.plots import Scale, scale_of
from arena.reports.table import INTERVAL, Cell, Column, Interval, Phrase, Rank, Table, Value, as_cell, said

SHARED = Path(__file__).parent / "templates"
_STEP = 5  # percent between two strengths of a heat map's colour: as many classes as the style sheet has


@dataclass(frozen=True)
class Plot:
    """A plot with its caption."""

    svg: str
    """The SVG element, from arena.reports.plots: safe to insert as it is."""
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
class Paragraph:
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
    """The frames as `arena.reports.matches.packed` wrote them."""

    @property
    def kind(self) -> str:
        """The name of this kind of block in the template."""
        return "replay"


Block = Table | Plot | Gallery | Paragraph | Log | Replay


@dataclass(frozen=True)
class Section:
    """One question and its answer."""

    key: str
    """The heading's key among the words of the pages, and the section's address; the word `KEY_note` says how to read it."""
    blocks: Sequence[Block]
    values: Mapping[str, object] = field(default_factory=dict)
    """What is filled into the note."""


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


def environment(folder: Path) -> jinja2.Environment:
    """The templates of a folder, and those that all pages share."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, SHARED]), autoescape=True, undefined=jinja2.StrictUndefined, finalize=_visible,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.filters |= {
        "anchor": anchor, "prose": _prose, "drawing": Markup, "written": written,
    }  # fmt: skip
    found.globals["columns"] = columns
    return found


def anchor(*names: str) -> str:
    """An address on a page: letters, digits and dashes, whatever the names are.

    >>> anchor("naga", "Head to head")
    'naga-head-to-head'
    """
    return "-".join(re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x" for name in names)


def _visible(value: Any) -> Any:
    """The value without characters that cannot be seen or that turn a line round."""
    return printable(value, len(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def _prose(text: str) -> Markup:
    text = printable(text, len(text))
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


class Written(NamedTuple):
    """A cell as a page shows it."""

    column: Column
    cell: Cell
    text: str
    hint: str
    sort: str | None
    """What the column is sorted by; None: the text."""
    classes: str
    interval: Interval | None
    """What is drawn in the place of the text."""


class WrittenTable(NamedTuple):
    """A table as a page shows it, in one language."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Written]]
    blank: Sequence[Written]
    """A row without values, for scripts that add rows."""
    scale: Scale
    """The scale of its intervals."""
    name: int
    """The number of the column that names the rows."""


_BLANKS: dict[str, Cell] = {INTERVAL: Cell(Interval(0.0, 0.0, 0.0))}


def written(table: Table, language: str) -> WrittenTable:
    """The columns and cells that pages show."""
    places = [place for place, column in enumerate(table.columns) if column.in_pages]
    heads = [table.columns[place] for place in places]
    drawn = [cell.value for place in places for cell in table.column(place) if isinstance(cell.value, Interval)]
    rows = [[_written(table.columns[place], row[place], table.heat, language) for place in places] for row in table.rows]
    named = [number for number, column in enumerate(heads) if column.is_name]
    blank = [
        _written(column, _BLANKS.get(column.format, Cell("", link="#" * column.is_name)), "", language) for column in heads
    ]
    return WrittenTable(heads, rows, blank, scale_of(drawn), named[0] if named else 0)


def _written(column: Column, value: Cell | Phrase | Value, heat: str, language: str) -> Written:
    cell = as_cell(value)
    text = column.text(cell.value) if cell.text is None else said(cell.text, language)
    classes = _heat(cell, heat) if heat else ""
    kinds = {"number": column.is_number, "code": column.is_code, "long": column.is_long}
    if column.format == INTERVAL:
        classes = "interval-cell"
    return Written(
        column, cell, text, said(cell.hint, language), _sort(cell.value, text),
        classes or " ".join(kind for kind, is_there in kinds.items() if is_there),
        cell.value if isinstance(cell.value, Interval) else None,
    )  # fmt: skip


def _heat(cell: Cell, sides: str) -> str:
    """The CSS classes that colour a cell: its side, and how strongly. No inline style: the pages' policies forbid them."""
    if cell.share is None:
        return ""
    if sides == "rising":
        return f"hot heat-{_step(cell.share)}"
    return f"{'hot' if cell.share >= 0.5 else 'cold'} heat-{_step(2 * abs(cell.share - 0.5))}"


def _step(share: float) -> int:
    return _STEP * round(100 * share / _STEP)


def _sort(value: Value, text: str) -> str | None:
    """Return what a cell is sorted by; empty for one that has no place in an order, None where that is what is shown."""
    if isinstance(value, Rank):
        value = value.rank
    if isinstance(value, Interval):
        value = value.value
    if isinstance(value, float | int):
        return f"{value:.9g}" if math.isfinite(value) else ""
    return None if value == text else value or ""
