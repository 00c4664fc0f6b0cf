"""A closer look at a tournament: head-to-head, history, explanations, and `arena leaderboard` with them."""

import csv
import io
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.ratings.explain import explain
from arena.ratings.losers import names_loser
from arena.ratings.models import STORED
from arena.ratings.order import history
from arena.ratings.pairs import head_to_head
from arena.ratings.settings import RatingSettings
from arena.records import Ending, MatchRecord, SeatRecord
from arena.results import parquet
from arena.results.manifest import write_manifest
from helpers.records import BOTS, RECORDS, collected, make_record, make_seat, played, rated
from helpers.results import make_manifest


@pytest.mark.parametrize("pool", ["naga", "yaniv"])
def test_pairs_are_those_of_the_matches_one_by_one(pool: str) -> None:
    pairs = head_to_head(rated().pools()[pool])
    for one, bot in enumerate(pairs.bots):
        for two, other in enumerate(pairs.bots):
            meetings, better = 0, 0.0
            for record in RECORDS:
                by_bot = {(seat.bot, seat.bot_version): seat for seat in record.seats}
                if record.pool == pool and not record.is_void and bot in by_bot and other in by_bot and bot != other:
                    mine, theirs = by_bot[bot], by_bot[other]
                    is_won_by_both = names_loser(record) and mine.place == theirs.place == 1
                    if mine.unit != theirs.unit and not (is_won_by_both and any(seat.place > 1 for seat in record.seats)):
                        meetings += 1
                        better += 1.0 if mine.place < theirs.place else 0.5 if mine.place == theirs.place else 0.0
            assert (pairs.meetings[one, two], pairs.better[one, two]) == (meetings, better)


def test_winners_are_not_compared_where_only_winners_and_losers_are_named() -> None:
    match = played(("alice", 1, 0), ("bob", 1, 1), ("carol", 3, 2))
    assert head_to_head(collected(match)).share(0, 1) == 0.5  # of Naga, which names no loser
    pairs = head_to_head(collected(replace(match, game="nanatoridori", options='{"variant":"basic"}')))
    assert pairs.share(0, 1) is None
    assert (pairs.share(0, 2), pairs.share(2, 0)) == (1.0, 0.0)


def test_a_draw_of_all_is_a_tie_also_where_only_winners_and_losers_are_named() -> None:
    draw, decided = played(("alice", 1, 0), ("bob", 1, 1)), played(("alice", 1, 0), ("bob", 2, 1))
    assert head_to_head(collected(draw, draw, decided)).share(0, 1) == pytest.approx(2 / 3)


def test_nobody_met_anybody() -> None:
    assert head_to_head(collected()).bots == ()
    assert head_to_head(collected(played(("alice", 1, 0)))).meetings.tolist() == [[0]]


def test_an_explanation_counts_seats_and_opponents_and_finds_the_worst_losses() -> None:
    def scored(*seats: tuple[str, int, float], ending: Ending = Ending.PLAYED) -> MatchRecord:
        return make_record(
            0, tuple(make_seat(bot, place, unit=unit, score=score, ending=ending)
                     for unit, (bot, place, score) in enumerate(seats))
        )  # fmt: skip

    rows = collected(
        scored(("alice", 1, 9.0), ("bob", 2, 3.0)),
        scored(("alice", 2, 8.0), ("bob", 1, 9.0)),
        scored(("bob", 1, 30.0), ("alice", 2, 2.0)),
        scored(("alice", 2, 1.0), ("bob", 1, 9.0), ("carol", 3, 0.0), ending=Ending.CRASH),
    )
    found = explain(rows, ("alice", 1))
    assert found is not None
    assert [(part.seats, part.seat, part.matches, part.wins, part.mean_place, part.mean_score) for part in found.seats] == [
        (2, 0, 2, 1, 1.5, 8.5), (2, 1, 1, 0, 2.0, 2.0), (3, 0, 1, 0, 2.0, 1.0),
    ]  # fmt: skip
    assert [(part.bot, part.meetings, part.better) for part in found.opponents] == [("bob", 4, 1.0), ("carol", 1, 1.0)]
    assert [(loss.row, loss.place, loss.seats, loss.score, loss.best_score) for loss in found.losses] == [
        (5, 2, 2, 2.0, 30.0), (2, 2, 2, 8.0, 9.0), (6, 2, 3, 1.0, 9.0),
    ]  # fmt: skip
    assert [loss.is_fault for loss in found.losses] == [False, False, True]
    assert explain(rows, ("dora", 1)) is None


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("results")
    folder = results / "cup"
    folder.mkdir()
    standings = rated()
    write_manifest(folder, make_manifest(name="cup", pools=("naga", "yaniv", "empty"), config={}, endings={}))
    parquet.write_matches(folder, RECORDS)
    parquet.write_ratings(folder, standings.ratings(STORED))
    parquet.write_history(folder, history(standings.pools(), RatingSettings()))
    return results


