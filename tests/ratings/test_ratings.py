"""Rows -> ratings: the overall pool, counts, ranks and their bounds: docs/formats.md, "Places and ties"."""

import math
import random
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import trueskill
from msgspec import ValidationError, convert
from msgspec.structs import replace

from arena.ratings.error_bars import ErrorBars
from arena.ratings.models import BATCH_MODEL, STORED
from arena.ratings.rows import Beliefs
from arena.ratings.settings import LOW, OVERALL, RatingSettings
from arena.ratings.standings import Rated, Standings
from arena.records import Ending, MatchRecord, Rating
from helpers.records import make_record, make_seat, make_void

EXACT = (NormalDist().cdf, NormalDist().pdf, NormalDist().inv_cdf)  # the package's own erfc has seven digits
BOTS = [f"bot_{number}" for number in range(8)]


def played(
    index: int, places: dict[str, int], units: list[int] | None = None, pool: str = "naga", deal: int = 0
) -> MatchRecord:
    seats = tuple(
        make_seat(bot, place, unit=units[seat] if units else seat) for seat, (bot, place) in enumerate(places.items())
    )
    return make_record(index, seats, pool=pool, deal=deal)


def random_matches(count: int) -> list[MatchRecord]:
    """2 to 6 seats, ties, and teams now and then."""
    source = random.Random(20161121)
    records = []
    for index in range(count):
        bots = source.sample(BOTS, source.randint(2, 6))
        units = [seat % 2 for seat in range(len(bots))] if len(bots) in (4, 6) and index % 3 == 0 else list(range(len(bots)))
        scores = {unit: source.randint(1, 4) for unit in units}
        places = {bot: 1 + sum(scores[other] > scores[unit] for other in units) for bot, unit in zip(bots, units)}
        records.append(played(index, places, units))
    return records


def folded(records: list[MatchRecord], **changes: Any) -> dict[tuple[str, str], Rating]:
    standings = Standings(RatingSettings(headline="online"), changes.get("field"))
    for record in records:
        standings.add(record)
    return {(rating.pool, rating.bot): rating for rating in standings.ratings()}


def test_the_package_called_directly_gives_the_same_numbers() -> None:
    environment = trueskill.TrueSkill(mu=25.0, sigma=25 / 3, beta=25 / 6, tau=0.0, draw_probability=0.1, backend=EXACT)
    beliefs = {bot: environment.create_rating() for bot in BOTS}
    records = random_matches(400)
    for record in records:
        units = list(dict.fromkeys(seat.unit for seat in record.seats))
        groups = [{seat.bot: beliefs[seat.bot] for seat in record.seats if seat.unit == unit} for unit in units]
        ranks = [next(seat.place for seat in record.seats if seat.unit == unit) for unit in units]
        for group in environment.rate(groups, ranks=ranks):
            beliefs.update(group)
    ratings = folded(records)
    for bot, belief in beliefs.items():
        rating = ratings["naga", bot]
        assert (rating.mu, rating.sigma) == pytest.approx((belief.mu, belief.sigma), abs=1e-9)
        assert rating.rating == rating.mu - 3 * rating.sigma
    assert any(len({seat.unit for seat in record.seats}) < len(record.seats) for record in records)
    assert any(len({seat.place for seat in record.seats}) == 1 for record in records)


def test_one_match_gives_the_published_numbers() -> None:
    """The figures of the package's README (1 against 1, its default tau of 25/300)."""
    standings = Standings(RatingSettings(tau=25 / 300, headline="online"))
    standings.add(played(0, {"alice": 1, "bob": 2}))
    found = [(round(rating.mu, 3), round(rating.sigma, 3)) for rating in standings.ratings() if rating.pool == "naga"]
    assert found == [(29.396, 7.171), (20.604, 7.171)]


def test_seats_do_not_matter_without_ties() -> None:
    source = random.Random(4)
    records = [played(index, dict(zip(source.sample(BOTS, 4), (1, 2, 3, 4)))) for index in range(100)]
    turned = [replace(record, seats=tuple(source.sample(record.seats, 4))) for record in records]
    assert folded(turned) == folded(records)


