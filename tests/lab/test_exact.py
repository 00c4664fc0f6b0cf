"""End games solved exactly: the solver against games with known values, and the search against the solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

from lab.exact.solve import backward_value, best_response, expected, exploitability, solve
from lab.exact.tree import TooLargeError, Tree


@dataclass(frozen=True)
class Kuhn:
    """Kuhn poker: three cards, one each, a bet of one chip (H. Kuhn 1950); 0 = pass, 1 = bet."""

    cards: tuple[int, int]
    history: str = ""

    @property
    def seat(self) -> int:
        return len(self.history) % 2

    @property
    def seen(self) -> tuple[int, str]:
        return self.cards[self.seat], self.history

    actions: Sequence[int] = (0, 1)

    @property
    def rewards(self) -> tuple[float, float] | None:
        stake = {"00": 1, "11": 2, "011": 2}.get(self.history)
        if stake is not None:
            won = stake if self.cards[0] > self.cards[1] else -stake
        elif self.history in ("10", "010"):
            won = 1 if self.history == "10" else -1
        else:
            return None
        return won, -won

    def after(self, action: int) -> "Kuhn":
        return Kuhn(self.cards, self.history + str(action))


@dataclass(frozen=True)
class Matrix:
    """Both seats choose together; the rows are seat 0's."""

    table: tuple[tuple[tuple[float, ...], ...], ...]
    chosen: tuple[int, ...] = ()

    @property
    def seat(self) -> int:
        return len(self.chosen)

    seen = None

    @property
    def actions(self) -> Sequence[int]:
        return range(len(self.table) if self.seat == 0 else len(self.table[0]))

    @property
    def rewards(self) -> tuple[float, ...] | None:
        return self.table[self.chosen[0]][self.chosen[1]] if len(self.chosen) == 2 else None

    def after(self, action: int) -> "Matrix":
        return Matrix(self.table, (*self.chosen, action))


def zero_sum(rows: Sequence[Sequence[float]]) -> Tree:
    return Tree(2, [(Matrix(tuple(tuple((value, -value) for value in row) for row in rows)), 1.0)])


def kuhn() -> Tree:
    return Tree(2, [(Kuhn((first, second)), 1.0) for first, second in permutations(range(3), 2)])


def test_kuhn_poker_has_its_known_value() -> None:
    """-1/18 for the first seat (H. Kuhn, "A Simplified Two-Person Poker", 1950), and equilibria as he describes them."""
    tree = kuhn()
    solved = solve(tree)
    assert solved.value == pytest.approx(-1 / 18)
    assert expected(tree, solved.profile) == pytest.approx([-1 / 18, 1 / 18])
    assert exploitability(tree, solved.profile) == pytest.approx(0.0, abs=1e-9)
    chance = {one.seen: solved.profile[one.seat][one.first + 1] for sets in tree.information_sets for one in sets}
    assert chance[0, ""] <= 1 / 3 + 1e-9 and chance[2, ""] == pytest.approx(3 * chance[0, ""])
    assert chance[1, "01"] == pytest.approx(chance[0, ""] + 1 / 3)
    assert (chance[0, "0"], chance[1, "1"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_what_kuhn_players_give_away() -> None:
    """Against seats that always bet: the first wins 1/3 with the middle or high card and stays out with the low one."""
    tree = kuhn()
    bold = [np.ones(length) for length in tree.lengths]
    for seat in range(2):
        for information_set in tree.information_sets[seat]:
            bold[seat][information_set.first] = 0.0
    assert expected(tree, bold) == pytest.approx([0.0, 0.0])
    low, middle, high = -1.0, (2 - 2) / 2, 2.0
    value, response = best_response(tree, 0, bold)
    assert value == pytest.approx((low + middle + high) / 3)
    assert expected(tree, [response, bold[1]])[0] == pytest.approx(value)
    assert exploitability(tree, bold) == pytest.approx((low + middle + high) / 3)


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[1, -1], [-1, 1]], 0.0),  # matching pennies
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0.0),  # rock, paper, scissors
        ([[3, 0], [1, 2]], 1.5),
        ([[4, 1], [3, 2]], 2.0),  # a saddle point
    ],
)
def test_matrix_games_have_their_known_values(rows: list[list[float]], value: float) -> None:
    tree = zero_sum(rows)
    solved = solve(tree)
    assert solved.value == pytest.approx(value)
    assert exploitability(tree, solved.profile) == pytest.approx(0.0, abs=1e-9)


def test_matching_pennies_played_always_heads_gives_away_a_penny() -> None:
    tree = zero_sum([[1, -1], [-1, 1]])
    heads = [np.array([1.0, 1.0, 0.0])] * 2
    assert exploitability(tree, heads) == pytest.approx(1.0)  # 2 for the seat that loses, nothing for the other
    assert exploitability(tree, [tree.uniform(0), tree.uniform(1)]) == pytest.approx(0.0)


def test_backward_induction_settles_what_is_certain_and_nothing_else() -> None:
    dilemma = Matrix((((-1, -1), (-3, 0)), ((0, -3), (-2, -2))))
    assert backward_value(Tree(2, [(dilemma, 1.0)])) == -2  # both betray, whatever the other does
    assert backward_value(zero_sum([[1, -1], [-1, 1]])) is None
    middle = Tree(2, [(Kuhn((1, 0)), 1.0), (Kuhn((1, 2)), 1.0)])
    assert backward_value(middle) is None  # a bluff with the low card depends on who calls it
    plain = Matrix((((1, 5), (4, 0)), ((0, 5), (9, 0))))  # seat 1 takes the first column, seat 0 the better row of it
    assert backward_value(Tree(2, [(plain, 1.0)])) == 1
    moody = Matrix((((1, 5), (4, 5)), ((0, 5), (9, 5))))  # all the same to seat 1, but not to seat 0
    assert backward_value(Tree(2, [(moody, 1.0)])) is None


def test_a_game_that_is_not_for_two_is_refused() -> None:
    with pytest.raises(ValueError, match="add up"):
        solve(Tree(2, [(Matrix((((1, 1), (0, 0)), ((0, 0), (1, 1)))), 1.0)]))
    with pytest.raises(TooLargeError):
        Tree(2, [(Kuhn((0, 1)), 1.0)], most=4)
