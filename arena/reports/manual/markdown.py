"""Markdown as tokens, with links that lead to where the reader can follow them. The one door to markdown_it."""

import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

Link = Callable[[str], str]
"""What a link's target becomes; empty if the reader cannot go there."""

_COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE)
_HEADING_SIGNS = re.compile(r"[^\w\- ]")


def tokens(text: str) -> list[Token]:
    """The blocks of a page. Lines that are comments are dropped; any other HTML is text."""
    return _parser().parse(_COMMENT.sub("", text))


def html(found: list[Token], link: Link) -> str:
    """The blocks as HTML. Headings have anchors, as GitHub makes them; pictures go through `link` as links do."""
    for place, token in enumerate(found):
        if token.type == "heading_open":
            token.attrs["id"] = anchor(found[place + 1].content)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["href"] = link(str(child.attrs["href"]))
            elif child.type == "image":
                child.attrs["src"] = link(str(child.attrs["src"]))
    return str(_parser().renderer.render(found, _parser().options, {}))


def with_commands(found: list[Token], command: Link) -> list[Token]:
    """The blocks for a terminal: a link is its text, then the command that `command` gives for its target.

    A link whose text is only the name of the file it leads to becomes that command alone. Links to the outside stay.
    """
    for token in found:
        if token.children:
            token.children = list(_followed(token.children, command))
    return found


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it.

    >>> anchor("What `arena check` does, and why")
    'what-arena-check-does-and-why'
    """
    return _HEADING_SIGNS.sub("", heading.lower()).replace(" ", "-")


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _followed(children: list[Token], command: Link) -> Iterator[Token]:
    """The inline parts with each link inside arena replaced."""
    target, is_link = "", False
    inside: list[Token] = []
    for child in children:
        if child.type == "link_open" and not re.match(r"https?:", str(child.attrs["href"])):
            is_link, target, inside = True, str(child.attrs["href"]), []
        elif child.type == "link_close" and is_link:
            is_link = False
            words = command(target)
            if not words:
                yield from inside
            elif "".join(part.content for part in inside) == target:
                yield _code(words)
            else:
                yield from [*inside, _text(" ("), _code(words), _text(")")]
        elif is_link:
            inside.append(child)
        else:
            yield child


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _code(words: str) -> Token:
    return Token("code_inline", "code", 0, markup="`", content=words)
