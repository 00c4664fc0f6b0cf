"""Hisatsu Shigotonin for 3 to 5 seats: number cards, hidden and open, on requests that bear only so much.

Rules, sources and our decisions O-H1..O-H9: RULES.md beside this file; the default deck of requests: requests.csv.

Left out: the start player by the last visit to a zoo; the first starter is drawn.
"""

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.engine.options import OptionValue
from arena.engine.rng import Words, draw_below, shuffle
from arena.engine.state import begin
from arena.errors import ConfigError
from arena.games.hisatsu.knowledge import determinize, observe, seen_action
from arena.games.hisatsu.state import (
    DEALING,
    DECK,
    FAILURE,
    FIRST_STARTER,
    FULL_HAND,
    HIDEABLE,
    MAX_ACTIONS,
    MAX_CARDS,
    MAX_REQUESTS,
    MAX_SEATS,
    MAX_SLOTS,
    NO_REQUEST,
    OPTIONS,
    SEATS,
    STATE,
    TURNS,
    VALUES,
    State,
)

# What arena/engine/contract.py looks for in this module, although it stands in others.
__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "determinize", "observe", "seen_action"]

VERSION = 1


def resolve_options(resolved: dict[str, OptionValue], seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Raise ConfigError for a deck with too few requests to fill the row."""
    requests = len(deck_rows(resolved))
    if requests < seats - 1:
        raise ConfigError(f"options.deck: {requests} requests are too few for {seats} seats, at least {seats - 1} are needed")
    return resolved


def option_warnings(seats: int, resolved: Mapping[str, OptionValue]) -> list[str]:
    """Warn of a deck that could run out, so that a slot stays empty (O-H4).

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
    begin(s, seats, options, seed)
    clear_table(s)
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
    """Whether every seat has had its six turns."""
    return s.turns == s.seats * TURNS


@jit
def next_round(_s: State) -> None:
    """A match is one round: never called."""


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Points of captured requests, less two for each failed one, and the one-point cards."""
    for seat in range(s.seats):
        out[seat] = score(s, seat)


@jit
def places(s: State, out: Words) -> None:
    """Write the places: by score; equal scores by captured requests under tiebreak=captures, else shared (O-H5)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            ahead = score(s, other) - score(s, seat)
            if ahead == 0 and s.tiebreak == 1:
                ahead = int(s.num_captured[other]) - int(s.num_captured[seat])
            if ahead > 0:
                out[seat] += 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def claim(s: State, slot: int) -> int:
    """The seat whose open card lies last on a slot; -1 where there is none (RULES.md 3.2)."""
    count = int(s.num_cards[slot])
    if count == 0 or count <= s.bang[s.request[slot]]:
        return -1
    return int(s.cards[slot, count - 1]) >> 3


@jit
def clear_table(s: State) -> None:
    """No cards but seven in each hand, no requests but the stock, in the deck's order; options and deck stay."""
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
    """Put a card on a request: face down if one-point cards lie there, one of which the seat takes; else open."""
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
def score(s: State, seat: int) -> int:
    """Points of a seat so far (RULES.md 3.3)."""
    total = int(s.points[seat]) - FAILURE * int(s.num_failed[seat])
    for i in range(s.num_captured[seat]):
        total += int(s.worth[s.captured[seat, i]])
    return total
