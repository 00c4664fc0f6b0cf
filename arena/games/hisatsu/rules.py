"""Hisatsu Shigotonin for 3 to 5 seats: number cards, hidden and open, on requests that bear only so much.

Rules, sources and our decisions O-H1..O-H9: RULES.md beside this file; the default deck of requests: requests.csv.

Left out: the start player by the last visit to a zoo; the first starter is drawn.
"""

from collections.abc import Mapping
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from arena.data_table import NAME_WORDS, Column, table_beside
from arena.errors import ConfigError
from arena.jit import jit, lowest_bit, popcount
from arena.options import Choice, Option, OptionValue
from arena.rng import Seed, Words, below, draw_below, next_word, shuffle

VERSION = 1

SEATS = (3, 4, 5)
MAX_SEATS = 5
MAX_SLOTS = 4  # one less than the seats
VALUES = 7  # number cards of a seat: 1 to 7
TURNS = 6  # of each seat
MAX_ACTIONS = 35  # seven cards on four requests or away
MAX_REQUESTS = 60  # in a deck: more than can ever come into play
MAX_CARDS = MAX_SEATS * TURNS  # on one request: all that are played, if every claim is taken over
FAILURE = 2  # points that a failed request costs

FULL_HAND = 0b11111110  # bit v = card v
BELOW_SEVEN = 0b01111110  # the 7 is never face down on a request
HIDEABLE = BELOW_SEVEN >> 1  # as action codes of one slot
DEALING, FIRST_STARTER = 1, 2  # purposes of random streams
SEEN_HIDDEN = 64  # + slot: a seen action whose card is hidden; an open one is its code + 1
NO_REQUEST = -1  # in `request`

DECK = table_beside(
    __file__,
    "requests.csv",
    "deck",
    (Column("bang", 0, 6), Column("hp", 1, 999), Column("points", 0, 99)),
    MAX_REQUESTS,
    "the request cards: how many one-point cards lie on them, what they bear, what they are worth (O-H9)",
)
OPTIONS: tuple[Option, ...] = (
    Choice("pass_discard", "face_up", ("face_up", "face_down"), "how a card lies that is discarded as the action (O-H1)"),
    Choice("tiebreak", "none", ("none", "captures"), "what decides between equal scores (O-H5)"),
    DECK,
)
FIRST_ROW = 3  # of the deck in the options vector
ROW_WIDTH = DECK.row_width
ROW_NAME = len(DECK.columns)  # where a row's name begins

