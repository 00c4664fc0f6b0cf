"""The last round of a match of Nertz, where places count: who would win if it ended now, and how likely that is by its end."""

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.functions import exponential
from arena.engine.jit import jit
from arena.engine.machine import popcount, stack_array
from arena.games.nertz.options import MAX_SEATS
from arena.games.nertz.state import State

# How far from what the layouts seem to bring a round may yet end, as a difference of two units, in points: at its end, and for
# each card in the two Nertz piles. Fitted to 36,400 positions of 200 rounds between searches of 40 iterations.
WIDTH, WIDTH_NERTZ = 6.0, 0.5
LOGISTIC = 1.7  # 1 / (1 + exp(-1.7 x)) is near the normal distribution function


@jit
def ends_match(s: State) -> bool:
    """Whether the match would be over if the round ended now, without a call."""
    return s.round_number >= s.max_rounds or _highest(s, -1) >= s.target


@jit
def call_loses(s: State, unit: int) -> bool:
    """Whether a call of this unit would end the match with another unit ahead."""
    own = _total(s, unit) + int(s.call_bonus)
    return own < s.target and ends_match(s) and _highest(s, unit) > own


@jit
def add_hopes(s: State, worth: float, out: Numbers) -> None:
    """Add the part of the other units' seats that each seat may end before, times `worth`.

    `out`: how many points the unit of each seat seems to have at the end of the round, less the mean of the other units.
    """
    units = s.seats >> s.teams
    hopes = stack_array(MAX_SEATS, np.float64)
    hopes[:] = 0.0
    for seat in range(s.seats):
        for other in range(s.seats):
            if other >> s.teams != seat >> s.teams:
                lead = (out[seat] - out[other]) * (units - 1) / units
                left = s.num_nertz[seat >> s.teams] + s.num_nertz[other >> s.teams]
                hopes[seat] += 1.0 / (1.0 + exponential(-LOGISTIC * lead / (WIDTH + WIDTH_NERTZ * left)))
    for seat in range(s.seats):
        out[seat] += worth * hopes[seat] / (s.seats - (1 << s.teams))


@jit
def _highest(s: State, besides: int) -> int:
    """The highest total of all units but one, if the round ended now."""
    highest = -(1 << 30)
    for unit in range(s.seats >> s.teams):
        if unit != besides:
            highest = max(highest, _total(s, unit))
    return highest


@jit
def _total(s: State, unit: int) -> int:
    """The total of a unit that does not call, if the round ended now."""
    return int(s.totals[unit]) + popcount(s.laid[unit]) - 2 * int(s.num_nertz[unit])
