"""Ratings without luck: the same skills, surer; whatever the luck tells, intervals hold as often as they say."""

import itertools

import numpy as np
import pytest

from arena.ratings.beliefs import believe
from arena.ratings.error_bars import error_bars
from arena.ratings.luck_correction import without_luck
from arena.ratings.models import BATCH_MODEL, MODEL
from arena.ratings.rows import PoolRows
from arena.ratings.settings import Anchor, RatingSettings
from arena.ratings.standings import DEALS_TO_COMPARE, rate_and_compare, rated_pool

SETTINGS = RatingSettings()
SKILLS = np.array([20.0, 24.0, 25.0, 31.0])
CARDS = 3.0
"""Standard deviation of what the cards give to a seat, in TrueSkill points."""


def tournament(source, deals, seats=2, known=1.0, skills=SKILLS, mates=1):
    """All tables of teams of known skill on every deal, in all rotations, with luck of which the share `known` is told."""
    starts, numbers, who, places, lucks = [0], [], [], [], []
    noise = np.sqrt((SETTINGS.beta**2 - CARDS**2) * mates)
    per_point = 0.4 / (np.sqrt(2 * mates) * SETTINGS.beta)  # share of rivals beaten more
    for deal in range(deals):
        for table in itertools.permutations(range(len(skills)), seats):
            cards = source.normal(0, CARDS, seats)
            told = known * cards + source.normal(0, CARDS * np.sqrt(known - known**2), seats)
            performances = skills[list(table)] * mates + cards + source.normal(0, noise, seats)
            luck = (told - told.mean()) * seats / (seats - 1) * per_point
            who += list(np.repeat(table, mates))
            places += list(np.repeat(ranked(performances, SETTINGS.margin * np.sqrt(2 * mates)), mates))
            lucks += list(np.repeat(luck, mates))
            numbers.append(deal)
            starts.append(len(who))
    return PoolRows(
        tuple((f"bot_{number}", 1) for number in range(len(skills))), np.array(starts, np.int64), np.array(numbers, np.int32),
        np.array(who, np.int32), np.tile(np.repeat(np.arange(seats, dtype=np.int8), mates), len(numbers)),
        np.array(places, np.int8), np.zeros(len(who), np.float32), np.zeros(len(who), np.bool_), np.array(lucks, np.float64),
    )  # fmt: skip


def ranked(performances, margin):
    """Places; neighbours closer than the draw margin of TrueSkill share one."""
    order = np.argsort(-performances)
    places = [1] * len(order)
    for place, (better, worse) in enumerate(itertools.pairwise(order), start=2):
        places[worse] = places[better] if performances[better] - performances[worse] <= margin else place
    return places


def corrected(rows, settings=SETTINGS):
    beliefs = believe(BATCH_MODEL, rows, settings)
    return beliefs, without_luck(rows, beliefs, error_bars(rows, beliefs, settings), settings)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "known"), [(2, 1.0), (3, 0.6)])
def test_intervals_without_luck_hold_as_often_as_they_say(seats, known):
    """60 tournaments of 30 deals: 90 to 99 % of the intervals hold the skill, and as much is gained as is promised."""
    source = np.random.default_rng(31)
    held, worth, errors, plain_errors = 0, [], [], []
    for _ in range(60):
        rows = tournament(source, 30, seats, known)
        beliefs, found = corrected(rows)
        truth = SKILLS - SKILLS.mean()
        plain_errors.append(beliefs.mu - beliefs.mu.mean() - truth)
        errors.append(found.beliefs.mu - found.beliefs.mu.mean() - truth)
        held += int(np.sum(np.abs(errors[-1]) <= found.bars.half_widths()))
        worth.append(found.worth)
    assert 0.90 <= held / (60 * len(SKILLS)) <= 0.99
    assert np.mean(worth) == pytest.approx(np.var(plain_errors) / np.var(errors), rel=0.2) and np.mean(worth) > 1.08
    assert np.abs(np.mean(errors, axis=0)).max() < 0.4


def test_luck_that_is_known_makes_ratings_surer():
    beliefs, found = corrected(tournament(np.random.default_rng(5), 80, skills=SKILLS[1:3]))
    assert found.worth > 1.25
    assert found.worth == pytest.approx((error_widths(beliefs, 80) / found.bars.half_widths()).mean() ** 2, rel=0.01)
    assert found.beliefs.sigma is beliefs.sigma


def error_widths(beliefs, deals):
    rows = tournament(np.random.default_rng(5), deals, skills=SKILLS[1:3])
    return error_bars(rows, beliefs, SETTINGS).half_widths()


def test_teams_count_as_one():
    beliefs, found = corrected(tournament(np.random.default_rng(6), 60, skills=SKILLS[1:3], mates=2))
    assert found.worth > 1.15 and not np.allclose(found.beliefs.mu, beliefs.mu)


def test_luck_that_has_nothing_to_do_with_the_results_changes_nearly_nothing():
    rows = tournament(np.random.default_rng(7), 80)
    foreign = np.random.default_rng(8).permutation(rows.luck.reshape(-1, 2)).ravel()
    _, found = corrected(PoolRows(*(list(vars(rows).values())[:8]), foreign))
    assert 0.93 < found.worth < 1.05


def test_no_luck_changes_nothing():
    rows = tournament(np.random.default_rng(9), 10)
    still = PoolRows(*(list(vars(rows).values())[:8]), np.zeros(len(rows.bots)))
    beliefs, found = corrected(still)
    assert found.beliefs.mu == pytest.approx(beliefs.mu, abs=1e-12) and found.worth == pytest.approx(1.0, abs=0.01)


def test_the_field_stays_where_it_is_and_so_does_an_anchor():
    rows = tournament(np.random.default_rng(10), 12)
    free = rated_pool(BATCH_MODEL, "naga", rows, SETTINGS)
    anchored = rated_pool(BATCH_MODEL, "naga", rows, RatingSettings(anchor=Anchor("bot_2", 30.0)))
    assert free.beliefs.mu.mean() == pytest.approx(SETTINGS.mu) and anchored.beliefs.mu[2] == pytest.approx(30.0)
    assert np.diff(free.beliefs.mu) == pytest.approx(np.diff(anchored.beliefs.mu), abs=1e-9)


def test_one_deal_is_left_as_it_is():
    beliefs, found = corrected(tournament(np.random.default_rng(11), 1))
    assert found.beliefs is beliefs and np.isnan(found.worth)


def test_only_the_order_free_model_goes_without_luck_and_says_what_that_is_worth():
    rows = tournament(np.random.default_rng(12), DEALS_TO_COMPARE, skills=SKILLS[1:3])
    plain = PoolRows(*(list(vars(rows).values())[:8]))
    with_it, saved = rate_and_compare({"naga": plain}, SETTINGS)
    without, saved_too = rate_and_compare({"naga": rows}, SETTINGS)
    for model in (MODEL, BATCH_MODEL):
        same = [rating for rating in with_it if rating.model == model] == [r for r in without if r.model == model]
        assert same == (model == MODEL)
    assert saved.luck == {} and saved.rotations == saved_too.rotations
    assert saved_too.luck["naga"].deals == DEALS_TO_COMPARE < saved_too.luck["naga"].worth
    few = tournament(np.random.default_rng(12), DEALS_TO_COMPARE - 1, skills=SKILLS[1:3])
    assert rate_and_compare({"naga": few}, SETTINGS)[1].luck == {}
