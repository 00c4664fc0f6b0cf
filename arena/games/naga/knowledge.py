"""What a seat of Naga sees, the worlds that it may be in, and what it learns from an action (RULES.md 2.7)."""

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.engine.rng import Words, below, next_word, shuffle_fast
from arena.engine.state import show
from arena.games.naga.state import CONTESTS, DECK, DESIGNATE, FIELD_CARDS, SELECT, THREE_OF_FIVE, TWO_OF_THREE, State

SEEN_SELECT = 1 << 50  # marks a seen selection: six 6-bit fields card + 1, three per seat, 0 = unseen


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the stock, the other hand and the other's pending selection."""
    show(s, seat, out)


@jit
def unseen_cards(s: State, seat: int) -> int:
    """The set of cards that a seat has not seen: the other's hand and the stock."""
    unseen = ((1 << DECK) - 1) & ~int(s.hand[seat])
    for i in range(FIELD_CARDS):
        unseen &= ~(1 << int(s.field[i]))
    for i in range(s.num_shown):
        unseen &= ~(1 << int(s.shown[i]))
    return unseen


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Deal the unseen cards in random order to the other hand and the stock. A selection already made is drawn anew."""
    other = 1 - seat
    unseen = unseen_cards(s, seat)
    count = 0
    while unseen:
        s.stock[count] = lowest_bit(unseen)
        count += 1
        unseen &= unseen - 1
    hand = 0
    for _ in range(count - s.num_stock):
        taken = below(rng, count)
        count -= 1
        hand |= 1 << int(s.stock[taken])
        s.stock[taken] = s.stock[count]
        s.stock[count] = 0
    s.hand[other] = hand
    shuffle_fast(s.stock, count, rng)
    s.pending[other] = 0
    if s.phase == SELECT and s.turn == 1 and seat == 1:
        if s.contest == CONTESTS:
            s.pending[0] = TWO_OF_THREE[below(rng, len(TWO_OF_THREE))]
        else:
            s.pending[0] = THREE_OF_FIVE[below(rng, len(THREE_OF_FIVE))]
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """A place by its number; a selection by its cards: its own seat learns them at once, the other when both are revealed."""
    if s.phase == DESIGNATE:
        return action
    if s.turn == 1:
        return SEEN_SELECT | _packed(int(s.hand[0]), int(s.pending[0])) | _packed(int(s.hand[1]), action) << 18
    if viewer == 0:
        return SEEN_SELECT | _packed(int(s.hand[0]), action)
    return 0


def unpacked(seen: int, seat: int) -> list[int]:
    """The card ids of one seat's selection in a seen code; empty when it is not in it."""
    fields = [seen >> (18 * seat + 6 * i) & 63 for i in range(3)]
    return [field - 1 for field in fields if field]


@jit
def selected(hand: int, mask: int) -> int:
    """The cards of `hand` that a mask over the hand in card id order selects."""
    cards = 0
    while mask:
        if mask & 1:
            cards |= hand & -hand
        hand &= hand - 1
        mask >>= 1
    return cards


@jit
def _packed(hand: int, mask: int) -> int:
    """The selected cards, ascending, as 6-bit fields card + 1."""
    cards = selected(hand, mask)
    packed = 0
    shift = 0
    while cards:
        packed |= (lowest_bit(cards) + 1) << shift
        shift += 6
        cards &= cards - 1
    return packed
