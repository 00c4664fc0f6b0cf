"""Whatever a stranger's file holds, commands end with a result or with one message: never with a traceback, never for ever."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.agent.command_bot import read_toml
from arena.agent.submissions import Submissions
from arena.audit import laws
from arena.audit.laws import traces
from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.engine.options import DataTable, parse_options
from arena.errors import ArenaError, BotError, StoreError
from arena.games import load, names
from arena.records import MatchRecord
from arena.results import journal, parquet
from arena.results.journal import JOURNAL_FILE
from arena.results.manifest import MANIFEST_FILE
from arena.tournament.config import check_config, read_config
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from helpers.mutations import NASTY, mutated
from helpers.paths import BAD_BOTS, HOUSE_BOTS

GAMES = names()
FEW = settings(
    max_examples=25, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
MANY = settings(FEW, max_examples=100)
CONFIG: dict[str, Any] = {
    "name": "cup", "seed": 3, "deals": 1, "memory": "512MB", "rotations": "cyclic", "format": "round_robin",
    "games": [
        {"game": "naga", "seats": 2, "options": {"series": "games:1"}, "label": "short", "deals": 1},
        {"game": "nertz", "seats": 2, "options": {"latency": "measured", "max_rounds": 1}},
    ],
    "bots": [
        {"path": str(BAD_BOTS / "fails_late.py"), "name": "late", "params": {"how": "crash", "more": [1, {"x": None}]},
         "trusted": True, "games": ["naga"]},
        {"path": str(HOUSE_BOTS / "random_bot.py"), "trusted": True},
        {"path": str(HOUSE_BOTS / "naga_greedy.py"), "trusted": True},
        {"path": str(HOUSE_BOTS / "nertz_greedy.py"), "trusted": True},
    ],
    "clock": {"move": "1s", "bank": "10s", "start": "10s"},
    "faults": {"policy": "forfeit", "max_faults": 3, "retire_after": 100},
    "ratings": {"mu": 25.0, "sigma": 8.0, "beta": 4.0, "tau": 0.1, "draw_probability": 0.1},
}  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with one tournament."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "cup.yaml").write_text(yaml.safe_dump(CONFIG))
    run_tournament(folder / "cup.yaml", Settings(out=folder, backend=LOCAL, workers=1))
    return folder


@pytest.fixture
def copy(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, in an empty folder that is the current one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    shutil.copytree(played, tmp_path / "out")
    yield tmp_path / "out"


def first_match(out: Path) -> MatchRecord:
    return next(record for record in parquet.read_matches(out / "cup") if record.game == "naga")


def verbs(match_id: str) -> list[list[str]]:
    return [
        ["leaderboard", "cup"], ["leaderboard", "cup", "--format", "md"], ["leaderboard", "cup", "--head-to-head"],
        ["leaderboard", "cup", "--explain", "late"], ["status", "cup"], ["rerate", "cup"], ["replay", match_id],
        ["replay", match_id, "--trace"], ["capsule", match_id, "0", "--decision", "0"], ["report", "cup"],
        ["verify-results", "cup", "--workers", "1"], ["archive", "--add", "cup"],
    ]  # fmt: skip


def check_verb(words: list[str], out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command: it ends with a code of its own, says why, and writes nothing outside the results."""
    before = sorted(out.parent.iterdir())
    code = main([*words, "--out", str(out)])
    captured = capsys.readouterr()
    assert code in (0, 1, 2), words
    assert (captured.out + captured.err).replace("\n", "").isprintable() and "Traceback" not in captured.err
    if code == 2:
        assert "arena: " in captured.err or "Error: " in captured.err, words
    assert sorted(out.parent.iterdir()) == before
    assert all(path.name.startswith("capsule-") and ".." not in path.name for path in Path().iterdir())


