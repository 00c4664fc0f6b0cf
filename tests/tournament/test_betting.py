"""The sequential test: its error rates hold, however often one looks (tournament/formats/betting.py)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.error_bars import without_luck
from arena.tournament.formats.betting import MOST_TAKEN, BettingTest, Verdict
from arena.tournament.formats.compare import checkpoints
from lab.formats import estimates, simulated

NUMBERS = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=60).map(np.array)


@given(NUMBERS, st.sampled_from([0.01, 0.05, 0.2]), st.sampled_from([0.02, 0.1, 0.3]))
@settings(max_examples=60)
def test_an_interval_holds_the_mean_and_goes_with_the_verdict(numbers: np.ndarray, error: float, difference: float) -> None:
    test = BettingTest(error, difference)
    low, high = test.interval(numbers)
    assert -1.0 <= low <= numbers.mean() <= high <= 1.0
    verdict = test.verdict(numbers)
    assert (verdict is Verdict.ABOVE) == (low > 1e-9) and (verdict is Verdict.BELOW) == (high < -1e-9)
    if verdict is Verdict.NEAR:
        assert -difference < low + 1e-9 and high - 1e-9 < difference
    mirrored = test.interval(-numbers)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)
    assert test.verdict(np.random.default_rng(1).permutation(numbers)) is verdict


@given(NUMBERS, st.sampled_from([0.05, 0.1, 0.4]))
@settings(max_examples=40)
def test_a_bound_is_held_against_the_same_interval(numbers: np.ndarray, bound: float) -> None:
    test = BettingTest(0.05, 0.1, bound)
    low, high = test.interval(numbers)
    assert (low, high) == BettingTest(0.05, 0.1).interval(numbers)
    verdict = test.verdict(numbers)
    assert (verdict is Verdict.ABOVE) == (low > bound + 1e-9) and (verdict is Verdict.BELOW) == (high < bound - 1e-9)
    if verdict is Verdict.NEAR:
        assert bound - 0.1 < low + 1e-9 and high - 1e-9 < bound + 0.1


def test_one_bet_by_hand() -> None:
    test = BettingTest(0.05, 0.95)  # one stake: 0.95
    assert test.wealth(np.array([1.0, -1.0]), 0.0) == pytest.approx(math.log(1.95 * 0.05))
    assert test.wealth(np.array([1.0]), 0.5) == pytest.approx(math.log(1 + 0.95 * 0.5 / 1.5))
    assert [test.verdict(np.ones(count)) for count in (5, 6)] == [Verdict.OPEN, Verdict.ABOVE]  # 1.95^6 > 40


def test_how_many_are_left_is_about_right() -> None:
    test, numbers = BettingTest(0.05, 0.1), np.array([1.0, 0.0, 0.0, 0.0] * 5)
    left = test.numbers_left(numbers)
    assert left is not None and left > 4
    for more, verdict in ((left + 4, Verdict.ABOVE), (left - 4, Verdict.OPEN)):
        assert test.verdict(np.resize(numbers, len(numbers) + more)) is verdict
    assert test.numbers_left(np.array([])) is None


@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("matches", [2, 8])
def test_equal_bots_are_told_apart_no_more_often_than_stated(matches: int, spread: float) -> None:
    runs, error = 300, 0.1
    result = simulated(0.0, matches=matches, spread=spread, error=error, difference=0.2, runs=runs, most=600)
    assert result.wrong <= error + 2 * math.sqrt(error * (1 - error) / runs)
    assert result.open + result.wrong < 0.5 and result.mean_deals < 600  # most end, and rightly


def test_a_large_difference_takes_few_deals() -> None:
    large, small = (
        simulated(mean, matches=4, spread=0.0, error=0.05, difference=0.1, runs=40, most=2000) for mean in (0.5, 0.2)
    )
    assert large.wrong == small.wrong == 0.0 and large.mean_deals < 30 and large.mean_deals < small.mean_deals / 3


def deals_with_luck(mean: float, deals: int, seed: int, *, explained: float = 0.6) -> np.ndarray:
    """[deals, 2]: numbers of two matches each, and the same without their luck, which explains a part of their variance.

    Luck is an estimate on the scale of the numbers, bounded as stopped sums are.
    """
    stream = np.random.default_rng(seed)
    chance = stream.uniform(-1.0, 1.0, deals)  # what the cards are worth; its mean is 0
    numbers = np.where(stream.random(deals) < (1 + np.clip(mean + explained * chance, -1, 1)) / 2, 1.0, -1.0)
    return np.stack([numbers, without_luck(numbers, chance)], axis=1)


def first_verdict(test: BettingTest, numbers: np.ndarray) -> tuple[Verdict, int]:
    for deals in checkpoints(len(numbers)):
        verdict = test.verdict(numbers[:deals])
        if verdict is not Verdict.OPEN:
            return verdict, deals
    return Verdict.OPEN, len(numbers)


def test_luck_taken_out_does_not_make_a_wrong_verdict_likelier() -> None:
    test = BettingTest(0.1, 0.1)
    wrong = [first_verdict(test, deals_with_luck(0.0, 400, seed))[0] in (Verdict.ABOVE, Verdict.BELOW) for seed in range(200)]
    assert np.mean(wrong) < 0.1


def test_luck_taken_out_saves_deals() -> None:
    test = BettingTest(0.05, 0.1)
    with_luck, without = [], []
    for seed in range(30):
        numbers = deals_with_luck(0.15, 2_000, seed, explained=0.85)
        with_luck.append(first_verdict(test, numbers)[1])
        without.append(first_verdict(test, numbers[:, 0])[1])
    assert np.mean(with_luck) < 0.9 * np.mean(without)


def test_an_interval_without_luck_goes_with_the_verdict_and_holds_the_mean() -> None:
    test, held = BettingTest(0.05, 0.1), []
    for seed in range(60):
        numbers = deals_with_luck(0.3, 60, seed)
        low, high = test.interval(numbers)
        verdict = test.verdict(numbers)
        assert (verdict is Verdict.ABOVE) == (low > 1e-9) and (verdict is Verdict.BELOW) == (high < -1e-9)
        assert test.interval(-numbers) == pytest.approx((-high, -low), abs=1e-9)
        held.append(low <= 0.3 <= high)
    assert np.mean(held) > 0.95


def test_no_bet_can_lose_more_than_there_is() -> None:
    """The largest luck on top of the worst result: the stake is smaller where numbers reach farther."""
    test = BettingTest(0.05, 0.02)
    worst = np.array([[-1.0, -1.0 - MOST_TAKEN]] * 50)
    assert math.isfinite(test.wealth(worst, 0.0)) and math.isfinite(test.wealth(worst, 0.5))
    assert test.wealth(worst, 0.0) < test.wealth(worst[:, 0], 0.0)


@given(NUMBERS, st.sampled_from([0.0, 0.4]))
@settings(max_examples=40)
def test_an_estimate_lies_between_the_bound_and_the_mean_and_in_the_interval(numbers: np.ndarray, bound: float) -> None:
    test, mean = BettingTest(0.05, 0.1, bound), float(numbers.mean())
    estimate = test.estimate(numbers)
    if test.verdict(numbers) in (Verdict.ABOVE, Verdict.BELOW):
        assert abs(estimate - bound) < abs(mean - bound) and (estimate > bound) == (mean > bound)
    else:
        assert estimate == pytest.approx(mean)
    low, high = test.interval(numbers)
    assert low <= estimate <= high and BettingTest(0.05, 0.1, -bound).estimate(-numbers) == pytest.approx(-estimate)


def test_an_estimate_by_hand() -> None:
    test = BettingTest(0.05, 0.1)
    assert test.estimate(np.ones(12)) == pytest.approx(1.0 - 1.5 * (1.0 - (12 / 14) ** 2) / 12)
    assert test.estimate(np.array([1.0, -1.0, 1.0])) == pytest.approx(1 / 3)  # nothing is sure: the mean
    with pytest.raises(ValueError, match="no numbers"):
        test.estimate(np.array([]))


def test_an_estimate_is_of_the_numbers_without_luck() -> None:
    numbers = deals_with_luck(0.3, 200, 1)
    test = BettingTest(0.05, 0.1)
    assert test.verdict(numbers) is Verdict.ABOVE and 0.0 < test.estimate(numbers) < numbers[:, 1].mean()


@pytest.mark.parametrize("share", [0.65, 0.8])
def test_a_comparison_that_stops_estimates_the_truth_better_than_its_mean(share: float) -> None:
    found = estimates(share, matches=2, spread=0.0, most=400, runs=200)
    assert found.bias["mean"] > 0.02 > 0.015 > abs(found.bias["shown"]) and found.coverage >= 0.95
    assert found.apart["shown"] < found.apart["mean"]
    assert abs(found.bias["centre of the interval"]) > abs(found.bias["shown"]) or share < 0.7
