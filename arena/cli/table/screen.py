"""What a terminal of any width shows at a table: wrapped lines, actions in columns, and the rules of the game, whole or one
section, in the language of the terminal.
"""

import shutil
import textwrap
from collections.abc import Iterable, Sequence

from arena.cli.shared.printing import PIPE_WIDTH, READING_WIDTH, page_through, say
from arena.llm.rule_text import section_titles, sections
from arena.reports.manual import ManualPage, TerminalPage, rules_page, rules_texts
from arena.reports.pages.words import language_of_locale

NARROWEST = 20
MOST_LINES = 12
"""Lines that the actions of a decision may take; of more, each kind is shown in part."""
_OF_A_KIND = 2  # lines of each kind then
_GAP = "  "


def width() -> int:
    """Columns that are written to."""
    return max(NARROWEST, min(READING_WIDTH, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns))


def tell(text: str = "", indent: str = "") -> None:
    """Print a text; each of its lines is wrapped, and goes on beneath its own beginning."""
    for line in text.split("\n"):
        inner = line.lstrip(" ")
        margin = indent + " " * (len(line) - len(inner))
        wrapped = textwrap.wrap(
            inner, width(), initial_indent=margin, subsequent_indent=margin + "  ", break_on_hyphens=False
        )  # fmt: skip
        for each in wrapped or [""]:
            say(each)


def tell_terms(terms: Iterable[tuple[str, str]]) -> None:
    """Print words on the left and what they mean on the right; a meaning goes on beneath its own beginning."""
    listed = list(terms)
    margin = 4 + max(len(word) for word, _ in listed)
    for word, meaning in listed:
        first = f"  {word}".ljust(margin)
        for line in textwrap.wrap(
            meaning, max(width(), margin + NARROWEST), initial_indent=first, subsequent_indent=" " * margin
        ):
            say(line)


def heading(text: str) -> None:
    """Print a heading as wide as the window."""
    say(f"-- {text} ".ljust(width(), "-")[: width()])


def numbered(actions: Sequence[str]) -> list[tuple[int, str]]:
    """Actions with their numbers."""
    return list(enumerate(actions))


def kinds(actions: Iterable[tuple[int, str]]) -> dict[str, list[tuple[int, str]]]:
    """Numbered actions by their first word, in the order in which the words appear.

    >>> kinds([(0, "play 0 1"), (1, "pass"), (2, "play 0 2")])
    {'play': [(0, 'play 0 1'), (2, 'play 0 2')], 'pass': [(1, 'pass')]}
    """
    found: dict[str, list[tuple[int, str]]] = {}
    for number, text in actions:
        found.setdefault(text.partition(" ")[0], []).append((number, text))
    return found


def columns(actions: Sequence[tuple[int, str]], room: int) -> list[str]:
    """Numbered actions in as many equal columns as fit into `room`, read downwards.

    >>> columns([(0, "field 1"), (1, "field 2"), (2, "field 7")], 30)
    ['  0 field 1    2 field 7', '  1 field 2']
    """
    cells = [f"{number:3} {text}" for number, text in actions]
    widest = max(map(len, cells), default=0)
    beside = max(1, (room + len(_GAP)) // (widest + len(_GAP)))
    deep = -(-len(cells) // beside)
    rows = [cells[start::deep] for start in range(deep)]
    return [_GAP.join(cell.ljust(widest) for cell in row).rstrip() for row in rows]


def menu(actions: Sequence[tuple[int, str]], room: int) -> list[str]:
    """The lines of a list of actions: all of them, or where they are many the first ones of each kind."""
    whole = columns(actions, room)
    if len(whole) <= MOST_LINES:
        return whole
    lines: list[str] = []
    for kind, found in kinds(actions).items():
        shown = columns(found, room)
        if len(shown) > _OF_A_KIND + 1:
            beside = -(-len(found) // len(shown))
            first = columns(found[: _OF_A_KIND * beside], room)
            shown = [*first, f"      ... {len(found) - _OF_A_KIND * beside} more of {len(found)}: type {kind} to see them"]
        lines += shown
    return lines


def fitting(actions: Sequence[tuple[int, str]], part: str) -> list[tuple[int, str]]:
    """The actions that have all the words of `part` in them, whatever their case.

    >>> fitting([(0, "play S4 S5"), (1, "play S4"), (2, "pass")], "s4 PLAY")
    [(0, 'play S4 S5'), (1, 'play S4')]
    """
    words = part.lower().split()
    return [(number, text) for number, text in actions if words and all(word in text.lower() for word in words)]


def show_rules(game: str, section: str) -> None:
    """Print the rules of a game, or the section with this number, such as `2.2`; says which sections there are if not."""
    texts = rules_texts(game)
    text = texts.get(language_of_locale(), texts["en"])
    if section:
        found = sections(text)
        if section not in found:
            tell(f"No section {section!r} in the rules; there are:")
            for title in section_titles(text):
                tell(title, "  ")
            return
        text = found[section]
    page_through(TerminalPage(ManualPage(rules_page(game).command, game, text)))
