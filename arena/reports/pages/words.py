"""The words of the pages in each language: one catalogue for all pages, and one in each room that draws its table.

The style sheets and scripts of the pages: those that all tables share, and those that a room draws its table with.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from arena import games
from arena.errors import ConfigError, nearest
from arena.reports.table import LANGUAGES, Text, said

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

ACCOUNTS, SUBMITTING, CONTEST, ASKING = "accounts", "submitting", "contest", "asking"
"""The names of catalogues that only pages of the hall use: accounts, submitting, contests, matches that are asked for."""
HALL = (PAGE, REPORT, ACCOUNTS, SUBMITTING, CONTEST, ASKING)
"""The catalogues of the hall's pages; no two share a key."""

_SHARED = {PAGE: "{}.json"} | {name: f"{name}.{{}}.json" for name in (PLAYER, LIVE, NOTES, *HALL[1:])}
_FOLDER = Path(__file__).parent / "words"


@cache
def catalogue(name: str) -> dict[str, dict[str, str]]:
    """Language, key, text, with `{name}` where a value goes. `name`: one of those above, or a game (which may have none)."""
    if name in _SHARED:
        files = {language: _FOLDER / _SHARED[name].format(language) for language in LANGUAGES}
        return {language: json.loads(file.read_text("utf-8")) for language, file in files.items()}
    file = games.load(name).folder / "page" / "words.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


@cache
def hall_words(language: str) -> dict[str, str]:
    """Key and text of all words of the hall's pages in a language."""
    return {key: text for name in HALL for key, text in catalogue(name)[language].items()}


class Words:
    """The texts of the pages in one language: `word(key, name=value, ...)`; English where a text is missing."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.known = hall_words(LANGUAGES[0]) | hall_words(language)
        """Key and text."""

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with the values in place."""
        return filled(self.known.get(key, key), values)

    def __contains__(self, key: str) -> bool:
        return key in self.known

    def of(self, text: Text) -> str:
        """A text that knows both languages itself, such as the title of a column."""
        return said(text, self.language)


def words_script(names: Iterable[str]) -> str:
    """The words of some catalogues, as a script that the kit's comes before. It is safe within an HTML page."""
    found = json.dumps({name: words for name in names if (words := catalogue(name))}, ensure_ascii=False).replace(
        "<", "\\u003c"
    )
    return f'"use strict";\nObject.assign(arena.words, {found});\n'


def filled(text: str, values: Mapping[str, object]) -> str:
    """A text with its values in place; a `{name}` without a value stays as it is.

    >>> filled("{n} of {all}", {"n": 3})
    '3 of {all}'
    """
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), text)


FILES = Path(__file__).parent / "files"
PARTS = ("french",)
"""What several rooms draw their tables with: `french` is French-suited cards, french.css and french.js."""
_PLAYER = (
    "kit.css", "player.css", "kit.js", "motion.js", "frames.js", "curve.js", "luck_curve.js", "choices.js", "player.js",
    "player_panels.js",
)  # fmt: skip
_CHOOSING = (
    "kit.css", "player.css", "choosing.css", "kit.js", "motion.js", "curve.js", "dragging.js", "action_list.js", "choosing.js",
)  # fmt: skip
_USES = re.compile(r"^// uses: *(\S.*?) *$", re.MULTILINE)


def table_files(*names: str) -> list[Path]:
    """The files that the tables of some games need beside the kit, in the order to load them, each once.

    Of each room its own `table.css` and `table.js`, and before them the parts that its `table.js` asks for by a line such as
    `// uses: french`; nothing for a room that draws no table. Raises ConfigError for a part that there is not, naming the file.
    """
    return list(dict.fromkeys(path for game in names for path in _files_of(games.load(game).folder / "page")))


def player_files() -> list[Path]:
    """The style sheets and scripts of the replay player, in the order in which a page loads them; the kit comes first."""
    return [FILES / name for name in _PLAYER]


def choosing_files() -> list[Path]:
    """The style sheets and scripts of a table at which a person chooses, in the order in which a page loads them."""
    return [FILES / name for name in _CHOOSING]


def _files_of(folder: Path) -> list[Path]:
    script = folder / "table.js"
    wanted = _USES.findall(script.read_text("utf-8")) if script.exists() else []
    own = [path for name in ("table.css", "table.js") if (path := folder / name).exists()]
    return [FILES / f"{part}{suffix}" for part in wanted if _checked(part, script) for suffix in (".css", ".js")] + own


def _checked(part: str, script: Path) -> str:
    if part not in PARTS:
        raise ConfigError(f"{script}: uses {part!r}, which is no shared part; {nearest(part, PARTS)}")
    return part
