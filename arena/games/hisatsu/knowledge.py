"""What a seat of Hisatsu sees, the worlds that it may be in, and what it learns from an action (RULES.md 3.4)."""

from arena.engine.jit import jit, lowest_bit, popcount
from arena.engine.option_table import NAME_WORDS
from arena.engine.rng import Words, below, next_word, shuffle_fast
from arena.games.hisatsu.state import (
    BELOW_SEVEN,
    FULL_HAND,
    MAX_CARDS,
    MAX_REQUESTS,
    MAX_SEATS,
    MAX_SLOTS,
    NO_REQUEST,
    SEEN_HIDDEN,
    TURNS,
    VALUES,
    State,
)


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the order of the stock, and the others' hands, hidden cards and face-down passes."""
    for i in range(4):
        out.seed[i] = 0
    _copy_deck(s, out)
    for slot in range(MAX_SLOTS):
        out.request[slot] = s.request[slot]
        out.chips[slot] = s.chips[slot]
        out.num_cards[slot] = s.num_cards[slot]
        for i in range(MAX_CARDS):
            card = int(s.cards[slot, i])
            hides = card >> 3 != seat and i < s.num_cards[slot] and i < s.bang[s.request[slot]]
            out.cards[slot, i] = card & ~7 if hides else card
    for player in range(MAX_SEATS):
        out.hand[player] = s.hand[player] if player == seat else 0
        for i in range(TURNS):
            out.discards[player, i] = s.discards[player, i]
            out.passed[player, i] = s.passed[player, i] if player == seat else 0
            out.captured[player, i] = s.captured[player, i]
            out.failed[player, i] = s.failed[player, i]
        out.num_discards[player] = s.num_discards[player]
        out.num_passed[player] = s.num_passed[player]
        out.num_captured[player] = s.num_captured[player]
        out.num_failed[player] = s.num_failed[player]
        out.points[player] = s.points[player]
    for i in range(MAX_REQUESTS):
        out.stock[i] = 0
    out.num_stock = s.num_stock
    out.seats = s.seats
    out.turn = s.turn
    out.turns = s.turns
    out.starter = s.starter
    out.pass_discard = s.pass_discard
    out.tiebreak = s.tiebreak


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """Draw the others' hidden cards, then their face-down passes, from their unseen cards; the rest is in their hands.

    Every such deal of the unseen cards is equally likely (RULES.md 3.4). The stock is in uniformly random order.
    """
    for other in range(s.seats):
        if other != seat:
            s.hand[other] = unseen(s, other)
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            owner = int(s.cards[slot, i]) >> 3
            if owner != seat:
                s.cards[slot, i] = owner * 8 + _take_any(s, owner, int(s.hand[owner]) & BELOW_SEVEN, rng)
    for other in range(s.seats):
        if other != seat:
            for i in range(s.num_passed[other]):
                s.passed[other, i] = _take_any(s, other, int(s.hand[other]), rng)
    _resample_stock(s, rng)
    for i in range(4):
        s.seed[i] = next_word(rng)


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
def _copy_deck(s: State, out: State) -> None:
    out.num_requests = s.num_requests
    for i in range(MAX_REQUESTS):
        out.bang[i] = s.bang[i]
        out.hp[i] = s.hp[i]
        out.worth[i] = s.worth[i]
        for word in range(NAME_WORDS):
            out.names[i, word] = s.names[i, word]


@jit
def _take_any(s: State, seat: int, cards: int, rng: Words) -> int:
    """Move a uniformly random one of `cards` out of a seat's hand."""
    for _ in range(below(rng, popcount(cards))):
        cards &= cards - 1
    value = lowest_bit(cards)
    s.hand[seat] &= ~(1 << value)
    return value


@jit
def _resample_stock(s: State, rng: Words) -> None:
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
