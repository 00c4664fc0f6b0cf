"""Command bots for tests: bots of the kits, ready to play, and hostile ones."""

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from arena.agent.kits import kit
from helpers.paths import BAD_BOTS

HOSTILE = BAD_BOTS / "command"
SHORT_MATCHES: dict[str, dict[str, Any]] = {"nertz": {"max_rounds": 1, "tick_limit": 24}, "yaniv": {"max_rounds": 2}}
"""Options of games that are long by default, so that a match of any bot ends soon."""
TOOLS = {
    "c": ("cc",),
    "cpp": ("g++",),
    "go": ("go",),
    "java": ("javac", "java"),
    "node": ("node",),
    "python-command": ("python3",),
    "rust": ("rustc",),
    "ts": ("tsc", "node"),
}
"""What the kit of each language needs on the machine."""
PLAIN = "python-command"
"""The language that every machine of ours has."""
PLAY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] != "end":
        print(json.dumps({"id": asked["id"], **({"ok": True} if asked["type"] == "start" else {"action": 0})}), flush=True)
"""
"""A program that plays the first legal action, as the source of bots that are built in tests."""


def lacks(language: str) -> str:
    """The tools of a kit that are missing here, as the reason of a test that is skipped; empty: none."""
    return ", ".join(f"no {tool} on the PATH" for tool in TOOLS[language] if shutil.which(tool) is None)


def kit_name(language: str) -> str:
    return f"kit_{language}"


def written_kit(language: str, folder: Path) -> Path:
    """The bot of a kit as `arena new` writes it."""
    bot = folder / kit_name(language)
    for path, text in kit(language, bot.name, None).items():
        (bot / path).parent.mkdir(parents=True, exist_ok=True)
        (bot / path).write_text(text, "utf-8")
    return bot


def built_kit(language: str, folder: Path) -> Path:
    """The bot of a kit, built by the line in its bot.toml; what it makes is then all that plays."""
    bot = written_kit(language, folder)
    path = bot / "bot.toml"
    settings = tomllib.loads(path.read_text("utf-8"))
    if "build" in settings:
        table = settings.pop("build")
        subprocess.run(table["command"], cwd=bot, check=True, capture_output=True)
        settings["files"] = [
            str(made.relative_to(bot)) for name in table["makes"] for made in sorted([bot / name, *(bot / name).rglob("*")])
            if made.is_file()
        ]  # fmt: skip
        path.write_text("".join(f"{key} = {value!r}\n" for key, value in settings.items()))
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
