"""What everybody saw at a table of Nertz, as numbers: all layouts, the foundations, and what was moved in the last tick.

They follow the other planes of encoding.py, but for the cards that the own unit alone has seen in its stock, which stand here
beside what is known of the other stocks. Units and seats are counted from the own one.
"""

from itertools import accumulate

from arena.engine.contract import Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.games.nertz.layout import nertz_top, waste_top
from arena.games.nertz.options import KINDS, MAX_SEATS
from arena.games.nertz.state import (
    BEGUN,
    CARD,
    DECK,
    LINE,
    MOVE_BITS,
    MOVE_MASK,
    NERTZ_WORK,
    NO_CARD,
    PILES,
    RANK_COUNT,
    UNITS,
    WASTE_WORK,
    WORK_FOUND,
    WORK_WORK,
    State,
)

FACE = RANK_COUNT + 4  # a card as rank and suit
MOVE_KINDS = 9
LONG_DELAY = 10.0  # ticks
_RIVALS = UNITS - 1
_SEEN_MOVE = MOVE_KINDS + 2  # per seat

PUBLIC_PLANES = (
    Plane("works", UNITS * DECK, "for each unit the cards in its work piles, by card id: 1 over (1 + the cards on it)"),
    Plane("rival_nertz", _RIVALS * FACE, "for each other unit its open Nertz card: rank and suit, as in `nertz`"),
    Plane("rival_waste", _RIVALS * FACE, "for each other unit the open card of its waste, likewise"),
    Plane("rival_flip", _RIVALS * FACE, "for each other unit the card that its next flip opens, likewise, if all have seen it"),
    Plane("line", DECK, "the own cards in waste and stock whose place the seat knows, by card id: that place from the first"
          " card of the waste on, of 35"),
    Plane("takers", DECK, "how many foundations take each card but the aces, by card id, of 6"),
    Plane("holders", DECK, "how many other units have not laid each card on a foundation, by card id, of 5"),
    Plane("last_moves", MAX_SEATS * _SEEN_MOVE, "for each seat what it was seen to do in the last tick: as in `kind`, or it"
          " began a move that takes more ticks; then whether it failed"),
    Plane("running", MAX_SEATS, "for each seat the ticks that its running move has taken so far, tenths; at most 1"),
    Plane("rival_delays", (MAX_SEATS - 1) * KINDS, "the delays of each other seat, as in `delays`"),
)  # fmt: skip
(
    _WORKS, _RIVAL_NERTZ, _RIVAL_WASTE, _RIVAL_FLIP, _LINE, _TAKERS, _HOLDERS, _MOVES, _RUNNING, _DELAYS, _SIZE,
) = accumulate((plane.size for plane in PUBLIC_PLANES), initial=0)  # fmt: skip
_OF_LINE, _OF_UNITS, _OF_RIVALS, _OF_DELAY = 1 / LINE, 1 / UNITS, 1 / _RIVALS, 1 / LONG_DELAY


@jit
def encode_public(s: State, seat: int, out: Features) -> None:
    """Write PUBLIC_PLANES where zeros stand. `s`: the state as `observe` shows it to `seat`."""
    own = unit = seat >> s.teams
    units = s.seats >> s.teams
    for place in range(units):
        _write_works(s, unit, out, _WORKS + DECK * place)
        if place > 0:
            at = FACE * (place - 1)
            encode_card(nertz_top(s, unit), out, _RIVAL_NERTZ + at)
            encode_card(waste_top(s, unit), out, _RIVAL_WASTE + at)
            encode_card(flipped(s, unit, 1), out, _RIVAL_FLIP + at)
            _add_missing(s, unit, out)
        unit = unit + 1 if unit + 1 < units else 0
    for place in range(int(s.num_line[own])):
        card = (int(s.line[own, place]) & CARD) - 1
        if card >= 0:
            out[_LINE + card] = (place + 1) * _OF_LINE
    for i in range(int(s.num_piles)):
        if s.pile_size[i] < RANK_COUNT:
            out[_TAKERS + 4 * int(s.pile_size[i]) + int(s.pile_suit[i])] += _OF_UNITS
    _write_seats(s, seat, out)


@jit
def encode_card(card: int, out: Features, at: int) -> None:
    """A card by rank and suit, from `out[at]` on; nothing for NO_CARD."""
    if card != NO_CARD:
        out[at + (card >> 2)] = 1.0
        out[at + RANK_COUNT + (card & 3)] = 1.0


@jit
def flipped(s: State, unit: int, flips: int) -> int:
    """The card that lies open after so many flips of a stock, NO_CARD if the seat does not know it or the waste is turned.

    `s`: the state as `observe` shows it to the seat.
    """
    waste = int(s.num_waste[unit]) + (flips - 1) * s.flip
    last = min(waste + s.flip, int(s.num_line[unit]))
    if last <= waste or s.line[unit, last - 1] & CARD == 0:
        return NO_CARD
    return (int(s.line[unit, last - 1]) & CARD) - 1


@jit
def move_kind(code: int) -> int:
    """The kind of a move: wait, flip, call; to a foundation from Nertz pile, waste, work; to work from these three."""
    if code >= WORK_WORK:
        return 8
    if code >= NERTZ_WORK:
        return 6 if code < WASTE_WORK else 7
    return min(code, WORK_FOUND)


@jit
def _write_works(s: State, unit: int, out: Features, at: int) -> None:
    """Write the cards of a unit's work piles, which descend to the top: the lowest bit."""
    for i in range(PILES):
        pile = s.work[unit, i]
        number = 1
        while pile != 0:
            out[at + lowest_bit(pile)] = 1.0 / number
            pile &= pile - 1
            number += 1


@jit
def _add_missing(s: State, unit: int, out: Features) -> None:
    """Count a unit's cards that are not on a foundation."""
    for card in range(DECK):
        if s.laid[unit] >> card & 1 == 0:
            out[_HOLDERS + card] += _OF_RIVALS


@jit
def _write_seats(s: State, seat: int, out: Features) -> None:
    """Write what is seen of each seat."""
    player = seat
    for place in range(s.seats):
        move = s.moves >> MOVE_BITS * player & MOVE_MASK
        if move > 0:
            at = _MOVES + _SEEN_MOVE * place
            out[at + (MOVE_KINDS if move == BEGUN else move_kind(move - 1))] = 1.0
            out[at + MOVE_KINDS + 1] = s.failed >> player & 1
        if s.since[player] > 0:
            out[_RUNNING + place] = min(1.0, (s.tick + 1 - s.since[player]) * _OF_DELAY)
        if place > 0:
            for kind in range(KINDS):
                out[_DELAYS + KINDS * (place - 1) + kind] = min(1.0, s.delays[KINDS * player + kind] * _OF_DELAY)
        player = player + 1 if player + 1 < s.seats else 0
