"""Whatever files and options a command meets, it ends with a result or one message: no traceback, no hang, exit code 0 to 3."""

import contextlib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from arena import games
from arena.agent import BotFiles, read_bot
from arena.agent.loading import house_bots
from arena.agent.submissions import Submissions
from arena.audit.capsule import first_fault, pack, setup_of
from arena.cli.commands import VERBS
from arena.cli.main import main
from arena.cli.shared.exit_codes import OPEN, USER_ERROR
from arena.games import load
from arena.results import parquet
from arena.results.manifest import MANIFEST_FILE, read_manifest, stored_clock, stored_limits
from arena.tournament.archive.finding import locate_match
from arena.tournament.config import check_config
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from helpers.commands import parameters
from helpers.mutations import NASTY, damaged, mutated

HANG_SECONDS = 60
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
BROKEN = b"from arena.agent import Agent\n\n\nclass Broken(Agent):\n    def act(self, view):\n        return 'fly away'\n"
BOT_TOML = b'[bot]\nname = "other"\ncommand = ["./other", "--fast"]\ngames = ["naga"]\nfiles = ["other"]\n'
PLAYING = ("tournament", "ladder", "compare", "tune")  # they are given configs that are refused: who plays takes too long
LEFT_OUT = ("bench", "warmup", "play", "doctor", "init", "mcp", "dev")  # no input, or of a person or program that stays
SHOWING = "--browser"


class Base(msgspec.Struct, frozen=True):
    """What inputs are made from: a results folder that was really played, and what was taken from it."""

    folder: Path
    match_id: str
    capsule: bytes
    trace: bytes


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    folder = tmp_path_factory.mktemp("base")
    results = folder / RESULTS
    (folder / "broken.py").write_bytes(BROKEN)
    run_tournament(check_config(CONFIG, folder, results), Settings(out=results, backend=LOCAL, workers=1))
    files = read_bot(house_bots()["naga_greedy"])
    Submissions(results).submit("alice", BotFiles("alice.py", {"alice.py": files.files[files.main]}), ("naga",))
    fault = parquet.read_faults(results / NAME)[0]
    where, record, key = locate_match(results, fault.match_id)
    manifest = read_manifest(where)
    setup, limits = setup_of(record, key, stored_clock(manifest, where)), stored_limits(manifest, where)
    capsule = pack(load("naga"), record, setup, NAME, fault.seat, first_fault(record, fault.seat), limits=limits)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert main(["trace", "naga", "--seed", "1", "--matches", "1"]) == 0
    return Base(folder, record.match_id, msgspec.json.encode(capsule), said.getvalue().encode())


def config(draw: st.DrawFn, base: Base) -> list[str]:
    Path("broken.py").write_bytes(BROKEN)
    write(draw, "cup.yaml", CONFIG)
    return ["plan", "cup.yaml", "--workers", "1"]


def cases(draw: st.DrawFn, base: Base) -> list[str]:
    lines = vectors(draw(st.sampled_from(games.names())))
    chosen = draw(st.lists(st.sampled_from(lines), min_size=1, max_size=3))
    Path("cases.jsonl").write_bytes(b"\n".join(line_of(draw, line) for line in chosen))
    return ["verify", "cases.jsonl"]


def trace(draw: st.DrawFn, base: Base) -> list[str]:
    lines = base.trace.splitlines()
    place = draw(st.integers(0, len(lines) - 1))
    lines[place] = line_of(draw, lines[place])
    Path("trace.jsonl").write_bytes(b"\n".join(lines))
    return ["verify", "trace.jsonl"]


def capsule(draw: st.DrawFn, base: Base) -> list[str]:
    write(draw, "capsule.json", json.loads(base.capsule))
    run = ["--run", "--bot", "house:random_bot", "--unsafe-trust-bots"]
    return ["capsule", "capsule.json", *draw(st.sampled_from([*[[]] * 4, run]))]


def bot_toml(draw: st.DrawFn, base: Base) -> list[str]:
    Path("other").mkdir()
    Path("other/bot.toml").write_bytes(draw(damaged(BOT_TOML)))
    return ["match", "naga", "other", "house:random_bot", "--seed", "1"]


def submission(draw: st.DrawFn, base: Base) -> list[str]:
    path = draw(st.sampled_from([path for path in copied(base) if "submissions" in path.parts]))
    path.write_bytes(draw(damaged(path.read_bytes())))
    words = draw(st.sampled_from([
        ["bots"], ["match", "naga", "submitted:alice", "house:random_bot"], ["withdraw", "alice"], ["rename", "alice", "bob"],
    ]))  # fmt: skip
    return [*words, "--out", RESULTS]


def foreign_folder(draw: st.DrawFn, base: Base) -> list[str]:
    files = [path for path in copied(base) if NAME in path.parts]
    path = draw(st.sampled_from(files))
    kind = draw(st.sampled_from(["damage"] * 6 + ["lose", "confuse"]))
    if path.name == MANIFEST_FILE and draw(st.integers(0, 4)):
        path.write_text(json.dumps(draw(mutated(json.loads(path.read_bytes()), most=3))))
    elif kind == "lose":
        path.unlink()
    elif kind == "confuse":
        path.write_bytes(draw(st.sampled_from(files)).read_bytes())
    else:
        path.write_bytes(draw(damaged(path.read_bytes())))
    match = base.match_id
    words = draw(st.sampled_from([
        ["leaderboard", NAME], ["leaderboard", NAME, "--format", "csv"], ["leaderboard", NAME, "--head-to-head"],
        ["leaderboard", NAME, "--explain", "broken"], ["leaderboard", NAME, "--history", "greedy"], ["status", NAME],
        ["rerate", NAME], ["replay", match], ["replay", match, "--trace"], ["capsule", match, "0", "--decision", "0"],
        ["report", NAME], ["verify-results", NAME, "--workers", "1"], ["archive", "--add", NAME], ["bots"],
        ["export", NAME, "--to", "data", "--action-features", "--workers", "1"],
    ]))  # fmt: skip
    return [*words, "--out", RESULTS]


