"""The rules of a game at the table: the whole page, or one of its sections, in the language of the terminal."""

import os
import re

from arena.cli.shared.printing import page_through
from arena.cli.table.screen import tell
from arena.reports.manual import ManualPage, TerminalPage, rules_page, rules_texts

_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)")


def language() -> str:
    """The language that the user's locale names, such as `ja`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if text := os.environ.get(name, ""):
            return text.partition("_")[0].partition(".")[0].lower()
    return "en"


def show_rules(game: str, section: str) -> None:
    """Print the rules of a game, or the section with this number, such as `2.2`; says which sections there are if not."""
    texts = rules_texts(game)
    text = texts.get(language(), texts["en"])
    if section:
        found = part(text, section)
        if not found:
            tell(f"No section {section!r} in the rules; there are:")
            for title in titles(text):
                tell(title, "  ")
            return
        text = found
    page_through(TerminalPage(ManualPage(rules_page(game).command, game, text)))


def titles(text: str) -> list[str]:
    r"""The headings of the sections of a page in Markdown.

    >>> titles("# Naga\n## 2.1 Cards\n## 2.2 Course\n")
    ['2.1 Cards', '2.2 Course']
    """
    return [found[2] for found in _HEADING.finditer(text) if _NUMBER.match(found[2])]


def part(text: str, section: str) -> str:
    r"""The section of a page with this number, with its subsections; empty without one.

    >>> part("# Naga\n## 2.1 Cards\nforty\n## 2.2 Course\n", "2.1")
    '## 2.1 Cards\nforty'
    """
    headings = list(_HEADING.finditer(text))
    for place, found in enumerate(headings):
        number = _NUMBER.match(found[2])
        if number and number[1] == section:
            after = (other.start() for other in headings[place + 1 :] if len(other[1]) <= len(found[1]))
            return text[found.start() : next(after, len(text))].rstrip()
    return ""
