"""`arena export`: the decisions of stored matches as a dataset, read back without arena."""

import hashlib
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from arena.cli.main import main
from arena.cli.shared.exit_codes import DONE, INTERRUPTED, USER_ERROR
from arena.engine.random_tables import resampled
from arena.engine.rng import seed_words
from arena.games import load
from arena.learning.dataset import shards, writing
from arena.learning.dataset.choice import Choice
from arena.learning.dataset.moments import moments
from arena.match.seeds import deal_seed
from arena.results import parquet
from arena.results.manifest import read_manifest
from helpers.games_played import BOTS, GAMES
from helpers.paths import BAD_BOTS
from helpers.processes import until
from helpers.records import make_void
from helpers.tournaments import arena, ended, run

ILLEGAL = {"path": str(BAD_BOTS / "illegal.py"), "name": "faulty", "trusted": True, "games": ["naga"]}
ONE = "one"
RANDOM = [{"path": "house:random_bot", "name": name, "trusted": True} for name in (ONE, "other")]
FEW: list[dict[str, Any]] = [
    {"game": "naga", "seats": 2, "options": {"series": "first_to:2"}},
    {"game": "yaniv", "seats": 2, "options": {"limit": 30}, "label": "low"},
]
"""A game whose actions have numbers, and one whose actions are places in the legal list."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of a tournament with a bot that has faults."""
    folder = tmp_path_factory.mktemp("results")
    faults = {"policy": "forfeit", "max_faults": 1, "retire_after": 100}
    run(folder, name="games", games=FEW, bots=[*RANDOM, ILLEGAL], deals=2, seed=5, faults=faults)
    return folder / "out"


