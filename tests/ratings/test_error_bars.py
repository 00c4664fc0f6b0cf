"""Error bars over deals: they cover the truth as often as they say, and know that matches of one deal share its luck."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.beliefs import believe
from arena.ratings.error_bars import ErrorBars, error_bars
from arena.ratings.models import BATCH_MODEL, MODEL, STORED
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import LOW, RatingSettings
from arena.ratings.standings import Rated

SETTINGS = RatingSettings()
SKILLS = np.array([20.0, 24.0, 25.0, 31.0])


def tournament(source, deals, seats=2, luck=0.0, rotations=None, skills=SKILLS):
    """All tables of players of known skill on every deal; `luck`: deviation of what a deal gives to a seat.

    `rotations`: how many of the seatings are played; the luck stays with the seat, so that all of them cancel it out.
    """
    starts, numbers, who, places = [0], [], [], []
    noise = np.sqrt(SETTINGS.beta**2 - luck**2)
    for deal in range(deals):
        cards = source.normal(0, luck, seats)
        for table in itertools.combinations(range(len(skills)), seats):
            for rotation in range(seats if rotations is None else rotations):
                seated = [table[(seat + rotation) % seats] for seat in range(seats)]
                performances = skills[seated] + cards + source.normal(0, noise, seats)
                who += seated
                places += ranked(performances)
                numbers.append(deal)
                starts.append(len(who))
    return PoolRows(
        tuple((f"bot_{number}", 1) for number in range(len(skills))), np.array(starts, np.int64), np.array(numbers, np.int32),
        np.array(who, np.int32), np.tile(np.arange(seats, dtype=np.int8), len(numbers)), np.array(places, np.int8),
        np.zeros(len(who), np.float32), np.zeros(len(who), np.bool_),
    )  # fmt: skip


def ranked(performances):
    """Places; neighbours closer than the draw margin of TrueSkill share one."""
    order = np.argsort(-performances)
    places = [1] * len(order)
    for place, (better, worse) in enumerate(itertools.pairwise(order), start=2):
        is_tie = performances[better] - performances[worse] <= SETTINGS.margin * np.sqrt(2)
        places[worse] = places[better] if is_tie else place
    return places


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "luck"), [(2, 0.0), (2, 3.0), (4, 3.0)])
def test_intervals_cover_the_truth_as_often_as_they_say(seats, luck):
    """250 tournaments of 40 deals: of the 95 % intervals of ratings less their mean, 92 to 98 % hold the true skill."""
    source = np.random.default_rng(40)
    covered = dict.fromkeys(STORED, 0)
    for _ in range(250):
        rows = tournament(source, 40, seats, luck)
        for model in STORED:
            beliefs = believe(model, rows, SETTINGS)
            error = beliefs.mu - beliefs.mu.mean() - (SKILLS - SKILLS.mean())
            covered[model] += int(np.sum(np.abs(error) <= error_bars(rows, beliefs, SETTINGS).half_widths()))
    for model in STORED:
        assert 0.92 <= covered[model] / (250 * len(SKILLS)) <= 0.98, (model, covered)


def test_rotations_save_what_luck_costs():
    """Both seatings of every deal: the luck of the cards cancels. Without luck, or with one seating, nothing is saved."""
    source, pair = np.random.default_rng(1), np.array([24.0, 26.0])
    lucky = tournament(source, 1000, luck=3.5, skills=pair)
    plain = tournament(source, 1000, skills=pair)
    half = tournament(source, 1000, luck=3.5, rotations=1, skills=pair)
    saved = [error_bars(rows, believe(BATCH_MODEL, rows, SETTINGS), SETTINGS).saved for rows in (lucky, plain, half)]
    assert saved[0] > 1.5
    assert saved[1:] == pytest.approx([1.0, 1.0], abs=0.1)


def test_tables_that_share_a_deal_know_less():
    """One seating, so that luck stays: a bot that has the better cards has them at all its tables."""
    rows = tournament(np.random.default_rng(1), 1000, luck=3.5, rotations=1)
    assert error_bars(rows, believe(BATCH_MODEL, rows, SETTINGS), SETTINGS).saved < 0.8


def test_twice_the_same_deal_tells_nothing_new():
    """Every match played twice with the same cards and the same result: the bars stay as wide."""
    rows = tournament(np.random.default_rng(2), 60)
    twice = PoolRows(
        rows.bots_by_number, np.arange(2 * rows.matches + 1) * 2, np.tile(rows.deals, 2), np.tile(rows.bots, 2),
        np.tile(rows.units, 2), np.tile(rows.places, 2), np.tile(rows.scores, 2), np.tile(rows.faults, 2),
    )  # fmt: skip
    widths = [error_bars(given, believe(BATCH_MODEL, given, SETTINGS), SETTINGS).half_widths() for given in (rows, twice)]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


def test_of_deals_that_all_end_alike_no_ratio_is_made():
    """Two copies of a bot win one match of each deal: once, a match told as much as 6,079,102,318 independent ones."""
    deals = 30
    rows = PoolRows(
        (("one", 1), ("other", 1)), np.arange(2 * deals + 1) * 2, np.repeat(np.arange(deals, dtype=np.int32), 2),
        np.tile(np.array([0, 1, 1, 0], np.int32), deals), np.tile(np.array([0, 1], np.int8), 2 * deals),
        np.tile(np.array([1, 2], np.int8), 2 * deals), np.zeros(4 * deals, np.float32), np.zeros(4 * deals, np.bool_),
    )  # fmt: skip
    bars = error_bars(rows, believe(BATCH_MODEL, rows, SETTINGS), SETTINGS)
    assert np.isnan(bars.saved) and np.isfinite(bars.half_widths()).all()


def test_below_two_deals_the_belief_is_all_there_is():
    rows = tournament(np.random.default_rng(3), 1)
    beliefs = believe(MODEL, rows, SETTINGS)
    bars = error_bars(rows, beliefs, SETTINGS)
    assert np.diag(bars.covariance) == pytest.approx(beliefs.sigma**2)
    assert bars.quantile == pytest.approx(1.959964, abs=1e-6)
    assert np.isnan(bars.saved)


def test_separable_is_symmetric_and_no_bot_is_from_itself():
    rows = tournament(np.random.default_rng(4), 40)
    beliefs = believe(MODEL, rows, SETTINGS)
    apart = error_bars(rows, beliefs, SETTINGS).separable(beliefs.mu)
    assert (apart == apart.T).all() and not apart.diagonal().any()
    assert apart[0, 3]


def test_all_brackets_of_ten_equal_bots_hold_at_once():
    """Of 45 pairs of equal bots some differ by more than a pair alone may: their brackets still leave out no rank."""
    mu = np.array([26.9, 26.2, 25.7, 25.4, 25.1, 24.9, 24.6, 24.3, 23.8, 23.1])  # standard errors of 1: nothing unusual
    beliefs = Beliefs(mu, np.ones(10))
    bots = tuple((f"bot_{number}", 1) for number in range(10))
    bars = ErrorBars(np.eye(10), 59.0, math.nan)
    assert bars.separable(mu)[0, 9], "as one pair, looked at alone"
    rated = Rated(BATCH_MODEL, "naga", bots, beliefs, bars, np.ones((4, 10)), LOW)
    assert {(rating.rank_low, rating.rank_high) for rating in rated.ratings()} == {(1, 10)}


def test_intervals_beside_an_anchor_are_those_of_differences_from_it():
    """Once, they forgot how unsure the anchor itself is."""
    root = np.random.default_rng(4).standard_normal((5, 5))
    bars = ErrorBars(root @ root.T, 30.0, math.nan)
    widths, variances = bars.half_widths(anchor=2), np.diag(bars.covariance)
    for bot in range(5):
        apart = variances[bot] + variances[2] - 2 * bars.covariance[bot, 2]
        assert widths[bot] == pytest.approx(bars.quantile * math.sqrt(apart))


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(1, 60), st.floats(0.0, 8.0))
def test_brackets_that_hold_at_once_contain_those_of_single_pairs(seed, bots, degrees, spread):
    source = np.random.default_rng(seed)
    root = source.standard_normal((bots, bots))
    bars, mu = ErrorBars(root @ root.T, degrees, math.nan), spread * source.standard_normal(bots)
    at_once, alone = bars.separable_at_once(mu), bars.separable(mu)
    assert (at_once <= alone).all() and (at_once == at_once.T).all()
    if bots == 2:
        assert (at_once == alone).all(), "one pair is one look"
    assert (at_once == by_holm(mu, bars)).all()


def by_holm(mu, bars):
    """As textbooks have it: pair by pair, the clearest first, until one is not clear enough."""
    from scipy import stats  # only now: all test processes collect this file, and it takes long

    pairs = list(itertools.combinations(range(len(mu)), 2))
    spread = {(i, j): np.sqrt(bars.covariance[i, i] + bars.covariance[j, j] - 2 * bars.covariance[i, j]) for i, j in pairs}
    chances = {(i, j): 2 * stats.t.sf(abs(mu[i] - mu[j]) / spread[i, j], bars.degrees) for i, j in pairs}
    apart = np.zeros((len(mu), len(mu)), np.bool_)
    for number, (i, j) in enumerate(sorted(pairs, key=chances.__getitem__)):
        if chances[i, j] >= 0.05 / (len(pairs) - number):
            break
        apart[i, j] = apart[j, i] = True
    return apart


def test_two_pairs_that_are_clear_leave_more_error_for_the_third():
    """Held to a third of 5 % a difference of 2.1 standard errors is none, and it is one when the others are clear."""
    bars = ErrorBars(np.eye(3) / 2, math.inf, math.nan)
    assert not bars.separable_at_once(np.array([2.1, 0.0, 1.0]))[0, 1]
    assert bars.separable_at_once(np.array([2.1, 0.0, 20.0])).sum() == 6
    alone, nobody = (ErrorBars(np.eye(bots), math.inf, math.nan).separable_at_once(np.zeros(bots)) for bots in (1, 0))
    assert not alone.any() and nobody.shape == (0, 0)
