"""A document as one page of HTML that needs nothing else: no network, no other file, no script but its own."""

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from arena.pages.assets import FILES as SHARED
from arena.pages.document import Document
from arena.pages.template import environment

FILES = Path(__file__).parent / "page_files"
STYLES = (SHARED / "page.css", FILES / "report.css")
SCRIPTS = (SHARED / "sorting.js", FILES / "report.js")


def html(document: Document) -> str:
    """The page. Every text is escaped; its content policy forbids all requests, and all styles and scripts but its own."""
    style, script = ("".join(path.read_text("utf-8") for path in files) for files in (STYLES, SCRIPTS))
    page = environment(FILES).get_template("report.html.jinja")
    return page.render(
        document=document, style=Markup(style), style_hash=_hash(style), script=Markup(script), script_hash=_hash(script)
    )


def _hash(text: str) -> str:
    """How a content policy names a style sheet or a script that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
