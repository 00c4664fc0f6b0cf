"""What chance decides in Naga, and what a position is worth (arena/engine/contract.py says what each function is for)."""

import math

import numpy as np

from arena.engine.contract import SAMPLED, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.net import MOST_HIDDEN, VALUE, logit
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.naga.rollout import CONSTANTS, evaluate
from arena.games.naga.state import CONTESTS, GAME_OVER, SELECT, State
from arena.games.naga.win_features import WIN_FEATURES, win_features

NET = len(CONSTANTS)  # where the network begins in what `value` gets as constants


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle the stock, and draw another seed for the games to come."""
    shuffle_fast(s.stock, int(s.num_stock), rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, _action: int) -> int:
    """The second selection of a contest ends it, and both hands are filled again, unless it was the last one."""
    return SAMPLED if s.phase == SELECT and s.turn == 1 and s.contest < CONTESTS else 0


@jit
def arrange(_s: State, _action: int, _alternative: int) -> float:
    """Never called: what may come is sampled."""
    return 0.0


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to win the match: this game by the network behind the game's own constants, or by `evaluate`; others even."""
    if s.phase >= GAME_OVER:
        out[0] = _outlook(s, 0, 0, 0)
    else:
        if len(constants) > NET:
            _by_network(s, constants, out)
        else:
            evaluate(s, constants, out)
        won = out[0]
        out[0] = won * _outlook(s, 1, 0, 1) + (1.0 - won) * _outlook(s, 0, 1, 1)
    out[1] = 1.0 - out[0]


@jit
def _by_network(s: State, constants: Numbers, out: Numbers) -> None:
    inputs = stack_array(WIN_FEATURES, np.float32)
    hidden = stack_array(MOST_HIDDEN, np.float32)
    nets = constants[NET:].view(np.float32)
    first = win_features(s, 0, inputs) >> 4
    ahead = 1.0 / (1.0 + math.exp(-logit(nets, int(nets[VALUE]), inputs, hidden)))
    out[first] = ahead
    out[1 - first] = 1.0 - ahead


@jit
def _outlook(s: State, first: int, second: int, games: int) -> float:
    """The chance that seat 0 wins the match after so many more games, won by seat 0 and by seat 1, if the rest is even.

    By the normal distribution: it is right to 0.01 even for the shortest series.
    """
    first += int(s.games[0])
    second += int(s.games[1])
    if s.series_kind == 0:
        left = int(s.series_count) - int(s.round_number) + (0 if s.phase >= GAME_OVER else 1 - games)
        lead = float(first - second)
    else:
        needed, other = int(s.series_count) - first, int(s.series_count) - second
        left = needed + other - 1 if needed > 0 and other > 0 else 0
        lead = float(other - needed)
    if left <= 0:
        return 0.5 + 0.5 * (int(lead > 0.0) - int(lead < 0.0))
    return 0.5 * (1.0 + math.erf(lead / math.sqrt(2.0 * left)))
