"""Policies that learn by policy gradients: what each decision brought, slopes, known values, and checkpoints."""

from typing import Any, cast

import numpy as np
import pytest

from arena.learning.tables import Tables
from arena.learning.training.policy.compiled import CLIPPED, COLUMNS, ENTROPY, ERROR, LOSS, advantages, decide, slopes
from arena.learning.training.policy.decisions import Decisions, joined
from arena.learning.training.policy.learning import Learner
from arena.learning.training.policy.network import Shape, Weights, new_weights, weights_of
from arena.learning.training.policy.play import Play
from helpers import kuhn_tables
from helpers.kuhn_tables import BETTED, LINES, KuhnTables

TRACE = 0.8


def plain_gains(
    worth: list[float], seats: list[int], rewards: list[list[float] | None], last: tuple[int, float]
) -> list[float | None]:
    """Generalised advantages of the decisions at one table, from the definition. `rewards`: by seat where an episode ended.

    None: the seat neither chose again nor saw the end.
    """
    found: list[float | None] = []
    for own, seat in enumerate(seats):
        gain, factor, at, said = 0.0, 1.0, own, worth[own]
        while True:
            paid = next((step for step in range(at, len(seats)) if rewards[step] is not None), None)
            again = next((step for step in range(at + 1, len(seats)) if seats[step] == seat), None)
            if paid is not None and (again is None or paid < again):
                payment = rewards[paid]
                assert payment is not None
                found.append(gain + factor * (payment[seat] - said))
                break
            if again is None:
                ahead = last[1] if last[0] == seat else None
                if ahead is not None:
                    gain += factor * (ahead - said)
                found.append(gain if ahead is not None or at != own else None)
                break
            gain += factor * (worth[again] - said)
            factor, at, said = factor * TRACE, again, worth[again]
    return found


EPISODES: dict[str, tuple[int, list[int], dict[int, list[float]], int]] = {
    "three seats take turns, and one has no second decision": (3, [0, 1, 2, 0, 1, 0], {5: [1.0, -1.0, 0.0]}, 0),
    "two seats choose together": (2, [0, 1, 0, 1, 0, 1], {3: [1.0, -1.0]}, 0),
    "a team gets the same": (4, [0, 1, 2, 3, 2, 0], {4: [1.0, -1.0, 1.0, -1.0]}, 1),
    "one seat alone is asked, another one after the end": (3, [1, 1, 1, 2, 2, 2], {2: [0.0, 1.0, -1.0]}, 2),
    "nothing has ended yet": (3, [0, 1, 2, 0, 1, 2], {}, 1),
    "an episode of one decision": (2, [0, 1, 1, 0, 0, 1], {0: [1.0, -1.0], 2: [-1.0, 1.0]}, 0),
}


@pytest.mark.parametrize("episode", EPISODES.values(), ids=EPISODES)
def test_gains_are_those_of_the_definition_seat_by_seat(episode: tuple[int, list[int], dict[int, list[float]], int]) -> None:
    players, seats, ends, last_seat = episode
    steps, rng = len(seats), np.random.default_rng(1)
    worth, last_worth = rng.standard_normal(steps).astype(np.float32), rng.standard_normal(1).astype(np.float32)
    rewards, ended = np.zeros((steps, 1, players)), np.zeros((steps, 1), np.int64)
    for step, payment in ends.items():
        rewards[step, 0], ended[step, 0] = payment, 1
    gains, is_known = np.zeros((steps, 1), np.float32), np.zeros((steps, 1), np.int64)
    advantages(
        worth[:, None], np.array(seats)[:, None], rewards, ended, last_worth, np.array([last_seat]), TRACE, gains, is_known
    )
    wanted = plain_gains(worth.tolist(), seats, [ends.get(step) for step in range(steps)], (last_seat, float(last_worth[0])))
    assert is_known[:, 0].tolist() == [gain is not None for gain in wanted]
    assert gains[:, 0] == pytest.approx([gain or 0.0 for gain in wanted], abs=1e-6)


SHAPE = Shape(known=5, row=3, hidden=4, judging=2)


