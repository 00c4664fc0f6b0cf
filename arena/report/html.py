"""A document as one page of HTML that needs nothing else: no network, no other file, no script but its own."""

import base64
import hashlib
import re
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from arena.report.document import Cell, Document

FILES = Path(__file__).parent / "page_files"


def html(document: Document) -> str:
    """The page. Every text of the document is escaped; its content policy forbids all requests and all other scripts."""
    style, script = ((FILES / name).read_text("utf-8") for name in ("report.css", "report.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FILES), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
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


def _prose(text: str) -> Markup:
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def _heat(cell: Cell, sides: str) -> str:
    """Class and strength of a field's colour."""
    if cell.share is None:
        return ""
    if sides == "rising":
        return f"hot;{round(100 * cell.share)}"
    return f"{'hot' if cell.share >= 0.5 else 'cold'};{round(200 * abs(cell.share - 0.5))}"


def _sort(cell: Cell) -> str:
    return "" if cell.sort is None else cell.sort if isinstance(cell.sort, str) else f"{cell.sort:.6g}"
