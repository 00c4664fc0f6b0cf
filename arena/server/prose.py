"""Markdown as a page of the hall shows it: headings that can be linked, tables that scroll by themselves."""

import functools
import itertools
import re
from dataclasses import dataclass

from markupsafe import Markup

from arena.reports.manual import anchor, html, tokens

MOST_KEPT = 64
"""Texts that are kept as pages: the rules of all games in their languages."""
_NUMBERED = re.compile(r"(<h[2-4] id=[^>]*>)(\d+(?:\.\d+)+)")
"""A heading with a number, such as 2.2: it can also be linked as `#section-2.2`, in any language."""


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
    body = _NUMBERED.sub(r'\1<span id="section-\2"></span>\2', body)
    body = re.sub(r"<table>(.*?)</table>", _table, body, flags=re.DOTALL)
    return Prose(title, tuple(headings), Markup(body.replace("<pre>", '<pre tabindex="0">')))


def _table(found: re.Match[str]) -> str:
    """A table that scrolls by itself where a phone is too narrow; the cells of its first row are heads of columns."""
    inside = re.sub(r"<th\b(?!ead)", '<th scope="col"', re.sub(r"<th[^>]*></th>", "<td></td>", found[1]))
    return f'<div class="scroll" tabindex="0"><table>{inside}</table></div>'


def _target(link: str) -> str:
    """The address of a link: a place on the page, or outside; a file of the package has no address here."""
    return link if link.startswith(("#", "https://", "http://")) else "#content"
