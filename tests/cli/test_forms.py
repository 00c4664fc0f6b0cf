"""Every command that prints data prints it as JSON, CSV and Markdown, too: all of them are read back here."""

import ast
import csv
import io
import itertools
import json
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.cli.bench.channels import Channel
from arena.cli.bench.engine import GameCost, PlaySpeed
from arena.cli.bench.env import AGENTS, LEDUC, MANY, SELF_PLAY, SPARROW, StepSpeed
from arena.cli.bench.match import MatchCost, SearchFixed
from arena.cli.bench.seats import SeatCost
from arena.cli.main import USER_ERROR, main
from arena.cli.measuring.backends import BackendCost
from arena.cli.measuring.commands import CommandCost
from arena.cli.measuring.scale import BARE, STUB, Load, Size, Start, Throughput
from arena.cli.measuring.search import SearchCost, SearchSpeed
from arena.cli.shared.printing import Format
from arena.engine.random_tables import variants
from arena.games import load
from arena.match.sandbox import Supervisor
from arena.ratings.models import BATCH_MODEL
from arena.reports.data import csv_text, json_text
from arena.results import parquet
from arena.tournament import bot_check
from helpers.commands import COMMANDS, options
from helpers.one_zygote import zygote_of
from helpers.paths import BAD_BOTS, HOUSE_BOTS, PACKAGE, TEST_BOTS
from helpers.tournaments import write_config

RANDOM, GREEDY = HOUSE_BOTS / "random_bot.py", HOUSE_BOTS / "naga_greedy.py"
FORMATTED = [name for name in COMMANDS if "--format" in options(name)]
Kept = pytest.MonkeyPatch

Checks = Callable[[Any], object]
"""Looks at a JSON document; what it returns must be true."""


@pytest.fixture(scope="module")
def kept(supervisor: Supervisor) -> Any:
    with pytest.MonkeyPatch.context() as patch, zygote_of(supervisor):
        yield patch


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, kept: Kept) -> Path:
    """A results folder with a finished tournament, a fault in it; all is played in this process, and a bot is checked once."""
    for name in ("doctor.examine", "doctor.examine_machine", "exploit.best_response", "train.train_game"):
        kept.setattr(f"arena.cli.verbs.{name}", worked_out_once(name))
    kept.setattr("arena.tournament.forecast.CALIBRATION_MATCHES", 2)
    kept.setattr(bot_check, "variants", lambda game, seats: variants(game, seats)[:1])
    kept.setattr("arena.tournament.bot_check.check_bot", checked_once)
    folder = tmp_path_factory.mktemp("results")
    bots = [TEST_BOTS / "counting_bot.py", TEST_BOTS / "set_bot.py", BAD_BOTS / "illegal.py"]
    write_config(folder, bots, deals=2, name="cup", seed=1)
    assert main(["tournament", *local(folder, "small.yaml")]) == 0
    write_config(folder, [RANDOM, GREEDY], deals=2, name="ladder", format="ladder", ladder={"matches": 4})
    (folder / "small.yaml").rename(folder / "ladder.yaml")
    write_config(folder, [RANDOM, GREEDY], deals=2, name="better", format="compare", candidates=["random_bot", "naga_greedy"])
    (folder / "small.yaml").rename(folder / "compare.yaml")
    tune = {"bot": "random_bot", "space": {"level": [0.0, 1.0]}, "candidates": 2, "generations": 1, "final": 2}
    write_config(folder, [RANDOM, GREEDY], deals=1, name="tuned", format="tune", tune=tune)
    (folder / "small.yaml").rename(folder / "tune.yaml")
    chain = yaml.safe_load((folder / "compare.yaml").read_text())
    del chain["candidates"]
    (folder / "chain.yaml").write_text(yaml.safe_dump({**chain, "chain": [{"bot": "random_bot"}, {"bot": "naga_greedy"}]}))
    write_config(folder, bots, deals=2, name="cup", seed=1)
    return folder


