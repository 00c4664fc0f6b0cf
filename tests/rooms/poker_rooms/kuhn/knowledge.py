"""What a seat sees of a hand, what the rest may be, and what it hears of an action."""

from arena.engine.jit import jit
from arena.engine.rng import Words, below, next_word
from arena.engine.state import show
from poker_rooms.kuhn.state import State


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hides the deal seed and, before a showdown, all cards but the own one."""
    show(s, seat, out)
    for i in range(3):
        if i == seat or is_showdown(s):
            out.cards[i] = s.cards[i]


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """The two cards that the seat has not seen in random order."""
    if not is_showdown(s):
        own = s.cards[seat]
        first = (own + 1 + below(rng, 2)) % 3
        s.cards[1 - seat] = first
        s.cards[2] = 3 - own - first
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(_s: State, action: int, _viewer: int) -> int:
    """Both seats see every action. 0 would mean that nothing was seen."""
    return action + 1


@jit
def is_showdown(s: State) -> bool:
    """Whether both have passed or both have bet: then the cards are shown."""
    return s.line in (0b100, 0b111, 0b1011)
