"""Cards that move between stock, piles and hands, with the memory of where each hidden card came from (RULES.md 5.5).

A *pile* is a heap without order in two masks: first copies, second copies (jokers: bits 52 and 53 of both).
"""

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.engine.rng import Words, shuffle
from arena.games.yaniv.rows import JOKER, ROW, card_at, deleted, inserted, place_in
from arena.games.yaniv.state import (
    CLASSES,
    FRESH,
    MAX_SEATS,
    OLDER,
    ORIGINS,
    PLAIN,
    RESHUFFLING,
    ROUND_OVER,
    TAKEN,
    State,
    hand_row,
)


@jit
def top(s: State) -> int:
    """Take the top card of the stock."""
    s.num_stock -= 1
    card = int(s.stock[s.num_stock]) & 63
    s.stock[s.num_stock] = 0
    return card


@jit
def put(s: State, seat: int, card: int, origin: int) -> None:
    """Put a card into a hand, hand size apart; of equal cards those that were taken openly come first."""
    hand = hand_row(s, seat)
    place = place_in(hand, card + 1 if origin == TAKEN else card + 2)
    s.hand[seat] = inserted(hand, place, card)
    origins = int(s.origin[seat]) & ORIGINS
    shift = 2 * place
    s.origin[seat] = origins & ((1 << shift) - 1) | origin << shift | origins >> shift << shift + 2


@jit
def remove(s: State, seat: int, mask: int) -> None:
    """Take the places in `mask` out of a hand; openly, so what was known of the hand goes first."""
    while mask:
        place = lowest_bit(mask)
        hand = hand_row(s, seat)
        origins = int(s.origin[seat]) & ORIGINS
        shift = 2 * place
        if origins >> shift & 3 == TAKEN:
            known = int(s.known[seat]) & ROW
            s.known[seat] = deleted(known, place_in(known, hand >> 6 * place & 63))
        s.hand[seat] = deleted(hand, place)
        s.origin[seat] = origins & ((1 << shift) - 1) | origins >> shift + 2 << shift
        s.hand_size[seat] -= 1
        mask = (mask & (mask - 1)) >> 1  # the places behind move up


@jit
def bury(s: State, pile: int, card: int) -> None:
    """Add a card to a pile."""
    first = 2 * pile
    bit = 1 << card
    if s.piles[first] & bit == 0:
        s.piles[first] |= bit
    elif card < JOKER:
        s.piles[first + 1] |= bit
    elif s.piles[first] & 2 * bit == 0:
        s.piles[first] |= 2 * bit
    elif s.piles[first + 1] & bit == 0:
        s.piles[first + 1] |= bit
    else:
        s.piles[first + 1] |= 2 * bit


@jit
def reshuffle(s: State) -> None:
    """Make the buried cards the new stock, and the hidden cards in the hands a class of their own (RULES.md 5.5)."""
    older = 0 if s.piles[2] == 0 else 1
    if older == 1 and s.piles[4] != 0:
        _forget(s, PLAIN[3] << OLDER)
        older = 0
    for seat in range(s.seats):
        for place in range(s.hand_size[seat] + 0):
            if s.origin[seat] >> 2 * place & 3 == FRESH:
                s.origin[seat] += OLDER + older - FRESH << 2 * place
                s.held[older * MAX_SEATS + seat] += 1
                bury(s, 1 + older, card_at(hand_row(s, seat), place))
    count = 0
    for copy in range(2):
        bits = int(s.piles[copy])
        s.piles[copy] = 0
        while bits:
            s.stock[count] = min(lowest_bit(bits), JOKER)
            count += 1
            bits &= bits - 1
    s.num_stock = count
    shuffle(s.stock[:], count, s.seed[:], int(s.round_number), RESHUFFLING, int(s.reshuffles))
    s.reshuffles += 1


