"""Luck taken out of numbers: without bias, without looking ahead, with less spread."""

import numpy as np
import pytest

from arena.ratings.error_bars import FIRST_COEFFICIENT, coefficients, without_luck


def numbers_with_luck(deals, slope, seed=1):
    stream = np.random.default_rng(seed)
    luck = stream.normal(0.0, 0.3, deals)
    return 0.1 + slope * luck + stream.normal(0.0, 0.2, deals), luck


@pytest.mark.parametrize("slope", [0.3, 0.8])
def test_the_coefficient_is_found_and_the_spread_shrinks(slope):
    numbers, luck = numbers_with_luck(2_000, slope)
    found = coefficients(numbers, luck)
    assert found[0] == FIRST_COEFFICIENT and found[-1] == pytest.approx(slope, abs=0.05)
    assert without_luck(numbers, luck).var() == pytest.approx(0.04, rel=0.1)


def test_luck_that_explains_nothing_costs_next_to_nothing():
    numbers, luck = numbers_with_luck(2_000, 0.0)
    assert without_luck(numbers, luck).var() < 1.02 * numbers.var()
    assert (coefficients(numbers, -np.abs(luck)) >= 0.0).all()


def test_a_coefficient_knows_earlier_deals_alone():
    numbers, luck = numbers_with_luck(50, 0.5)
    before = coefficients(numbers, luck)
    numbers[30:] = -7.0
    luck[30:] = 3.0
    after = coefficients(numbers, luck)
    assert (after[:31] == before[:31]).all() and after[40] != before[40]


def test_the_mean_stays_what_it_was():
    """Over many short tournaments: a coefficient that looked at its own deal would show here."""
    means = [without_luck(*numbers_with_luck(6, 0.8, seed)).mean() for seed in range(1_000)]
    assert np.mean(means) == pytest.approx(0.1, abs=3 * np.std(means) / np.sqrt(len(means)))


def test_bots_share_a_coefficient_and_may_sit_out():
    numbers, luck = numbers_with_luck(400, 0.5)
    both, given = np.stack([numbers, 1.0 - numbers], axis=1), np.stack([luck, -luck], axis=1)
    both[3, 0] = given[3, 0] = np.nan
    left = without_luck(both, given)
    assert np.isnan(left[3, 0]) and not np.isnan(left[3, 1])
    assert coefficients(both, given)[-1] == pytest.approx(0.5, abs=0.1)
