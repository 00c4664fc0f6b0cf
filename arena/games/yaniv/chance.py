"""What chance decides in Yaniv, and what a position is worth (arena/engine/contract.py says what each function is for)."""

from arena.engine.contract import SAMPLED, Numbers
from arena.engine.jit import jit
from arena.engine.rng import Words, next_word, shuffle_fast
from arena.games.yaniv.rollout import PRIZE, evaluate
from arena.games.yaniv.state import DRAW, STOCK, State


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
    """Put the card at a place of the stock on top, if it is the first one of its kind there."""
    card = s.stock[alternative]
    copies = 0
    for place in range(s.num_stock + 0):
        if s.stock[place] == card:
            if place < alternative:
                return 0.0
            copies += 1
    s.stock[alternative] = s.stock[s.num_stock - 1]
    s.stock[s.num_stock - 1] = card
    return float(copies / s.num_stock)


@jit
def value(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to end before another seat, the mean over all others: what `evaluate` gives, without the prize."""
    evaluate(s, constants, out)
    for seat in range(s.seats):
        out[seat] /= constants[PRIZE]