def some_decisions(rng: np.random.Generator, count: int = 12) -> tuple[Decisions, list[tuple[Any, Any]]]:
    """Decisions of one to four actions, as lists and as arrays: [known] and [actions, row] of each."""
    plain, parts = [], []
    for _ in range(count):
        known, rows = (
            np.where(rng.random(size) < 0.6, rng.standard_normal(size), 0.0).astype(np.float32)
            for size in (SHAPE.known, (int(rng.integers(1, 5)), SHAPE.row))
        )
        plain.append((known, rows))
        inputs = [known, *rows]
        numbers, columns = (np.concatenate(some) for some in zip(*((one[one != 0], np.flatnonzero(one)) for one in inputs)))
        ends = np.cumsum([np.count_nonzero(one) for one in inputs])
        place, gain, wanted = rng.integers(0, len(rows), 1), *rng.standard_normal((2, 1)).astype(np.float32)
        likely, is_known = np.full(1, -1.2, np.float32), np.ones(1, np.int64)
        bounds = np.array([len(inputs)])
        parts.append(Decisions(numbers, columns.astype(np.uint16), ends, bounds, place, likely, gain, wanted, is_known))
    return joined(parts), plain


def plain_loss(weights: Weights, decisions: Decisions, plain: list[tuple[Any, Any]], clip: float, entropy: float) -> float:
    """The loss that `slopes` has the derivatives of, by whole matrices."""
    known, action, bias, out, end = (part.astype(np.float64) for part in weights.parts)
    hidden, loss = weights.shape.hidden, 0.0
    for place, (features, rows) in enumerate(plain):
        begun = features @ known + bias
        logits = np.maximum(begun[:hidden] + rows @ action, 0.0) @ out[:hidden]
        logs = logits - np.log(np.exp(logits).sum())
        ratio = np.exp(logs[decisions.places[place]] - decisions.likely[place])
        gain = float(decisions.gains[place])
        loss -= min(ratio * gain, float(np.clip(ratio, 1 - clip, 1 + clip)) * gain)
        loss += entropy * float((np.exp(logs) * logs).sum())
        said = np.maximum(begun[hidden:], 0.0) @ out[hidden:] + end[0]
        loss += 0.5 * float(said - decisions.wanted[place]) ** 2
    return loss


def test_slopes_are_the_derivatives_of_the_loss() -> None:
    rng = np.random.default_rng(3)
    decisions, plain = some_decisions(rng)
    weights = Weights(SHAPE, rng.standard_normal(SHAPE.size).astype(np.float32))
    found, told = Weights(SHAPE, np.zeros(SHAPE.size, np.float32)), np.zeros(COLUMNS)
    slopes(
        *weights.parts, decisions.numbers, decisions.columns, decisions.ends, decisions.bounds, np.arange(len(plain)),
        decisions.places, decisions.likely, decisions.gains, decisions.wanted, 0.2, 0.1, *found.parts, told,
    )  # fmt: skip
    step = 1e-3
    for place in range(SHAPE.size):
        sides = []
        for sign in (1.0, -1.0):
            moved = weights.numbers.copy()
            moved[place] += sign * step
            sides.append(plain_loss(Weights(SHAPE, moved), decisions, plain, 0.2, 0.1))
        assert found.numbers[place] == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=0.02, abs=0.02)
    whole = told[LOSS] - 0.1 * told[ENTROPY] + 0.5 * told[ERROR]
    assert whole == pytest.approx(plain_loss(weights, decisions, plain, 0.2, 0.1), rel=1e-4)
    assert np.isfinite(told).all() and 0 < told[CLIPPED] < len(plain)


