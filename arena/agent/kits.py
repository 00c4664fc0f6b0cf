"""Kits for other languages: complete command bots that `arena new --language` copies (`bots/kits/`)."""

import re
from pathlib import Path

from arena.agent.command_bot import FILE
from arena.engine.game import Game
from arena.errors import ConfigError
from arena.shipped import house_folder

TRANSCRIPTS = "transcripts"
"""The folder beside the kits that each of them gets: what the hall sends in a match, and what plays it."""
NAME_LINE = 'name = "my_bot"\n'
"""The line of each kit's bot.toml in which the name of the new bot goes."""
GAMES_LINE = re.compile(r"^# games = .*\n", re.MULTILINE)
"""The line in which its game goes, if it plays one alone."""
_TRANSCRIPT = ".jsonl"


def languages() -> list[str]:
    """The languages that have a kit, in alphabetical order."""
    return sorted(folder.name for folder in _folder().iterdir() if (folder / FILE).is_file())


def kit(language: str, name: str, game: Game | None) -> dict[str, str]:
    """The files of a bot in a language, by their paths in its folder.

    `game`: the one game that it plays; None: all games. Raises ConfigError for a language without a kit.
    """
    if language not in languages():
        raise ConfigError(f"--language {language}: no kit for it; there are {', '.join(languages())}")
    files = _texts(_folder() / language)
    for path, text in _texts(_folder() / TRANSCRIPTS).items():
        if game is None or path in (f"{game.name}{_TRANSCRIPT}", "check.py"):
            files[f"{TRANSCRIPTS}/{path}"] = text
    settings = files[FILE].replace(NAME_LINE, f'name = "{name}"\n')
    files[FILE] = settings if game is None else GAMES_LINE.sub(f'games = ["{game.name}"]\n', settings)
    return files


def _folder() -> Path:
    return house_folder("bots") / "kits"


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.is_file()}
