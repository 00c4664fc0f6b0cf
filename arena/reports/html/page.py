"""A document as one page of HTML that needs nothing else: no network, no other file, no script but its own."""

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from arena.reports.pages.assets import FILES as SHARED
from arena.reports.pages.assets import player_files, table_files
from arena.reports.pages.document import Document, Replay
from arena.reports.pages.template import environment
from arena.reports.pages.words import PAGE, PLAYER, words_script

FILES = Path(__file__).parent / "page_files"
STYLES = (SHARED / "page.css", FILES / "report.css")
SCRIPTS = (SHARED / "sorting.js", FILES / "report.js")


def html(document: Document) -> str:
    """The page. Every text is escaped; its content policy forbids all requests, and all styles and scripts but its own."""
    style, script = _files(document)
    page = environment(FILES).get_template("report.html.jinja")
    return page.render(
        document=document, style=Markup(style), style_hash=_hash(style), script=Markup(script), script_hash=_hash(script)
    )


def _files(document: Document) -> tuple[str, str]:
    """The style sheet and the script of the page: with the replay player and the tables of those games that have replays."""
    blocks = (block for chapter in document.chapters for section in chapter.sections for block in section.blocks)
    games = sorted({block.game for block in blocks if isinstance(block, Replay)})
    files = [*player_files(), *table_files(*games)] if games else []
    style = "".join(_read(path) for path in (*STYLES, *files) if path.suffix == ".css")
    scripts = [_read(path) for path in files if path.suffix == ".js"]
    if games:
        scripts += [words_script([PAGE, PLAYER, *games]), _read(FILES / "replays.js")]
    return style, "".join([*scripts, *map(_read, SCRIPTS)])


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _hash(text: str) -> str:
    """How a content policy names a style sheet or a script that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