def run(out: Path, *words: str) -> int:
    return main(["leaderboard", "cup", *words, "--out", str(out)])


@pytest.mark.parametrize("words", [("--head-to-head",), ("--second-opinions",), ("--history", "bob"), ("--explain", "bob")])
def test_views_are_printed_in_every_format(out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert run(out, *words, "--game", "naga") == 0
    table = capsys.readouterr().out
    assert table.isascii() and "bob v3" in table and "yaniv" not in table
    assert all(len(line) <= 120 for line in table.splitlines())
    assert run(out, *words, "--format", "md") == 0
    markdown = capsys.readouterr().out
    assert (markdown.startswith("# cup: ") and "|:---|" in markdown) or "---:" in markdown
    assert run(out, *words, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["pool"] for row in rows} == ({"naga", "yaniv"})
    if words[0] != "--explain":
        assert run(out, *words, "--format", "csv") == 0
        assert [row["pool"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == [row["pool"] for row in rows]


def test_a_loss_to_a_version_of_the_same_bot_is_no_worst_loss() -> None:
    fox, old, owl = (make_seat(name, 2, bot_version=version) for name, version in (("fox", 2), ("fox", 1), ("owl", 1)))

    def won_by(*order: SeatRecord) -> MatchRecord:
        return make_record(0, tuple(replace(seat, place=place, unit=place - 1) for place, seat in enumerate(order, 1)))

    records = [won_by(old, fox), won_by(owl, fox), won_by(old, owl, fox), won_by(owl, old, fox)]
    found = explain(collected(*records), ("fox", 2))
    assert found is not None and [(loss.place, loss.seats, loss.winners) for loss in found.losses] == [
        (2, 2, ("owl",)), (3, 3, ("owl",)),
    ]  # fmt: skip


def test_the_worst_losses_can_be_replayed(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--explain", "bob", "--format", "json") == 0
    objects = json.loads(capsys.readouterr().out)
    wanted = {(version, pool) for version in (1, 3) for pool in ("naga", "yaniv")}
    assert {(item["bot_version"], item["pool"]) for item in objects} == wanted and len(objects) == 4
    by_id = {record.match_id: record for record in RECORDS}
    for item in objects:
        for loss in item["losses"]:
            record = by_id[loss["match_id"]]
            own = next(seat for seat in record.seats if (seat.bot, seat.bot_version) == ("bob", item["bot_version"]))
            assert (record.pool, own.place, own.score) == (item["pool"], loss["place"], loss["score"])
    assert run(out, "--explain", "bob") == 0
    assert "to see one: arena replay " in capsys.readouterr().out


def test_a_long_history_fits_a_screen(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--history", "alice", "--game", "naga") == 0
    text = capsys.readouterr().out
    numbers = [line for line in text.splitlines() if line[:7].strip().isdigit()]
    assert len(numbers) == 2 * 21 and "nan" not in text
    assert "naga: alice, by the matches up to there" in text and "naga: alice, as it was played" in text


def test_a_history_is_shown_by_one_model_if_asked_for(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--history", "alice", "--game", "naga", "--model", "trueskill") == 0
    text = capsys.readouterr().out
    assert "as it was played" in text and "up to there" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--history", "bop"), '--history bop: no such bot in cup; did you mean "bob"?'),
        (("--explain", "bop"), '--explain bop: no such bot in cup; did you mean "bob"?'),
        (("--explain", "bob", "--format", "csv"), "--format csv: --explain is not one table; use --format json"),
        (("--explain", "bob", "--head-to-head"), "--head-to-head and --explain: one at a time"),
        (("--history", "bob", "--model", "elo"), "--model elo: no such model in cup"),
        (("--head-to-head", "--game", "nage"), '--game nage: no such pool or game in cup; did you mean "naga"?'),
    ],
)
def test_mistakes_are_answered(out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run(out, *words) == USER_ERROR
    assert message in capsys.readouterr().err


def test_versions_are_bots_of_their_own() -> None:
    assert set(head_to_head(rated().pools()["naga"]).bots) == set(BOTS)
