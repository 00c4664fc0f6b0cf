"""Networks learn what there is to learn, repeatably, and say how sure they are."""

import numpy as np
import pytest

from arena.engine.contract import Features
from arena.learning.training.networks import (
    agreement,
    calibration,
    fit_policy,
    fit_shares,
    log_loss,
    predicted_shares,
    wanted_shares,
)
from arena.learning.training.rows import Choices, Written

ROWS = 20_000


def exclusive_or(rows: int, seed: int) -> tuple[Features, np.ndarray]:
    """Two coins and noise; the target is 1 where the coins differ, and now and then the other way round."""
    chance = np.random.default_rng(seed)
    inputs = chance.integers(0, 2, (rows, 6)).astype(np.float32)
    differ = inputs[:, 0] != inputs[:, 1]
    return inputs, (differ ^ (chance.random(rows) < 0.1)).astype(float)


def test_what_no_straight_line_could_say_is_learnt_and_said_with_the_right_confidence() -> None:
    net = fit_shares(*exclusive_or(ROWS, 1), hidden=16, seed=1, passes=20)
    inputs, targets = exclusive_or(ROWS, 2)
    found = predicted_shares(net, inputs)
    best = log_loss(np.where(inputs[:, 0] != inputs[:, 1], 0.9, 0.1), targets)
    assert best - 0.02 < log_loss(found, targets) < best + 0.02
    assert calibration(found, targets) < 0.03


def test_calibration_sees_who_is_too_sure() -> None:
    targets = np.array([1.0, 0.0] * 50)
    assert calibration(np.full(100, 0.5), targets) == pytest.approx(0.0)
    assert calibration(np.full(100, 0.9), targets) == pytest.approx(0.4)


def test_the_same_seed_gives_the_same_network() -> None:
    rows = exclusive_or(1_000, 1)
    first, again, other = (fit_shares(*rows, hidden=8, seed=seed, passes=2) for seed in (1, 1, 2))
    assert first.numbers().tobytes() == again.numbers().tobytes() != other.numbers().tobytes()


def highest_of(decisions: int, seed: int) -> Choices:
    """Cards to choose from: the highest one, or the lowest one if the seat knows that low cards win."""
    chance, written = np.random.default_rng(seed), Written()
    for number in range(decisions):
        low_wins = number % 2
        cards = chance.random((chance.integers(2, 6), 1)).astype(np.float32)
        chosen = int(np.argmin(cards) if low_wins else np.argmax(cards))
        worth = (1.0 - 2.0 * low_wins) * cards[:, 0].astype(float)
        written.add(np.array([low_wins], np.float32), cards, chosen, worth.tolist(), number)
    return written.choices()


def test_a_policy_learns_to_choose_by_what_the_seat_knows() -> None:
    net = fit_policy(highest_of(3_000, 1), hidden=8, seed=1, passes=15)
    choices = highest_of(500, 2)
    same, loss = agreement(net, choices)
    assert same > 0.95 and loss < 0.8 * np.log(choices.counts).mean()


def test_a_policy_is_to_choose_what_is_worth_more_the_likelier_and_equals_alike() -> None:
    written = Written()
    for number, worth in enumerate(([0.0, 0.0], [1.0, 0.9, -2.0])):
        written.add(np.zeros(1, np.float32), np.zeros((len(worth), 1), np.float32), 0, worth, number)
    first, second, *third = wanted_shares(written.choices()).tolist()
    assert first == second == pytest.approx(0.5)
    assert sum(third) == pytest.approx(1.0) and third[0] > third[1] > third[2]


def test_rounds_are_held_out_whole() -> None:
    learnt, held_out = highest_of(100, 1).parts()
    assert held_out.rounds.tolist() == list(range(0, 100, 10)) and not set(held_out.rounds) & set(learnt.rounds)
    assert len(learnt.actions) == learnt.counts.sum() and len(held_out.actions) == held_out.counts.sum()
