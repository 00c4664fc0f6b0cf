"""What everybody saw at a table of Yaniv, as numbers: the known cards of each hand, and the cards that nobody can place.

They follow the other planes of encoding.py. Seats are counted from the own one, ranks are A to K, then the joker.
"""

from itertools import accumulate

import numpy as np

from arena.engine.contract import Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.games.yaniv.history import LAID, TAKEN_AT, turn_ago
from arena.games.yaniv.rows import HAND, JOKER, RANK, RANKS, ROW, is_set
from arena.games.yaniv.state import MAX_SEATS, RECENT, ROUND_OVER, State, hand_row

_TURN_SIZE = MAX_SEATS + 2 * (RANKS + 1) + 2  # per turn that is remembered

PUBLIC_PLANES = (
    Plane(
        "known_ranks",
        MAX_SEATS * (RANKS + 1),
        "for each seat the cards of its hand that are known to all, by rank, fifths; the whole hand once it is open",
    ),
    Plane("next_cards", JOKER + 1, "those of the next seat in play by card id, as shares of the copies in play"),
    Plane(
        "unseen",
        JOKER + 1,
        "the cards that the seat cannot place, in the stock or hidden by others, by card id, as shares of the copies in play",
    ),
    Plane(
        "recent",
        RECENT * _TURN_SIZE,
        "for each of the last 8 turns, the last one first: whose it was; the discard by rank, fifths, at most 1; whether that"
        " was a run; the rank of the card that was taken openly; whether a card from the stock was drawn",
    ),
)
_KNOWN_RANKS, _NEXT_CARDS, _UNSEEN, _RECENT, _SIZE = accumulate((plane.size for plane in PUBLIC_PLANES), initial=0)
_OF_HAND = np.float32(1 / HAND)
_BOTH_JOKERS = 3 << JOKER


@jit
def encode_public(s: State, seat: int, out: Features) -> None:
    """Write PUBLIC_PLANES where zeros stand. `s`: the state as `observe` shows it to `seat`."""
    player = seat
    for place in range(s.seats):
        known = known_row(s, player)
        while known:
            out[_KNOWN_RANKS + (RANKS + 1) * place + RANK[known & 63]] += _OF_HAND
            known >>= 6
        player = player + 1 if player + 1 < s.seats else 0
    known = known_row(s, follower(s, seat))
    while known:
        out[_NEXT_CARDS + (known & 63) - 1] += share(s, known & 63)
        known >>= 6
    _write_unseen(s, seat, out)
    _write_recent(s, seat, out)


@jit
def known_row(s: State, player: int) -> int:
    """The cards of a hand that everybody knows, as a row: all of them once the round is over."""
    return hand_row(s, player) if s.phase >= ROUND_OVER else int(s.known[player]) & ROW


@jit
def follower(s: State, seat: int) -> int:
    """The next seat to the left that is still in play; the own seat if there is none."""
    for _ in range(s.seats):
        seat = seat + 1 if seat + 1 < s.seats else 0
        if s.dropped[seat] == 0:
            break
    return seat


@jit
def _leader(s: State, seat: int) -> int:
    """The seat in play whose turn comes before that of `seat`."""
    for _ in range(s.seats):
        seat = seat - 1 if seat > 0 else s.seats - 1
        if s.dropped[seat] == 0:
            break
    return seat


@jit
def share(s: State, field: int) -> np.float32:
    """One card as a share of its copies in play. `field`: card id + 1."""
    return np.float32(1.0 / (s.decks if field <= JOKER else 2 * s.decks))


@jit
def _write_unseen(s: State, seat: int, out: Features) -> None:
    """Write all cards, less those that are buried, on the table, or known to be in a hand."""
    for card in range(JOKER + 1):
        out[_UNSEEN + card] = 1.0
    for copy in range(2):
        buried = int(s.piles[copy])
        jokers = buried & _BOTH_JOKERS
        buried ^= jokers
        while buried:
            out[_UNSEEN + lowest_bit(buried)] -= share(s, 1)
            buried &= buried - 1
        while jokers:
            out[_UNSEEN + JOKER] -= share(s, JOKER + 1)
            jokers &= jokers - 1
    _take_away(s, int(s.previous), out)
    _take_away(s, int(s.laid), out)
    for player in range(s.seats):
        _take_away(s, hand_row(s, seat) if player == seat else known_row(s, player), out)


@jit
def _take_away(s: State, row: int, out: Features) -> None:
    """Take the cards of a row away from the unseen ones."""
    while row:
        out[_UNSEEN + (row & 63) - 1] -= share(s, row & 63)
        row >>= 6


@jit
def _write_recent(s: State, seat: int, out: Features) -> None:
    """Write the last turns of a round that is not over."""
    player = int(s.turn)
    for back in range(1, RECENT + 1):
        turn = turn_ago(s, back)
        if turn == 0 or s.phase >= ROUND_OVER:
            return
        player = _leader(s, player)
        at = _RECENT + _TURN_SIZE * (back - 1)
        out[at + (player - seat if player >= seat else player - seat + s.seats)] = 1.0
        at += MAX_SEATS
        laid = turn & LAID
        out[at + RANKS + 1] = not is_set(laid)
        while laid:
            place = at + RANK[laid & 63]
            out[place] = min(np.float32(1.0), out[place] + _OF_HAND)
            laid >>= 6
        at += RANKS + 2
        taken = turn >> TAKEN_AT
        out[at + (RANK[taken] if taken else RANKS + 1)] = 1.0
