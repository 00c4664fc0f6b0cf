"""The ratings of a tournament that is being played are those that the board will have, up to there."""

import random

import msgspec

from arena.ratings.models import MODEL, STORED
from arena.ratings.running import RunningRatings
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.ratings.trueskill import KEPT
from arena.records import Ending, MatchRecord
from helpers.records import plain_record

FIELD = {"duel": [("a", 1), ("b", 1), ("c", 2)], "team": [("a", 1), ("b", 1), ("c", 2)]}


def record(index: int, stream: random.Random) -> MatchRecord:
    template = plain_record(index)
    pool = stream.choice(sorted(FIELD))
    bots = stream.sample(FIELD[pool], 2)
    places = stream.choice([(1, 2), (2, 1), (1, 1)])
    ending = stream.choice([Ending.PLAYED, Ending.PLAYED, Ending.CRASH, Ending.HOST])
    seats = tuple(
        msgspec.structs.replace(template.seats[0], bot=name, bot_version=version, unit=unit, place=place, ending=ending)
        for unit, ((name, version), place) in enumerate(zip(bots, places))
    )
    delays = (1,) if stream.random() < 0.1 else ()
    return msgspec.structs.replace(template, pool=pool, deal=index // 6, seats=seats, delays=delays)


def test_the_numbers_are_those_of_the_board_whenever_one_looks() -> None:
    stream, settings = random.Random("running"), RatingSettings(overall="mean-mu", rank_by="mu")  # other rules need the bounds
    board, running = Standings(settings, FIELD), RunningRatings(settings, FIELD)
    looks = {0, 1, 50, 2 * KEPT + 10, 3 * KEPT}
    for index in range(3 * KEPT + 1):
        if index in looks:
            shown = [numbers(rating) for rating in running.ratings()]
            assert shown == [numbers(rating) for rating in board.ratings(STORED)] and len(shown) == 18
        match = record(index, stream)
        board.add(match)
        running.add(match)


def numbers(rating: object) -> dict[str, object]:
    """All but the bounds, and of the headline what its sweeps leave open."""
    found = msgspec.to_builtins(rating)
    digits = 12 if found["model"] == MODEL else 4
    shown = {name: value for name, value in found.items() if name not in ("low", "high", "rank_low", "rank_high")}
    return {name: round(value, digits) if isinstance(value, float) else value for name, value in shown.items()}
