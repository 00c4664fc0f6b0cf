"""What is tried: an input is a command line, and the files that it meets in its working folder."""

import json
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import typer

from arena import games
from arena.cli.commands import VERBS
from arena.cli.fuzzing.mutations import NASTY, changed_bytes, changed_document
from arena.cli.main import command
from arena.store.manifest import MANIFEST_FILE

RESULTS, NAME = "results", "cup"
CONFIG: dict[str, Any] = {
    "name": NAME, "seed": 3, "deals": 1, "memory": "512MB", "rotations": "cyclic", "format": "round_robin",
    "games": [{"game": "naga", "seats": 2, "options": {"series": "games:1"}, "label": "short", "deals": 2}],
    "bots": [
        {"path": "house:random_bot", "trusted": True, "params": {"x": [1, {"y": None}]}, "games": ["naga"]},
        {"path": "house:naga_greedy", "trusted": True, "name": "greedy"},
        {"path": "broken.py", "trusted": True},
    ],
    "clock": {"move": "1s", "bank": "10s", "start": "10s"},
    "faults": {"policy": "forfeit", "max_faults": 3, "retire_after": 100},
    "ratings": {"mu": 25.0, "sigma": 8.0, "beta": 4.0, "tau": 0.1, "draw_probability": 0.1},
}  # fmt: skip
BROKEN = b"""
from arena.agent import Agent

class Broken(Agent):
    def act(self, view):
        return "fly away"
"""
_BOT_TOML = b"""
[bot]
name = "other"
command = ["./other", "--fast"]
games = ["naga"]
files = ["other"]
"""
_PLAYING = ("tournament", "ladder", "compare", "tune")  # they are given configs that are refused: who plays takes too long
_LEFT_OUT = ("bench", "warmup", "play", "doctor", "init")  # no input, or a person's
_SHOWING = "--browser"
_FILES = ("cup.yaml", "missing", "folder", "cup.json", RESULTS)


class Base(msgspec.Struct, frozen=True):
    """What inputs are made from: a results folder that was really played, and what was taken from it."""

    folder: str
    """Has the results folder, with one tournament and one submitted bot."""
    match_id: str
    capsule: bytes
    trace: bytes


class Input(msgspec.Struct, frozen=True):
    """One input."""

    kind: str
    words: list[str]


def make_input(base: Base, seed: str, number: int) -> Input:
    """Write the files of an input into the current folder, which is empty, and return its command line."""
    dice = Random(f"{seed}/{number}")
    kind = dice.choice(list(KINDS))
    return Input(kind, KINDS[kind](dice, base))


def _config(dice: Random, base: Base) -> list[str]:
    Path("broken.py").write_bytes(BROKEN)
    _write(dice, "cup.yaml", CONFIG)
    return ["plan", "cup.yaml", "--workers", "1"]


def _cases(dice: Random, base: Base) -> list[str]:
    lines = _vectors(dice.choice(games.names()))
    Path("cases.jsonl").write_bytes(b"\n".join(_line(dice, dice.choice(lines)) for _ in range(dice.randint(1, 3))))
    return ["verify", "cases.jsonl"]


def _trace(dice: Random, base: Base) -> list[str]:
    lines = base.trace.splitlines()
    place = dice.randrange(len(lines))
    Path("trace.jsonl").write_bytes(b"\n".join([*lines[:place], _line(dice, lines[place]), *lines[place + 1 :]]))
    return ["verify", "trace.jsonl"]


def _capsule(dice: Random, base: Base) -> list[str]:
    _write(dice, "capsule.json", json.loads(base.capsule))
    return ["capsule", "capsule.json", *dice.choice([[], ["--run", "--bot", "house:random_bot", "--unsafe-trust-bots"]])]


def _bot_toml(dice: Random, base: Base) -> list[str]:
    Path("other").mkdir()
    Path("other/bot.toml").write_bytes(changed_bytes(dice, _BOT_TOML))
    return ["match", "naga", "other", "house:random_bot", "--seed", "1"]


def _submission(dice: Random, base: Base) -> list[str]:
    files = _copied(base)
    store = [path for path in files if "submissions" in path.parts]
    path = dice.choice(store)
    path.write_bytes(changed_bytes(dice, path.read_bytes()))
    words = dice.choice([
        ["bots"], ["match", "naga", "submitted:alice", "house:random_bot"], ["withdraw", "alice"], ["rename", "alice", "bob"],
    ])  # fmt: skip
    return [*words, "--out", RESULTS]