@pytest.fixture(scope="module")
def dataset(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(results, tmp_path_factory.mktemp("data") / "all", "--action-features")


def exported(results: Path, target: Path, *options: str) -> Path:
    words = ["export", "games", "--to", str(target), "--out", str(results), "--workers", "1", *options]
    assert main(words) == DONE
    return target


def rows(dataset: Path, game: str) -> list[dict[str, Any]]:
    return [row for file in sorted(dataset.glob(f"{game}/decisions-*.parquet")) for row in pq.read_table(file).to_pylist()]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Read back


def test_ten_lines_load_it_with_torch(dataset: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Decisions(torch.utils.data.Dataset):  # type: ignore[misc,name-defined]
        def __init__(self, folder: Path, game: str) -> None:
            table = pq.read_table(sorted(folder.glob(f"{game}/decisions-*.parquet")))
            self.columns = {name: torch.tensor(table[name].to_pylist()) for name in ("features", "mask", "action", "beaten")}

        def __len__(self) -> int:
            return len(self.columns["action"])

        def __getitem__(self, row: int) -> dict[str, Any]:
            return {name: column[row] for name, column in self.columns.items()}

    batch = next(iter(torch.utils.data.DataLoader(Decisions(dataset, "naga"), batch_size=32, shuffle=True)))
    assert batch["features"].shape == (32, load("naga").layout.size) and batch["features"].dtype == torch.float32
    assert bool(batch["mask"].gather(1, batch["action"][:, None].long()).all())


@pytest.mark.parametrize("game", ["naga", "yaniv"])
def test_arrays_load_it_without_torch(dataset: Path, game: str) -> None:
    layout = load(game).layout
    for file in sorted(dataset.glob(f"{game}/decisions-*.parquet")):
        table: Any = pq.read_table(file)
        features, mask = (
            table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False) for name in ("features", "mask")
        )
        features, mask = features.reshape(len(table), layout.size), mask.reshape(len(table), -1)
        actions = table["action"].to_numpy()
        assert features.dtype == np.float32 and mask[np.arange(len(table)), actions].all()
        low, high = layout.limits
        assert (features >= low).all() and (features <= high).all()
        assert mask.sum(axis=1).tolist() == [len(codes) for codes in table["legal"].to_pylist()]


def test_every_decision_of_every_match_is_a_row_with_its_choice(results: Path, dataset: Path) -> None:
    found = [row for game in ("naga", "yaniv") for row in rows(dataset, game)]
    stored = {record.match_id: record for record in parquet.read_matches(results / "games")}
    logs: dict[str, list[int]] = {}
    for row in found:
        record = stored[row["match_id"]]
        seat = record.seats[row["seat"]]
        assert (row["bot"], row["place"], row["score"]) == (seat.bot, seat.place, pytest.approx(seat.score))
        assert (row["pool"], row["options"], row["deal"]) == (record.pool, record.options, record.deal)
        assert (row["bot_version"], row["bot_sha256"], row["params"]) == (seat.bot_version, seat.bot_sha256, seat.params)
        (rival,) = (other for other in record.seats if other is not seat)
        assert row["beaten"] == (rival.place > seat.place) + (rival.place == seat.place) / 2
        assert len(row["action_features"]) == len(row["legal"]) and row["decision"] == len(logs.get(row["match_id"], []))
        logs.setdefault(row["match_id"], []).append(row["legal"][row["chosen"]])
    assert logs == {match_id: list(record.actions) for match_id, record in stored.items()}


def test_what_the_rounds_added_is_the_score(dataset: Path) -> None:
    for game in ("naga", "yaniv"):
        scores: dict[tuple[str, int], dict[int, float]] = {}
        ends: dict[tuple[str, int], float] = {}
        for row in rows(dataset, game):
            scores.setdefault((row["match_id"], row["seat"]), {})[row["round"]] = row["round_score"]
            ends[row["match_id"], row["seat"]] = row["score"]
        assert max(len(found) for found in scores.values()) > 1
        played = {match: max(max(found) for key, found in scores.items() if key[0] == match) for match, _ in scores}
        whole = {key: found for key, found in scores.items() if len(found) == played[key[0]] + 1}  # it chose in every round
        assert whole and all(sum(found.values()) == pytest.approx(ends[key]) for key, found in whole.items())


def test_what_a_fallback_may_have_chosen_is_marked(dataset: Path) -> None:
    found = rows(dataset, "naga")
    assert {row["bot"] for row in found if row["fallback"]} == {"faulty"}
    assert all(row["fallback"] for row in found if row["bot"] == "faulty")  # its first action was illegal


# What a row holds


def test_a_row_holds_what_the_seat_was_shown_and_no_more(results: Path, dataset: Path) -> None:
    assert_blind(results, dataset)


@pytest.mark.slow
def test_a_row_of_any_game_holds_what_the_seat_was_shown_and_no_more(tmp_path: Path) -> None:
    run(tmp_path, name="games", games=GAMES, bots=BOTS, deals=1, seed=5)
    assert_blind(tmp_path / "out", exported(tmp_path / "out", tmp_path / "data", "--action-features"))


def assert_blind(results: Path, dataset: Path) -> None:
    """In another world that looks the same to the seat, its row is the same: hidden cards are dealt anew."""
    manifest = read_manifest(results / "games")
    tried = differing = 0
    for record in parquet.read_matches(results / "games"):
        game = load(record.game)
        options = game.resolve_options(json.loads(record.options), len(record.seats))
        seed = deal_seed(bytes.fromhex(manifest.key or ""), record.game, len(record.seats), record.options, record.deal)
        stored = {row["decision"]: row for row in rows_of(dataset, record.game, record.match_id)}
        for moment in moments(game, record, options, seed):
            if moment.number % 3:
                continue
            world = resampled(game, moment.states, moment.seat, seed_words(moment.number))
            tried, differing = tried + 1, differing + (world.tobytes() != moment.states.tobytes())
            seen, row = game.observed(world, moment.seat), stored[moment.number]
            assert game.encoding.features(seen, moment.seat).tolist() == row["features"]
            assert game.encoding.action_features(seen, moment.seat, row["legal"]).tolist() == row["action_features"]
            assert game.legal_list(world) == row["legal"]
    assert tried > 100 and differing > tried / 2


_tables: dict[tuple[Path, str], dict[str, list[dict[str, Any]]]] = {}


def rows_of(dataset: Path, game: str, match_id: str) -> list[dict[str, Any]]:
    if (dataset, game) not in _tables:
        found = _tables[dataset, game] = {}
        for row in rows(dataset, game):
            found.setdefault(row["match_id"], []).append(row)
    return _tables[dataset, game][match_id]


# What stands beside the rows


def test_the_index_has_the_hash_of_every_file(dataset: Path) -> None:
    index = json.loads((dataset / "index.json").read_bytes())
    there = files(dataset)
    assert {*there} == {"README.md", "index.json", *(shard["file"] for shard in index["shards"])}
    for shard in index["shards"]:
        data = there[shard["file"]]
        assert (len(data), hashlib.sha256(data).hexdigest()) == (shard["bytes"], shard["sha256"])
        assert pq.read_metadata(dataset / shard["file"]).num_rows == shard["rows"]
    assert index["games"][0]["encoding_sha256"] == load("naga").layout.sha256


def test_the_columns_are_those_of_the_index_and_the_card(dataset: Path) -> None:
    index, card = json.loads((dataset / "index.json").read_bytes()), (dataset / "README.md").read_text()
    names = [column["name"] for column in index["columns"]]
    for shard in index["shards"]:
        assert pq.read_schema(dataset / shard["file"]).names == names
    assert re.findall(r"^\| (\w+) \|", card.partition("## Columns")[2].partition("## Files")[0], re.MULTILINE)[1:] == names


def test_the_card_begins_with_what_hubs_read_and_names_no_licence(dataset: Path) -> None:
    _, head, body = (dataset / "README.md").read_text().split("---\n", 2)
    told = yaml.safe_load(head)
    assert [one["config_name"] for one in told["configs"]] == ["naga", "yaniv"] and "license" not in told
    for one in told["configs"]:
        assert list(dataset.glob(one["data_files"][0]["path"]))
    assert "arena export games --to FOLDER --action-features" in body
    assert json.loads((dataset / "index.json").read_bytes())["tournaments"][0]["results_sha256"] in body


# The same bytes


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_same_results_give_the_same_bytes_on_any_number_of_workers(
    results: Path, dataset: Path, tmp_path: Path, workers: str
) -> None:
    again = exported(results, tmp_path / "again", "--action-features", "--workers", workers)
    assert files(again) == files(dataset)


def test_shards_are_bounded_and_together_the_same_rows(
    results: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "SHARD_ROWS", 100)
    small = exported(results, tmp_path / "small", "--action-features")
    sizes = [pq.read_metadata(file).num_rows for file in sorted(small.glob("naga/*"))]
    assert len(sizes) > 1 and {*sizes[:-1]} == {100} and sizes[-1] <= 100
    assert rows(small, "naga") == rows(dataset, "naga")


# What is left out


def test_filters_leave_decisions_out_and_nothing_else(results: Path, dataset: Path, tmp_path: Path) -> None:
    some = exported(results, tmp_path / "some", "--action-features", "--bot", ONE, "--game", "naga")
    assert not (some / "yaniv").exists()
    assert rows(some, "naga") == [row for row in rows(dataset, "naga") if row["bot"] == ONE]
    pool = exported(results, tmp_path / "pool", "--action-features", "--game", "low")
    assert not (pool / "naga").exists() and rows(pool, "yaniv") == rows(dataset, "yaniv")


def test_what_is_left_out_is_neither_counted_nor_named(
    results: Path, copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(copied.parent, name="later", games=FEW[:1], bots=RANDOM, deals=1)
    monkeypatch.setattr("arena.cli.shared.printing.LINE_SECONDS", -1.0)
    some = exported(copied, copied.parent / "some", "later", "--game", "low", "--bot", ONE, "--bot", "faulty")
    index, count = json.loads((some / "index.json").read_bytes()), len(rows(some, "yaniv"))
    assert f"\n{count:,} of {count:,} decisions" in capsys.readouterr().err
    assert [(one["name"], one["decisions"]) for one in index["tournaments"]] == [("games", count)]
    assert [bot[0] for bot in index["tournaments"][0]["bots"]] == [ONE], "one that is wanted, and does not play this game"
    head = (some / "README.md").read_text().partition("## What to know")[0]
    assert "| later |" not in head and "faulty" not in head.replace("--bot faulty", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--bot", "onne"], '--bot onne: no such bot in these results; did you mean "one"?'),
        (["--game", "nertz"], "--game nertz: no such game or pool in these results"),
    ],
)
def test_a_filter_of_what_is_not_there_is_refused(
    results: Path, tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "games", "--to", str(tmp_path / "none"), "--out", str(results), *options]) == USER_ERROR
    assert said in " ".join(capsys.readouterr().err.split()) and not (tmp_path / "none").exists()


