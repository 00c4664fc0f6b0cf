"""The server's pages: templates filled with what the views found, and Markdown with headings that can be linked and tables that
scroll by themselves.
"""

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from arena import games
from arena.records import Ending
from arena.reports.document import environment
from arena.reports.manual import anchor, html, tokens
from arena.reports.pages import assets as pages
from arena.reports.pages.words import LIVE, PAGE, PLAYER, Words, catalogue
from arena.server.assets import Assets, table_name
from arena.server.blocks import NAMES
from arena.server.views.rules import MOST_KEPT
from arena.server.visitors import QUERY

_NUMBERED = re.compile(r"(<h[2-4] id=[^>]*>)(\d+(?:\.\d+)+)")
"""A heading with a number, such as 2.2: it can also be linked as `#section-2.2`, in any language."""
CARDS = "cards:"
"""How the address of a picture begins that is some cards, named as a game's `picture` takes them: `![A set](cards:H7,S7)`."""
_PICTURE = re.compile(rf'<p><img src="{CARDS}([^"]*)" alt="([^"]*)" /></p>')


@dataclass(frozen=True)
class Heading:
    """A heading of the second level."""

    anchor: str
    text: str


@dataclass(frozen=True)
class Prose:
    """A text in Markdown, ready for a page."""

    title: str
    """The first heading."""
    headings: tuple[Heading, ...]
    body: Markup
    """All but the first heading, as HTML: raw HTML in the text was shown as text."""


@functools.lru_cache(maxsize=MOST_KEPT)
def prose(text: str) -> Prose:
    """A page in Markdown, which begins with its title. Kept: to make it takes longer than all else of a page."""
    found = tokens(text)
    title, rest = found[1].content, found[3:]
    headings = [
        Heading(anchor(after.content), after.content)
        for token, after in itertools.pairwise(rest)
        if token.type == "heading_open" and token.tag == "h2"
    ]
    body = html(rest, _target)
    body = re.sub(r' style="text-align:(left|right|center)"', r' class="\1"', body)  # the content policy forbids styles
    body = _PICTURE.sub(
        r'<figure><div class="table picture" data-cards="\1" aria-hidden="true"></div><figcaption>\2</figcaption></figure>',
        body,
    )
    body = _NUMBERED.sub(r'\1<span id="section-\2"></span>\2', body)
    body = re.sub(r"<table>(.*?)</table>", _table, body, flags=re.DOTALL)
    return Prose(title, tuple(headings), Markup(body.replace("<pre>", '<pre tabindex="0">')))


def _table(found: re.Match[str]) -> str:
    """A table that scrolls by itself where a phone is too narrow; the cells of its first row are heads of columns."""
    inside = re.sub(r"<th\b(?!ead)", '<th scope="col"', re.sub(r"<th[^>]*></th>", "<td></td>", found[1]))
    return f'<div class="scroll" tabindex="0"><table>{inside}</table></div>'


def _target(link: str) -> str:
    """The address of a link: a place on the page, cards, or outside; a file of the package has no address here."""
    return link if link.startswith(("#", CARDS, "https://", "http://")) else "#content"


TEMPLATES = Path(__file__).parent / "templates"
_FRAME = {"account": None, "contest": None, "nav": (), "origin": ""}  # of a page that anybody may see: server/framing.py
_LIVE = (
    "beating.js",
    "table_socket.js",
    "table_lobby.js",
    "table_habits.js",
    "table_log.js",
    "table_coach.js",
    "table_result.js",
    "table_page.js",
)


class Templates:
    """Makes the pages.

    Every template knows `lang`, `word(key, **values)`, `static(file)`, what is in `blocks.NAMES`, and for the address of the
    page with other parameters `with_query(name=value)` and `with_language(code)`.
    """

    def __init__(self, assets: Assets) -> None:
        self._templates = environment(TEMPLATES)
        self._templates.filters |= {"markdown": prose, "pool_name": lambda name, word: word.pool(name)}
        self._templates.globals |= {
            "static": assets.url,
            "games": games.names(),
            "endings": [ending.value for ending in Ending],
            "picture_files": picture_files,
            "player_files": player_files,
            "table_files": table_files,
            "live_files": live_files,
            "lesson_files": lesson_files,
        } | NAMES

    def page(self, template: str, lang: str, *, query: Iterable[tuple[str, str]] = (), **values: Any) -> str:
        """The page `template` in a language; `query`: the parameters of its address; `values`: more names for the template."""
        word = Words(lang)

        def with_query(**changes: object) -> str:
            kept = [(name, value) for name, value in query if name not in changes]
            return urlencode([*kept, *((name, str(value)) for name, value in changes.items() if value is not None)])

        def with_language(code: str) -> str:
            return with_query(**{QUERY: code})

        names = {"lang": lang, "word": word, "with_query": with_query, "with_language": with_language}
        return self._templates.get_template(f"{template}.html.jinja").render(_FRAME | names | values)


def table_files(game: str) -> list[str]:
    """The files that draw a game's table, by their names among the assets."""
    words = [f"words/{game}.js"] if catalogue(game) else []
    return [*(table_name(game, path) for path in pages.table_files(game)), *words]


def picture_files(*names: str) -> list[str]:
    """The files with which a page shows cards of some games."""
    return list(
        dict.fromkeys(
            ["kit.css", "kit.js", f"words/{PAGE}.js", *(file for name in names for file in table_files(name)), "pictures.js"]
        )
    )


def player_files(game: str | None) -> list[str]:
    """The files of the replay player, and of a game's table; None: a script loads those of any game when it needs them."""
    own = [path.name for path in pages.player_files()]
    return [*own, f"words/{PAGE}.js", f"words/{PLAYER}.js", *([] if game is None else table_files(game))]


def live_files(game: str) -> list[str]:
    """The files of a page at which a person plays a game: all but its template."""
    own = [path.name for path in pages.choosing_files()]
    return [*own, f"words/{PAGE}.js", f"words/{LIVE}.js", *table_files(game), "table_page.css", *_LIVE]


def lesson_files(game: str) -> list[str]:
    """The files of the page of a game's lesson."""
    own = [path.name for path in pages.choosing_files()]
    return [*own, f"words/{PAGE}.js", f"words/{LIVE}.js", *table_files(game), "table_page.css", "lesson.js"]
