"""A document as one page of HTML that needs nothing else: no network, no other file, no script but its own."""

import base64
import hashlib
import math
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from arena.errors import printable
from arena.report.html.document import Cell, Document

FILES = Path(__file__).parent / "page_files"


def html(document: Document) -> str:
    """The page. Every text of the document is escaped; its content policy forbids all requests and all other scripts."""
    style, script = ((FILES / name).read_text("utf-8") for name in ("report.css", "report.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FILES), autoescape=True, undefined=jinja2.StrictUndefined, finalize=_visible,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"anchor": anchor, "heat": _heat, "sort": _sort, "prose": _prose}
    page = environment.get_template("report.html.jinja")
    return page.render(document=document, style=Markup(style), script=Markup(script), digest=digest, safe=Markup)


def anchor(*names: str) -> str:
    """An address on the page: letters, digits and dashes, whatever the names are.

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
    """The CSS class and the strength of a cell's colour."""
    if cell.share is None:
        return ""
    if sides == "rising":
        return f"hot;{round(100 * cell.share)}"
    return f"{'hot' if cell.share >= 0.5 else 'cold'};{round(200 * abs(cell.share - 0.5))}"


def _sort(cell: Cell) -> str:
    """What the column is sorted by; empty for a cell that has no place in an order."""
    if isinstance(cell.sort, float | int):
        return f"{cell.sort:.9g}" if math.isfinite(cell.sort) else ""
    return cell.sort or ""