@jit
def leave_classes(s: State, seat: int, mask: int) -> None:
    """A seat shows hidden cards: they leave the class that they were in.

    Where equal cards have several origins, of each of which the seat holds cards, nobody else knows which one it was: from then
    on these origins are not told apart. Read off the true cards; everybody can work it out from what was shown.
    """
    rest = mask
    while rest:
        place = lowest_bit(rest)
        rest &= rest - 1
        if int(s.origin[seat]) >> 2 * place & 3 == TAKEN:
            continue
        card = card_at(hand_row(s, seat), place)
        among = 0
        for older in range(CLASSES):
            if s.held[older * MAX_SEATS + seat] > 0 and s.piles[2 + 2 * older] >> card & 1:
                among |= 1 << OLDER + older
        if among and _may_be_fresh(s, seat, card, mask & ((1 << place) - 1)):
            among |= 1 << FRESH
        if among & among - 1:
            _forget(s, among)
        older = (s.origin[seat] >> 2 * place & 3) - OLDER
        if older >= 0:
            _unbury(s, 1 + older, card)
            s.held[older * MAX_SEATS + seat] -= 1


@jit
def count_unseen(s: State, seat: int, origin: int, cards: Words) -> None:
    """The cards of one stock (FRESH: the present one) that a seat cannot see: in the stock, and hidden with others."""
    for card in range(JOKER + 1):
        cards[card] = 0
        if origin != FRESH:
            cards[card] = _copies(s, origin - OLDER + 1, card)
        else:
            cards[card] = s.decks if card < JOKER else 2 * s.decks
            for pile in range(1 + CLASSES):
                cards[card] -= _copies(s, pile, card)
    if origin == FRESH:
        _take_row(int(s.previous), cards)
        _take_row(int(s.laid), cards)
    for player in range(s.seats):
        if player == seat or s.phase >= ROUND_OVER:
            row = hand_row(s, player)
            origins = int(s.origin[player]) & ORIGINS
            while row:
                if origins & 3 == origin or (origins & 3 == TAKEN and origin == FRESH):
                    cards[(row & 63) - 1] -= 1
                row >>= 6
                origins >>= 2
        elif origin == FRESH:
            _take_row(int(s.known[player]) & ROW, cards)


@jit
def _may_be_fresh(s: State, seat: int, card: int, shown: int) -> bool:
    """Whether a seat holds hidden cards of the present stock, the places in `shown` apart, and this may be one of them."""
    holds = there = False
    for player in range(s.seats):
        hand = hand_row(s, player)
        origins = int(s.origin[player]) & ORIGINS
        skip = shown if player == seat else 0
        while hand:
            if origins & 3 == FRESH and skip & 1 == 0:
                holds |= player == seat
                there |= hand & 63 == card + 1
            hand >>= 6
            origins >>= 2
            skip >>= 1
    for i in range(s.num_stock + 0):
        there |= s.stock[i] == card
    return holds and there


@jit
def _forget(s: State, among: int) -> None:
    """Count the cards of the earlier stocks in the mask `among` as cards of the present one from now on."""
    for older in range(CLASSES):
        if among >> OLDER + older & 1:
            s.piles[2 + 2 * older] = 0
            s.piles[3 + 2 * older] = 0
            for seat in range(s.seats):
                s.held[older * MAX_SEATS + seat] = 0
                for place in range(s.hand_size[seat] + 0):
                    if s.origin[seat] >> 2 * place & 3 == OLDER + older:
                        s.origin[seat] -= OLDER + older - FRESH << 2 * place


@jit
def _copies(s: State, pile: int, card: int) -> int:
    """How many of a card lie in a pile."""
    bits = (1 if card < JOKER else 3) << card
    return popcount(s.piles[2 * pile] & bits) + popcount(s.piles[2 * pile + 1] & bits)


@jit
def _unbury(s: State, pile: int, card: int) -> None:
    """Take one of a card out of a pile, the copy that was added last."""
    for mask in range(2 * pile + 1, 2 * pile - 1, -1):
        bits = s.piles[mask] & (1 if card < JOKER else 3) << card
        if bits:
            s.piles[mask] ^= bits if bits & (bits - 1) == 0 else 2 << card
            return


@jit
def _take_row(row: int, cards: Words) -> None:
    while row:
        cards[(row & 63) - 1] -= 1
        row >>= 6
