"""A board that is filled while a tournament is played has the numbers of `arena leaderboard`, and reads only what is new."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import StoreError
from arena.ratings.models import BATCH_MODEL, MODEL
from arena.ratings.running import RunningRatings
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, Rating
from arena.results.journal import Journal
from arena.server.live_board import board as module
from arena.server.live_board import order
from arena.server.live_board.board import LiveBoard, LiveBoards
from arena.server.live_board.order import OrderedRatings
from helpers.records import make_record, make_seat, make_void, numbered
from helpers.server import Played

NUMBERS = ("mu", "sigma", "rating", "low", "high")
FIELD = {"naga": [("alice", 1), ("bob", 1)]}


def league(count: int, seed: int = 1) -> list[MatchRecord]:
    """Matches that alice mostly wins."""
    source = random.Random(seed)
    winners = [("alice", "bob") if source.random() < 0.7 else ("bob", "alice") for _ in range(count)]
    return numbered([make_record(seats=(make_seat(one, 1), make_seat(other, 2))) for one, other in winners])


def in_plan_order(records: list[MatchRecord]) -> RunningRatings:
    ratings = RunningRatings(RatingSettings(), FIELD, models=(BATCH_MODEL, MODEL))
    for record in records:
        ratings.add(record)
    return ratings


def rounded(ratings: list[Rating]) -> list[Rating]:
    """The headline's numbers to the digits that its sweeps fix: looks in between begin elsewhere."""
    return [replace(one, **{name: round(getattr(one, name), 4) for name in NUMBERS}) for one in ratings]


def test_matches_in_any_order_are_rated_in_that_of_the_plan() -> None:
    records = league(60)
    shuffled = random.Random(3).sample(records, len(records))
    ordered = OrderedRatings(RatingSettings(), FIELD)
    for count, record in enumerate(shuffled, 1):
        ordered.add([record])  # type: ignore[list-item]
        if count % 20 == 0:
            known = sorted(shuffled[:count], key=lambda one: one.index)
            assert rounded(ordered.ratings()) == rounded(in_plan_order(known).ratings())
    assert rounded(ordered.ratings()) == rounded(in_plan_order(records).ratings())
    online, other = (
        [one for one in rated.ratings() if one.model == MODEL] for rated in (ordered, in_plan_order(records[::-1]))
    )
    assert online != other


def test_a_gap_for_ever_does_not_keep_all_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "MOST_WAITING", 10)
    records = league(40)
    there = records[:5] + records[8:]  # a retired bot does not play the matches 5 to 7
    ordered = OrderedRatings(RatingSettings(), FIELD)
    for record in there:
        ordered.add([record])  # type: ignore[list-item]
    assert len(ordered._waiting) <= 10
    assert rounded(ordered.ratings()) == rounded(in_plan_order(there).ratings())


def test_a_board_fills_and_reads_only_what_is_new(tmp_path: Path) -> None:
    played, records = Played(tmp_path), league(30)
    board = LiveBoard(played.folder)
    assert board.refresh() and not board.refresh()
    seen = board.seen()
    assert [row.bot for row in seen.tables["naga"]] == ["alice", "bob"] and seen.progress.done == 0
    played.store(*records[:10])
    assert board.refresh() and not board.refresh()
    assert board.seen() is board.seen()
    played.store(*records[20:], *records[10:20])
    assert board.refresh()
    seen = board.seen()
    assert seen.progress.state == "running" and (seen.progress.done, seen.progress.total, seen.behind) == (30, 100, 0)
    assert seen.progress.endings == {"played": 60} and seen.progress.rate == pytest.approx(30 / 4)
    assert seen.progress.seconds_left == pytest.approx(70 / (30 / 4))
    expected = [rating for rating in in_plan_order(records).ratings() if (rating.model, rating.pool) == (BATCH_MODEL, "naga")]
    assert [(row.bot, row.matches, row.rank, row.rating) for row in seen.tables["naga"]] == [
        (rating.bot, rating.matches, rating.rank, round(rating.rating, 4)) for rating in expected
    ]
    assert [arrival.match_id for arrival in board.recent][-1] == records[19].match_id
    board.close()
    played.end()


def test_a_run_that_goes_on_is_seen_by_who_watched_it_before(tmp_path: Path) -> None:
    played, records = Played(tmp_path), league(20)
    played.store(*records[:10])
    played.journal.close()
    board = LiveBoard(played.folder)
    assert board.refresh() and board.seen().tables["naga"][0].matches == 10
    before = sorted(played.folder.iterdir())
    played.journal = Journal(played.folder)
    assert not board.refresh()  # it has begun, and written nothing yet
    played.store(*records[10:])
    assert board.refresh() and board.seen().tables["naga"][0].matches == 20
    board.close()
    played.end()
    assert sorted(played.folder.iterdir()) == before


def test_void_matches_count_as_done_and_not_as_results(tmp_path: Path) -> None:
    played = Played(tmp_path)
    played.store(*numbered([make_record(), make_void(), make_record()]))
    board = LiveBoard(played.folder)
    board.refresh()
    seen = board.seen()
    assert (seen.progress.done, seen.progress.void) == (3, 1) and [row.matches for row in seen.tables["naga"]] == [2, 2]
    played.end()


def test_a_journal_of_millions_is_read_bit_by_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 4)
    monkeypatch.setattr(module, "MOST_READ", 8)
    played, records = Played(tmp_path), league(20)
    played.store(*records)
    board = LiveBoard(played.folder)
    behind = []
    while board.refresh():
        behind.append(board.seen().behind)
    assert behind == [12, 4, 0]
    assert sum(row.matches for row in board.seen().tables["naga"]) == 40
    played.end()


def test_a_journal_that_was_begun_anew_is_read_anew(tmp_path: Path) -> None:
    played, records = Played(tmp_path), league(9)
    played.store(*records)
    board = LiveBoard(played.folder)
    board.refresh()
    played.end()
    for path in played.folder.iterdir():
        path.unlink()
    played.folder.rmdir()
    again = Played(tmp_path)
    again.store(*records[:2])
    assert board.refresh() and board.seen().progress.done == 2
    assert [row.matches for row in board.seen().tables["naga"]] == [2, 2]
    again.end()


def test_a_damaged_row_is_told_and_a_folder_that_vanishes_is_no_board(tmp_path: Path) -> None:
    played = Played(tmp_path)
    played.store(*league(3))
    played.journal._db.execute("update matches set body = x'00' where place = 1")
    boards = LiveBoards()
    with pytest.raises(StoreError, match="damaged"):
        boards.seen(played.folder)
    played.end()
    boards.close()
    (played.folder / "journal.sqlite").unlink()
    assert LiveBoard(played.folder).refresh()  # nothing but a manifest


def test_a_run_is_not_disturbed_by_who_watches(tmp_path: Path) -> None:
    """A reader that is in the middle of a look holds no lock that a writer needs."""
    played, records = Played(tmp_path), league(30)
    played.store(*records[:20])
    with Journal(played.folder, is_read_only=True) as reader:
        rows = reader.records()
        next(rows)
        played.store(*records[20:])
        assert len(list(rows)) == 19
        assert len(reader.arrivals(20, 50)) == 10
    played.end()