@FEW
@given(data=st.data())
def test_a_manifest(data: st.DataObject, copy: Path, played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads((played / "cup" / MANIFEST_FILE).read_text())
    changed = data.draw(mutated(document))
    (copy / "cup" / MANIFEST_FILE).write_text(json.dumps(changed))
    check_verb(data.draw(st.sampled_from(verbs(first_match(played).match_id))), copy, capsys)
    shutil.rmtree(copy / "archive", ignore_errors=True)


@pytest.mark.parametrize("kind", ["deals", "contestants"])
def test_a_plan_without_end_ends_the_audit(kind: str, copy: Path) -> None:
    document = json.loads((copy / "cup" / MANIFEST_FILE).read_text())
    config = document["config"]
    if kind == "deals":
        config["entries"] = [{**entry, "deals": 1_000_000_000} for entry in config["entries"]]
    else:
        config["contestants"] += [{**config["contestants"][1], "name": f"bot{number}"} for number in range(20_000)]
    (copy / "cup" / MANIFEST_FILE).write_text(json.dumps(document))
    problems = audit_results(copy / "cup", 1, lambda audit: None).problems
    assert any("too many before it were not played; what comes after it is not checked" in problem for problem in problems)


SEAT_TEXTS = ("bot", "bot_sha256", "params", "isolation")
SEAT_NUMBERS = ("place", "fault_decision", "unit")
MATCH_TEXTS = ("game", "pool", "options")
TEXTS = [value for value in NASTY if isinstance(value, str)]
NUMBERS = [0, 1, -1, 7, 127, -128]


@FEW
@given(data=st.data())
def test_rows(data: st.DataObject, copy: Path, played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of the right types and with other values, as another program might have written them."""
    records = list(parquet.read_matches(played / "cup"))
    at = data.draw(st.integers(0, len(records) - 1))
    record = records[at]
    kind = data.draw(
        st.sampled_from([*MATCH_TEXTS, *SEAT_TEXTS, "actions", "delays", "place", "fault_decision", "unit", "deal", "seats"])
    )
    seats = list(record.seats)
    if kind in SEAT_TEXTS:
        seats[0] = msgspec.structs.replace(seats[0], **{kind: data.draw(st.sampled_from(TEXTS))})
    elif kind in SEAT_NUMBERS:
        seats[0] = msgspec.structs.replace(seats[0], **{kind: data.draw(st.sampled_from(NUMBERS))})
    elif kind == "seats":
        seats = seats * data.draw(st.integers(2, 5)) if data.draw(st.booleans()) else seats[:1]
    elif kind == "deal":
        record = msgspec.structs.replace(record, deal=data.draw(st.sampled_from([0, -1, (1 << 31) - 1, 5])))
    elif kind in MATCH_TEXTS:
        record = msgspec.structs.replace(record, **{kind: data.draw(st.sampled_from(TEXTS))})
    else:
        values = data.draw(st.lists(st.sampled_from([0, 1, -1, (1 << 31) - 1, *record.actions[:3]]), max_size=5))
        record = msgspec.structs.replace(record, **{kind: tuple(values)})
    records[at] = msgspec.structs.replace(record, seats=tuple(seats))
    parquet.write_matches(copy / "cup", records)
    (copy / "cup" / JOURNAL_FILE).unlink(missing_ok=True)
    check_verb(data.draw(st.sampled_from(verbs(record.match_id))), copy, capsys)
    shutil.rmtree(copy / "archive", ignore_errors=True)


@FEW
@given(data=st.data())
def test_a_journal(data: st.DataObject, copy: Path, played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows whose checksums are right, of a journal that somebody else wrote."""
    record = first_match(played)
    plain = json.loads(msgspec.json.encode(record))
    for file in copy.glob(f"cup/{JOURNAL_FILE}*"):
        file.unlink()
    shutil.copy(played / "cup" / JOURNAL_FILE, copy / "cup" / JOURNAL_FILE)
    name = data.draw(st.sampled_from(["", "pace", "score", "command", "trouble", "key"]))
    with sqlite3.connect(copy / "cup" / JOURNAL_FILE) as db:
        if name:
            found = db.execute("select value from meta where name = ?", (name,)).fetchone()
            value = json.dumps(data.draw(mutated(json.loads(found[0])))).encode() if found and name != "key" else b"\xff" * 5
            db.execute("insert or replace into meta values (?, ?, ?)", (name, value, journal.checksum(name.encode() + value)))
        else:
            changed = data.draw(mutated(plain).filter(lambda value: "1" + "0" * 30 not in json.dumps(value)))
            body, match_id = msgspec.msgpack.encode(changed), bytes.fromhex(record.match_id)
            checksum = journal.row_checksum(match_id, record.index, body)
            db.execute("insert or replace into matches values (?, ?, ?, ?)", (match_id, record.index, body, checksum))
    for file in copy.glob("cup/*.parquet"):
        file.unlink()
    words = [["status", "cup"], ["replay", record.match_id], ["capsule", record.match_id, "0", "--decision", "0"]]
    check_verb(data.draw(st.sampled_from(words)), copy, capsys)


@MANY
@given(data=st.data())
def test_a_config(data: st.DataObject, tmp_path: Path) -> None:
    changed = data.draw(mutated(CONFIG, most=3))
    (tmp_path / "cup.yaml").write_text(json.dumps(changed))  # JSON is YAML
    for read in (lambda: read_config(tmp_path / "cup.yaml", tmp_path), lambda: check_config(changed, tmp_path, tmp_path)):
        try:
            tournament = read()
        except ArenaError as error:
            assert len(str(error)) < 20_000
        else:
            assert tournament.limits.memory < 1 << 60 and msgspec.json.encode([bot.params for bot in tournament.bots])


@MANY
@given(text=st.text(st.sampled_from("abx:-[]{}&*!<>|\n \"'\\0179,#?@%`~."), max_size=60))
def test_any_text_as_a_config(text: str, tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(text)
    with pytest.raises(ArenaError):
        read_config(tmp_path / "cup.yaml", tmp_path)


TOML_SIGNS = 'abcdefgmnx=[]{}"\n.0179#-T: '
BOT_TOML = 'name = "b"\ncommand = ["python3", "main.py"]\ngames = ["naga"]\nfiles = ["main.py"]\nwants_forced = true\n'


@MANY
@given(
    content=st.one_of(
        st.binary(max_size=80), st.text(st.sampled_from('abcdefgmnx=[]{}"\n.0179#-T: '), max_size=80).map(str.encode)
    )
)
def test_a_bot_toml(content: bytes) -> None:
    for whole in (content, BOT_TOML.encode() + content, BOT_TOML.encode()[: len(content)] + content):
        try:
            read_toml(whole)
        except BotError:
            continue


@pytest.mark.parametrize(
    "content", ["x = " + "[" * 50_000, "x = " + "9" * 5000, "a." * 20_000 + "b = 1", "[" * 9999, 'name = "\\ud800"']
)
def test_a_bot_toml_beyond_all_bounds(content: str) -> None:
    with pytest.raises(BotError):
        read_toml(content.encode())


VERSION = {"name": "bob", "version": 1, "sha256": "0" * 64, "main": "bob.py", "games": ["naga"], "bytes": 1, "submitted": "x"}


@MANY
@given(data=st.data())
def test_a_version_of_a_submission(data: st.DataObject, tmp_path: Path) -> None:
    folder = tmp_path / "submissions" / "versions" / "bob"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.json").write_text(json.dumps(data.draw(mutated(VERSION))))
    with pytest.raises(StoreError):  # it has no files
        (found,) = Submissions(tmp_path).find("submitted:bob")
        Submissions(tmp_path).files(found)


@pytest.mark.parametrize("game", GAMES)
@FEW
@given(data=st.data())
def test_a_trace(game: str, data: st.DataObject) -> None:
    table = laws.make_table(load(game), 2)
    options = {**table.options, "max_rounds": 1} if "max_rounds" in table.options else table.options
    lines = []
    for line in traces.trace_lines(table.game, table.seats, options, 2):
        lines.append(json.loads(line))
        if len(lines) == 4:
            break
    changed = data.draw(mutated(lines))
    try:
        list(traces.verify([json.dumps(line) for line in changed] if isinstance(changed, list) else ["x"], "f"))
    except ArenaError:
        return


@pytest.mark.parametrize("loaded", GAMES)
@MANY
@given(data=st.data())
def test_options(loaded: str, data: st.DataObject) -> None:
    game = load(loaded)
    option = data.draw(st.sampled_from([option.name for option in game.options]))
    value = data.draw(st.sampled_from(NASTY))
    reads: list[Callable[[], object]] = [
        lambda: game.resolve_options({option: value}, game.seats[0]),
        lambda: game.read_options(parse_options([f"{option}={json.dumps(value)}"]), game.seats[0], (Path(),)),
        lambda: game.read_options(parse_options([f"{option}={value}"]), game.seats[0], (Path(),)),
    ]
    for read in reads:
        try:
            read()
        except ArenaError:
            continue


SIGNS = "abname,;\n\t\"'0179-|#[]{}: "
TABLES = [(load(game), option) for game in GAMES for option in load(game).options if isinstance(option, DataTable)]


@pytest.mark.parametrize(("game", "option"), TABLES, ids=[f"{game.name}-{option.name}" for game, option in TABLES])
@MANY
@given(
    content=st.one_of(
        st.binary(max_size=60), st.text(st.sampled_from("abname,;\n\t\"'0179-|#[]{}: "), max_size=80).map(str.encode)
    )
)
def test_a_table_of_an_option(game: Any, option: DataTable, content: bytes, tmp_path: Path) -> None:
    for suffix in (".csv", ".json", ".yaml", ".txt", ".tsv"):
        (tmp_path / f"table{suffix}").write_bytes(content)
        with pytest.raises(ArenaError):
            game.read_options({option.name: f"table{suffix}"}, game.seats[0], (tmp_path,))
