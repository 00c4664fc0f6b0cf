"""Naga's last contests solved exactly: open cards make them matrix games, which linear programming solves."""

import random

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from arena.game import States, load
from arena.games.naga.state import SELECT

Matrix = NDArray[np.float64]
ROOM = load("naga")


def contest(number: int, deal: int) -> States | None:
    """The selections of a contest after random play; None where the game was decided before."""
    states = ROOM.deal(2, ROOM.resolve_options({}, 2), deal)
    chance = random.Random(deal)
    while not ROOM.engine.is_terminal(states):
        if states[0].contest == number and states[0].phase == SELECT:
            return states
        ROOM.engine.step(states, chance.choice(ROOM.legal_list(states)))
    return None


def matrix_of(states: States) -> Matrix:
    """What seat 0 gets of the game, 0 to 1, by its selection and seat 1's; later contests are played at their exact value."""
    codes = ROOM.legal_list(states)
    return np.array([[_outcome(states, first, second) for second in codes] for first in codes])


def solved(matrix: Matrix) -> float:
    """The value of a zero-sum matrix game to its rows (G. Dantzig 1951)."""
    rows, columns = matrix.shape
    result = linprog(
        [0.0] * rows + [-1.0],
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * rows + [(None, None)],
    )
    return -float(result.fun)


def exploitability(matrix: Matrix, shares: list[float]) -> float:
    """What a best reply to a mixed choice of rows gains over the value of the game."""
    return solved(matrix) - float(min(np.array(shares) @ matrix))


def _outcome(states: States, first: int, second: int) -> float:
    world = ROOM.from_bytes(states.tobytes())
    ROOM.engine.step(world, first)
    ROOM.engine.step(world, second)
    if not ROOM.engine.is_round_over(world):
        return solved(matrix_of(world))
    won, lost = (int(games) for games in world[0].games)
    return 0.5 + 0.5 * (won - lost)
