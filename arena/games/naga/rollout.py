"""Naga for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

from arena.contract import Constant, Numbers
from arena.games.naga.knowledge import selected
from arena.games.naga.rules import contest_strength
from arena.games.naga.state import ELTAM, GAME_OVER, SELECT, State
from arena.jit import jit
from arena.rng import Words, below, chance

SIMULTANEOUS = "ucb"  # against rule bots stronger than regret matching, which needs many more simulations
DEPTH = 0  # decisions after which a rollout is cut; 0: at the end of the game
PRIOR = 0.0  # visits that a look is worth
EXPLORATION = 0.7  # width of confidence bounds, in standard deviations of the rewards
EXPANSION = 1  # visits after which what follows a choice joins the tree
CONSTANTS = (
    Constant("lead", 0.1, 0.0, 0.5, "what a field card more is worth before the end; the game is worth 1"),
    Constant("strongest", 0.5, 0.0, 1.0, "share of selections that are the strongest one; the others are any"),
)
LEAD, STRONGEST = range(2)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """1 for a won game, 0 for a lost one, half for a draw; within a game by the lead in field cards."""
    lead = 0
    for place in range(1, 8):
        worth = 3 if place == ELTAM else 1
        if s.won[place] == 1:
            lead += worth
        elif s.won[place] == 2:
            lead -= worth
    value = constants[LEAD] * lead
    if s.phase >= GAME_OVER:
        value = 0.5 if lead > 0 else -0.5 if lead < 0 else 0.0
    out[0] = 0.5 + value
    out[1] = 0.5 - value


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """Any place; half of the time the strongest cards, else any."""
    if s.phase != SELECT or chance(rng) >= constants[STRONGEST]:
        return int(actions[below(rng, count)])
    best = -1
    chosen = 0
    hand = int(s.hand[s.turn])
    for i in range(count):
        strength = contest_strength(s, selected(hand, int(actions[i])), s.place)
        if strength > best:
            best = strength
            chosen = int(actions[i])
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
def choice_code(s: State, action: int) -> int:
    """The selected cards."""
    return selected(int(s.hand[s.turn]), action)


@jit
def private_code(s: State, seat: int) -> int:
    """The own hand: new cards come after each contest."""
    return int(s.hand[seat])


@jit
def reopen(s: State) -> None:
    """The first selection is taken back."""
    if s.phase == SELECT:
        s.pending[0] = 0
        s.pending[1] = 0
        s.turn = 0
