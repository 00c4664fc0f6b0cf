"""The rules and the notation of a game as a model reads them: from the game's RULES.md and from docs/notation.md."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from arena.agent.model_bot import LANGUAGES
from arena.engine.game import Game
from arena.errors import ConfigError
from arena.llm.words import said
from arena.shipped import PACKAGE

_FOR_PROGRAMMERS = re.compile(
    r"\*\*(?:Sources|`determinize`|Randomness|Invariants|Positions|Encoding|Actions"
    r"|出典|乱数|いつでも成り立つこと|符号化|行動|手の表し方)"
)
"""How a paragraph begins that says where rules come from, or how programs number, sample or check: no player needs it."""
_LEAD = re.compile(r"\*\*\S")
_HEADING = re.compile(r"(#+) (.*)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_NUMBER = re.compile(r"[\d.]+")
_IN_HEAD = re.compile(r"\| `(?:game|options|seats|rng)` \|")
_DOCS = {"en": PACKAGE / "docs" / "notation.md", "ja": Path(__file__).parent / "notation.ja.md"}


def rules(game: Game, language: str = LANGUAGES[0]) -> str:
    """The rules in Markdown, without the paragraphs for programmers; English where the game has none in that language.

    Raises ConfigError for a game without rules to read.
    """
    return _rules(game.folder, language)


def section(game: Game, number: str, language: str = LANGUAGES[0]) -> str:
    """The section of the rules with that number, such as "5.2". Raises ConfigError that names those that there are."""
    found = sections(rules(game, language))
    if number not in found:
        raise ConfigError(f"section: {game.name} has no section {number!r} of its rules; there are: {', '.join(found)}")
    return found[number]


def sections(text: str) -> dict[str, str]:
    r"""Number and text of each section of a page of rules, with its heading.

    >>> sections("# Naga\n## 2.1 Cards\nforty\n## 2.2 Course\n")
    {'2.1': '## 2.1 Cards\nforty', '2.2': '## 2.2 Course'}
    """
    found: dict[str, str] = {}
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if part.startswith("## ") and (number := _NUMBER.match(part.removeprefix("## "))):
            found[number[0].rstrip(".")] = part.rstrip()
    return found


def section_titles(text: str) -> list[str]:
    r"""The headings of the sections of a page of rules.

    >>> section_titles("# Naga\n## 2.1 Cards\nforty\n## 2.2 Course\n")
    ['2.1 Cards', '2.2 Course']
    """
    return [part.partition("\n")[0].removeprefix("## ") for part in sections(text).values()]


def notation(game: Game, language: str = LANGUAGES[0]) -> str:
    """How cards, actions, positions and events of a game are written; empty for a game that the notation page does not name."""
    page = _page(language)
    title = re.search(rf"^\*\*(.+)\*\* \(`{re.escape(game.name)}`\)$", page, re.MULTILINE)
    if title is None:
        return ""
    name = title[1]
    cards, actions, positions, masked = (_chapter(page, number) for number in range(4))
    own_actions = actions[actions.index(title[0]) + len(title[0]) :]
    own = re.search(rf"^### {re.escape(name)}$\n(.*?)(?=^### |\Z)", positions, re.MULTILINE | re.DOTALL)
    common = [line for line in _table(positions.partition("\n### ")[0]) if not _IN_HEAD.match(line)]
    hidden, events = ([row for row in _table(part) if _is_of(row, name)] for part in _tables(masked))
    parts = [
        said("cards", language), *(_cells(row) for row in _table(cards) if _is_of(row, name)),
        said("actions", language), re.split(r"^\*\*", own_actions, flags=re.MULTILINE)[0].strip(),
        said("positions", language), "\n".join(common), own[1].strip() if own else "",
        *([said("masked", language), *(_cells(row) for row in hidden)] if hidden else []),
        *([said("events", language), *(_cells(row) for row in events)] if events else []),
    ]  # fmt: skip
    return _LINK.sub(r"\1", "\n\n".join(part for part in parts if part))


@cache
def _rules(folder: Path, language: str) -> str:
    path = folder / ("RULES.md" if language == LANGUAGES[0] else f"RULES.{language}.md")
    if not path.is_file():
        path = folder / "RULES.md"
    if not path.is_file():
        raise ConfigError(f"{folder.name}: there is no RULES.md in {folder}")
    return _LINK.sub(r"\1", re.sub(r"\n{3,}", "\n\n", "\n".join(_for_players(path.read_text("utf-8"))))).strip()


def _for_players(text: str) -> Iterator[str]:
    """The lines without those for programmers, each of which reaches to the next heading or the next lead in bold."""
    is_kept, before = True, ""
    for line in text.splitlines():
        if _HEADING.match(line):
            is_kept = True
        elif not before.strip() and _LEAD.match(line):
            is_kept = not _FOR_PROGRAMMERS.match(line)
        if is_kept:
            yield line
        before = line


@cache
def _page(language: str) -> str:
    return _DOCS[language].read_text("utf-8")


def _chapter(page: str, number: int) -> str:
    """A chapter of the notation page: 0 cards, 1 actions, 2 positions, 3 masked positions and events."""
    return re.split(r"^## .*$\n", page, flags=re.MULTILINE)[number + 1]


def _table(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def _tables(text: str) -> list[str]:
    """The tables of a text, each by itself."""
    return [part for part in text.split("\n\n") if part.lstrip().startswith("|")]


def _is_of(row: str, name: str) -> bool:
    """Whether the first cell of a row names the game, perhaps among others."""
    return name in re.split(r", |、", row.split("|")[1].strip())


def _cells(row: str) -> str:
    """The cells of a row behind the first, as a line."""
    return " | ".join(cell.strip() for cell in row.strip().strip("|").split(" | ")[1:] if cell.strip())
