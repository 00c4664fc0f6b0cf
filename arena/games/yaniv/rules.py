"""Yaniv for 2 to 10 seats, one or two decks, all variants.

Rules, sources and our decisions O-Y1..O-Y12: RULES.md beside this file.

Left out: joker swapping, caller bonus and multiple penalties, house rules of other sites.

A *row* of cards is one whole number: 6 bits per card, card id + 1, first card lowest, 0 = no more cards. Hands are rows in
ascending card id. A *pile* is a heap without order in two masks: first copies, second copies (jokers: bits 52 and 53 of both).
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import STANDARD
from arena.errors import ConfigError
from arena.jit import bit_length, jit, lowest_bit, popcount
from arena.options import Choice, Flag, Option, OptionValue, Whole
from arena.rng import Seed, Words, below, draw_below, next_word, shuffle

VERSION = 1

CARDS = STANDARD
JOKER = 52
DECK = 54  # cards in one deck, two jokers among them
MAX_DECK = 2 * DECK
HAND = 5  # cards dealt; a hand never grows beyond
SEATS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
MAX_SEATS = 10
ONE_DECK_SEATS = 5  # one deck serves at most this many, and by itself (`decks=auto`) one fewer
RANKS = 13
MAX_ACTIONS = 96  # 85 discards of five cards of one rank are more than any legal list holds
PENALTY = 30  # of a caller who is not strictly lowest

START, DRAW, SLAP, ROUND_OVER, MATCH_OVER = 0, 1, 2, 3, 4  # phases
CALL = 0  # START; a discard is its mask over the hand << 6 | arrangement (RULES.md 5.5)
RUN = 32  # arrangement of a run: RUN + starting rank; of a set: 8 * first end + last end, as places in the hand; single: 0
STOCK, FIRST, LAST = 0, 1, 2  # DRAW; 2 + k is middle card k
HOLD, SLAP_DOWN = 0, 1  # SLAP

TAKEN, FRESH, OLDER = 0, 1, 2  # how a card came into a hand: openly; from this stock; OLDER + class: from an earlier stock
BURIED = 0  # in `piles`; class k is pile 1 + k
CLASSES = 2  # earlier stocks that are told apart (RULES.md 5.5)

DEALING, FIRST_STARTER, RESHUFFLING = 1, 2, 3  # purposes of random streams
SEEN_CALL, SEEN_DISCARD, SEEN_DRAW, SEEN_HOLD, SEEN_SLAP = (kind << 40 for kind in range(1, 6))  # kinds of seen codes
SEEN_KIND = 7 << 40
PLAIN = np.arange(8)  # PLAIN[n] is n, but no constant: a compiled function has one signature per constant argument
ROW = (1 << 6 * HAND) - 1  # a hand as a row
ORIGINS = (1 << 2 * HAND) - 1

NO_THRESHOLD = 100  # above any hand value
THRESHOLDS = np.array([5, 7, 10, NO_THRESHOLD], np.int64)
# By card id + 1, as in rows; 0 = no card. 64 entries: every index of 6 bits is inside.
VALUE = np.array([0, *[min(rank + 1, 10) for _ in range(4) for rank in range(RANKS)], *[0] * 11], np.int64)
RANK = np.array([RANKS + 1, *[rank for _ in range(4) for rank in range(RANKS)], *[RANKS] * 11], np.int64)  # 0 = ace, 13 = joker
SUIT = np.array([4, *[suit for suit in range(4) for _ in range(RANKS)], *[4] * 11], np.int64)
NATURAL_BIT = np.array([0, *[1 << card for card in range(JOKER)], *[0] * 11], np.int64)
RANK_BIT = np.array([0, *[1 << rank for _ in range(4) for rank in range(RANKS)], *[1 << RANKS] * 11], np.int64)
NO_KINGS = sum(0xFFF << 13 * suit for suit in range(4))  # cards that have a next higher one in their suit
TO_JACKS = sum(0x7FF << 13 * suit for suit in range(4))  # cards that have two higher ones

OPTIONS: tuple[Option, ...] = (
    Choice("threshold", 5, (5, 7, 10, "none"), "the highest hand value that may call (RULES.md 5.2)"),
    Choice("decks", "auto", ("auto", 1, 2), "decks of 54 cards; auto: 1 for up to 4 seats, else 2 (RULES.md 5.1)"),
    Flag("slap_down", False, "whether a card of the same rank, drawn from the stock, may be added to the discard (O-Y7)"),
    Whole("limit", 101, 1, 10_000, "the total that ends the match; 201 where mode=elim201 (O-Y1)"),
    Choice("mode", "default", ("default", "elim201"), "end at the limit, or drop out until one is left (RULES.md 5.4)"),
    Choice("reduction", "halve", ("halve", "minus50"), "which totals are lowered in mode=elim201 (RULES.md 5.4)"),
    Flag("halve_requires_change", True, "whether a total is lowered only in a round that added to it (O-Y2)"),
    Flag("joker_pair", False, "whether jokers alone are a set (O-Y3)"),
    Choice("set_take", "ends", ("ends", "any"), "which cards of a set the next seat may take (O-Y8)"),
    Whole("turn_limit", 100, 1, 1000, "turns per seat after which a round ends without a call (O-Y10)"),
    Whole("max_rounds", 200, 1, 1000, "rounds after which the match ends (O-Y10)"),
)

STATE = np.dtype((np.record, [
    ("piles", "i8", (2 + 2 * CLASSES,)),  # two masks each: buried, then the hidden cards of each earlier stock
    ("previous", "i8"),  # row, as laid
    ("laid", "i8"),  # row, the own discard of this turn, before it becomes the previous one
    ("seats", "i8"),  # wide, like the next one: compiled functions of them have one signature
    ("turn", "i8"),
    ("hand", "i4", (MAX_SEATS,)),  # rows
    ("known", "i4", (MAX_SEATS,)),  # rows: what everybody knows of a hand, because it was taken openly
    ("seed", "u4", (4,)),  # the deal's secret
    ("origin", "i2", (MAX_SEATS,)),  # 2 bits per card of the hand: how its owner got it
    ("totals", "i2", (MAX_SEATS,)),
    ("dropped", "i2", (MAX_SEATS,)),  # round in which a seat dropped out, 0 = still in
    ("limit", "i2"),
    ("turn_limit", "i2"),
    ("max_rounds", "i2"),
    ("round_number", "i2"),  # from 1
    ("turns", "i2"),  # completed turns of this round
    ("last_turn", "i2"),  # how many turns this round may have at most
    ("reshuffles", "i2"),  # of this round
    ("hand_size", "i1", (MAX_SEATS,)),
    ("held", "i1", (CLASSES * MAX_SEATS,)),  # by class, then seat: hidden cards from that earlier stock
    ("stock", "i1", (MAX_DECK,)),  # card ids, bottom first
    ("num_stock", "i1"),
    ("phase", "i1"),
    ("starter", "i1"),
    ("drawn", "i1"),  # SLAP: the card just drawn, id + 1
    ("threshold", "i1"),
    ("decks", "i1"),
    ("slap_down", "i1"),
    ("mode", "i1"),
    ("reduction", "i1"),
    ("halve_requires_change", "i1"),
    ("joker_pair", "i1"),
    ("set_take", "i1"),
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    piles: NDArray[np.int64]
    previous: int
    laid: int
    hand: NDArray[np.int32]
    known: NDArray[np.int32]
    seed: Seed
    origin: NDArray[np.int16]
    totals: NDArray[np.int16]
    dropped: NDArray[np.int16]
    limit: int
    turn_limit: int
    max_rounds: int
    round_number: int
    turns: int
    last_turn: int
    reshuffles: int
    hand_size: NDArray[np.int8]
    held: NDArray[np.int8]
    stock: NDArray[np.int8]
    num_stock: int
    seats: int
    phase: int
    turn: int
    starter: int
    drawn: int
    threshold: int
    decks: int
    slap_down: int
    mode: int
    reduction: int
    halve_requires_change: int
    joker_pair: int
    set_take: int


def resolve_options(resolved: dict[str, OptionValue], seats: int, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """`decks` follows the number of seats, and `limit` the mode, where they are not given."""
    if resolved["decks"] == "auto":
        resolved["decks"] = 1 if seats < ONE_DECK_SEATS else 2
    if resolved["decks"] == 1 and seats > ONE_DECK_SEATS:
        raise ConfigError(f"options.decks: one deck serves at most {ONE_DECK_SEATS} seats, {seats} need 2")
    if resolved["mode"] == "elim201" and "limit" not in given:
        resolved["limit"] = 201
    return resolved


def units(seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return tuple(range(seats))


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Start a match: draw the first starter and deal the first round."""
    for i in range(4):
        s.seed[i] = seed[i]
    s.seats = seats
    s.threshold = THRESHOLDS[options[0]]
    s.decks = options[1]
    s.slap_down = options[2]
    s.limit = options[3]
    s.mode = options[4]
    s.reduction = options[5]
    s.halve_requires_change = options[6]
    s.joker_pair = options[7]
    s.set_take = options[8]
    s.turn_limit = options[9]
    s.max_rounds = options[10]
    for seat in range(MAX_SEATS):
        s.totals[seat] = 0
        s.dropped[seat] = 0
    s.round_number = 1
    s.starter = draw_below(seats, s.seed[:], 1, FIRST_STARTER, 0)
    _deal_round(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """START: call, then discards; DRAW: stock, ends, middle cards; SLAP: hold, slap (RULES.md 5.5)."""
    if s.phase == DRAW:
        count = 0
        if s.num_stock > 0 or s.piles[0] != 0:
            out[0] = STOCK
            count = 1
        out[count] = FIRST
        length = row_length(int(s.previous))
        if length == 1:
            return count + 1
        out[count + 1] = LAST
        count += 2
        if s.set_take == 1 and length > 2 and is_set(int(s.previous)):
            for middle in range(1, length - 1):
                out[count] = LAST + middle
                count += 1
        return count
    if s.phase == START:
        hand = hand_row(s, int(s.turn))
        count = 0
        if hand_value(hand) <= s.threshold:
            out[0] = CALL
            count = 1
        return discards(hand, s.joker_pair == 1, out, count)
    if s.phase == SLAP:
        out[0] = HOLD
        out[1] = SLAP_DOWN
        return 2
    return 0


@jit
def step(s: State, action: int) -> None:
    """Call or discard; draw; where it is possible, slap or hold."""
    seat = int(s.turn)
    caller = -1
    if s.phase == START:
        if action != CALL:
            _discard(s, seat, action)
            return
        caller = seat
    elif s.phase == SLAP:
        if action == SLAP_DOWN:
            _slap(s, seat)
        s.drawn = 0
    else:
        _draw(s, seat, action)
        if s.phase == SLAP:
            return
    if caller < 0:
        _end_turn(s)
    if caller >= 0 or s.turns >= s.last_turn:
        _end_round(s, caller)


@jit
def current_seat(s: State) -> int:
    """The seat whose turn it is."""
    return int(s.turn)


@jit
def num_seats(s: State) -> int:
    """2 to 10; seats that dropped out are counted."""
    return int(s.seats)


@jit
def is_simultaneous(_s: State) -> bool:
    """Seats play in turn."""
    return False


@jit
def is_round_over(s: State) -> bool:
    """Whether somebody called, or the turns ran out."""
    return s.phase >= ROUND_OVER


@jit
def is_terminal(s: State) -> bool:
    """Whether the match is over."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """The next seat to the left that is still in starts, whatever happened."""
    s.starter = _next_seat(s, int(s.starter) & 15)
    s.round_number += 1
    _deal_round(s)


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Totals: the lowest is best."""
    for seat in range(s.seats):
        out[seat] = s.totals[seat]


@jit
def places(s: State, out: Words) -> None:
    """Who is still in first, then the later drop; among those together the lower total (RULES.md 5.3, 5.4)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if _ranking(s, other) < _ranking(s, seat):
                out[seat] += 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by totals."""
    return False


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hides the deal seed, the stock, and of other hands all but size and what was taken openly; a call opens all hands."""
    for i in range(4):
        out.seed[i] = 0
    for i in range(MAX_DECK):
        out.stock[i] = 0
    for i in range(2 + 2 * CLASSES):
        out.piles[i] = s.piles[i]
    for i in range(CLASSES * MAX_SEATS):
        out.held[i] = s.held[i]
    for player in range(MAX_SEATS):
        is_open = player == seat or s.phase >= ROUND_OVER
        out.hand[player] = s.hand[player] if is_open else 0
        out.origin[player] = s.origin[player] if is_open else 0
        out.known[player] = s.known[player]
        out.hand_size[player] = s.hand_size[player]
        out.totals[player] = s.totals[player]
        out.dropped[player] = s.dropped[player]
    out.drawn = s.drawn if s.turn == seat else 0
    out.previous = s.previous
    out.laid = s.laid
    out.limit = s.limit
    out.turn_limit = s.turn_limit
    out.max_rounds = s.max_rounds
    out.round_number = s.round_number
    out.turns = s.turns
    out.last_turn = s.last_turn
    out.reshuffles = s.reshuffles
    out.num_stock = s.num_stock
    out.seats = s.seats
    out.phase = s.phase
    out.turn = s.turn
    out.starter = s.starter
    out.threshold = s.threshold
    out.decks = s.decks
    out.slap_down = s.slap_down
    out.mode = s.mode
    out.reduction = s.reduction
    out.halve_requires_change = s.halve_requires_change
    out.joker_pair = s.joker_pair
    out.set_take = s.set_take


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """The unseen cards of each stock, in random order, fill the hidden places that were filled from it (RULES.md 5.5)."""
    cards = np.empty(JOKER + 1, np.int64)  # how many of each card id
    hidden = s.phase < ROUND_OVER
    if s.turn != seat:
        s.drawn = 0
    for player in range(s.seats):
        if hidden and player != seat:
            s.hand[player] = s.known[player]
            s.origin[player] = 0
    count = 0
    for origin in range(OLDER + CLASSES - 1, TAKEN, -1):  # the present stock last: its array keeps what is left
        older = origin - OLDER
        if older >= 0 and s.piles[2 + 2 * older] == 0:
            continue
        _count_unseen(s, seat, origin, cards)
        count = 0
        for card in range(JOKER + 1):
            for _ in range(cards[card]):
                s.stock[count] = card
                count += 1
        player = int(s.turn)  # first, as in the phase slap the card that it drew must match
        for _ in range(s.seats):
            if hidden and player != seat:
                wanted = s.hand_size[player] - row_length(hand_row(s, player))
                if older >= 0:
                    wanted = s.held[older * MAX_SEATS + player]
                for _ in range(wanted):
                    taken = below(rng, count)
                    if older < 0 and s.drawn == 0 and s.phase == SLAP and s.turn == player:
                        while RANK[s.stock[taken] + 1] != RANK[int(s.laid) & 63]:
                            taken = below(rng, count)
                        s.drawn = s.stock[taken] + 1
                    count -= 1
                    card = int(s.stock[taken]) & 63
                    s.stock[taken] = s.stock[count]
                    s.stock[count] = 0
                    _put(s, player, card, origin)
            player = player + 1 if player + 1 < s.seats else 0
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        kept = s.stock[last]
        s.stock[last] = s.stock[other]
        s.stock[other] = kept
    for i in range(count, MAX_DECK):
        s.stock[i] = 0
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """Cards as they lie; which end was taken; that a card came from the stock, not which; holding back is no event."""
    if s.phase == START:
        return SEEN_CALL if action == CALL else SEEN_DISCARD | laid_row(hand_row(s, int(s.turn)), action)
    if s.phase == DRAW:
        return SEEN_DRAW | action
    if action == SLAP_DOWN:
        return SEEN_SLAP | int(s.drawn)
    return SEEN_HOLD if s.turn == viewer else 0


@jit
def hand_row(s: State, seat: int) -> int:
    """The hand of a seat as a row."""
    return int(s.hand[seat]) & ROW


@jit
def hand_value(row: int) -> int:
    """The points of a row: ace 1, 2 to 10 their number, court cards 10, joker 0."""
    value = 0
    for shift in range(0, 6 * HAND, 6):
        value += VALUE[row >> shift & 63]
    return value


@jit
def row_length(row: int) -> int:
    """How many cards a row holds."""
    return (bit_length(row) + 5) // 6


@jit
def card_at(row: int, place: int) -> int:
    """The card id at a place of a row."""
    return (row >> 6 * place & 63) - 1


@jit
def inserted(row: int, place: int, card: int) -> int:
    """The row with a card put in at a place."""
    shift = 6 * place
    return row & ((1 << shift) - 1) | (card + 1) << shift | row >> shift << shift + 6


@jit
def deleted(row: int, place: int) -> int:
    """The row without the card at a place."""
    shift = 6 * place
    return row & ((1 << shift) - 1) | row >> shift + 6 << shift


@jit
def place_in(row: int, field: int) -> int:
    """The first place of an ascending row whose card id + 1 is at least `field`."""
    place = 0
    for shift in range(0, 6 * HAND, 6):  # without a branch, as no processor can guess it
        place += (row >> shift & 63 != 0) & (row >> shift & 63 < field)
    return place


@jit
def is_set(row: int) -> bool:
    """Whether all cards of a row have one rank: a single card or a set; jokers are a rank of their own."""
    rank = RANK[row & 63]
    while row:
        if RANK[row & 63] != rank:
            return False
        row >>= 6
    return True


@jit
def discards(hand: int, joker_pair: bool, out: Words, begin: int) -> int:
    """Write the codes of all discards of a hand from `out[begin]` on, ascending; return where they end (RULES.md 5.2, 5.5)."""
    suited = ranks = paired = 0
    for place in range(HAND):  # this loop has no branch, as no processor can guess it
        field = hand >> 6 * place & 63
        suited |= NATURAL_BIT[field]
        paired |= ranks & RANK_BIT[field]
        ranks |= RANK_BIT[field]
        out[begin + place] = 64 << place
    size = row_length(hand)
    count = begin + size
    doubles = 0
    if paired:
        doubles = _doubles(hand)
        count = _without_doubles(doubles, size, out, begin)
    singles = count
    if not joker_pair:
        paired &= ~(1 << RANKS)
    if paired:
        count = _sets(hand, size, doubles, paired, out, count)
    jokers = 0
    near = suited & suited >> 1 & suited >> 2 & TO_JACKS
    if ranks >> RANKS:
        while jokers < size and hand >> 6 * (size - 1 - jokers) & 63 > JOKER:
            jokers += 1
        near = suited if jokers > 1 else suited & (suited >> 1 & NO_KINGS | suited >> 2 & TO_JACKS)
    if near:
        count = _runs(hand, size - jokers, jokers, doubles, out, count)
    for end in range(singles, count):  # insertion sort: the list is short and nearly in order
        code = out[end]
        at = end
        while at > begin and out[at - 1] > code:
            out[at] = out[at - 1]
            at -= 1
        out[at] = code
    return count


@jit
def _doubles(hand: int) -> int:
    """The places of a hand that hold the same card as the place before, as a mask."""
    same = hand ^ hand << 6
    doubles = 0
    for place in range(1, row_length(hand)):
        doubles |= (same >> 6 * place & 63 == 0) << place
    return doubles


@jit
def _without_doubles(doubles: int, size: int, out: Words, begin: int) -> int:
    """Write the single discards: of equal cards the first place."""
    count = begin
    for place in range(size):
        out[count] = 64 << place
        count += 1 - (doubles >> place & 1)
    return count


@jit
def laid_row(hand: int, action: int) -> int:
    """How a discard lies: a set with its chosen ends, a run ascending with its jokers where they stand."""
    mask = action >> 6
    arrangement = action & 63
    row = 0
    shift = 0
    if arrangement > RUN:
        jokers = mask
        while jokers and hand >> 6 * lowest_bit(jokers) & 63 <= JOKER:
            jokers &= jokers - 1
        naturals = mask & ~jokers
        rank = arrangement - RUN - 1
        while mask:
            field = JOKER + 1
            if naturals:
                field = hand >> 6 * lowest_bit(naturals) & 63
                if RANK[field] == rank:
                    naturals &= naturals - 1
                else:
                    field = JOKER + 1
            row |= field << shift
            shift += 6
            rank += 1
            mask &= mask - 1
        return row
    last = 0
    if arrangement:
        first = arrangement >> 3
        row = hand >> 6 * first & 63
        shift = 6
        last = hand >> 6 * (arrangement & 7) & 63
        mask &= ~(1 << first | 1 << (arrangement & 7))
    while mask:
        row |= (hand >> 6 * lowest_bit(mask) & 63) << shift
        shift += 6
        mask &= mask - 1
    return row | last << shift


@jit
def _sets(hand: int, size: int, doubles: int, paired: int, out: Words, count: int) -> int:
    """All sets; the places of a rank in the hand, every part of two or more of them, every choice of two ends."""
    while paired:
        rank = lowest_bit(paired)
        paired &= paired - 1
        group = 0
        for place in range(size):
            if RANK[hand >> 6 * place & 63] == rank:
                group |= 1 << place
        mask = 0
        while mask != group:
            mask = (mask - group) & group
            if mask & (mask - 1) and (mask & doubles) >> 1 & ~mask == 0:  # of equal cards the lower places are used
                firsts = mask & ~doubles
                while firsts:
                    first = lowest_bit(firsts)
                    firsts &= firsts - 1
                    lasts = mask >> (first + 1) << (first + 1)
                    while lasts:
                        last = lowest_bit(lasts)
                        lasts &= lasts - 1
                        if doubles >> last & 1 == 0 or last == first + 1:
                            out[count] = mask << 6 | first << 3 | last
                            count += 1
    return count


@jit
def _runs(hand: int, naturals: int, jokers: int, doubles: int, out: Words, count: int) -> int:
    """All runs: by suit, every choice of natural cards, every number of jokers that fills the gaps, every starting rank."""
    place = 0
    while place < naturals:
        suit = SUIT[hand >> 6 * place & 63]
        group = 0
        while place < naturals and SUIT[hand >> 6 * place & 63] == suit:
            group |= 1 << place
            place += 1
        group &= ~doubles
        mask = 0
        while mask != group:
            mask = (mask - group) & group
            cards = popcount(mask)
            low = RANK[hand >> 6 * lowest_bit(mask) & 63]
            top = mask
            while top & (top - 1):
                top &= top - 1
            high = RANK[hand >> 6 * lowest_bit(top) & 63]
            for used in range(max(high - low + 1 - cards, 3 - cards, 0), jokers + 1):
                length = cards + used
                whole = mask | ((1 << used) - 1) << naturals
                for start in range(max(high - length + 1, 0), min(low, RANKS - length) + 1):
                    out[count] = whole << 6 | RUN | (start + 1)
                    count += 1
    return count


@jit
def _deal_round(s: State) -> None:
    """Shuffle; five cards each in blocks, the starter's block first; the next card is the first previous discard."""
    count = 0
    for _ in range(s.decks):
        for card in range(DECK):
            s.stock[count] = min(card, JOKER)
            count += 1
    shuffle(s.stock[:], count, s.seed[:], int(s.round_number), DEALING, 0)
    for i in range(count, MAX_DECK):
        s.stock[i] = 0
    for i in range(2 + 2 * CLASSES):
        s.piles[i] = 0
    for i in range(CLASSES * MAX_SEATS):
        s.held[i] = 0
    for seat in range(MAX_SEATS):
        s.hand[seat] = 0
        s.known[seat] = 0
        s.origin[seat] = 0
        s.hand_size[seat] = 0
    s.num_stock = count
    s.last_turn = 0
    seat = int(s.starter) & 15
    for _ in range(s.seats):
        if s.dropped[seat] == 0:
            for _ in range(HAND):
                _put(s, seat, _top(s), PLAIN[FRESH])
            s.hand_size[seat] = HAND
            s.last_turn += s.turn_limit
        seat = seat + 1 if seat + 1 < s.seats else 0
    s.previous = _top(s) + 1
    s.laid = 0
    s.drawn = 0
    s.turns = 0
    s.reshuffles = 0
    s.phase = START
    s.turn = s.starter


@jit
def _top(s: State) -> int:
    """Take the top card of the stock."""
    s.num_stock -= 1
    card = int(s.stock[s.num_stock]) & 63
    s.stock[s.num_stock] = 0
    return card


@jit
def _put(s: State, seat: int, card: int, origin: int) -> None:
    """Put a card into a hand, hand size apart; of equal cards those that were taken openly come first."""
    hand = hand_row(s, seat)
    place = place_in(hand, card + 1 if origin == TAKEN else card + 2)
    s.hand[seat] = inserted(hand, place, card)
    origins = int(s.origin[seat]) & ORIGINS
    shift = 2 * place
    s.origin[seat] = origins & ((1 << shift) - 1) | origin << shift | origins >> shift << shift + 2


@jit
def _remove(s: State, seat: int, mask: int) -> None:
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
def _may_slap(s: State, card: int) -> bool:
    """Same rank as a single card or a set just laid; a joker follows jokers only where they may be a set (O-Y7)."""
    laid = int(s.laid)
    return RANK[card + 1] == RANK[laid & 63] and is_set(laid) and (card < JOKER or s.joker_pair == 1)


@jit
def _discard(s: State, seat: int, action: int) -> None:
    hand = hand_row(s, seat)
    single = action >> 6 & (action >> 6) - 1 == 0
    s.laid = hand >> 6 * lowest_bit(action >> 6) & 63 if single else laid_row(hand, action)
    if s.piles[2] | s.piles[4]:
        _leave_classes(s, seat, action >> 6)
    _remove(s, seat, action >> 6)
    s.phase = DRAW


@jit
def _draw(s: State, seat: int, action: int) -> None:
    """From the stock, perhaps to be slapped; or openly from the previous discard."""
    if action == STOCK:
        if s.num_stock == 0:
            _reshuffle(s)
        card = _top(s)
        origin = FRESH
        if s.slap_down == 1 and _may_slap(s, card):
            s.phase = SLAP
            s.drawn = card + 1
    else:
        previous = int(s.previous)
        place = 0 if action == FIRST else row_length(previous) - 1 if action == LAST else action - LAST
        card = card_at(previous, place)
        origin = TAKEN
        s.previous = deleted(previous, place)
        known = int(s.known[seat]) & ROW
        s.known[seat] = inserted(known, place_in(known, card + 1), card)
    _put(s, seat, card, origin)
    s.hand_size[seat] += 1


@jit
def _slap(s: State, seat: int) -> None:
    """The card just drawn, the last one of its kind in the hand, goes behind the last card of the discard."""
    laid = int(s.laid)
    card = (int(s.drawn) & 63) - 1
    s.laid = inserted(laid, row_length(laid), card)
    _remove(s, seat, 1 << (place_in(hand_row(s, seat), card + 2) - 1))


@jit
def _end_turn(s: State) -> None:
    """What is left of the previous discard is buried, the own discard becomes the previous one, the turn passes."""
    rest = int(s.previous)
    while rest:
        _bury(s, PLAIN[BURIED], (rest & 63) - 1)
        rest >>= 6
    s.previous = s.laid
    s.laid = 0
    s.turns += 1
    s.phase = START
    s.turn = _next_seat(s, int(s.turn))


@jit
def _next_seat(s: State, seat: int) -> int:
    """The next seat to the left that is still in."""
    seat = seat + 1 if seat + 1 < s.seats else 0
    while s.dropped[seat] > 0:
        seat = seat + 1 if seat + 1 < s.seats else 0
    return seat


@jit
def _end_round(s: State, caller: int) -> None:
    """Score the hands, lower totals, and see who drops out and whether the match is over; caller -1: nobody called."""
    beaten = False
    if caller >= 0:
        called = hand_value(hand_row(s, caller))
        for seat in range(s.seats):
            if seat != caller and s.dropped[seat] == 0 and hand_value(hand_row(s, seat)) <= called:
                beaten = True
    over = s.round_number >= s.max_rounds
    in_play = 0
    for seat in range(s.seats):
        if s.dropped[seat] == 0:
            points = hand_value(hand_row(s, seat))
            if seat == caller:
                points = points + PENALTY if beaten else 0
            total = s.totals[seat] + points
            if points > 0 or s.halve_requires_change == 0:
                total = _reduced(s, total)
            s.totals[seat] = total
            if total < s.limit:
                in_play += 1
            elif s.mode == 1:
                s.dropped[seat] = s.round_number
            else:
                over = True
    s.phase = MATCH_OVER if over or in_play <= 1 else ROUND_OVER
    s.turn = 0


@jit
def _reduced(s: State, total: int) -> int:
    """One step, no chain: 50 and 100 are halved; in mode elim201 100 and 200, or 50 less at 100, 150 and 200."""
    if s.mode == 0:
        return total // 2 if total == 50 or total == 100 else total
    if s.reduction == 0:
        return total // 2 if total == 100 or total == 200 else total
    return total - 50 if total == 100 or total == 150 or total == 200 else total


@jit
def _ranking(s: State, seat: int) -> int:
    """The lower, the better the place."""
    out_for = s.round_number + 1 - s.dropped[seat] if s.dropped[seat] > 0 else 0
    return (int(out_for) << 20) + int(s.totals[seat])


@jit
def _reshuffle(s: State) -> None:
    """All buried cards become the new stock; the hidden cards in the hands become a class of their own (RULES.md 5.5)."""
    older = 0 if s.piles[2] == 0 else 1
    if older == 1 and s.piles[4] != 0:
        _forget(s, PLAIN[3] << OLDER)
        older = 0
    for seat in range(s.seats):
        for place in range(s.hand_size[seat] + 0):
            if s.origin[seat] >> 2 * place & 3 == FRESH:
                s.origin[seat] += OLDER + older - FRESH << 2 * place
                s.held[older * MAX_SEATS + seat] += 1
                _bury(s, 1 + older, card_at(hand_row(s, seat), place))
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
def _bury(s: State, pile: int, card: int) -> None:
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
def _leave_classes(s: State, seat: int, mask: int) -> None:
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
    """From now on the cards of the earlier stocks in the mask `among` count as cards of the present one."""
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
def _count_unseen(s: State, seat: int, origin: int, cards: Words) -> None:
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
def _take_row(row: int, cards: Words) -> None:
    while row:
        cards[(row & 63) - 1] -= 1
        row >>= 6
