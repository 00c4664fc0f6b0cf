"""Nana Toridori for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

from arena.contract import Constant, Numbers
from arena.games.nanatoridori.state import ADVANCED, KIND, PASS, ROUND_OVER, ROW, TAKE, TURN, State
from arena.jit import jit
from arena.rng import Words, below, chance

SIMULTANEOUS = "ucb"
DEPTH = 0  # decisions after which a rollout is cut; 0: at the end of the round
PRIOR = 0.0  # visits that a look is worth
EXPLORATION = 0.7  # width of confidence bounds, in standard deviations of the rewards
EXPANSION = 1  # visits after which what follows a choice joins the tree
CONSTANTS = (
    Constant("middle", 0.5, 0.0, 1.0, "of the points for going out first, in the advanced rules"),
    Constant("card", 0.02, 0.0, 0.1, "what a card less in the hand is worth before the end"),
    Constant("whim", 0.2, 0.0, 1.0, "share of choices that are any"),
)
MIDDLE, CARD, WHIM = range(3)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """1 for going out (in the advanced rules for going out first), 0 for the one who is left; before, by the cards in hand."""
    for seat in range(s.seats):
        out[seat] = 0.0 if s.phase >= ROUND_OVER else 0.5 - constants[CARD] * s.hand_size[seat]
    for i in range(s.num_out):
        out[s.out[i]] = constants[MIDDLE] if i > 0 and s.variant == ADVANCED else 1.0


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """Play rather than pass, the most cards; take what joins the same value, drop the rest."""
    if chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    if s.phase == TURN:
        best = 0
        chosen = int(actions[0])
        for i in range(count):
            action = int(actions[i])
            if action >> KIND != PASS:
                cards = action >> 2 & 63
                if cards > best:
                    best = cards
                    chosen = action
        return chosen
    value = s.beaten_value if s.phase == TAKE else s.drawn
    first = s.turn << ROW
    for gap in range(s.hand_size[s.turn]):
        if s.hand[first + gap] == value:
            return int(actions[gap])
    return int(actions[count - 1])


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
    """Nothing is chosen simultaneously."""
    return action


@jit
def private_code(s: State, _seat: int) -> int:
    """The card drawn; all else that a seat learns are actions."""
    return int(s.drawn)


@jit
def reopen(_s: State) -> None:
    """Nothing is chosen simultaneously."""
