"""Nertz for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

from arena.contract import Constant, Numbers
from arena.games.nertz.state import (
    CALL,
    FLIP,
    MATCH_OVER,
    NERTZ_FOUND,
    PLAY,
    WORK_WORK,
    State,
)
from arena.jit import jit, popcount
from arena.rng import Words, below, chance

SIMULTANEOUS = "ucb"  # a tick is a race more than a guess
DEPTH = 60  # choices after which a rollout is cut: a round takes hundreds of ticks
PRIOR = 0.0  # visits that a look is worth
EXPLORATION = 0.7  # width of confidence bounds, in standard deviations of the rewards
EXPANSION = 1  # visits after which what follows a choice joins the tree
CONSTANTS = (
    Constant("match", 20.0, 0.0, 100.0, "points: what the match is worth at its end"),
    Constant(
        "out",
        2.5,
        0.0,
        10.0,
        "points for each card that has left the Nertz pile: the two that it no longer costs, and more",
    ),
    Constant("line", 0.2, 0.0, 2.0, "points for each card that has left stock and waste"),
    Constant("whim", 0.125, 0.0, 1.0, "share of choices that are any"),
)
MATCH, OUT, LINE, WHIM = range(4)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """How many points the seat's unit has more than the others on average; within a round also by what is open to it."""
    total = 0.0
    units = s.seats >> s.teams
    for seat in range(s.seats):
        unit = seat >> s.teams
        if s.phase == PLAY:
            out[seat] = (
                s.totals[unit]
                + popcount(s.laid[unit])
                - constants[OUT] * s.num_nertz[unit]
                - constants[LINE] * s.num_line[unit]
            )
        else:
            out[seat] = s.totals[unit]
        total += out[seat]
    total /= 1 << s.teams
    for seat in range(s.seats):
        out[seat] -= (total - out[seat]) / (units - 1)
    if s.phase == MATCH_OVER:
        for seat in range(s.seats):
            if out[seat] > 0:
                out[seat] += constants[MATCH]


@jit
def rollout_action(_s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """Call, lay in the middle, Nertz pile, waste; then turn the stock; between work piles on a whim."""
    if chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    chosen = int(actions[0])
    for i in range(count):
        code = int(actions[i])
        if code == CALL or NERTZ_FOUND <= code < WORK_WORK:
            return code
        if code == FLIP:
            chosen = code
    return chosen


@jit
def prior(_s: State, _actions: Words, count: int, _constants: Numbers, out: Numbers) -> None:
    """All choices look the same."""
    for i in range(count):
        out[i] = 0.0


@jit
def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """All worlds that fit are taken as equally likely."""


@jit
def choice_code(_s: State, action: int) -> int:
    """Codes name places, and what lies open there everybody sees."""
    return action


@jit
def private_code(_s: State, _seat: int) -> int:
    """What a seat sees of its own waste the actions tell, but for the cards themselves: too many to tell apart."""
    return 0


@jit
def reopen(s: State) -> None:
    """Choices of this tick are taken back; moves that run on stay."""
    if s.phase == PLAY:
        for seat in range(s.seats):
            if s.since[seat] == 0:
                s.pending[seat] = 0
                s.due[seat] = 0
        s.turn = 0