STATE = np.dtype((np.record, [
    ("names", "i8", (MAX_REQUESTS, NAME_WORDS)),  # of the deck's requests; read by text.py alone
    ("hand", "i8", (MAX_SEATS,)),  # card masks
    ("seats", "i8"),  # wide, like the next ones: compiled functions of them have one signature
    ("turn", "i8"),  # at the end: the starter
    ("turns", "i8"),  # taken by all seats together
    ("seed", "u4", (4,)),  # the deal's secret
    ("hp", "i2", (MAX_REQUESTS,)),
    ("bang", "i1", (MAX_REQUESTS,)),
    ("worth", "i1", (MAX_REQUESTS,)),  # points
    ("request", "i1", (MAX_SLOTS,)),  # place in the deck, or NO_REQUEST
    ("chips", "i1", (MAX_SLOTS,)),  # one-point cards left
    ("num_cards", "i1", (MAX_SLOTS,)),
    ("cards", "i1", (MAX_SLOTS, MAX_CARDS)),  # seat * 8 + value in the order of placing; value 0 = not known
    ("stock", "i1", (MAX_REQUESTS,)),  # places in the deck, bottom first
    ("discards", "i1", (MAX_SEATS, TURNS)),  # values
    ("passed", "i1", (MAX_SEATS, TURNS)),  # values of face-down passes; 0 = not known
    ("captured", "i1", (MAX_SEATS, TURNS)),  # places in the deck
    ("failed", "i1", (MAX_SEATS, TURNS)),
    ("num_discards", "i1", (MAX_SEATS,)),
    ("num_passed", "i1", (MAX_SEATS,)),
    ("num_captured", "i1", (MAX_SEATS,)),
    ("num_failed", "i1", (MAX_SEATS,)),
    ("points", "i1", (MAX_SEATS,)),  # one-point cards taken
    ("num_requests", "i1"),
    ("num_stock", "i1"),
    ("starter", "i1"),
    ("pass_discard", "i1"),  # 1 = face down
    ("tiebreak", "i1"),  # 1 = captures
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    names: NDArray[np.int64]
    hand: NDArray[np.int64]
    seats: int
    turn: int
    turns: int
    seed: Seed
    hp: NDArray[np.int16]
    bang: NDArray[np.int8]
    worth: NDArray[np.int8]
    request: NDArray[np.int8]
    chips: NDArray[np.int8]
    num_cards: NDArray[np.int8]
    cards: NDArray[np.int8]
    stock: NDArray[np.int8]
    discards: NDArray[np.int8]
    passed: NDArray[np.int8]
    captured: NDArray[np.int8]
    failed: NDArray[np.int8]
    num_discards: NDArray[np.int8]
    num_passed: NDArray[np.int8]
    num_captured: NDArray[np.int8]
    num_failed: NDArray[np.int8]
    points: NDArray[np.int8]
    num_requests: int
    num_stock: int
    starter: int
    pass_discard: int
    tiebreak: int


def resolve_options(resolved: dict[str, OptionValue], seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """The row must be full at the start."""
    requests = len(deck_rows(resolved))
    if requests < seats - 1:
        raise ConfigError(f"options.deck: {requests} requests are too few for {seats} seats, at least {seats - 1} are needed")
    return resolved


def option_warnings(seats: int, resolved: Mapping[str, OptionValue]) -> list[str]:
    """A deck that could run out, so that a slot stays empty (O-H4).

    That takes one capture more than there are refills, with bang + 1 cards each, before the last action. And a slot has
    at most one capture in a round of turns, the first one in the second round.
    """
    rows = deck_rows(resolved)
    refills = len(rows) - (seats - 1)
    cheapest = sorted(cast(int, row[1]) + 1 for row in rows)[: refills + 1]
    if sum(cheapest) >= seats * TURNS or refills >= (seats - 1) * (TURNS - 1):
        return []
    return [
        f"options.deck: {len(rows)} requests could run out with {seats} seats: "
        f"the cheapest {len(cheapest)} captures need {sum(cheapest)} of the {seats * TURNS} cards that are played"
    ]


def deck_rows(resolved: Mapping[str, OptionValue]) -> list[list[OptionValue]]:
    """The rows of the deck: name, bang, hp, points."""
    return cast("list[list[OptionValue]]", resolved.get("deck", DECK.default))


def units(seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return tuple(range(seats))


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Shuffle the requests, draw the first starter, open the row; every seat holds its seven cards."""
    for i in range(4):
        s.seed[i] = seed[i]
    s.seats = seats
    s.pass_discard = options[0]
    s.tiebreak = options[1]
    _read_deck(s, options)
    _clear_table(s)
    shuffle(s.stock[:], int(s.num_requests), s.seed[:], 1, DEALING, 0)
    s.num_stock = s.num_requests
    s.starter = draw_below(seats, s.seed[:], 1, FIRST_STARTER, 0)
    s.turn = s.starter
    for slot in range(seats - 1):
        _refill(s, slot)


@jit
def legal_actions(s: State, out: Words) -> int:
    """A placement is slot * 7 + value - 1, a discard (seats - 1) * 7 + value - 1 (RULES.md 3.4)."""
    if s.turns == s.seats * TURNS:
        return 0
    hand = int(s.hand[s.turn]) >> 1
    codes = hand << VALUES * (s.seats - 1)
    for slot in range(s.seats - 1):
        if s.request[slot] != NO_REQUEST:
            codes |= (hand & HIDEABLE if s.chips[slot] > 0 else hand) << VALUES * slot
    count = 0
    while codes:
        out[count] = lowest_bit(codes)
        count += 1
        codes &= codes - 1
    return count


@jit
def step(s: State, action: int) -> None:
    """Place or discard a card; then the capture check of the next seat, or the final one."""
    seat = s.turn
    slot = action // VALUES
    value = action % VALUES + 1
    s.hand[seat] &= ~(1 << value)
    if slot < s.seats - 1:
        _place(s, slot, value)
    elif s.pass_discard == 1:
        s.passed[seat, s.num_passed[seat]] = value
        s.num_passed[seat] += 1
    else:
        _discard(s, seat, value)
    s.turns += 1
    s.turn = seat + 1 if seat + 1 < s.seats else 0
    is_final = s.turns == s.seats * TURNS
    for slot in range(s.seats - 1):
        claimant = claim(s, slot)
        if claimant >= 0 and (is_final or claimant == s.turn):
            _capture(s, slot, claimant)
            if not is_final:
                _refill(s, slot)


@jit
def current_seat(s: State) -> int:
    """The seat to act."""
    return int(s.turn)


@jit
def num_seats(s: State) -> int:
    """How many seats play."""
    return int(s.seats)


@jit
def is_simultaneous(_s: State) -> bool:
    """Seats act in turn."""
    return False


@jit
def is_round_over(s: State) -> bool:
    """A match is one round."""
    return is_terminal(s)


@jit
def is_terminal(s: State) -> bool:
    """After six turns of every seat."""
    return s.turns == s.seats * TURNS


@jit
def next_round(_s: State) -> None:
    """A match is one round: never called."""


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Points of captured requests, less two for each failed one, and the one-point cards."""
    for seat in range(s.seats):
        out[seat] = _score(s, seat)


@jit
def places(s: State, out: Words) -> None:
    """By score; under tiebreak=captures, of equal scores the one with more captured requests; else shared (O-H5)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            ahead = _score(s, other) - _score(s, seat)
            if ahead == 0 and s.tiebreak == 1:
                ahead = int(s.num_captured[other]) - int(s.num_captured[seat])
            if ahead > 0:
                out[seat] += 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hides the deal seed, the order of the stock, and the others' hands, hidden cards and face-down passes."""
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
    """Others' hidden cards, then their face-down passes, out of what nobody has seen of them; the rest is in their hands.

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
    """The action as it is, + 1; without its card where that is face down and another seat's."""
    slot = action // VALUES
    hides = s.chips[slot] > 0 if slot < s.seats - 1 else s.pass_discard == 1
    return SEEN_HIDDEN + slot if hides and viewer != s.turn else action + 1


@jit
def claim(s: State, slot: int) -> int:
    """The seat whose open card lies last on a slot; -1 where there is none (RULES.md 3.2)."""
    count = int(s.num_cards[slot])
    if count == 0 or count <= s.bang[s.request[slot]]:
        return -1
    return int(s.cards[slot, count - 1]) >> 3


@jit
def hidden_cards(s: State, slot: int) -> int:
    """How many face-down cards lie on a slot: its first ones."""
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
def _read_deck(s: State, options: Words) -> None:
    s.num_requests = options[FIRST_ROW - 1]
    for i in range(MAX_REQUESTS):
        at = FIRST_ROW + i * ROW_WIDTH
        s.bang[i] = options[at]
        s.hp[i] = options[at + 1]
        s.worth[i] = options[at + 2]
        for word in range(NAME_WORDS):
            s.names[i, word] = options[at + ROW_NAME + word]


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
def _clear_table(s: State) -> None:
    s.turns = 0
    for i in range(MAX_REQUESTS):
        s.stock[i] = i if i < s.num_requests else 0
    for slot in range(MAX_SLOTS):
        s.request[slot] = NO_REQUEST
        s.chips[slot] = 0
        s.num_cards[slot] = 0
        for i in range(MAX_CARDS):
            s.cards[slot, i] = 0
    for seat in range(MAX_SEATS):
        s.hand[seat] = FULL_HAND if seat < s.seats else 0
        for i in range(TURNS):
            s.discards[seat, i] = 0
            s.passed[seat, i] = 0
            s.captured[seat, i] = 0
            s.failed[seat, i] = 0
        s.num_discards[seat] = 0
        s.num_passed[seat] = 0
        s.num_captured[seat] = 0
        s.num_failed[seat] = 0
        s.points[seat] = 0


@jit
def _refill(s: State, slot: int) -> None:
    """The next request with its one-point cards; without one the slot stays empty (O-H4)."""
    if s.num_stock > 0:
        s.num_stock -= 1
        request = s.stock[s.num_stock]
        s.stock[s.num_stock] = 0
        s.request[slot] = request
        s.chips[slot] = s.bang[request]


@jit
def _place(s: State, slot: int, value: int) -> None:
    """With one-point cards on it the request gets a hidden card and gives one of them; else the card lies open."""
    s.cards[slot, s.num_cards[slot]] = s.turn * 8 + value
    s.num_cards[slot] += 1
    if s.chips[slot] > 0:
        s.chips[slot] -= 1
        s.points[s.turn] += 1


@jit
def _discard(s: State, seat: int, value: int) -> None:
    s.discards[seat, s.num_discards[seat]] = value
    s.num_discards[seat] += 1


@jit
def _capture(s: State, slot: int, claimant: int) -> None:
    """Sum all cards there, send them to their owners' discards in order, and score the request; the slot is then empty."""
    request = s.request[slot]
    total = 0
    for i in range(s.num_cards[slot]):
        card = int(s.cards[slot, i])
        total += card & 7
        _discard(s, card >> 3, card & 7)
        s.cards[slot, i] = 0
    if total <= s.hp[request]:
        s.captured[claimant, s.num_captured[claimant]] = request
        s.num_captured[claimant] += 1
    else:
        s.failed[claimant, s.num_failed[claimant]] = request
        s.num_failed[claimant] += 1
    s.num_cards[slot] = 0
    s.chips[slot] = 0
    s.request[slot] = NO_REQUEST


@jit
def _score(s: State, seat: int) -> int:
    score = int(s.points[seat]) - FAILURE * int(s.num_failed[seat])
    for i in range(s.num_captured[seat]):
        score += int(s.worth[s.captured[seat, i]])
    return score


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
    for last in range(count - 1, 0, -1):
        taken = below(rng, last + 1)
        request = s.stock[last]
        s.stock[last] = s.stock[taken]
        s.stock[taken] = request