def learnt_kuhn(updates: int, seed: int) -> np.ndarray:
    """How likely a policy that learns Kuhn poker bets in the last half of the updates: [cards, lines]."""
    tables = KuhnTables(512, seed)
    rng = np.random.default_rng(seed)
    weights = new_weights(Shape(tables.features.shape[1], 2, 16, 16), rng)
    play = Play(cast(Tables, tables), by_score=False)
    learner = Learner(weights, batch=1024, passes=2, clip=0.2, norm=0.5, threads=1)
    bets = np.zeros((kuhn_tables.CARDS, LINES))
    for update in range(updates):
        learner.learn([play.steps(weights, 8, 0.95, 1.0, rng)], 0.01 * (1.0 - update / updates), 0.03, rng)
        if update >= updates // 2:
            bets += bet_shares(weights) / (updates - updates // 2)
    return bets


def bet_shares(weights: Weights) -> np.ndarray:
    net = weights.net()
    shares = []
    for features in np.eye(kuhn_tables.CARDS * LINES, dtype=np.float32):
        logits = net.preferences(features, np.eye(2, dtype=np.float32))
        shares.append(1.0 / (1.0 + np.exp(float(logits[0] - logits[1]))))
    return np.array(shares).reshape(kuhn_tables.CARDS, LINES)


def value_of(bets: np.ndarray) -> float:
    """What the seat that begins gets where both bet with these shares."""
    total = 0.0
    for own in range(3):
        for other in range(3):
            if own != other:
                higher = 1.0 if own > other else -1.0
                first, second = bets[own], bets[other]
                called = second[kuhn_tables.BETTED]
                after_bet = 1.0 - called + called * 2.0 * higher
                answered = first[kuhn_tables.ANSWERED]
                after_pass_bet = -(1.0 - answered) + answered * 2.0 * higher
                passed = second[kuhn_tables.PASSED]
                after_pass = (1.0 - passed) * higher + passed * after_pass_bet
                opening = first[kuhn_tables.OPENING]
                total += (opening * after_bet + (1.0 - opening) * after_pass) / 6.0
    return total


def test_a_policy_learns_what_poker_of_three_cards_is_worth() -> None:
    bets = learnt_kuhn(150, 1)
    assert value_of(bets) == pytest.approx(kuhn_tables.VALUE, abs=0.03)
    jack, king = bets[0], bets[2]
    for line in (BETTED, kuhn_tables.ANSWERED):  # to call with the lowest card, or to give up the highest, is never right
        assert jack[line] < 0.1 and king[line] > 0.9


class GenerousTables(KuhnTables):
    """At the end each seat gets five chips more."""

    def step(self, chosen: np.ndarray) -> None:
        super().step(chosen)
        self.seat_rewards[self.terminated] += 5.0


def test_of_a_score_only_what_is_above_the_mean_of_all_seats_counts_and_in_units_of_the_scale() -> None:
    weights = new_weights(Shape(12, 2, 4, 4), np.random.default_rng(1))
    for part in weights.parts[2:]:
        part[:] = 0.0  # the judge expects nothing

    def wanted(tables: KuhnTables, *, by_score: bool, scale: float = 1.0) -> Any:
        play = Play(cast(Tables, tables), by_score=by_score)
        return play.steps(weights, 8, 0.95, scale, np.random.default_rng(2)).wanted

    plain = wanted(KuhnTables(16, 3), by_score=False)
    assert plain.any() and wanted(GenerousTables(16, 3), by_score=True) == pytest.approx(plain, abs=1e-6)
    assert wanted(GenerousTables(16, 3), by_score=False).min() > plain.min()
    assert wanted(KuhnTables(16, 3), by_score=False, scale=4.0) == pytest.approx(plain / 4.0, abs=1e-6)


def test_only_legal_actions_are_chosen_and_all_of_them_are() -> None:
    rng, most = np.random.default_rng(2), 6
    count = 400
    counts = rng.integers(1, most, count)
    rows = rng.random((count, most, SHAPE.row)).astype(np.float32)
    legal = np.sort(np.argsort(rng.random((count, 9)), axis=1)[:, :most], axis=1) * 10  # of codes 0 to 80
    codes = np.arange(9) * 10
    weights = new_weights(SHAPE, rng)
    room = count * (SHAPE.known + most * SHAPE.row)
    ends, used = np.zeros(count * (most + 1), np.int64), np.zeros(3, np.int64)
    places, indices = np.zeros(count, np.int64), np.zeros(count, np.int64)
    likely, worth = np.zeros(count, np.float32), np.zeros(count, np.float32)
    decide(
        *weights.parts, rng.random((count, SHAPE.known)).astype(np.float32), rows, counts, legal, codes, rng.random(count),
        np.zeros(room, np.float32), np.zeros(room, np.uint16), ends, np.zeros(count, np.int64), used, places, indices, likely,
        worth,
    )  # fmt: skip
    assert (places < counts).all() and set(places) == set(range(most - 1))
    assert (codes[indices] == legal[np.arange(count), places]).all()
    assert used[2] == count and np.isfinite(worth).all()
    assert np.exp(likely) == pytest.approx(1.0 / counts, rel=0.3)  # at first, actions are almost equally likely


def test_a_policy_that_a_game_has_goes_on_as_it_was() -> None:
    rng = np.random.default_rng(3)
    before = new_weights(SHAPE, rng).net()
    again = weights_of(before, SHAPE.judging, rng)
    after, judge = again.net(), again.parts[3][SHAPE.hidden :]
    assert (after.weights == before.weights).all() and (after.bias == before.bias).all() and (after.out == before.out).all()
    assert again.shape == SHAPE and not judge.any()


def test_any_number_of_threads_learns_the_same() -> None:
    found = []
    for threads in (1, 2):
        rng = np.random.default_rng(4)
        weights = new_weights(SHAPE, rng)
        decisions, _ = some_decisions(rng, 200)
        Learner(weights, batch=50, passes=2, clip=0.2, norm=0.5, threads=threads).learn([decisions], 0.01, 0.01, rng)
        found.append(weights.numbers.tobytes())
    assert found[0] == found[1]
