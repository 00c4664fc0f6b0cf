"""One ranking over several games: every game counts alike, whatever its points are worth, and the intervals hold."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.ratings.error_bars import ErrorBars
from arena.ratings.models import BATCH_MODEL
from arena.ratings.overall import MIDDLE, UNIT, Combined, PoolSkills, combine, pool_weights
from arena.ratings.settings import OVERALL, RatingSettings, Weights
from arena.ratings.standings import rate, rated_pool
from lab.overall import CASES, FieldCase, made_up, order_costs, overall_costs

SETTINGS = RatingSettings()
BOTS = [(f"bot_{number}", 1) for number in range(6)]


def pool(
    name: str, mu: Any, error: float = 0.1, bots: list[tuple[str, int]] = BOTS, matches: Any = None
) -> PoolSkills:  # fmt: skip
    numbers = np.array(mu, np.float64)
    played = np.full(len(numbers), 50.0) if matches is None else np.array(matches, np.float64)
    bars = ErrorBars(np.eye(len(numbers)) * error**2, 40.0, math.nan)
    return PoolSkills(name, bots[: len(numbers)], numbers, bars, played)


def z(found: Combined) -> NDArray[np.float64]:
    return (found.mu - MIDDLE) / UNIT


SKILLS = np.array([3.0, 1.0, 0.5, -0.5, -1.0, -3.0])


@pytest.mark.parametrize("rule", ["standardized", "mean-rank"])
def test_neither_the_level_nor_the_width_of_a_games_points_counts(rule: str) -> None:
    """A game whose points are ten times as wide, and lie elsewhere, has no more to say."""
    settings = RatingSettings(overall=rule)
    other = np.array([-1.0, 0.0, 2.0, 1.0, 3.0, -5.0])
    plain = combine([pool("a", SKILLS), pool("b", other)], settings, {})
    wide = combine([pool("a", 700 + 10 * SKILLS, error=1.0), pool("b", other)], settings, {})
    assert wide.mu == pytest.approx(plain.mu) and wide.sigma == pytest.approx(plain.sigma)
    assert z(plain).sum() == pytest.approx(0.0, abs=1e-9)


def test_games_count_alike_though_their_skills_spread_differently() -> None:
    stream = np.random.default_rng(7)
    found = []
    for _ in range(100):
        skills = [stream.normal(0.0, spread, 6) for spread in (8.0, 2.0, 1.0)]
        combined = combine([pool(str(number), own, 0.01) for number, own in enumerate(skills)], SETTINGS, {})
        found.append([np.corrcoef(combined.mu, own)[0, 1] for own in skills])
    assert np.ptp(np.mean(found, axis=0)) < 0.12
    assert np.mean(found) == pytest.approx(1 / math.sqrt(3), abs=0.06)


def test_the_spread_is_that_of_the_true_skills_and_numbers_are_shrunk_by_what_they_err() -> None:
    """Noise widens the estimates; what is left after taking it away is the spread of the skills, and its share shrinks z."""
    stream, true = np.random.default_rng(1), SKILLS / SKILLS.std(ddof=1)
    noisy = [combine([pool("a", SKILLS + stream.normal(0, 0.9, 6), 0.9)], SETTINGS, {}) for _ in range(400)]
    slopes = [float(z(one) @ true) / 5 for one in noisy]
    of_skill = SKILLS.var(ddof=1) / (SKILLS.var(ddof=1) + 0.9**2)
    assert np.mean(slopes) == pytest.approx(of_skill, abs=0.05) and of_skill < 0.85


def test_a_game_of_luck_hardly_counts_beside_games_of_skill() -> None:
    """Once it had a third of the vote, all of it noise, and the overall numbers went with the skills by 0.80."""
    (case,) = (case for case in CASES if 0.0 in case.spreads)
    found = {one.rule: one for one in overall_costs([case], 30)}["standardized"]
    assert found.to_true > 0.92 and found.covered is not None and found.covered > 0.93


def test_a_pool_that_luck_decides_is_not_blown_up() -> None:
    nothing = pool("luck", [0.1, -0.1, 0.05, 0.0, -0.05, 0.0], error=1.0)
    found = combine([nothing], SETTINGS, {})
    assert np.abs(z(found)).max() < 0.2 and found.sigma.max() < 1.5 * UNIT


def test_who_misses_a_pool_is_not_ranked_and_has_a_number_of_its_own_games() -> None:
    some = pool("b", SKILLS[:5], matches=[9, 9, 9, 9, 0])
    found = combine([pool("a", SKILLS), some], SETTINGS, {})
    assert found.bots == BOTS[:4] and set(found.others) == set(BOTS[4:])
    assert found.others[BOTS[5]][0] < found.mu.min()
    assert found.others[BOTS[4]][1] > 0


def test_a_pool_without_matches_keeps_nobody_from_a_rank() -> None:
    empty = pool("b", np.full(6, 25.0), matches=np.zeros(6))
    assert combine([pool("a", SKILLS), empty], SETTINGS, {}).mu == pytest.approx(combine([pool("a", SKILLS)], SETTINGS, {}).mu)


def test_games_come_first_and_then_the_pools_of_a_game() -> None:
    pools = [("naga", "naga"), ("duel", "nana"), ("basic", "nana"), ("basic", "nana")]
    assert pool_weights(pools, SETTINGS) == {"naga": 1.0, "duel": 0.5, "basic": 0.5}
    weighted = RatingSettings(weights=Weights(games={"naga": 3.0}, pools={"duel": 3.0}))
    assert pool_weights(pools, weighted) == {"naga": 3.0, "duel": 0.75, "basic": 0.25}
    assert pool_weights(pools, RatingSettings(headline="online")) == {"naga": 1.0, "duel": 1.0, "basic": 1.0}
    none = RatingSettings(weights=Weights(games={"nana": 0.0}))
    assert pool_weights(pools, none) == {"naga": 1.0, "duel": 0.0, "basic": 0.0}


def test_weights_move_the_ranking_and_weight_nothing_leaves_a_pool_out() -> None:
    pools = [pool("a", SKILLS), pool("b", -SKILLS)]
    assert combine(pools, SETTINGS, {}).mu == pytest.approx(np.full(6, MIDDLE))
    assert combine(pools, SETTINGS, {"a": 2.0, "b": 1.0}).mu[0] > MIDDLE
    assert combine(pools, SETTINGS, {"b": 0.0}).mu == pytest.approx(combine(pools[:1], SETTINGS, {}).mu)


def test_the_mean_rank_of_sure_skills_is_the_rank() -> None:
    found = combine([pool("a", SKILLS, 1e-4)], RatingSettings(overall="mean-rank"), {})
    ranks = 3.5 - z(found) * math.sqrt(35 / 12)
    assert ranks == pytest.approx([1, 2, 3, 4, 5, 6])


def test_the_errors_are_those_that_the_ranking_has_when_the_skills_err() -> None:
    """Drawn again and again around known skills, the overall numbers spread as much as their sigma says."""
    stream = np.random.default_rng(3)
    for rule in ("standardized", "mean-rank"):
        settings = RatingSettings(overall=rule)
        drawn = [
            combine(
                [
                    pool("a", SKILLS + stream.normal(0, 0.4, 6), 0.4),
                    pool("b", 2 * SKILLS[::-1] + stream.normal(0, 0.8, 6), 0.8),
                ],
                settings,
                {},
            )
            for _ in range(300)
        ]
        spread = np.std([one.mu for one in drawn], axis=0)
        told = np.mean([one.sigma for one in drawn], axis=0)
        assert told.mean() == pytest.approx(spread.mean(), rel=0.1), rule


def test_the_stored_ratings_have_that_scale_and_its_ranks() -> None:
    stream = np.random.default_rng(11)
    pools = {name: made_up(25 + spread * SKILLS / 2, 30, stream) for name, spread in (("a", 4.0), ("b", 1.0))}
    ratings = [one for one in rate(pools, SETTINGS, (BATCH_MODEL,)) if one.pool == OVERALL]
    skills = [rated_pool(BATCH_MODEL, name, rows, SETTINGS).skills for name, rows in pools.items()]
    expected = combine(skills, SETTINGS, {})
    by_bot = {(one.bot, one.bot_version): one for one in ratings}
    for bot, mu, sigma in zip(expected.bots, expected.mu, expected.sigma):
        one = by_bot[bot]
        assert (one.mu, one.sigma, one.rating) == pytest.approx((mu, sigma, one.low))
        assert one.high - one.mu == pytest.approx(expected.bars.quantile * sigma)
    assert [one.rank for one in ratings] == [1, 2, 3, 4, 5, 6] and np.mean([one.mu for one in ratings]) == pytest.approx(25.0)


def test_the_intervals_of_a_made_up_field_hold_what_they_say() -> None:
    """A small form of `python -m lab overall`, which measures 93 to 97 % in more runs."""
    standardized, mean_rank, plain = overall_costs((FieldCase("small", 8, 40),), runs=25)
    assert standardized.covered is not None and 0.89 <= standardized.covered <= 0.99
    assert np.ptp(standardized.correlations) < 0.25 < np.ptp(plain.correlations)
    assert plain.correlations[0] > 0.7 and mean_rank.covered is not None


def test_a_field_of_two_has_wide_intervals_and_no_others() -> None:
    (two,) = [case for case in CASES if case.bots == 2]
    standardized = overall_costs((two,), runs=10)[0]
    assert standardized.covered is not None and standardized.covered >= 0.95 and standardized.correlations == ()


def test_the_order_of_matches_moves_the_online_means_alone() -> None:
    (found,) = order_costs((15,), runs=4)
    assert found.matches == 30 and found.largest_batch == 0.0 and found.largest > 0.3
    assert found.covered_batch > found.covered_online - 0.05


def test_no_rating_can_tell_where_the_skills_of_a_field_lie_but_ranks_do_not_need_that() -> None:
    """Intervals are of differences: around skills whose mean is not 25 they hold less often, while brackets hold the ranks."""
    (found,) = order_costs((60,), runs=12)
    assert found.covered_as_drawn < found.covered_online - 0.1 and found.covered_ranks > 0.95 and 0.0 < found.level < 1.0