def test_counts() -> None:
    crash = make_record(2, (make_seat("alice", 2, ending=Ending.CRASH, fault_decision=4), make_seat("bob", 1)))
    ratings = folded([played(0, {"alice": 1, "bob": 1}), played(1, {"alice": 1, "bob": 2}), crash, make_void(3)])
    alice, bob = ratings["naga", "alice"], ratings["naga", "bob"]
    assert (alice.matches, alice.wins, alice.mean_place, alice.faults) == (3, 2, 4 / 3, 1)
    assert (bob.matches, bob.wins, bob.mean_place, bob.faults) == (3, 2, 4 / 3, 0)


def test_void_matches_are_not_rated() -> None:
    assert Standings(RatingSettings()).ratings() == []
    assert folded([make_void()]) == {}
    assert folded([played(0, {"alice": 1, "bob": 2}), make_void(1)]) == folded([played(0, {"alice": 1, "bob": 2})])


def test_the_field_is_listed_with_the_prior() -> None:
    field = {"yaniv": [("idle", 1), ("alice", 1)], "naga": [("idle", 1)]}
    ratings = folded([played(0, {"alice": 1, "bob": 2})], field=field)
    idle = ratings["naga", "idle"]
    assert (idle.mu, idle.sigma, idle.matches, idle.mean_place) == (25.0, 25 / 3, 0, 0.0)
    assert list(dict.fromkeys(pool for pool, _ in ratings)) == ["yaniv", "naga", OVERALL]
    assert [ratings["yaniv", bot].rank for bot in ("idle", "alice")] == [1, 1]
    assert (ratings["yaniv", "idle"].rank_low, ratings["yaniv", "idle"].rank_high) == (1, 2)


def test_versions_of_a_bot_are_bots() -> None:
    standings = Standings(RatingSettings())
    standings.add(make_record(0, (make_seat("alice", 2, bot_version=1), make_seat("alice", 1, bot_version=2))))
    assert [(rating.bot, rating.bot_version, rating.matches) for rating in standings.ratings()][:2] == [
        ("alice", 2, 1),
        ("alice", 1, 1),
    ]


def test_by_the_old_rule_overall_is_the_mean_of_the_pools() -> None:
    """`headline: online` gives the old board. Worked example: mu = (mu1 + mu2) / 2, sigma = sqrt(sigma1^2 + sigma2^2) / 2."""
    records = [
        played(0, {"alice": 1, "bob": 2}),
        played(1, {"bob": 1, "carol": 2, "alice": 3}, pool="yaniv"),
        played(2, {"bob": 1, "carol": 2, "alice": 3}, pool="yaniv"),
    ]
    ratings = folded(records)
    for bot in ("alice", "bob"):
        naga, yaniv, both = (ratings[pool, bot] for pool in ("naga", "yaniv", OVERALL))
        assert both.mu == pytest.approx((naga.mu + yaniv.mu) / 2, abs=1e-12)
        assert both.sigma == pytest.approx(math.sqrt(naga.sigma**2 + yaniv.sigma**2) / 2, abs=1e-12)
        assert both.rating == both.mu - 3 * both.sigma
    alice, carol = ratings[OVERALL, "alice"], ratings[OVERALL, "carol"]
    assert (alice.matches, alice.wins, alice.mean_place) == (3, 1, 7 / 3)
    assert (ratings[OVERALL, "bob"].rank, alice.rank) == (1, 2)
    assert (carol.rank, carol.rank_low, carol.rank_high) == (None, None, None)
    assert carol.mu == ratings["yaniv", "carol"].mu
    assert [bot for pool, bot in ratings if pool == OVERALL] == ["bob", "alice", "carol"]


def test_with_one_pool_overall_says_the_same() -> None:
    ratings = folded(random_matches(50))
    for bot in BOTS:
        assert replace(ratings[OVERALL, bot], pool="naga") == ratings["naga", bot]


