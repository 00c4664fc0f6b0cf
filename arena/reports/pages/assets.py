"""The style sheets and scripts of the pages: those that all tables share, and those that a game draws its table with."""

import re
from pathlib import Path

from arena import games
from arena.errors import ConfigError, nearest

FILES = Path(__file__).parent / "files"
PARTS = ("french",)
"""What several games draw their tables with: `french` is French-suited cards, french.css and french.js."""
_PLAYER = (
    "kit.css", "player.css", "kit.js", "motion.js", "fitting.js", "facts.js", "round_result.js", "frames.js", "curve.js",
    "luck_curve.js", "choices.js", "player.js", "player_panels.js",
)  # fmt: skip
_CHOOSING = (
    "kit.css", "player.css", "choosing.css", "kit.js", "motion.js", "facts.js", "round_result.js", "curve.js",
    "dragging.js", "action_list.js", "choosing.js",
)  # fmt: skip
_USES = re.compile(r"^// uses: *(\S.*?) *$", re.MULTILINE)


def table_files(*names: str) -> list[Path]:
    """The files that the tables of some games need beside the kit, in the order to load them, each once.

    Of each game its own `table.css` and `table.js`, and before them the parts that its `table.js` asks for by a line such as
    `// uses: french`; nothing for a game that draws no table. Raises ConfigError for a part that there is not, naming the file.
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
