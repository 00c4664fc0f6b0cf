"""The sections of a game's rules, by their numbers."""

import re

_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)")


def section_titles(text: str) -> list[str]:
    r"""The headings of the sections of a page in Markdown.

    >>> section_titles("# Naga\n## 2.1 Cards\n## 2.2 Course\n")
    ['2.1 Cards', '2.2 Course']
    """
    return [found[2] for found in _HEADING.finditer(text) if _NUMBER.match(found[2])]


def rules_section(text: str, section: str) -> str:
    r"""The section of a page with this number, with its subsections; empty without one.

    >>> rules_section("# Naga\n## 2.1 Cards\nforty\n## 2.2 Course\n", "2.1")
    '## 2.1 Cards\nforty'
    """
    headings = list(_HEADING.finditer(text))
    for place, found in enumerate(headings):
        number = _NUMBER.match(found[2])
        if number and number[1] == section:
            after = (other.start() for other in headings[place + 1 :] if len(other[1]) <= len(found[1]))
            return text[found.start() : next(after, len(text))].rstrip()
    return ""
