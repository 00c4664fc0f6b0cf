"""Ratings as a function of the stored rows: equal to those of the matches one by one; `arena rerate`."""

from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.errors import StoreError
from arena.ratings.models import BATCH_MODEL, STORED
from arena.ratings.settings import OVERALL, RatingSettings
from arena.ratings.standings import Standings, rate
from arena.ratings.stored import COLUMNS, StoredRows, stored_pools
from arena.reports.data import json_text
from arena.results import parquet, table_file
from arena.results.manifest import BotEntry, write_manifest
from helpers.records import BOTS, FIELD, RECORDS, make_record, numbered
from helpers.results import make_manifest


@pytest.mark.parametrize("group_rows", [7, 1 << 15])
def test_stored_rows_give_the_ratings_of_the_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group_rows: int
) -> None:
    monkeypatch.setattr(table_file, "GROUP_ROWS", group_rows)
    parquet.write_matches(tmp_path, RECORDS)
    standings = Standings(RatingSettings(), FIELD)
    for record in RECORDS:
        standings.add(record)
    pools = stored_pools(parquet.read_columns(tmp_path, COLUMNS), FIELD)
    assert rate(pools, RatingSettings(), STORED) == standings.ratings(STORED)
    assert list(pools) == ["yaniv", "naga", "empty"]


def test_a_bot_is_left_out_with_all_its_matches(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, RECORDS)
    standings = Standings(RatingSettings())
    for record in RECORDS:
        if all(seat.bot != "bob" for seat in record.seats):
            standings.add(record)
    pools = stored_pools(parquet.read_columns(tmp_path, COLUMNS), {}, without={"bob"}, pools={"naga"})
    alone = [rating for rating in standings.ratings() if rating.pool == "naga"]
    assert [
        rating for rating in rate(pools, RatingSettings()) if rating.pool == "naga" and rating.model == BATCH_MODEL
    ] == alone
    assert {rating.bot for rating in alone} == {"alice", "carol"}


def test_rows_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "GROUP_ROWS", 20)
    parquet.write_matches(tmp_path, RECORDS)
    stored = StoredRows(parquet.read_columns(tmp_path, COLUMNS))
    flat = [(record, seat) for record in RECORDS for seat in record.seats]
    numbers, rows = stored.row_numbers("yaniv"), stored.pool_rows("yaniv")
    found = [(seat.bot, seat.bot_version, seat.place) for _, seat in (flat[row] for row in numbers)]
    assert found == [(*rows.bots_by_number[bot], place) for bot, place in zip(rows.bots, rows.places)]
    ids = parquet.read_match_ids(tmp_path, map(int, numbers[::50]))
    assert ids == {int(row): flat[row][0].match_id for row in numbers[::50]}


def test_no_rows_are_no_ratings_but_the_field(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, [])
    columns = parquet.read_columns(tmp_path, COLUMNS)
    assert rate(stored_pools(columns, {}), RatingSettings()) == []
    assert rate(stored_pools(columns, FIELD), RatingSettings(), STORED) == Standings(RatingSettings(), FIELD).ratings(STORED)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("index", [0, 0, 5, 5, 3, 3], "damaged: match 3 after match 5"),
        ("seat", [0, 1, 1, 0, 0, 1], "damaged: match 1 is not there with each seat once, in order"),
        ("ending", ["played"] * 5 + ["bored"], "damaged: unknown ending 'bored'"),
        ("pool", ["naga"] * 5 + [None], "damaged or not a Parquet file: empty fields"),
    ],
)
def test_damaged_rows_are_named(tmp_path: Path, column: str, values: list[object], message: str) -> None:
    parquet.write_matches(tmp_path, numbered([make_record()] * 3))
    path = tmp_path / "matches.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index(column)
    kind = table.schema.field(column)
    changed = table.set_column(place, pa.field(column, kind.type), pa.array(values, kind.type))
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(StoreError, match=f"matches.parquet: {message}"):
        StoredRows(parquet.read_columns(tmp_path, COLUMNS))


def test_columns_have_the_types_of_the_schema(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, RECORDS)
    columns = parquet.read_columns(tmp_path, ["bot", "place", "score", "reproducible"])
    assert {name: array.dtype for name, array in columns.numbers.items()} == {
        "place": np.int8, "score": np.float32, "reproducible": np.bool_,
    }  # fmt: skip
    flat = [seat for record in RECORDS for seat in record.seats]
    assert [columns.texts["bot"].values[code] for code in columns.texts["bot"].codes] == [seat.bot for seat in flat]
    assert columns.numbers["score"].tolist() == [seat.score for seat in flat]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A tournament of the random matches, with the ratings that it would store."""
    folder = tmp_path / "cup"
    folder.mkdir()
    entries = [{"game": pool, "pool": pool, "options": {}} for pool in ("naga", "yaniv")]
    bots = tuple(
        BotEntry(name=name, version=version, sha256="0" * 64, params="{}", games=("naga", "yaniv"), trusted=True)
        for name, version in BOTS
    )
    config = {"entries": entries, "ratings": msgspec.to_builtins(RatingSettings())}
    manifest = make_manifest(name="cup", bots=bots, pools=("naga", "yaniv"), config=config, played=300)
    write_manifest(folder, manifest)
    standings = Standings(RatingSettings(), {"naga": BOTS, "yaniv": BOTS})
    for record in RECORDS:
        standings.add(record)
    parquet.write_matches(folder, RECORDS)
    parquet.write_ratings(folder, standings.ratings(STORED))
    return tmp_path


def run(out: Path, *words: str) -> int:
    return main(["rerate", "cup", *words, "--out", str(out)])


@pytest.mark.parametrize("model", STORED)
def test_rerate_prints_what_is_stored(out: Path, capsys: pytest.CaptureFixture[str], model: str) -> None:
    assert run(out, "--model", model, "--format", "json") == 0
    stored = [rating for rating in parquet.read_ratings(out / "cup") if rating.model == model]
    assert capsys.readouterr().out == json_text(stored) + "\n"


def test_rerate_says_what_it_rated(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--game", "naga", "--without", "bob") == 0
    lines = capsys.readouterr().out.splitlines()
    matches = sum(
        record.pool == "naga" and not record.is_void and all(seat.bot != "bob" for seat in record.seats) for record in RECORDS
    )
    title = f"cup, rated again by trueskill-batch: {matches} of 300 matches, naga alone, without bob"
    assert " ".join(lines[: lines.index("")]) == title
    assert not any("bob" in line or OVERALL in line for line in lines[lines.index("") :])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "elo"), "--model elo: no such model; known: "),
        (("--game", "nage"), '--game nage: no such pool or game in cup; did you mean "naga"?'),
        (("--without", "bop"), '--without bop: no such bot in cup; did you mean "bob"?'),
    ],
)
def test_mistakes_are_answered(out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run(out, *words) == USER_ERROR
    assert message in capsys.readouterr().err


def test_settings_of_the_tournament_count(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = out / "cup"
    manifest = make_manifest(name="cup", pools=("naga", "yaniv"), config={"ratings": {"sigma": "wide"}})
    write_manifest(folder, manifest)
    assert run(out) == USER_ERROR
    assert "manifest.json: config.ratings: Expected `float`, got `str`" in capsys.readouterr().err
    write_manifest(folder, replace(manifest, config={"ratings": {"mu": 1000.0}}))
    assert run(out, "--format", "csv") == 0
    assert ",100" in capsys.readouterr().out
