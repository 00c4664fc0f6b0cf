"""The style sheets and scripts of the pages: those that all tables share, and those that a room draws its table with."""

from pathlib import Path

from arena import games

FILES = Path(__file__).parent / "files"


def table_files(game: str) -> list[Path]:
    """The `table.css` and `table.js` of a room; empty for a room that draws no table."""
    folder = games.load(game).folder / "page"
    return [path for name in ("table.css", "table.js") if (path := folder / name).exists()]
