"""Kuhn poker and Leduc hold'em solved from their own rules: the values and exploitabilities that are known."""

from functools import cache

import numpy as np
import pytest

from arena.engine.game import States
from arena.games import load
from lab.exact.games import gain, grow
from lab.exact.moments import games_with_moments, moments
from lab.exact.solve import best_response, expected, exploitability, solve
from lab.exact.tree import TooLargeError, Tree
from lab.exact.whole import behind, deals


@pytest.fixture(autouse=True)
def rooms(poker: None) -> None:
    """Every test of this module sees them."""


@cache
def whole(name: str) -> Tree:
    return grow(load(name), deals(load(name)))


def nash_conv(tree: Tree) -> float:
    """What both seats together gain by best responses to uniform play: twice the exploitability, for two seats."""
    uniform = tree.uniform_profile()
    return sum(best_response(tree, seat, uniform)[0] for seat in range(2)) - float(expected(tree, uniform).sum())


def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth_to_the_first_seat() -> None:
    """H. W. Kuhn, "A simplified two-person poker", 1950: -1/18."""
    tree = whole("kuhn")
    assert len(tree.roots) == 6 and [len(sets) for sets in tree.information_sets] == [6, 6]
    found = solve(tree)
    assert found.value == pytest.approx(-1 / 18, abs=1e-9)
    assert exploitability(tree, found.profile) == pytest.approx(0.0, abs=1e-9)


def test_kuhns_equilibria_are_played() -> None:
    """Kuhn 1950: seat 0 bets a jack with probability a <= 1/3, a king with 3a, never a queen; seat 1's plan is the only one."""
    tree = whole("kuhn")
    first, second = solve(tree).profile

    def bets(strategy: np.ndarray, seat: int, card: int, line: int) -> float:
        for found in tree.information_sets[seat]:
            state = load("kuhn").from_bytes(found.seen)[0]
            if state.cards[seat] == card and state.line == line:
                return float(strategy[found.first + 1])
        raise LookupError(card, line)

    bluff = bets(first, 0, 0, 0b1)
    assert -1e-9 <= bluff <= 1 / 3 + 1e-9 and bets(first, 0, 1, 0b1) == pytest.approx(0.0, abs=1e-9)
    assert bets(first, 0, 2, 0b1) == pytest.approx(3 * bluff, abs=1e-9)
    assert [bets(second, 1, card, 0b11) for card in range(3)] == pytest.approx([0.0, 1 / 3, 1.0], abs=1e-9)
    assert [bets(second, 1, card, 0b10) for card in range(3)] == pytest.approx([1 / 3, 0.0, 1.0], abs=1e-9)


def test_uniform_play_of_kuhn_poker_gives_away_eleven_twentyfourths() -> None:
    """Exploitability is the mean over the seats of what a best response gains; NashConv is the sum, 11/12."""
    tree = whole("kuhn")
    assert exploitability(tree, tree.uniform_profile()) == pytest.approx(11 / 24)
    assert nash_conv(tree) == pytest.approx(11 / 12)
    assert expected(tree, tree.uniform_profile()) == pytest.approx([1 / 8, -1 / 8])


@pytest.mark.slow
def test_leduc_holdem_has_the_values_that_are_known() -> None:
    """The value and the NashConv of uniform play that OpenSpiel gives for its leduc_poker: -0.0856 and 4.747."""
    tree = whole("leduc")
    assert len(tree.roots) == 720
    found = solve(tree)
    assert found.value == pytest.approx(-0.085606424078, abs=1e-9)
    assert exploitability(tree, found.profile) == pytest.approx(0.0, abs=1e-9)
    assert nash_conv(tree) == pytest.approx(4.747222222, abs=1e-8)


def test_gains_hand_by_hand_add_up_to_the_exploitability() -> None:
    """A policy that always calls: what each seat gains against it, over its six views."""
    kuhn = load("kuhn")
    every = deals(kuhn)

    def always_bets(_observed: States, _seat: int, codes: list[int]) -> int:
        return codes[-1]

    tree = whole("kuhn")
    profile = [np.array([1.0, *([0.0, 1.0] * len(sets))]) for sets in tree.information_sets]
    gains = []
    for seat in range(2):
        views = {kuhn.observed(kuhn.from_bytes(world), seat).tobytes(): kuhn.from_bytes(world) for world in every}
        gains.append(np.mean([gain(kuhn, behind(kuhn, every, world, seat), seat, always_bets) for world in views.values()]))
    assert np.mean(gains) == pytest.approx(exploitability(tree, profile)) and np.mean(gains) > 0.1


def test_a_small_game_can_be_asked_for_and_a_large_one_is_left_out() -> None:
    assert {"kuhn", "leduc", "naga"} <= set(games_with_moments()) and "nertz" not in games_with_moments()
    (moment,) = moments("kuhn")
    assert (moment.name, moment.unit, moment.seats) == ("the whole round", "score", 2)
    states = moment.position(0)
    assert states is not None and len(moment.worlds(states, 0, 120)) == 2 and len(moment.worlds(states, None, 120)) == 6
    with pytest.raises(TooLargeError, match="more than 5 deals"):
        deals(load("kuhn"), most=5)