def worked_out_once(name: str) -> Callable[..., Any]:
    """What a command calls, the same each time: it answers the later calls as the first one."""
    module, _, function = name.rpartition(".")
    work, found = getattr(import_module(f"arena.cli.verbs.{module}"), function), list[Any]()

    def answer(*arguments: Any, **named: Any) -> Any:
        found[:] = found or [work(*arguments, **named)]
        return found[0]

    return answer


_check_bot = bot_check.check_bot


def checked_once(*arguments: Any, **named: Any) -> Any:
    return _checked(arguments[0], arguments[1].sha256, lambda: _check_bot(*arguments, **named))


_known: dict[Any, Any] = {}


def _checked(name: str, sha256: str, check: Callable[[], Any]) -> Any:
    if sha256 not in _known:
        _known[sha256] = check()
    return _known[sha256]


def local(folder: Path, config: str) -> list[str]:
    return [str(folder / config), "--backend", "local", "--workers", "1", "--out", str(folder)]


def places(answer: Any) -> bool:
    return [seat["place"] for seat in answer["seats"]] in ([1, 2], [2, 1], [1, 1])


def fault(folder: Path) -> list[str]:
    """Match and seat of a fault."""
    record = next(record for record in parquet.read_matches(folder / "cup") if any(s.fault_decision for s in record.seats))
    return [record.match_id, str(next(n for n, seat in enumerate(record.seats) if seat.fault_decision is not None))]


def bots_of(answer: Any) -> set[str]:
    return {rating["bot"] for rating in answer}


_numbers = itertools.count()


def submit_again(words: list[str]) -> None:
    """Have the bot there that a command takes away or renames, and a new name that is free."""
    Submissions(Path(words[-1])).submit(words[0], read_bot(RANDOM), ())
    if words[1].startswith("new"):
        words[1] = f"new{next(_numbers)}"


def write_names(out: Path) -> str:
    file = out / "names.txt"
    file.write_text("Aya\nBen  # a comment\n")
    return str(file)


BEFORE = {"withdraw": submit_again, "rename": submit_again}
"""What has to be done before each time that a command is called."""
INVITED = ["Aya", "Ben"]
CUP = {"counting_bot", "set_bot", "illegal"}
WORDS: dict[str, tuple[Callable[[Path], list[str]], Checks]] = {
    "check": (lambda _: [str(GREEDY), "--game", "naga"], lambda found: found["may_enter"] and found["games"]),
    "submit": (lambda out: [str(GREEDY), "--out", str(out)], lambda found: found["reference"] == "submitted:naga_greedy@1"),
    "withdraw": (lambda out: ["leaving", "--out", str(out)], lambda found: found["name"] == "leaving"),
    "rename": (lambda out: ["old", "new", "--out", str(out)], lambda found: found["version"] == 1),
    "bots": (lambda out: ["--out", str(out)], lambda found: isinstance(found, list)),
    "tune": (lambda out: local(out, "tune.yaml"), lambda found: len(found["rounds"]) == 1 and found["bot"] == "random_bot"),
    "train": (
        lambda out: [
            "nanatoridori", "--generations", "1", "--positions", "2000", "--deals", "2", "--workers", "1", "--seed", "3",
            "--out", str(out / "training"),
        ],
        lambda found: found["game"] == "nanatoridori" and len(found["generations"]) == 1,
    ),
    "exploit": (
        lambda out: [
            "random", "--game", "naga", "--training", "40", "--search", "0", "--deals", "10",
            "--to", str(out / "exploit.json"),
        ],
        lambda found: found["bot"] == "random" and found["responder"] == "network" and found["low"] <= found["gain"],
    ),
    "capsule": (
        lambda out: [*fault(out), "--run", "--bot", str(RANDOM), "--to", str(out / "c.json"), "--out", str(out)],
        lambda found: found["capsule"]["ending"] == "illegal" and found["rerun"]["reached"] and Path(found["file"]).exists(),
    ),
    "tournament": (lambda out: local(out, "small.yaml"), lambda found: bots_of(found) == CUP),
    "ladder": (lambda out: local(out, "ladder.yaml"), lambda found: bots_of(found) == {"random_bot", "naga_greedy"}),
    "compare": (lambda out: local(out, "compare.yaml"), lambda found: found["candidates"] == ["random_bot", "naga_greedy"]),
    "invite": (lambda out: [write_names(out), "--out", str(out)], lambda found: [one["name"] for one in found] == INVITED),
    "plan": (lambda out: [str(out / "small.yaml"), "--workers", "1"], lambda found: found["matches"] == 12),
    "status": (lambda out: ["cup", "--out", str(out)], lambda found: found[0]["state"] == "finished" and not found[0]["left"]),
    "leaderboard": (lambda out: ["cup", "--out", str(out)], lambda found: bots_of(found) == CUP),
    "luck": (lambda out: ["cup", "--out", str(out)], lambda found: {row["bot"] for row in found} == CUP),
    "rerate": (lambda out: ["cup", "--out", str(out)], lambda found: bots_of(found) == CUP),
    "archive": (lambda out: ["--out", str(out)], lambda found: "cup" in {part["tournament"] for part in found}),
    "verify-results": (lambda out: ["cup", "--out", str(out)], lambda found: found["verified"] and found["problems"] == []),
    "match": (lambda _: ["naga", str(GREEDY), str(RANDOM), "--seed", "4"], places),
    "verify": (
        lambda _: [str(load("naga").folder / "vectors.jsonl")], lambda found: found["passed"] and not found["problems"]
    ),
    "doctor": (lambda _: [], lambda found: {"name", "works"} < set(found["findings"][0])),
}  # fmt: skip
"""How each command is called, and what its JSON must hold; the topics of bench are below."""