def _folder(dice: Random, base: Base) -> list[str]:
    files = [path for path in _copied(base) if NAME in path.parts]
    path = dice.choice(files)
    if path.name == MANIFEST_FILE and dice.random() < 0.8:
        path.write_text(json.dumps(changed_document(dice, json.loads(path.read_bytes()))))
    elif dice.random() < 0.1:
        path.unlink()
    elif dice.random() < 0.1:
        path.write_bytes(dice.choice(files).read_bytes())
    else:
        path.write_bytes(changed_bytes(dice, path.read_bytes()))
    match = base.match_id
    words = dice.choice([
        ["leaderboard", NAME], ["leaderboard", NAME, "--format", "csv"], ["leaderboard", NAME, "--head-to-head"],
        ["leaderboard", NAME, "--explain", "broken"], ["leaderboard", NAME, "--history", "greedy"], ["status", NAME],
        ["rerate", NAME], ["replay", match], ["replay", match, "--trace"], ["capsule", match, "0", "--decision", "0"],
        ["report", NAME], ["verify-results", NAME, "--workers", "1"], ["hall", "--add", NAME], ["bots"],
    ])  # fmt: skip
    return [*words, "--out", RESULTS]


def _options(dice: Random, base: Base) -> list[str]:
    verb = dice.choice([verb for verb in VERBS if verb not in _LEFT_OUT])
    _copied(base)
    Path("folder").mkdir()
    Path("cup.yaml").write_bytes(b"name: cup\ngames: []\n" if verb in _PLAYING else json.dumps(CONFIG).encode())
    Path("cup.json").write_bytes(base.capsule)
    Path("broken.py").write_bytes(BROKEN)
    words = [verb]
    for parameter in _parameters(verb):
        if parameter.param_type_name == "argument":
            words += [_word(dice, parameter, base) for _ in range(dice.choice((0, 1, 1, 1, 1, 2)))]
        elif dice.random() < 0.3 and _SHOWING not in parameter.opts:
            words.append(dice.choice(parameter.opts))
            if not parameter.is_flag and dice.random() < 0.95:
                words.append(_word(dice, parameter, base))
    return words


def _word(dice: Random, parameter: Any, base: Base) -> str:
    """A word for an argument or an option: what might be meant, or what nobody means."""
    if dice.random() < 0.3:
        return _printable(dice.choice(NASTY))
    likely = [
        NAME, "naga", "yaniv", "0", "1", "2", "-1", "3", "house:random_bot", "house:naga_greedy", "submitted:alice",
        "broken.py", base.match_id, base.match_id[:6], "json", "csv", "md", "table", "x=1", "series=games:1", "overall",
        "broken", *_FILES,
    ]  # fmt: skip
    return RESULTS if "--out" in parameter.opts and dice.random() < 0.8 else dice.choice(likely)


def _printable(value: Any) -> str:
    return str(value).replace("\0", "")[:2000]  # no command line can hold a zero


@cache
def _parameters(verb: str) -> tuple[Any, ...]:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(command(verb))
    return tuple(parameter for parameter in typer.main.get_command(app).params if parameter.name != "help")


@cache
def _vectors(game: str) -> list[bytes]:
    return (games.load(game).folder / "vectors.jsonl").read_bytes().splitlines()


def _line(dice: Random, line: bytes) -> bytes:
    if dice.random() < 0.5:
        return changed_bytes(dice, line)
    return json.dumps(changed_document(dice, json.loads(line))).encode()


def _write(dice: Random, name: str, document: Any) -> None:
    """Write a document with a change in what it says, or in its bytes."""
    if dice.random() < 0.7:
        Path(name).write_text(json.dumps(changed_document(dice, document)))  # JSON is YAML
    else:
        Path(name).write_bytes(changed_bytes(dice, json.dumps(document, indent=1).encode()))


def _copied(base: Base) -> list[Path]:
    """A copy of the results in the current folder; its files."""
    shutil.copytree(Path(base.folder) / RESULTS, RESULTS)
    return sorted(path for path in Path(RESULTS).rglob("*") if path.is_file())


KINDS: Mapping[str, Callable[[Random, Base], list[str]]] = {
    "config": _config, "cases and positions": _cases, "trace": _trace, "capsule": _capsule, "bot.toml": _bot_toml,
    "submission": _submission, "foreign folder": _folder, "options": _options,
}  # fmt: skip
"""The kinds of inputs. Each writes its files and returns its command line."""
