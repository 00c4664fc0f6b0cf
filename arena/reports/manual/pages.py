"""The pages that ship with arena: the documentation in `arena/docs/`, and the rules of every game."""

import re
from importlib.util import find_spec
from pathlib import Path

import msgspec

from arena import games
from arena.errors import ConfigError
from arena.shipped import PACKAGE

FOLDER = PACKAGE / "docs"
INDEX = "README"
"""The page that lists the others: under a heading in bold, a table of pages with what each is about."""
RULES = "RULES.md"

_HEADING = re.compile(r"\*\*(.+)\*\*")
_RULES_LINK = re.compile(r"\.\./games/(\w+)/RULES\.md")
_ROW = re.compile(r"\| \[[^\]]+\]\(([\w-]+)\.md\) \| (.+) \|")


class ManualPage(msgspec.Struct, frozen=True):
    """A page as it ships."""

    command: str
    """The command that shows the page, such as `arena docs views`."""
    file: str
    """The name of the page's file in the browser, without `.html`; no two pages have the same."""
    text: str
    """The page in Markdown."""


def docs_page(name: str) -> ManualPage:
    """A page of the documentation. Raises ConfigError for an unknown name."""
    known = docs_names()
    if name not in known:
        raise ConfigError(f'no page "{name}"; there are: {", ".join(known)}')
    return ManualPage(f"arena docs {name}", "index" if name == INDEX else name, _read(FOLDER / f"{name}.md"))


def docs_names() -> list[str]:
    """The names of all pages in the order of the index, which comes last."""
    return [name for group in index().values() for name in group] + [INDEX]


def index() -> dict[str, dict[str, str]]:
    """For each group of readers the names of the pages for them, and what each page is about."""
    groups: dict[str, dict[str, str]] = {}
    for line in _read(FOLDER / f"{INDEX}.md").splitlines():
        if heading := _HEADING.fullmatch(line):
            groups[heading[1]] = {}
        elif row := _ROW.fullmatch(line):
            groups[next(reversed(groups))][row[1]] = row[2]
    return groups


def rules_page(game: str) -> ManualPage:
    """The rules of a game as they are played here. Raises ConfigError for an unknown game, and for one without such a page."""
    path = _rules_path(game)
    if not path.is_file():
        raise ConfigError(f"{game}: there is no {RULES} in {path.parent}")
    return ManualPage(f"arena rules {game}", f"rules-{game}", _read(path))


def rules_texts(game: str) -> dict[str, str]:
    """The rules of a game in Markdown by language: English, then those with a `RULES.<language>.md`. Raises ConfigError."""
    translated = sorted(_rules_path(game).parent.glob("RULES.*.md"))
    return {"en": rules_page(game).text} | {path.name.split(".")[1]: _read(path) for path in translated}


def games_with_rules() -> dict[str, str]:
    """The title of each game's rules, by the game's name."""
    found = [name for name in games.names() if _rules_path(name).is_file()]
    return {name: rules_page(name).text.partition("\n")[0].lstrip("# ") for name in found}


def page_of_link(target: str) -> ManualPage | None:
    """The page that a link in a page of the documentation leads to; None if it leads elsewhere."""
    path = target.partition("#")[0]
    if found := _RULES_LINK.fullmatch(path):
        return rules_page(found[1])
    name = path.removesuffix(".md")
    return docs_page(name) if path.endswith(".md") and name in docs_names() else None


def _rules_path(game: str) -> Path:
    spec = find_spec(games.package(game))
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"{game}: its package {games.package(game)} cannot be found")
    return Path(spec.submodule_search_locations[0]) / RULES


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
