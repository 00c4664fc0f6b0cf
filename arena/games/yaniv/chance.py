"""What chance decides in Yaniv, and what a position is worth (arena/engine/contract.py says what each function is for)."""

import math

import numpy as np

from arena.engine.contract import SAMPLED, Features, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.net import MOST_HIDDEN, SEATS, VALUE, logit
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.yaniv.rollout import CONSTANTS, PRIZE, evaluate
from arena.games.yaniv.rows import RANK
from arena.games.yaniv.state import DRAW, STOCK, State
from arena.games.yaniv.win_features import WIN_FEATURES, has_win_features, win_features

NET = len(CONSTANTS)  # where the network begins in what `value` gets as constants


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle the stock, and draw another seed for what will be dealt and reshuffled."""
    shuffle_fast(s.stock, int(s.num_stock), rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, action: int) -> int:
    """A card from the stock may be each of its cards; with an empty stock, any that the reshuffle brings up."""
    if s.phase != DRAW or action != STOCK:
        return 0
    return int(s.num_stock) if s.num_stock > 0 else SAMPLED


@jit
def arrange(s: State, _action: int, alternative: int) -> float:
    """Put a card of the stock on top, counted in the order of their ranks."""
    ranks = 0  # how many cards there are of each, in 4 bits
    for place in range(s.num_stock + 0):
        ranks += 1 << 4 * RANK[s.stock[place] + 1]
    left = alternative
    rank = 0
    while left >= ranks >> 4 * rank & 15:
        left -= ranks >> 4 * rank & 15
        rank += 1
    chosen = -1
    while left >= 0:
        chosen += 1
        left -= RANK[s.stock[chosen] + 1] == rank
    card = s.stock[chosen]
    s.stock[chosen] = s.stock[s.num_stock - 1]
    s.stock[s.num_stock - 1] = card
    return float(1.0 / s.num_stock)


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to end before another seat, the mean over all others.

    By the network that stands in `constants` behind the game's own, as 32-bit floats, where it has been trained at this number
    of seats; else what `evaluate` gives, without the prize.
    """
    if len(constants) > NET and has_win_features(s):
        nets = constants[NET:].view(np.float32)
        if int(nets[SEATS]) >> int(s.seats) & 1 == 1:
            _by_network(s, nets, out)
            return
    evaluate(s, constants, out)
    for seat in range(s.seats):
        out[seat] /= constants[PRIZE]


@jit
def _by_network(s: State, nets: Features, out: Numbers) -> None:
    """The mean over all pairs of seats."""
    inputs = stack_array(WIN_FEATURES, np.float32)
    hidden = stack_array(MOST_HIDDEN, np.float32)
    for seat in range(s.seats):
        out[seat] = 0.0
    pair = 0
    seats = win_features(s, pair, inputs)
    while seats >= 0:
        ahead = 1.0 / (1.0 + math.exp(-logit(nets, int(nets[VALUE]), inputs, hidden)))
        out[seats >> 4] += ahead / (s.seats - 1)
        out[seats & 15] += (1.0 - ahead) / (s.seats - 1)
        pair += 1
        seats = win_features(s, pair, inputs)
