"""Nana Toridori for 2 to 6 seats: basic, advanced, and the duel.

Rules, sources and our decisions O-N1..O-N10: RULES.md beside this file. The state is in state.py, what seats know of it in
knowledge.py.

Left out: the French re-issue (eight values, double cards), which is another game.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.options import OptionValue
from arena.engine.rng import Words, draw_below, shuffle
from arena.engine.state import begin
from arena.errors import ConfigError
from arena.games.nanatoridori.knowledge import determinize, observe, seen_action
from arena.games.nanatoridori.memory import forget, remember
from arena.games.nanatoridori.piles import discard, insert, remove_front, take_out, top
from arena.games.nanatoridori.state import (
    ADVANCED,
    BASIC,
    DECK,
    DRAWN,
    DROP,
    DUEL,
    DUEL_HAND,
    FIRST,
    FIRST_POINTS,
    FRONTS,
    HAND,
    KEEPS,
    KIND,
    LOSER,
    MARKS,
    MATCH_OVER,
    MAX_ACTIONS,
    MAX_SEATS,
    MIDDLE_POINTS,
    OPTIONS,
    PASS,
    PENGUINS,
    PLAYS,
    ROTATE,
    ROUND_OVER,
    ROW,
    SEATS,
    SECOND,
    STATE,
    TAKE,
    TAKES,
    TOSS,
    TURN,
    VALUES,
    WINNER,
    WINNING_POINTS,
    State,
)

# What arena/engine/contract.py looks for in this module, although some of it stands in others.
__all__ = [
    "MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "VERSION", "State", "current_seat", "deal", "determinize", "has_one_loser",
    "is_round_over", "is_simultaneous", "is_terminal", "legal_actions", "next_round", "num_seats", "observe", "places",
    "resolve_options", "scores", "seen_action", "step", "units",
]  # fmt: skip

VERSION = 1

_DEALING, _STARTING = 1, 2  # purposes of random streams


def resolve_options(resolved: dict[str, OptionValue], seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """`variant` follows the number of seats where it is not given; a duel is for two, and two play a duel."""
    if resolved["variant"] == "auto":
        resolved["variant"] = "duel" if seats == 2 else "basic"
    if (resolved["variant"] == "duel") != (seats == 2):
        allowed = "duel" if seats == 2 else "basic or advanced"
        raise ConfigError(f"options.variant: {seats} seats play {allowed}, not {resolved['variant']}")
    return resolved


def units(seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return tuple(range(seats))


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Start a match: draw the first starter and deal the first round."""
    begin(s, seats, options, seed)
    penguins = PENGUINS if s.variant == BASIC else s.duel_penguins if s.variant == DUEL else 0
    for seat in range(seats):
        s.totals[seat] = penguins
    s.round_number = 1
    s.starter = draw_below(seats, s.seed[:], 1, _STARTING, 0)
    _deal_round(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """TURN: plays by run, count and front cards, then passes; TAKE and DRAWN: gaps, then drop or toss (RULES.md 1.6)."""
    if s.phase == TURN:
        count = _plays(s, out)
        return count if s.table_count == 0 else _passes(s, out, count)
    if s.phase > DRAWN:
        return 0
    into, away = (TAKES, DROP) if s.phase == TAKE else (KEEPS, TOSS)
    gaps = int(s.hand_size[s.turn]) + 1
    for gap in range(gaps):
        out[gap] = into << KIND | gap << FIRST
    out[gaps] = away << KIND
    return gaps + 1


@jit
def step(s: State, action: int) -> None:
    """Play or pass; then, where there is a choice, take or drop the beaten cards, keep or toss the drawn card."""
    kind = action >> KIND
    place = action >> FIRST & 63
    if kind == PLAYS:
        _play(s, place, action >> SECOND & 63, action & 3)
    elif kind == PASS:
        _pass(s, place)
    else:
        _settle(s, kind in (TAKES, KEEPS), place)


@jit
def current_seat(s: State) -> int:
    """The seat whose turn it is."""
    return int(s.turn)


@jit
def num_seats(s: State) -> int:
    """2 to 6; seats that are out are counted."""
    return int(s.seats)


@jit
def is_simultaneous(_s: State) -> bool:
    """Seats play in turn."""
    return False


@jit
def is_round_over(s: State) -> bool:
    """Whether one seat is left, or was eliminated."""
    return s.phase >= ROUND_OVER


@jit
def is_terminal(s: State) -> bool:
    """Whether somebody has no penguin left, or points enough to end the match."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """Deal the next round; decision O-N2 says which seat starts."""
    s.round_number += 1
    if s.next_start == LOSER:
        s.starter = _loser(s)
    elif s.next_start == WINNER:
        s.starter = s.out[0]
    elif s.next_start == ROTATE:
        s.starter = (s.starter + 1) % s.seats
    else:
        s.starter = draw_below(s.seats, s.seed[:], s.round_number, _STARTING, 0)
    _deal_round(s)


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Penguins left, or points."""
    for seat in range(s.seats):
        out[seat] = s.totals[seat]


@jit
def places(s: State, out: Words) -> None:
    """Advanced: by points, ties share. Basic and duel: the seat without penguins is last, all others are first."""
    for seat in range(s.seats):
        out[seat] = 1
        if s.variant == ADVANCED:
            for other in range(s.seats):
                if s.totals[other] > s.totals[seat]:
                    out[seat] += 1
        elif s.totals[seat] == 0:
            out[seat] = s.seats


@jit
def has_one_loser(s: State) -> bool:
    """Basic and duel: one loses, all others win."""
    return s.variant != ADVANCED


@jit
def _deal_round(s: State) -> None:
    """Shuffle; hands in blocks from the top of the stock, seat 0 first, each in the order of dealing; then front cards."""
    for i in range(DECK):
        s.stock[i] = 1 + i % VALUES
        s.discard[i] = 0
    shuffle(s.stock[:], DECK, s.seed[:], s.round_number, _DEALING, 0)
    s.num_stock = DECK
    for i in range(MAX_SEATS << ROW):
        s.hand[i] = 0
    for i in range(FRONTS * MAX_SEATS):
        s.fronts[i] = 0
    for i in range(MAX_SEATS << MARKS):
        s.known[i] = 0
    cards = DUEL_HAND if s.variant == DUEL else HAND
    for seat in range(MAX_SEATS):
        s.out[seat] = 0
        s.num_fronts[seat] = FRONTS if s.variant == DUEL and seat < s.seats else 0
        s.hand_size[seat] = cards if seat < s.seats else 0
        for i in range(s.hand_size[seat]):
            s.hand[(seat << ROW) + i] = top(s)
    for i in range(s.num_fronts[0] + s.num_fronts[1]):
        s.fronts[i] = top(s)
    s.num_discard = 0
    s.table_value = 0
    s.table_count = 0
    s.table_owner = 0
    s.beaten_value = 0
    s.beaten_count = 0
    s.drawn = 0
    s.passes = 0
    s.num_out = 0
    _begin_turn(s, s.starter)


@jit
def _plays(s: State, out: Words) -> int:
    """Any number of cards of a maximal run, with up to all front cards of that value, if that is stronger than the table.

    Each card of a run stands for the play of the run up to it. What is not strong enough is overwritten by the next one.
    """
    count = 0
    length = 0
    before = 0
    front = int(s.fronts[FRONTS * s.turn])  # 0: none, as always outside duels
    other = int(s.fronts[FRONTS * s.turn + 1])
    first = s.turn << ROW
    for place in range(s.hand_size[s.turn]):
        value = int(s.hand[first + place])
        length = length + 1 if value == before else 1
        before = value
        play = place + 1 - length << FIRST | length << SECOND
        strength = length + (value > s.table_value)
        out[count] = play
        count += strength > s.table_count
        for added in range(1, 1 + (value == front) + (value == other)):
            out[count] = play | added
            count += strength + added > s.table_count
    return count


@jit
def _passes(s: State, out: Words, count: int) -> int:
    """Write the passes: one, or in a duel one for each value among the seat's front cards; returns the new count."""
    front = int(s.fronts[FRONTS * s.turn])
    other = int(s.fronts[FRONTS * s.turn + 1])
    if front > 0 and other > 0 and front != other:
        out[count] = PASS << KIND | min(front, other) << FIRST
        count += 1
    out[count] = PASS << KIND | max(front, other) << FIRST
    return count + 1


@jit
def _play(s: State, place: int, cards: int, fronts: int) -> None:
    seat = s.turn
    value = int(s.hand[(seat << ROW) + place] & 7)
    take_out(s, seat, place, cards)
    forget(s, seat, value, cards)
    for _ in range(fronts):
        remove_front(s, seat, value)
    beaten = s.table_value
    beaten_cards = s.table_count
    s.table_value = value
    s.table_count = cards + fronts
    s.table_owner = seat
    s.passes = 0
    if s.hand_size[seat] == 0:
        discard(s, beaten, beaten_cards)  # O-N3
        _go_out(s, seat)
    elif beaten_cards > 0:
        s.beaten_value = beaten
        s.beaten_count = beaten_cards
        s.phase = TAKE
    else:
        _begin_turn(s, _next_active(s, seat))


@jit
def _go_out(s: State, seat: int) -> None:
    """Somebody has won in this round."""
    s.out[s.num_out] = seat
    s.num_out += 1
    if s.num_out == s.seats - 1:
        _end_round(s)
    else:
        _begin_turn(s, _next_active(s, seat))


@jit
def _pass(s: State, front: int) -> None:
    """Draw from the stock, or in a duel take up a front card; without one: eliminated (RULES.md 1.4)."""
    s.passes += 1
    if s.variant == DUEL:
        if front == 0:
            _go_out(s, 1 - s.turn)
            return
        remove_front(s, s.turn, front)
        s.drawn = front
        s.phase = DRAWN
    elif s.num_stock > 0:
        s.drawn = top(s)
        s.phase = DRAWN
    else:
        _end_pass(s)


@jit
def _settle(s: State, is_kept: bool, gap: int) -> None:
    """The beaten cards, or the drawn card, go into the hand or to the discards; with that the turn ends."""
    is_block = s.phase == TAKE
    value = s.beaten_value if is_block else s.drawn
    count = s.beaten_count if is_block else 1
    if is_kept:
        insert(s, gap, value, count)
        if is_block or (s.variant == DUEL and s.front_visible == 1):
            remember(s, s.turn, value, count)
    else:
        discard(s, value, count)
    s.beaten_value = 0
    s.beaten_count = 0
    s.drawn = 0
    if is_block:
        _begin_turn(s, _next_active(s, s.turn))
    else:
        _end_pass(s)


@jit
def _end_pass(s: State) -> None:
    """When all others have passed the table is cleared, and who played last leads, or the first active seat after it."""
    owner = s.table_owner
    owner_is_active = s.hand_size[owner] > 0
    if s.passes < s.seats - s.num_out - owner_is_active:
        _begin_turn(s, _next_active(s, s.turn))
        return
    discard(s, s.table_value, s.table_count)
    s.table_value = 0
    s.table_count = 0
    s.table_owner = 0
    s.passes = 0
    _begin_turn(s, owner if owner_is_active else _next_active(s, owner))


@jit
def _begin_turn(s: State, seat: int) -> None:
    s.phase = TURN
    s.turn = seat


@jit
def _next_active(s: State, seat: int) -> int:
    """The next seat to the left that still holds cards."""
    seat = seat + 1 if seat + 1 < s.seats else 0
    while s.hand_size[seat] == 0:
        seat = seat + 1 if seat + 1 < s.seats else 0
    return seat


@jit
def _end_round(s: State) -> None:
    """The seat that is left loses a penguin, or gets no points."""
    if s.variant == ADVANCED:
        s.phase = ROUND_OVER
        for i in range(s.num_out):
            seat = s.out[i]
            s.totals[seat] += FIRST_POINTS if i == 0 else MIDDLE_POINTS
            if s.totals[seat] >= WINNING_POINTS:
                s.phase = MATCH_OVER
    else:
        loser = _loser(s)
        s.totals[loser] -= 1
        s.phase = MATCH_OVER if s.totals[loser] == 0 else ROUND_OVER
    s.turn = 0


@jit
def _loser(s: State) -> int:
    """The one seat that is not among those that are out, when the round is over."""
    loser = s.seats * (s.seats - 1) // 2
    for i in range(s.num_out):
        loser -= s.out[i]
    return loser
