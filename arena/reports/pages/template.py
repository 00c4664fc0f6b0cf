"""Templates of pages: the one door to jinja2. Every text is escaped, and what cannot be seen in it is left out.

`blocks.html.jinja` draws the blocks of a document; the report's page and those of the hall import its macros.
"""

import math
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from arena.errors import printable
from arena.reports.pages.document import Cell

SHARED = Path(__file__).parent / "templates"
_STEP = 5  # percent between two strengths of a heat map's colour: as many classes as the style sheet has


def environment(folder: Path) -> jinja2.Environment:
    """The templates of a folder, and those that all pages share."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, SHARED]), autoescape=True, undefined=jinja2.StrictUndefined, finalize=_visible,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.filters |= {"anchor": anchor, "heat": _heat, "sort_key": _sort, "prose": _prose, "drawing": Markup}
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


def _heat(cell: Cell, sides: str) -> str:
    """The CSS classes that colour a cell: its side, and how strongly. No inline style: the hall's policy forbids them."""
    if cell.share is None:
        return ""
    if sides == "rising":
        return f"hot heat-{_step(cell.share)}"
    return f"{'hot' if cell.share >= 0.5 else 'cold'} heat-{_step(2 * abs(cell.share - 0.5))}"


def _step(share: float) -> int:
    return _STEP * round(100 * share / _STEP)


def _sort(cell: Cell) -> str:
    """What the column is sorted by; empty for a cell that has no place in an order."""
    if isinstance(cell.sort, float | int):
        return f"{cell.sort:.9g}" if math.isfinite(cell.sort) else ""
    return cell.sort or ""
