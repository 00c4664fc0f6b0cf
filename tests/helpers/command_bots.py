"""Command bots for tests: bots of the examples, ready to play, and hostile ones."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from helpers.paths import BAD_BOTS, EXAMPLES

HOSTILE = BAD_BOTS / "command"
SHORT_MATCHES: dict[str, dict[str, Any]] = {"nertz": {"max_rounds": 1, "tick_limit": 24}, "yaniv": {"max_rounds": 2}}
"""Options of games that are long by default, so that a match of any bot ends soon."""
TOOLS = {"c": "cc", "node": "node", "plain_python": "python3"}
"""What each example needs on the machine."""


def has_tool(example: str) -> bool:
    return shutil.which(TOOLS[example]) is not None


def example(name: str, folder: Path) -> Path:
    """A bot of the examples in a folder of its own, built as its first lines say."""
    bot = folder / name
    shutil.copytree(EXAMPLES / name, bot)
    if name == "c":
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "bot", "bot.c"], cwd=bot, check=True)
    return bot


def hostile(attack: Path, folder: Path) -> Path:
    """An attack as a command bot."""
    bot = folder / attack.stem
    bot.mkdir()
    command = ["python3", "-S", "main.py", attack.stem] if attack.suffix == ".py" else ["node", "main.js", attack.name]
    (bot / "bot.toml").write_text(f'name = "{attack.stem}"\ncommand = {command!r}\n')
    for file in (attack, *HOSTILE.glob("main.*"), HOSTILE / "attempts.py", HOSTILE / "hides_memory.py"):
        shutil.copy(file, bot / file.name)
    return bot


def is_attack(path: Path) -> bool:
    return path.stem not in ("main", "attempts")