def options(draw: st.DrawFn, base: Base) -> list[str]:
    verb = draw(st.sampled_from([verb for verb in VERBS if verb not in LEFT_OUT]))
    copied(base)
    Path("folder").mkdir()
    Path("cup.yaml").write_bytes(b"name: cup\ngames: []\n" if verb in PLAYING else json.dumps(CONFIG).encode())
    Path("cup.json").write_bytes(base.capsule)
    Path("broken.py").write_bytes(BROKEN)
    words = [verb]
    for parameter in parameters(verb):
        if parameter.param_type_name == "argument":
            words += [word(draw, parameter, base) for _ in range(draw(st.sampled_from((1, 1, 1, 1, 0, 2))))]
        elif SHOWING not in parameter.opts and draw(st.integers(0, 2)) == 2:
            words.append(draw(st.sampled_from(parameter.opts)))
            if not parameter.is_flag and draw(st.integers(0, 19)) < 19:
                words.append(word(draw, parameter, base))
    return [*words, "--port", "none"] if verb == "serve" else words  # a server that is opened would not end


def word(draw: st.DrawFn, parameter: Any, base: Base) -> str:
    """A word for an argument or an option: what might be meant, or what nobody means."""
    if draw(st.integers(0, 9)) > 6:
        return str(draw(st.sampled_from(NASTY))).replace("\0", "")[:2000]  # no command line can hold a zero
    likely = [
        NAME, "naga", "yaniv", "0", "1", "2", "-1", "3", "house:random_bot", "house:naga_greedy", "submitted:alice",
        "broken.py", base.match_id, base.match_id[:6], "json", "csv", "md", "table", "x=1", "series=games:1", "overall",
        "broken", "cup.yaml", "missing", "folder", "cup.json", RESULTS,
    ]  # fmt: skip
    return RESULTS if "--out" in parameter.opts and draw(st.integers(0, 4)) < 4 else draw(st.sampled_from(likely))


@cache
def vectors(game: str) -> list[bytes]:
    return (games.load(game).folder / "vectors.jsonl").read_bytes().splitlines()


def line_of(draw: st.DrawFn, line: bytes) -> bytes:
    return draw(st.one_of(damaged(line), mutated(json.loads(line), most=3).map(lambda found: json.dumps(found).encode())))


def write(draw: st.DrawFn, name: str, document: Any) -> None:
    """Write a document with a change in what it says, or in its bytes; JSON is YAML."""
    Path(name).write_bytes(
        json.dumps(draw(mutated(document, most=3))).encode()
        if draw(st.integers(0, 9)) < 7
        else draw(damaged(json.dumps(document, indent=1).encode()))
    )


def copied(base: Base) -> list[Path]:
    """A copy of the results in the current folder; its files."""
    shutil.copytree(base.folder / RESULTS, RESULTS)
    return sorted(path for path in Path(RESULTS).rglob("*") if path.is_file())


INPUTS: tuple[Callable[[st.DrawFn, Base], list[str]], ...] = (
    config, cases, trace, capsule, bot_toml, submission, foreign_folder, options,
)  # fmt: skip
"""Each writes the files of an input into the current folder, which is empty, and returns its command line."""


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """An empty current folder, and a clock that ends what hangs."""

    def hangs(*_: object) -> None:
        raise AssertionError(f"hangs: {HANG_SECONDS} s")

    before, heard = Path.cwd(), signal.signal(signal.SIGALRM, hangs)
    folder.mkdir()
    os.chdir(folder)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, heard)
        os.chdir(before)
        shutil.rmtree(folder)


def check(words: list[str], patch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    note(f"arena {' '.join(words)}")
    patch.setattr(sys, "stdin", io.StringIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    said = out.getvalue() + err.getvalue()
    note(said[-600:])
    assert 0 <= code <= OPEN
    assert "Traceback (most recent call last)" not in said
    assert code != USER_ERROR or err.getvalue().strip(), "refused without a message"
    assert said.replace("\n", "").isprintable()


def try_inputs(
    kind: Callable[[st.DrawFn, Base], list[str]], base: Base, folder: Path, patch: pytest.MonkeyPatch, examples: int, **how: Any
) -> None:  # fmt: skip
    patch.setenv("COLUMNS", "100")

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **how)
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        with inside(folder / "input"):
            check(kind(data.draw, base), patch)

    tried()


@pytest.mark.parametrize("kind", INPUTS, ids=lambda kind: kind.__name__)
def test_a_damaged_input_is_taken_or_refused(
    kind: Callable[[st.DrawFn, Base], list[str]], base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_inputs(kind, base, tmp_path, monkeypatch, 20, derandomize=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", INPUTS, ids=lambda kind: kind.__name__)
def test_many_damaged_inputs_are_taken_or_refused(
    kind: Callable[[st.DrawFn, Base], list[str]], base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others each time; what fails is printed as it is made again."""
    try_inputs(kind, base, tmp_path, monkeypatch, 250)
