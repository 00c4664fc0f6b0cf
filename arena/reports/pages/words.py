"""The words of the pages. A catalogue is one file with all its words in each language.

Those that pages share lie in `words/`; that of a game that draws its table is its `page/words.json`.
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from arena import games
from arena.ratings.settings import OVERALL
from arena.records import Ending
from arena.reports.manual import game_titles
from arena.reports.table import LANGUAGES, Phrase, Text, said, shown
from arena.tournament.formats.plan import POOL_OF_MODELS

PAGE = "page"
"""The name of the catalogue that all pages share."""

PLAYER = "player"
"""The name of the catalogue of the replay player."""

LIVE = "live"
"""The name of the catalogue of the tables that people play at."""

NOTES = "notes"
"""The name of the catalogue of the panel that shows what a bot noted, for who may read it."""

REPORT = "report"
"""The name of the catalogue of what the report and the page of a tournament say of results."""

HOME, MY_PLAY, ACCOUNTS, SUBMITTING = "home", "my_play", "accounts", "submitting"
"""Catalogues that only pages of the server use: its front page, what a person has played, accounts, submitting."""
CONTEST, ASKING = "contest", "asking"
"""Two more of them: contests, and matches that are asked for."""
SERVER = (PAGE, REPORT, HOME, MY_PLAY, ACCOUNTS, SUBMITTING, CONTEST, ASKING)
"""The catalogues of the server's pages; no two share a key."""

_SHARED = {PLAYER, LIVE, NOTES, *SERVER}
_POOL = "pool_"
_BRACKETS = re.compile(r"\s*[(（].*")
_FOLDER = Path(__file__).parent / "words"


@cache
def catalogue(name: str) -> dict[str, dict[str, str]]:
    """Language, key, text, with `{name}` where a value goes. `name`: one of those above, or a game (which may have none)."""
    file = _FOLDER / f"{name}.json" if name in _SHARED else games.load(name).folder / "page" / "words.json"
    texts = msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]]) if file.exists() else {}
    return {language: own | _pool_names(own, language) for language, own in texts.items()} if name == PAGE else texts


def _pool_names(texts: Mapping[str, str], language: str) -> dict[str, str]:
    """Rating pools as readers know them: those that are called as a game have its title, without what stands in brackets."""
    found = {name: game_titles(name) for name in games.names()}
    names = {name: _BRACKETS.sub("", titles.get(language, titles[LANGUAGES[0]])) for name, titles in found.items()}
    models = {f"{POOL_OF_MODELS}{name}": filled(texts["with_models"], {"pool": title}) for name, title in names.items()}
    return {f"{_POOL}{name}": title for name, title in (names | models).items()} | {f"{_POOL}{OVERALL}": texts["all_games"]}


@cache
def server_words(language: str) -> dict[str, str]:
    """Key and text of all words of the server's pages in a language."""
    return {key: text for name in SERVER for key, text in catalogue(name)[language].items()}


class Words:
    """The texts of the pages in one language: `word(key, name=value, ...)`; English where a text is missing."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.known = server_words(LANGUAGES[0]) | server_words(language)
        """Key and text."""

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with the values in place; that of `KEY_one` where `n` is 1 and there is one."""
        one = f"{key}_one"
        return filled(self.known.get(one if str(values.get("n")) == "1" and one in self.known else key, key), values)

    def __contains__(self, key: str) -> bool:
        return key in self.known

    def pool(self, name: str) -> str:
        """The name of a rating pool, as readers know it: the title of its game, or its label."""
        return self.known.get(f"{_POOL}{name}") or shown(name)

    def ending(self, name: str) -> str:
        """How a match ended for a seat: the name of an ending, in words."""
        return self(f"ending_{name}")

    def of(self, text: Text) -> str:
        """A text that knows both languages itself, such as the title of a column."""
        return said(text, self.language)


def language_of_locale() -> str:
    """The language that the user's locale names, such as `ja`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if text := os.environ.get(name, ""):
            return text.partition("_")[0].partition(".")[0].lower()
    return "en"


def ended(ending: Ending) -> Phrase:
    """How a match ended for a seat, in words."""
    return Phrase(*(catalogue(PAGE)[language][f"ending_{ending}"] for language in LANGUAGES))


def words_script(names: Iterable[str]) -> str:
    """The words of some catalogues, as a script that the kit's comes before. It is safe within an HTML page."""
    found = msgspec.json.encode({name: words for name in names if (words := catalogue(name))}).replace(b"<", b"\\u003c")
    return f'"use strict";\nObject.assign(arena.words, {found.decode()});\n'


def filled(text: str, values: Mapping[str, object]) -> str:
    """A text with its values in place; a `{name}` without a value stays as it is.

    >>> filled("{n} of {all}", {"n": 3})
    '3 of {all}'
    """
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), text)
