"""Command bots for tests: bots of the examples, ready to play, and hostile ones."""

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent.parent
EXAMPLES = HERE.parent / "bots" / "examples"
HOSTILE = HERE / "bad_bots" / "command"
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
