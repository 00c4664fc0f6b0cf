"""Hisatsu for networks that learn: a table with all hands open, and what a seat imagines (arena/engine/contract.py)."""

import itertools

from arena.engine.contract import Features
from arena.engine.jit import jit
from arena.engine.machine import popcount
from arena.games.hisatsu.encoding import near
from arena.games.hisatsu.knowledge import hidden_cards
from arena.games.hisatsu.rules import claim, score
from arena.games.hisatsu.state import FULL_HAND, NO_REQUEST, TURNS, VALUES, State

LEARNS = (3,)
_SEATS, _SLOTS = LEARNS[0], LEARNS[0] - 1
# A seat: its score, turns left, whether it is to choose, captured and failed requests, its hand.
_SIDE = 5 + VALUES
# A slot: a request is there, its hit points, points, one-point cards left, whether the next card is open, game left, whether it
# bears its cards, cards on it, whether one more card is hidden; then for each seat: its claim, hidden cards, cards that fit.
_SLOT = 9 + 3 * _SEATS
STATE_FEATURES = _SEATS * _SIDE + _SLOTS * _SLOT + 1
# Beside it: for each seat the cards hidden on requests in this world; by slot and seat their sum.
BELIEF_FEATURES = STATE_FEATURES + _SEATS * VALUES + _SLOTS * _SEATS
_SIDES, _AT_SLOTS, _STOCK, _HIDDEN, _SUMS = itertools.accumulate(
    (_SEATS * _SIDE, _SLOTS * _SLOT, 1, _SEATS * VALUES), initial=0
)


@jit
def state_features(s: State, seat: int, out: Features) -> None:
    """All hands, the own one first, and the slots."""
    for i in range(STATE_FEATURES):
        out[i] = 0.0
    taken = s.turns // s.seats
    more = s.turns - taken * s.seats
    for player in range(s.seats):
        at = _SIDES + _SIDE * near(s, seat, player)
        out[at] = score(s, player) / 12
        out[at + 1] = (TURNS - taken - (near(s, int(s.starter), player) < more)) / TURNS
        out[at + 2] = player == s.turn
        out[at + 3] = s.num_captured[player] / 3
        out[at + 4] = s.num_failed[player] / 3
        for card in range(VALUES):
            out[at + 5 + card] = s.hand[player] >> card + 1 & 1
    for slot in range(s.seats - 1):
        if s.request[slot] != NO_REQUEST:
            _write_slot(s, seat, slot, out)
    out[_STOCK] = s.num_stock / 20


@jit
def belief_features(s: State, seat: int, out: Features) -> None:
    """The same, and which cards the others have hidden where."""
    for i in range(STATE_FEATURES, BELIEF_FEATURES):
        out[i] = 0.0
    state_features(s, seat, out)
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            card = int(s.cards[slot, i])
            place = near(s, seat, card >> 3)
            out[_HIDDEN + VALUES * place + (card & 7) - 1] = 1.0
            out[_SUMS + _SEATS * slot + place] += (card & 7) / 8


@jit
def _write_slot(s: State, seat: int, slot: int, out: Features) -> None:
    """Write a request, the cards on it, and who could claim it."""
    at = _AT_SLOTS + _SLOT * slot
    request = int(s.request[slot])
    hidden = hidden_cards(s, slot)
    room = int(s.hp[request])
    for i in range(s.num_cards[slot]):
        card = int(s.cards[slot, i])
        room -= card & 7
        if i < hidden:
            out[at + 9 + 3 * near(s, seat, card >> 3) + 1] += 0.5
    out[at] = 1.0
    out[at + 1] = s.hp[request] / 20
    out[at + 2] = s.worth[request] / 8
    out[at + 3] = s.chips[slot] / 4
    out[at + 4] = s.chips[slot] == 0
    out[at + 5] = max(-1.0, min(1.0, room / 10))
    out[at + 6] = room >= 0
    out[at + 7] = s.num_cards[slot] / 6
    out[at + 8] = s.chips[slot] == 1
    claimant = claim(s, slot)
    if claimant >= 0:
        out[at + 9 + 3 * near(s, seat, claimant)] = 1.0
    fitting = FULL_HAND & (1 << max(0, min(VALUES, room)) + 1) - 1
    for player in range(s.seats):
        out[at + 9 + 3 * near(s, seat, player) + 2] = popcount(int(s.hand[player]) & fitting) / 4
