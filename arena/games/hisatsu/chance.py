"""What chance decides in Hisatsu, and what a position is worth (arena/engine/contract.py says what each function is for)."""

import math

import numpy as np

from arena.engine.contract import SAMPLED, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.hisatsu.rollout import CLAIM
from arena.games.hisatsu.rules import claim, is_terminal, score
from arena.games.hisatsu.state import MAX_SEATS, NO_REQUEST, TURNS, VALUES, State

FIRST_SHARE = 0.1  # of what an open request is worth: how much more the seat to choose gets of it than the seat after it
SPREAD_AT_END, SPREAD = 1.0, 0.5  # squared points: what may still come between two seats, at the end and for each turn left


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle the requests that have not been opened."""
    shuffle_fast(s.stock, int(s.num_stock), rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, action: int) -> int:
    """The next seat captures what it claims, unless a card was just put there; a new request is then opened for each."""
    if s.num_stock == 0 or s.turns + 1 == s.seats * TURNS:
        return 0
    following = s.turn + 1 if s.turn + 1 < s.seats else 0
    captures = 0
    for slot in range(s.seats - 1):
        captures += slot != action // VALUES and claim(s, slot) == following
    return 0 if captures == 0 else int(s.num_stock) if captures == 1 else SAMPLED


@jit
def arrange(s: State, _action: int, alternative: int) -> float:
    """Put the request at a place of the stock on top."""
    request = s.stock[alternative]
    s.stock[alternative] = s.stock[s.num_stock - 1]
    s.stock[s.num_stock - 1] = request
    return 1.0 / s.num_stock


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to end before another seat, the mean over all others: by points, by claims, and by what is open.

    The seat to choose comes first to a request that nobody has claimed; the others follow in turn.
    """
    points = stack_array(MAX_SEATS, np.float64)
    for seat in range(s.seats):
        points[seat] = score(s, seat)
    if not is_terminal(s):
        for slot in range(s.seats - 1):
            claimant = claim(s, slot)
            if claimant >= 0:
                points[claimant] += constants[CLAIM] * s.worth[s.request[slot]]
            elif s.request[slot] != NO_REQUEST:
                _offer(s, slot, points)
    width = math.sqrt(SPREAD_AT_END + SPREAD * (s.seats * TURNS - s.turns))
    for seat in range(s.seats):
        out[seat] = 0.0
        for other in range(s.seats):
            if other != seat:
                out[seat] += 0.5 * (1.0 + math.tanh((points[seat] - points[other]) / width)) / (s.seats - 1)


@jit
def _offer(s: State, slot: int, points: Numbers) -> None:
    """Add what an unclaimed request is worth to the seats that come to it first."""
    request = s.request[slot]
    worth = FIRST_SHARE * (s.worth[request] + s.chips[slot])
    seat = s.turn
    for _ in range(s.seats):
        points[seat] += worth
        worth -= FIRST_SHARE * (s.worth[request] + s.chips[slot]) / s.seats
        seat = seat + 1 if seat + 1 < s.seats else 0