def test_ratings_equal_but_for_the_last_digits_share_a_rank() -> None:
    """Two bots with mirrored results differ by the order in which their numbers were added up."""
    beliefs = Beliefs(np.array([25.0 - 1e-8, 25.0, 20.0, 24.9999]), np.array([1.0, 1.0 + 1e-9, 1.0, 1.0]))
    bots = tuple((name, 1) for name in ("alice", "bob", "carol", "dave"))
    rated = Rated(BATCH_MODEL, "naga", bots, beliefs, ErrorBars.of_sigma(beliefs), np.ones((4, 4)), LOW)
    assert [(rating.bot, rating.rank) for rating in rated.ratings()] == [("alice", 1), ("bob", 1), ("dave", 3), ("carol", 4)]


def test_equal_ratings_share_a_rank() -> None:
    ratings = folded([], field={"naga": [("bob", 1), ("alice", 1), ("carol", 1)]})
    assert [(rating.bot, rating.rank, rating.rank_low, rating.rank_high) for rating in ratings.values()][:3] == [
        ("alice", 1, 1, 3),
        ("bob", 1, 1, 3),
        ("carol", 1, 1, 3),
    ]


def test_bounds_tell_who_is_surely_better() -> None:
    source = random.Random(1)
    skill = {bot: 0.4 * number for number, bot in enumerate(BOTS)}
    records = []
    for index in range(600):
        seated = source.sample(BOTS, 2)
        seated.sort(key=lambda bot: -(skill[bot] + source.gauss(0, 1)))
        records.append(played(index, {seated[0]: 1, seated[1]: 2}, deal=index))
    ratings = [rating for (pool, _), rating in folded(records).items() if pool == "naga"]
    assert ratings == sorted(ratings, key=lambda rating: -rating.rating)
    assert [rating.rank for rating in ratings] == list(range(1, 9))
    assert all(rating.low < rating.mu < rating.high for rating in ratings)
    best, worst = ratings[0], ratings[-1]
    assert best.low > worst.high
    assert best.rank_high < len(ratings) and worst.rank_low > 1
    assert any(rating.rank_low < rating.rank_high for rating in ratings)


def test_both_models_are_rated() -> None:
    standings = Standings(RatingSettings())
    for record in random_matches(60):
        standings.add(record)
    ratings = standings.ratings(STORED)
    assert list(dict.fromkeys((rating.model, rating.pool) for rating in ratings)) == [
        (model, pool) for model in STORED for pool in ("naga", OVERALL)
    ]
    assert all(rating.rank is not None for rating in ratings if rating.model == BATCH_MODEL)


@pytest.mark.parametrize(
    "places", [{"alice": 1}, {"alice": 1, "bob": 1}, {"alice": 2, "bob": 2}, {"alice": 1, "bob": 1, "carol": 1}]
)
@pytest.mark.parametrize("draw_probability", [0.001, 0.1, 0.999])
def test_odd_matches_raise_nothing(places: dict[str, int], draw_probability: float) -> None:
    standings = Standings(RatingSettings(draw_probability=draw_probability))
    for index in range(30):
        standings.add(played(index, places))
    ratings = [rating for rating in standings.ratings() if rating.pool == "naga"]
    assert [rating.matches for rating in ratings] == [30] * len(places)
    assert all(rating.sigma > 0 for rating in ratings)


def test_a_single_team_cannot_be_rated() -> None:
    ratings = folded([played(0, {"alice": 1, "bob": 1}, units=[0, 0])])
    assert (ratings["naga", "alice"].mu, ratings["naga", "alice"].matches) == (25.0, 1)


def test_only_plan_order_is_folded() -> None:
    standings = Standings(RatingSettings())
    standings.add(played(3, {"alice": 1, "bob": 2}))
    with pytest.raises(ValueError, match="not in plan order"):
        standings.add(played(2, {"alice": 1, "bob": 2}))


def test_settings_are_strict() -> None:
    assert convert({}, RatingSettings) == RatingSettings(25.0, 8.333333333333334, 4.166666666666667, 0.0, None)
    with pytest.raises(ValidationError, match="sigam"):
        convert({"sigam": 8.0}, RatingSettings)
    with pytest.raises(ValidationError, match="float"):
        convert({"sigma": "8"}, RatingSettings)
