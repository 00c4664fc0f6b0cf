"""A match that names one loser compares its winners with that one alone, whatever happens in other matches of the pool."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from arena import games
from arena.ratings import trueskill_batch
from arena.ratings.losers import said_by_game
from arena.ratings.order import in_order
from arena.ratings.pairs import head_to_head
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import PoolRows
from arena.ratings.running import Running
from arena.ratings.settings import RatingSettings
from arena.ratings.stored import COLUMNS, StoredRows
from arena.records import Ending, MatchRecord, SeatRecord, canonical_json
from arena.results import parquet
from helpers.records import collected, make_record, make_seat, numbered

SETTINGS = RatingSettings()
SEATS = 3


def options(variant: str) -> str:
    game = games.load("nanatoridori")
    return canonical_json(game.resolve_options({"variant": variant}, SEATS))


def match(loser: str, *others: str, variant: str = "basic", **changes: object) -> MatchRecord:
    """Nana Toridori: `loser` has lost its penguins."""
    seats = (*(make_seat(bot, 1, unit=unit) for unit, bot in enumerate(others)), make_seat(loser, SEATS, unit=len(others)))
    return made(seats, variant, **changes)


def made(seats: tuple[SeatRecord, ...], variant: str, **changes: object) -> MatchRecord:
    return make_record(0, seats, game="nanatoridori", pool="nana", options=options(variant), **changes)


def two_forfeits(first: str, later: str, winner: str) -> MatchRecord:
    seats = (
        make_seat(first, 3, unit=0, ending=Ending.CRASH, fault_decision=2),
        make_seat(later, 2, unit=1, ending=Ending.ILLEGAL, fault_decision=7),
        make_seat(winner, 1, unit=2),
    )
    return made(seats, "basic")


PLAYED = [match("bad", "good", "fair"), match("fair", "good", "bad"), match("bad", "good", "fair", deal=1)] * 6
WITH_FORFEITS = [*PLAYED, two_forfeits("crash", "bad", "fair")]


def skills(rows: PoolRows) -> dict[str, float]:
    mu = trueskill_batch.rate(rows, SETTINGS).mu
    return {name: float(value) for (name, _), value in zip(rows.bots_by_number, mu - mu.mean())}


def test_a_match_with_two_forfeits_leaves_the_meaning_of_the_others() -> None:
    """In a game of one loser two forfeits have the places 2 and 3: once, all pools with such a match counted ties."""
    rows = collected(*numbered(WITH_FORFEITS))
    assert rows.names_loser.all()
    plain, more = (skills(collected(*numbered(records))) for records in (PLAYED, WITH_FORFEITS))
    assert more["good"] - more["bad"] == pytest.approx(plain["good"] - plain["bad"], rel=0.15)
    alone = skills(collected(*WITH_FORFEITS[-1:]))
    assert alone["fair"] > alone["bad"] > alone["crash"]


def test_winners_did_not_meet_and_those_who_forfeit_did() -> None:
    pairs = head_to_head(collected(*numbered(WITH_FORFEITS)))
    meetings = {
        (one, other): int(pairs.meetings[number, place])
        for number, (one, _) in enumerate(pairs.bots)
        for place, (other, _) in enumerate(pairs.bots)
    }
    assert meetings["good", "fair"] == 6 and meetings["good", "bad"] == 12  # the matches that one of the two lost
    assert meetings["fair", "bad"] == 19 and meetings["crash", "bad"] == 1
    assert pairs.share(*(number for name in ("bad", "crash") for number, bot in enumerate(pairs.bots) if bot[0] == name)) == 1.0


def test_one_pool_may_hold_matches_of_both_kinds() -> None:
    """Basic and advanced under one label: in advanced, two on place 1 have tied."""
    tied = made((make_seat("good", 1, unit=0), make_seat("fair", 1, unit=1), make_seat("bad", 3, unit=2)), "advanced")
    rows = collected(*numbered([match("bad", "good", "fair"), tied]))
    assert rows.names_loser.tolist() == [True, False]
    assert head_to_head(rows).meetings[0, 1] == 1
    patterns = patterns_of(rows)
    assert patterns.of_match.tolist() in ([0, 1], [1, 0]) and sorted(patterns.losers.tolist()) == [False, True]
    assert rows.first(1).names_loser.tolist() == [True]
    assert in_order(rows, np.array([1, 0])).names_loser.tolist() == [False, True]


def test_all_ways_to_the_rows_say_the_same(tmp_path: Path) -> None:
    """From records, from stored columns, while it is played, and in another order."""
    records = numbered([*WITH_FORFEITS, match("good", "fair", "bad", variant="advanced", deal=2)])
    rows = collected(*records)
    parquet.write_matches(tmp_path, records)
    stored = StoredRows(parquet.read_columns(tmp_path, COLUMNS)).pool_rows("nana")
    assert stored.names_loser.tolist() == rows.names_loser.tolist()
    running = Running(rows.bots_by_number, SETTINGS)
    for record in records:
        running.add(record)
    assert running.beliefs().mu == pytest.approx(trueskill_batch.rate(rows, SETTINGS).mu, abs=1e-4)


@pytest.mark.parametrize("name", games.names())
def test_what_a_game_says_before_a_match_holds_at_its_end(name: str) -> None:
    game = games.load(name)
    for seats in game.seats:
        resolved = game.resolve_options({}, seats)
        states = game.deal(seats, resolved, 1)
        assert said_by_game(name, canonical_json(resolved), seats) == game.engine.has_one_loser(states)


def test_a_game_that_is_not_here_is_told_by_the_places() -> None:
    assert said_by_game("chess", "{}", 3) is None and said_by_game("nanatoridori", '{"colour":1}', 3) is None
    foreign = [replace(record, game="chess") for record in (match("bad", "good", "fair"), two_forfeits("crash", "bad", "fair"))]
    assert collected(*numbered(foreign)).names_loser.tolist() == [True, False]  # nobody shares place 1 in the other