NOT_ONE_TABLE = {"capsule"}
CODES = {"compare": {0, 1, 3}, "doctor": {0, 1}}


@pytest.mark.parametrize("name", WORDS)
def test_a_result_is_read_back(name: str, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, is_right = WORDS[name]
    read_back(name, words(out), is_right, capsys)


def read_back(name: str, words: list[str], is_right: Checks, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*form: str) -> str:
        BEFORE.get(name, lambda words: None)(words)
        assert main([*name.split(), *words, *form]) in CODES.get(name, {0}), capsys.readouterr().err
        return capsys.readouterr().out

    capsys.readouterr()
    document = json.loads(said("--format", "json"), parse_constant=pytest.fail)
    assert is_right(document)
    if name in NOT_ONE_TABLE or name in MANY_TABLES:
        assert main([*name.split(), *words, "--format", "csv"]) == USER_ERROR
        assert "is not one table; use --format json" in capsys.readouterr().err
    else:
        text = said("--format", "csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert text.splitlines()[0].split(",")[0] and all(None not in row and None not in row.values() for row in rows)
        if isinstance(document, list) and document and "model" in document[0] and "rank" in document[0]:
            assert rows and {row["model"] for row in rows} == {BATCH_MODEL}  # a board for spreadsheets is one table
        elif isinstance(document, list):
            assert len(rows) == len(document)
    assert said("--format", "md").strip() and said().strip()


def test_a_chain_is_read_back(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = local(out, "chain.yaml")
    read_back("compare", words, lambda found: [step["better"] for step in found] == ["naga_greedy"], capsys)
    read_back("plan", [words[0], "--workers", "1"], lambda found: [part["matches"] for part in found] == [4], capsys)


@pytest.mark.parametrize("look", [["--head-to-head"], ["--second-opinions"], ["--history", "set_bot"]])
def test_closer_looks_are_read_back(look: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_back(
        "leaderboard", ["cup", *look, "--out", str(out)], lambda found: {row["pool"] for row in found} == {"naga"}, capsys
    )


def test_an_explanation_is_not_one_table(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["leaderboard", "cup", "--explain", "illegal", "--out", str(out)]
    assert main([*words, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["bot"] == "illegal" and found["faults"]
    assert main([*words, "--format", "csv"]) == USER_ERROR


def test_a_refused_bot_is_data_too(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["check"], ["submit", "--out", str(out)]):
        assert main([*words, str(BAD_BOTS / "no_agent.py"), "--format", "json"]) == 1
        found = json.loads(capsys.readouterr().out)
        assert not found.get("submitted") and not found.get("check", found)["may_enter"]
        assert main([*words, str(BAD_BOTS / "no_agent.py"), "--format", "csv"]) == 1
        assert len(capsys.readouterr().out.splitlines()) == (1 if words == ["check"] else 2)


def test_problems_of_a_file_are_data_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (load("naga").folder / "vectors.jsonl").read_text().splitlines()
    case = json.loads(lines[0])
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps({**case, "winner": 1 - case["winner"]}) + "\n")
    assert main(["verify", str(file), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["failed"]) == (0, 1) and str(file) in found["problems"][0]
    assert main(["verify", str(file), "--format", "csv"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(found["problems"])


def test_watching_is_text_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "naga", str(GREEDY), str(RANDOM), "--watch", "--format", "json"]) == USER_ERROR
    assert "--watch prints text" in capsys.readouterr().err


THROUGHPUT = Throughput(
    play=STUB, backend=BARE, workers=1, matches=20, per_second=200.0, worker_cpu_ms=5.0, driver_cpu_us=0.0, efficiency=None,
    of_bare=1.0, of_bare_by_cpu=1.0,
)  # fmt: skip
LOAD = Load(
    backend="local", workers=64, offered=None, matches=400_000, per_second=30_000.0, driver_cpu_us=12.0, driver_share=0.4,
    start_mb=170.0, playing_mb=220.0,
)  # fmt: skip
SIZE = Size(
    matches=100, seconds=1.0, driver_cpu_us=80.0, start_mb=math.nan, playing_mb=math.nan, finish_mb=200.0, finish_s=0.5,
    finish_cpu_us=40.0, journal_mb=0.1, resume_s=0.3, resume_cpu_s=0.2, status_s=0.01,
)  # fmt: skip
MATCH = MatchCost(
    game="hisatsu", seats=3, held="trusted", bot="null", decisions=21.0, match_us=300.0, decision_us=None, fixed_us=None
)
SEAT = SeatCost("namespace", 1, 0.5, 80.0, 20.0, 30.0, 15.0, 60.0, 90.0, 9e4, 4e4, None)
BENCHES: dict[str, tuple[dict[str, Any], Checks]] = {
    "engine": (
        {
            "all_ready": lambda *_: ["naga"], "open_spiel_speeds": list,
            "game_speeds": lambda name: [PlaySpeed(name, 2, np.float64(1e6), 15.0)],
            "game_cost": lambda name: GameCost(name, 1.0, 300.0, 120, 30.0, 1.0),
        },
        lambda found: found["random_play"][0]["decisions_per_second"] == 1e6 and found["rooms"][0]["game"] == "naga",
    ),
    "env": (
        {
            "all_ready": lambda *_: ["naga"],
            "step_speeds": lambda *_: [
                StepSpeed(MANY, "naga", 2, np.float64(2e6), 40.0), StepSpeed(AGENTS, LEDUC, 2, 9e3),
                StepSpeed(MANY, SPARROW, 3, 5e4), StepSpeed(SELF_PLAY, "naga", 2, 1.2e6, None, 2, 2.2e6, 1.5),
            ],
        },
        lambda found: found["tables"] == 1024 and found["speeds"][0]["times"] == 40.0 and found["speeds"][3]["speedup"] == 1.5,
    ),
    "match": (
        {
            "all_ready": lambda *_: ["naga"], "match_costs": lambda _: [MATCH],
            "search_fixed": lambda names: [SearchFixed(game=names[0], ten_us=50.0, hundred_us=95.0, fixed_us=45.0)],
            "backend_costs": lambda: [
                BackendCost(backend="local", is_trusted=True, matches=20, worker_us=300.0, driver_us=15.0)
            ],
        },
        lambda found: found["matches"][0]["decision_us"] is None and found["backends"][0]["driver_us"] == 15.0,
    ),
    "search": (
        {
            "all_ready": lambda *_: ["naga"], "open_spiel_searches": list,
            "search_speeds": lambda name: [SearchSpeed(name, 2, "uniform", 1e5, 1e6, 10.0)],
            "search_cost": lambda name: SearchCost(name, 1.0, 0.5, 0.01, 0.0, 1.9),
        },
        lambda found: found["search"][0]["rollout"] == "uniform" and found["rooms"][0]["speedup"] == 1.9,
    ),
    "seats": (
        {
            "all_ready": lambda *_: ["naga"], "seat_cost": lambda games: SEAT,
            "command_costs": lambda game: [CommandCost("C", 1.0, 0.5, 40.0, 80.0, 5.0)],
        },
        lambda found: found["seats"][0]["seat_private_mb"] is None and found["commands"][0]["language"] == "C",
    ),
    "channels": (
        {
            "all_ready": lambda *_: ["naga"],
            "measured": lambda *_, **__: [Channel("names", "locked", 0.5, 0.4, 0.0, 0, 20, "refused")],
        },
        lambda found: found[0]["hands"] == 0 and found[0]["right"] == 0.5,
    ),
    "scale": (
        {
            "throughputs": lambda *_: [THROUGHPUT], "sizes": lambda *_: [SIZE], "loads": lambda *_: [LOAD],
            "starts": lambda *_: [Start(backend="local", matches=20, seconds=1.0, cpu_s=0.5)],
        },
        lambda found: found["size"][0]["start_mb"] is None and found["throughput"][0]["per_second"] == 200
        and found["load"][0]["offered"] is None,
    ),
}  # fmt: skip
"""What takes the place of long measurements in each topic, and what its JSON must hold."""
MANY_TABLES = {f"bench {topic}" for topic in BENCHES} - {"bench channels", "bench env"}


@pytest.mark.parametrize("topic", BENCHES)
def test_a_bench_is_read_back(topic: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    measured, is_right = BENCHES[topic]
    for name, instead in measured.items():
        monkeypatch.setattr(f"arena.cli.bench.{topic}.{name}", instead)
    read_back(f"bench {topic}", [], is_right, capsys)


def test_no_form_is_left_out() -> None:
    assert {*WORDS, *(f"bench {topic}" for topic in BENCHES)} == set(FORMATTED)
    for name in FORMATTED:
        parameter = options(name)["--format"]
        assert parameter.default == Format.TABLE


def test_numbers_of_numpy_are_numbers_and_no_number_is_null() -> None:
    found = {"a": np.float64(0.5), "b": np.int32(3), "c": np.array([1.0, np.nan]), "d": math.inf, "e": np.bool_(True)}
    assert json.loads(json_text(found)) == {"a": 0.5, "b": 3, "c": [1.0, None], "d": None, "e": True}
    text = csv_text([found, {**found, "a": np.float32("nan")}])
    assert text == 'a,b,c,d,e\n0.5,3,"[1.0,null]",,true\n,3,"[1.0,null]",,true\n'
    assert csv_text([]) == "" and csv_text([], ["a", "b"]) == "a,b\n"


def test_results_are_printed_in_one_place() -> None:
    """Nobody else writes to standard output, but bots; `main` prints the list of commands, which imports nothing."""
    printers = set()
    for path in (PACKAGE / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "typer.echo", "Console", "sys.stdout.write"):
                printers.add(str(path.relative_to(PACKAGE / "cli")))
    printers = {path for path in printers if not path.startswith("measuring/channel_bots/")}
    assert printers == {"main.py", "shared/printing.py", "shared/streams.py"}