def test_the_archive_means_all_that_is_in_it(results: Path, dataset: Path, tmp_path: Path) -> None:
    assert main(["export", "archive", "--to", str(tmp_path / "all"), "--out", str(results), "--action-features"]) == DONE
    assert rows(tmp_path / "all", "yaniv") == rows(dataset, "yaniv")


# Nothing half-written


def test_a_folder_with_something_in_it_is_refused(results: Path, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(dataset)
    assert main(["export", "games", "--to", str(dataset), "--out", str(results)]) == USER_ERROR
    assert "is there already" in capsys.readouterr().err and files(dataset) == before


@pytest.fixture
def copied(results: Path, tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "out" / "games").mkdir(parents=True)
    for path in (results / "games").iterdir():
        if path.is_file():
            (tmp_path / "out" / "games" / path.name).write_bytes(path.read_bytes())
    yield tmp_path / "out"


def test_matches_that_are_not_the_manifests_leave_no_folder(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = copied / "games" / "manifest.json"
    digest = read_manifest(copied / "games").results_sha256 or ""
    manifest.write_text(manifest.read_text().replace(digest, "0" * 64))
    target = copied.parent / "data"
    assert main(["export", "games", "--to", str(target), "--out", str(copied)]) == USER_ERROR
    assert "not those whose hash" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in copied.parent.iterdir()] == ["out"]


def test_a_full_disk_leaves_no_folder(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arena.results.table_file.new_file", full)
    assert main(["export", "games", "--to", str(tmp_path / "data"), "--out", str(results)]) == USER_ERROR
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of a tournament whose export takes seconds."""
    folder = tmp_path_factory.mktemp("long")
    run(folder, name="games", games=FEW[:1], bots=RANDOM, deals=300, seed=5)
    return folder / "out"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_who_is_stopped_leaves_no_folder(long: Path, tmp_path: Path, how: signal.Signals) -> None:
    process = arena("export", "games", "--to", tmp_path / "data", "--out", long, "--workers", "1")
    until(lambda: list(tmp_path.iterdir()), process)
    process.send_signal(how)
    code, _, _ = ended(process)
    assert (code, list(tmp_path.iterdir())) == (INTERRUPTED, [])


@pytest.mark.slow
def test_who_is_killed_leaves_nothing_under_the_name_and_the_next_export_clears_up(long: Path, tmp_path: Path) -> None:
    process = arena("export", "games", "--to", tmp_path / "data", "--out", long, "--workers", "1")
    until(lambda: list(tmp_path.iterdir()), process)
    process.kill()
    ended(process)
    (left,) = tmp_path.iterdir()
    writing._sweep(tmp_path, ".data.new-")
    assert left.exists()  # another export may be writing there
    os.utime(left, (0, 0))
    exported(long, tmp_path / "data")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


# Trajectories of OpenSpiel


def test_openspiel_plays_the_trajectories_again(results: Path, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra `openspiel`)")
    found = exported(results, tmp_path / "data", "--trajectories")
    stored = {record.match_id: record for record in parquet.read_matches(results / "games")}
    for game in ("naga", "yaniv"):
        lines = (found / game / "trajectories-00000.jsonl").read_text().splitlines()
        for line in lines[:3]:
            trajectory = pyspiel.Trajectory(line)
            about = json.loads(trajectory.header().meta_data)
            record = stored.pop(about["match_id"])
            states = trajectory.reconstruct_all_states()
            assert len(states) == len(record.actions) + 2  # before the deal, and behind the last decision
            assert states[-1].is_terminal() and states[-1].returns() == trajectory.header().returns
            for state, told in zip(states[1:], json.loads(line)["transitions"][1:]):
                assert (state.current_player(), state.legal_actions()) == (told["player"], told["legal_actions"])
            assert [seat["place"] for seat in about["seats"]] == [seat.place for seat in record.seats]


@pytest.mark.slow
def test_measured_time_stands_in_ticks_and_has_no_trajectory(tmp_path: Path) -> None:
    measured = {"latency": "measured", "ms_per_tick": 1, "max_rounds": 1, "tick_limit": 60}
    run(tmp_path, name="games", games=[{"game": "nertz", "seats": 2, "options": measured}], bots=RANDOM, deals=1)
    found = exported(tmp_path / "out", tmp_path / "data", "--trajectories")
    ticks = {record.match_id: record.delays for record in parquet.read_matches(tmp_path / "out" / "games")}
    assert all(row["ticks"] == ticks[row["match_id"]][row["decision"]] for row in rows(found, "nertz"))
    assert not list(found.glob("nertz/trajectories-*"))


def test_a_choice_has_no_void_match() -> None:
    assert not Choice().has(make_void(0))
