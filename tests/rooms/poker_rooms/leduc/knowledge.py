"""What a seat sees of a hand, what the rest may be, and what it hears of an action."""

from arena.engine.jit import jit
from arena.engine.rng import Words, below, next_word
from arena.engine.state import show
from poker_rooms.leduc.state import DECK, NOBODY, PLAY, State


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hides the deal seed and all cards but the own one, the public one in the second street, and both hands at a showdown."""
    show(s, seat, out)
    for i in range(DECK):
        if is_known(s, seat, i):
            out.cards[i] = s.cards[i]


@jit
def is_known(s: State, seat: int, place: int) -> bool:
    """Whether a seat knows the card at a place: 0 and 1 are the hands, 2 the public card, the others are never seen."""
    if place == 2:
        return s.street == 2
    return place == seat or (place < 2 and s.phase != PLAY and s.folded == NOBODY)


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """The cards that the seat has not seen in random order."""
    unseen = (1 << DECK) - 1
    for i in range(DECK):
        if is_known(s, seat, i):
            unseen &= ~(1 << int(s.cards[i]))
    count = 0
    for i in range(DECK):  # first in ascending order, so that nothing depends on what lies there
        if not is_known(s, seat, i):
            while unseen >> count & 1 == 0:
                count += 1
            s.cards[i] = count
            count += 1
    for i in range(DECK - 1, 0, -1):
        if not is_known(s, seat, i):
            j = _unknown_place(s, seat, i, below(rng, _unknown_places(s, seat, i)))
            card = s.cards[i]
            s.cards[i] = s.cards[j]
            s.cards[j] = card
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(_s: State, action: int, _viewer: int) -> int:
    """Both seats see every action. 0 would mean that nothing was seen."""
    return action + 1


@jit
def _unknown_places(s: State, seat: int, last: int) -> int:
    """How many places up to `last` hold cards that the seat does not know."""
    count = 0
    for i in range(last + 1):
        count += not is_known(s, seat, i)
    return count


@jit
def _unknown_place(s: State, seat: int, last: int, number: int) -> int:
    """One of these places, by number."""
    for i in range(last + 1):
        if not is_known(s, seat, i):
            if number == 0:
                return i
            number -= 1
    return last
