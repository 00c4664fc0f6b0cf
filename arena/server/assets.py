"""The files that pages load: styles, scripts and words. All are read once; nothing else is ever served as a file.

An address holds the hash of the content, so a browser may keep the file for ever, and gets a new one as soon as it changes.
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from arena import games
from arena.reports.pages.assets import FILES, table_files
from arena.reports.pages.words import LIVE, NOTES, PAGE, PLAYER, catalogue

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""The kinds of files that are served; a file of any other kind is left alone."""
_DIGITS = 16


@dataclass(frozen=True)
class Asset:
    """One file."""

    content: bytes
    media_type: str

    @cached_property
    def hash(self) -> str:
        """The hash of the content, as the address has it."""
        return hashlib.sha256(self.content).hexdigest()[:_DIGITS]

    @cached_property
    def zipped(self) -> bytes:
        """The content compressed by gzip."""
        return gzip.compress(self.content, 9, mtime=0)


class Assets:
    """All files by name: `kit.js`, `live.js`, `naga/table.css`, and `words/page.js` and `words/naga.js` with the words."""

    def __init__(self) -> None:
        self._files: dict[str, Asset] = {}
        for folder in (FILES, STATIC):
            for path in sorted(folder.rglob("*")):
                self._add(path.relative_to(folder).as_posix(), path)
        for game in games.names():
            for path in table_files(game):
                if path.parent != FILES:
                    self._add(table_name(game, path), path)
        for name in (PAGE, PLAYER, LIVE, NOTES, *games.names()):
            if words := catalogue(name):
                self._files[f"words/{name}.js"] = Asset(_script(name, words), MEDIA_TYPES[".js"])

    def url(self, name: str) -> str:
        """The address of a file."""
        return f"/static/{self._files[name].hash}/{name}"

    def names(self) -> list[str]:
        """The names of all files."""
        return sorted(self._files)

    def find(self, digest: str, name: str) -> Asset | None:
        """The file with this name and hash; None if there is none."""
        asset = self._files.get(name)
        return asset if asset is not None and asset.hash == digest else None

    def _add(self, name: str, path: Path) -> None:
        media_type = MEDIA_TYPES.get(path.suffix)
        if media_type is None or not path.is_file():
            return
        assert name not in self._files, f"two files are called {name}"
        self._files[name] = Asset(path.read_bytes(), media_type)


def table_name(game: str, path: Path) -> str:
    """Return what a file that a table needs is called: a shared part by its own name, a file of the game after its game."""
    return path.name if path.parent == FILES else f"{game}/{path.name}"


def _script(name: str, words: dict[str, dict[str, str]]) -> bytes:
    """The words of a catalogue as the script that the kit expects."""
    return b'"use strict";\narena.words[' + msgspec.json.encode(name) + b"] = " + msgspec.json.encode(words) + b";\n"
