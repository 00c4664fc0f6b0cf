"""The style sheets and scripts of the pages: those that all tables share, and those that a room draws its table with."""

from pathlib import Path

from arena import games

FILES = Path(__file__).parent / "files"
_PLAYER = (
    "kit.css", "player.css", "kit.js", "motion.js", "frames.js", "curve.js", "player.js", "player_panels.js",
)  # fmt: skip


def table_files(game: str) -> list[Path]:
    """The `table.css` and `table.js` of a room; empty for a room that draws no table."""
    folder = games.load(game).folder / "page"
    return [path for name in ("table.css", "table.js") if (path := folder / name).exists()]


def player_files() -> list[Path]:
    """The style sheets and scripts of the replay player, in the order in which a page loads them; the kit comes first."""
    return [FILES / name for name in _PLAYER]
