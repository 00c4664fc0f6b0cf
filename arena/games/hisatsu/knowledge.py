"""What a seat of Hisatsu sees, the worlds that it may be in, and what it learns from an action (RULES.md 3.4)."""

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.engine.rng import Words, below, next_word, shuffle_fast
from arena.engine.state import show
from arena.games.hisatsu.state import (
    BELOW_SEVEN,
    FULL_HAND,
    NO_REQUEST,
    SEEN_HIDDEN,
    VALUES,
    State,
)


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the order of the stock, and the others' hands, hidden cards and face-down passes."""
    show(s, seat, out)
    for slot in range(s.seats - 1):
        hidden = hidden_cards(s, slot)
        for i in range(s.num_cards[slot]):
            is_seen = i >= hidden or int(s.cards[slot, i]) >> 3 == seat
            out.cards[slot, i] = s.cards[slot, i] if is_seen else s.cards[slot, i] & ~7


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Draw the others' hidden cards, then their face-down passes, from their unseen cards; the rest is in their hands.

    Every such deal of the unseen cards is equally likely (RULES.md 3.4). The stock is in uniformly random order.
    """
    _take_back(s, seat)
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            owner = int(s.cards[slot, i]) >> 3
            if owner != seat:
                s.cards[slot, i] = owner * 8 + _take_any(s, owner, int(s.hand[owner]) & BELOW_SEVEN, rng)
    for other in range(s.seats):
        if other != seat:
            for i in range(s.num_passed[other]):
                s.passed[other, i] = _take_any(s, other, int(s.hand[other]), rng)
    _draw_order(s, rng)


@jit
def count_deals(s: State, seat: int) -> int:
    """How many deals of the unseen cards to the places of hidden and of passed ones fit what a seat sees."""
    count = 1
    for other in range(s.seats):
        if other != seat:
            cards = unseen(s, other)
            left = popcount(cards)
            low = popcount(cards & BELOW_SEVEN)
            for slot in range(s.seats - 1):
                for i in range(hidden_cards(s, slot)):
                    if int(s.cards[slot, i]) >> 3 == other:
                        count *= low
                        low -= 1
                        left -= 1
            for _ in range(s.num_passed[other]):
                count *= left
                left -= 1
    return count


@jit
def nth_deal(s: State, seat: int, number: int, rng: Words) -> None:
    """Deal the unseen cards in one of the ways of `count_deals`, from 0 on, and draw the order of the stock."""
    _take_back(s, seat)
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            owner = int(s.cards[slot, i]) >> 3
            if owner != seat:
                cards = int(s.hand[owner]) & BELOW_SEVEN
                s.cards[slot, i] = owner * 8 + _take(s, owner, cards, number % popcount(cards))
                number //= popcount(cards)
    for other in range(s.seats):
        if other != seat:
            for i in range(s.num_passed[other]):
                cards = int(s.hand[other])
                s.passed[other, i] = _take(s, other, cards, number % popcount(cards))
                number //= popcount(cards)
    _draw_order(s, rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """The action's code + 1; if another seat lays a card face down, a code that does not tell the card."""
    slot = action // VALUES
    hides = s.chips[slot] > 0 if slot < s.seats - 1 else s.pass_discard == 1
    return SEEN_HIDDEN + slot if hides and viewer != s.turn else action + 1


@jit
def hidden_cards(s: State, slot: int) -> int:
    """How many face-down cards lie on a slot; they are its first cards."""
    return min(int(s.num_cards[slot]), int(s.bang[s.request[slot]])) if s.num_cards[slot] > 0 else 0


@jit
def unseen(s: State, seat: int) -> int:
    """The cards of a seat that were never face up, as a mask: its hand, its hidden cards, its face-down passes."""
    mask = FULL_HAND
    for i in range(s.num_discards[seat]):
        mask &= ~(1 << int(s.discards[seat, i]))
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot), int(s.num_cards[slot])):
            card = int(s.cards[slot, i])
            if card >> 3 == seat:
                mask &= ~(1 << (card & 7))
    return mask


@jit
def _take_back(s: State, seat: int) -> None:
    """Put all cards of the others that were never face up into their hands."""
    for other in range(s.seats):
        if other != seat:
            s.hand[other] = unseen(s, other)


@jit
def _take_any(s: State, seat: int, cards: int, rng: Words) -> int:
    """Move a uniformly random one of `cards` out of a seat's hand."""
    return _take(s, seat, cards, below(rng, popcount(cards)))


@jit
def _take(s: State, seat: int, cards: int, place: int) -> int:
    """Move one of `cards` out of a seat's hand, the lowest at place 0."""
    for _ in range(place):
        cards &= cards - 1
    value = lowest_bit(cards)
    s.hand[seat] &= ~(1 << value)
    return value


@jit
def _draw_order(s: State, rng: Words) -> None:
    """Draw the order of the stock, and the seed."""
    out_of_stock = 0
    for slot in range(s.seats - 1):
        if s.request[slot] != NO_REQUEST:
            out_of_stock |= 1 << int(s.request[slot])
    for seat in range(s.seats):
        for i in range(s.num_captured[seat]):
            out_of_stock |= 1 << int(s.captured[seat, i])
        for i in range(s.num_failed[seat]):
            out_of_stock |= 1 << int(s.failed[seat, i])
    count = 0
    for request in range(s.num_requests):
        if not out_of_stock >> request & 1:
            s.stock[count] = request
            count += 1
    shuffle_fast(s.stock, count, rng)
    for i in range(4):
        s.seed[i] = next_word(rng)
