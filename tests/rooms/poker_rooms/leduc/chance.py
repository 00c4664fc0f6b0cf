"""What chance decides in Leduc hold'em, and what a position is worth."""

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.rng import Words, next_word, shuffle_fast
from poker_rooms.leduc.state import CALL, DECK, PLAY, STREETS, State


@jit
def redraw(s: State, rng: Words) -> None:
    """Shuffle the cards that nobody has seen: the last three, and in the first street the public one."""
    first = 3 if s.street == STREETS else 2
    hidden = s.cards[first:]
    shuffle_fast(hidden, DECK - first, rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def alternatives(s: State, action: int) -> int:
    """A call that ends the first street turns up one of four cards."""
    return DECK - 2 if s.phase == PLAY and s.street < STREETS and action == CALL and s.actions > 0 else 0


@jit
def arrange(s: State, _action: int, alternative: int) -> float:
    """The public card changes places with one of the four."""
    card = s.cards[2]
    s.cards[2] = s.cards[2 + alternative]
    s.cards[2 + alternative] = card
    return 1.0 / (DECK - 2)


@jit
def value(s: State, _constants: Numbers, out: Numbers) -> None:
    """Half, and more for who holds the higher card or a pair; chips won count, too."""
    public = s.cards[2] // 2 if s.street == STREETS else -1
    for seat in range(2):
        own = s.cards[seat] // 2
        out[seat] = 0.5 + 0.1 * own + 0.3 * (own == public) + 0.01 * (s.won[seat] - s.won[1 - seat])
