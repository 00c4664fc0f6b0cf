"""The draw margin of a pool follows from its ties, and all that is said of the pool goes by the same one."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from arena.ratings import trueskill_batch
from arena.ratings.draws import PRIOR_PAIRS
from arena.ratings.error_bars import Told
from arena.ratings.models import BATCH_MODEL, MODEL
from arena.ratings.order import in_order
from arena.ratings.rows import PoolRows
from arena.ratings.settings import DRAW_PROBABILITY, LEAST_DRAW_PROBABILITY, RatingSettings, draw_margin
from arena.ratings.standings import rated_pool

OPEN, USUAL = RatingSettings(), RatingSettings(draw_probability=DRAW_PROBABILITY)
WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def pool(*results: tuple[tuple[int, ...], int], named: bool = False) -> PoolRows:
    """Matches between the same bots, in the same seats. `results`: places, and how often they happened."""
    places = np.array([place for own, count in results for place in own * count], np.int8)
    seats = len(results[0][0])
    matches = len(places) // seats
    return PoolRows(
        tuple((f"bot_{seat}", 1) for seat in range(seats)), np.arange(matches + 1) * seats, np.arange(matches, dtype=np.int32),
        np.tile(np.arange(seats, dtype=np.int32), matches), np.tile(np.arange(seats, dtype=np.int8), matches), places,
        np.zeros(len(places), np.float32), np.zeros(len(places), np.bool_), None, np.full(matches, named),
    )  # fmt: skip


def draws(margin: float | None) -> float:
    assert margin is not None
    return 2.0 * NormalDist().cdf(margin / OPEN.beta) - 1.0


def test_without_ties_a_difference_is_what_the_wins_say() -> None:
    rows = pool((WON, 3_000), (LOST, 1_000))
    found, stretched = (float(np.ptp(trueskill_batch.rate(rows, settings).mu)) for settings in (OPEN, USUAL))
    said = NormalDist().inv_cdf(0.75) * OPEN.beta * math.sqrt(2.0)
    assert found == pytest.approx(said, rel=0.01) and stretched > 1.05 * said


def test_as_many_ties_are_expected_as_there_were() -> None:
    rows = pool((WON, 5_000), (LOST, 2_000), (TIED, 3_000))
    found = trueskill_batch.rate(rows, OPEN)
    assert found.margin is not None
    ratio, apart = found.margin / OPEN.beta, float(np.ptp(found.mu)) / OPEN.beta / math.sqrt(2.0)
    chance = NormalDist().cdf
    assert chance(ratio - apart) - chance(-ratio - apart) == pytest.approx(0.3, abs=0.001)
    assert chance(apart - ratio) == pytest.approx(0.5, abs=0.002)  # the likeliest: what is fitted is both, wins and ties


def test_few_matches_leave_the_margin_near_the_usual_one() -> None:
    found = trueskill_batch.rate(pool((WON, 1), (TIED, 1)), OPEN)
    equal = (1.0 + PRIOR_PAIRS * DRAW_PROBABILITY) / (2.0 + PRIOR_PAIRS)
    assert DRAW_PROBABILITY < draws(found.margin) < 1.2 * equal
    assert draws(trueskill_batch.rate(pool((WON, 5_000)), OPEN).margin) == pytest.approx(LEAST_DRAW_PROBABILITY)


@pytest.mark.parametrize("ties", [1.0, 0.999, 0.5])
def test_margins_of_any_share_of_ties_are_found(ties: float) -> None:
    rows = pool((TIED, round(4_000 * ties)), (WON, 4_000 - round(4_000 * ties)))
    found = trueskill_batch.rate(rows, OPEN)
    assert np.isfinite(found.mu).all() and draws(found.margin) > 0.9 * ties


def test_winners_of_a_match_that_names_one_loser_are_no_tie() -> None:
    places = ((1, 1, 3), 600), ((3, 1, 1), 400)
    margins = {named: trueskill_batch.rate(pool(*places, named=named), OPEN).margin for named in (False, True)}
    assert draws(margins[False]) > 0.2 and draws(margins[True]) < 0.002


def test_a_margin_that_is_given_stays() -> None:
    rows = pool((WON, 300), (LOST, 100))
    assert trueskill_batch.rate(rows, USUAL).margin == USUAL.margin == draw_margin(0.1, USUAL.beta)


def test_online_ratings_keep_the_usual_one() -> None:
    rows = pool((WON, 300), (LOST, 100))
    beliefs = [rated_pool(MODEL, "pool", rows, settings).beliefs for settings in (OPEN, USUAL)]
    assert np.array_equal(beliefs[0].mu, beliefs[1].mu) and Told.by(rows, beliefs[0], OPEN).margin == USUAL.margin


def test_error_bars_luck_and_stored_ratings_go_by_the_margin_of_the_fit() -> None:
    plain = pool((WON, 50), (LOST, 20), (TIED, 30))
    for rows in (plain, replace(plain, luck=np.tile([0.1, -0.1], 100))):
        rated = rated_pool(BATCH_MODEL, "pool", rows, OPEN)
        found = trueskill_batch.rate(rows, OPEN)
        assert Told.by(rows, rated.beliefs, OPEN).margin == rated.beliefs.margin == found.margin != OPEN.margin
        stored = rated.ratings()[0].draw_probability
        assert stored is not None and draw_margin(stored, OPEN.beta) == pytest.approx(rated.beliefs.margin, rel=1e-9)
    assert trueskill_batch.rate(plain, USUAL).margin == USUAL.margin


def test_the_order_of_matches_does_not_matter() -> None:
    rows = pool((WON, 50), (LOST, 20), (TIED, 30))
    other = in_order(rows, np.random.default_rng(3).permutation(rows.matches))
    assert trueskill_batch.rate(other, OPEN).margin == trueskill_batch.rate(rows, OPEN).margin


def test_along_the_matches_it_is_the_margin_of_those_so_far() -> None:
    rows = in_order(pool((WON, 50), (LOST, 20), (TIED, 30)), np.random.default_rng(4).permutation(100))
    for end, found in zip((30, 100), trueskill_batch.along(rows, OPEN, (30, 100))):
        assert found.margin == pytest.approx(trueskill_batch.rate(rows.first(end), OPEN).margin, rel=1e-4)
