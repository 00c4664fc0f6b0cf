"""Hisatsu as numbers for learning programs: what a seat knows, and what each of its actions brings (docs/encodings.md).

Seats are counted from the own one: 0 is the own seat, 1 the next one. What may lie hidden on a request is written as chances:
every seat has each card once, so its open cards tell what it may have hidden, and all that fits is taken to be equally likely.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount, stack_array
from arena.games.hisatsu.knowledge import hidden_cards
from arena.games.hisatsu.rules import claim, is_terminal, score
from arena.games.hisatsu.state import (
    FAILURE,
    FULL_HAND,
    MAX_ACTIONS,
    MAX_SEATS,
    MAX_SLOTS,
    NO_REQUEST,
    SEATS,
    TURNS,
    VALUES,
    State,
)

_SLOT = 14 + 2 * MAX_SEATS  # per slot
_SCORES = 20.0  # most matches are won with fewer points

PLANES = (
    Plane("seats", len(SEATS), "the number of seats: 3, 4, 5"),
    Plane("turn", MAX_SEATS, "whose turn it is; empty at the end"),
    Plane("turns_left", MAX_SEATS, "the turns that each seat still has, of 6"),
    Plane("scores", MAX_SEATS, "the scores, of 20, within -1 and 1", -1.0),
    Plane("captured", MAX_SEATS, "how many requests each seat has captured, of 6"),
    Plane("passed", MAX_SEATS, "how many cards each seat has discarded face down, of 6"),
    Plane("hand", VALUES, "the own hand: 1 to 7"),
    Plane("unseen", MAX_SEATS * VALUES, "for each seat its cards 1 to 7 that were never open: in its hand or face down"),
    Plane(
        "slots",
        MAX_SLOTS * _SLOT,
        "for each slot: a request lies there, its hit points (of 20), points (of 8), `!` (of 6), one-point cards left (of 6),"
        " the next card there is open; whose claim it is; the hidden cards by seat (each of 6); the chance that it bears all"
        " cards with one more of 0, 1, .. 7",
    ),
    Plane(
        "room", MAX_SLOTS, "for each slot the hit points less the cards that the own seat knows, of 20, within -1 and 1", -1.0
    ),
    Plane(
        "keep",
        VALUES + 1,
        "the chance that nobody holds a card that takes a claim over, if 0, 1, .. 7 or more hit points are left",
    ),
    Plane("stock", 1, "requests in the stock, of 20"),
    Plane("options", 2, "pass_discard=face_down, tiebreak=captures"),
    Plane("own_hidden", MAX_SLOTS * VALUES, "for each slot the own cards 1 to 7 that lie hidden there"),
    Plane("open_cards", MAX_SLOTS * MAX_SEATS, "for each slot and seat the sum of its open cards there, of 20; at most 1"),
    Plane("failed", MAX_SEATS, "how many requests each seat has failed at, of 6"),
    Plane("chips", MAX_SEATS, "the one-point cards that each seat has taken, of 6"),
    Plane("coming", 3, "the means of the requests in the stock: hit points (of 20), points (of 8), `!` (of 6); at most 1"),
)
ACTION_PLANES = (
    Plane("kind", 3, "hides a card on a request, claims a request by an open card, discards"),
    Plane("card", VALUES, "the card, 1 to 7"),
    Plane("slot", MAX_SLOTS, "where it is placed"),
    Plane(
        "request",
        4,
        "the request: hit points (of 20), points (of 8), `!` and one-point cards left before the action (each of 6)",
    ),
    Plane("from", MAX_SEATS, "whose claim it was until now"),
    Plane("hidden", 2, "hidden cards of the own seat and of others on it, before the action (each of 6)"),
    Plane("opens", 1, "takes the last one-point card: the next card there is a claim"),
    Plane("room", 1, "hit points less the cards that the own seat knows, this one included, of 20, within -1 and 1", -1.0),
    Plane("holds", 1, "the chance that the request bears all cards"),
    Plane("keeps", 1, "a claim: the chance that it holds and nobody has a card that takes it over"),
    Plane("worth", 1, "points to be expected, of 8: of a claim by the last two, one for a hidden card", -1.0),
)
CODES: tuple[int, ...] | None = tuple(range(MAX_ACTIONS))
"""Card by card for each slot, then discards: what a code means depends on the number of seats (RULES.md 3.4)."""

(
    _SEATS, _TURN, _TURNS_LEFT, _SCORE, _CAPTURED, _PASSED, _HAND, _UNSEEN, _SLOTS, _ROOM, _KEEP, _STOCK, _OPTIONS,
    _OWN_HIDDEN, _OPEN, _FAILED, _CHIPS, _COMING, _SIZE,
) = itertools.accumulate((plane.size for plane in PLANES), initial=0)  # fmt: skip
(
    _KIND, _CARD, _SLOT_PLACE, _REQUEST, _FROM, _HIDDEN, _OPENS, _ACTION_ROOM, _HOLDS, _KEEPS, _WORTH, _ACTION_SIZE,
) = itertools.accumulate((plane.size for plane in ACTION_PLANES), initial=0)  # fmt: skip
_CLAIM, _OWNERS, _BEARS = 6, 6 + MAX_SEATS, 6 + 2 * MAX_SEATS  # places in the plane of a slot
_BYTE, _BYTES = 8, 0xFF  # card masks of all seats in one number
_ALL_FULL = sum(FULL_HAND << _BYTE * seat for seat in range(MAX_SEATS))
_HIDEABLE = VALUES - 1  # the cards that may be hidden: 1 to 6
_REACH = np.array([sum(range(VALUES - number, VALUES)) for number in range(VALUES)], np.int64)  # the largest sum of so many
_OF_HIDDEN = 1 / 6  # factors: a division takes longer
_OF_HP, _OF_POINTS, _OF_SCORES, _OF_TURNS = 1 / 20, 1 / 8, 1 / _SCORES, 1 / TURNS
_MOST_POINTS = 8


def _sums() -> NDArray[np.float64]:
    """The chance of each sum of some different cards, by the cards that they may be (bit 0 = the 1) and their number."""
    chances = np.zeros((1 << _HIDEABLE, VALUES, int(_REACH[-1]) + 1))
    for mask in range(1 << _HIDEABLE):
        cards = [card for card in range(1, VALUES) if mask >> card - 1 & 1]
        for number in range(len(cards) + 1):
            sums = [sum(chosen) for chosen in itertools.combinations(cards, number)]
            for total in sums:
                chances[mask, number, total] += 1 / len(sums)
    return chances


def _chances_of_none() -> NDArray[np.float64]:
    """The chance that none of some marked cards is in a hand, by their number, the number of cards and the size of the hand."""
    ways = np.zeros((VALUES + 1, VALUES + 1, VALUES + 1))
    for count, held in itertools.product(range(VALUES + 1), repeat=2):
        hands = list(itertools.combinations(range(count), min(held, count)))
        for marked in range(count + 1):
            ways[marked, count, held] = sum(all(card >= marked for card in hand) for hand in hands) / len(hands)
    return ways


_SUMS, _NONE = _sums(), _chances_of_none()
_SUM_SIZE = 6 * _HIDEABLE + 1
_ROOMS = VALUES + 1  # hit points left: 0 to 7, or more


@jit
def encode(s: State, seat: int, out: Features) -> None:
    """Write what `seat` knows: PLANES says what stands where."""
    out[:] = 0.0
    unseen = unseen_cards(s)
    sums = stack_array(_SUM_SIZE, np.float64)
    _write_seats(s, seat, unseen, out)
    hand = int(s.hand[seat]) >> 1
    while hand:
        out[_HAND + lowest_bit(hand)] = 1.0
        hand &= hand - 1
    for slot in range(s.seats - 1):
        if s.request[slot] != NO_REQUEST:
            _write_slot(s, seat, slot, unseen, sums, out)
    for room in range(VALUES + 1):
        out[_KEEP + room] = 1.0
    _write_keep(s, seat, unseen, out, _KEEP)
    out[_SEATS + s.seats - SEATS[0]] = 1.0
    out[_STOCK] = min(1.0, s.num_stock * _OF_HP)
    out[_OPTIONS] = s.pass_discard
    out[_OPTIONS + 1] = s.tiebreak
    _write_coming(s, out)


@jit
def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write what each action does and brings: ACTION_PLANES says what stands where."""
    unseen = unseen_cards(s)
    sums = stack_array(_SUM_SIZE, np.float64)
    keep = stack_array(_ROOMS, np.float32)
    keep[:] = 1.0
    _write_keep(s, seat, unseen, keep, 0)
    at = -1
    base = most = 0
    for i in range(count):
        row = out[i]
        row[:] = 0.0
        slot = int(actions[i]) // VALUES
        value = int(actions[i]) % VALUES + 1
        row[_CARD + value - 1] = 1.0
        if slot == s.seats - 1:
            row[_KIND + 2] = 1.0
            continue
        if slot != at:
            at = slot
            base, most = hidden_sums(s, seat, slot, unseen, sums)
        row[_SLOT_PLACE + slot] = 1.0
        _write_request(s, seat, slot, row)
        points = int(s.worth[s.request[slot]])
        room = int(s.hp[s.request[slot]]) - base - value
        row[_ACTION_ROOM] = max(-1.0, min(1.0, room * _OF_HP))
        holds = keeps = 0.0
        for hidden in range(min(most, room) + 1):
            holds += sums[hidden]
            keeps += sums[hidden] * keep[min(room - hidden, VALUES)]
        row[_HOLDS] = min(1.0, holds)
        if s.chips[slot] > 0:
            row[_KIND] = 1.0
            row[_OPENS] = s.chips[slot] == 1
            row[_WORTH] = _OF_POINTS
        else:
            row[_KIND + 1] = 1.0
            row[_KEEPS] = min(1.0, keeps)
            row[_WORTH] = min(1.0, (points * keeps - FAILURE * (1.0 - holds)) * _OF_POINTS)


@jit
def unseen_cards(s: State) -> int:
    """The cards of each seat that were never open, as masks: eight bits for each seat."""
    unseen = _ALL_FULL
    for player in range(s.seats):
        for i in range(s.num_discards[player]):
            unseen &= ~(1 << _BYTE * player + int(s.discards[player, i]))
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot), int(s.num_cards[slot])):
            unseen &= ~(1 << int(s.cards[slot, i]))  # a card is seat * 8 + value
    return unseen


@jit
def near(s: State, seat: int, player: int) -> int:
    """The place of a player from the own seat on: 0 is `seat` itself."""
    return player - seat if player >= seat else player - seat + s.seats


@jit
def hidden_sums(s: State, seat: int, slot: int, unseen: int, sums: Numbers) -> tuple[int, int]:
    """Write how likely each sum of the others' hidden cards on a request is.

    Returns the sum of all other cards there, and the largest sum written.
    """
    base = owners = most = 0
    hidden = hidden_cards(s, slot)
    for i in range(s.num_cards[slot]):
        card = int(s.cards[slot, i])
        if i >= hidden or card >> 3 == seat:
            base += card & 7
        else:
            owners += 1 << 4 * near(s, seat, card >> 3)
    sums[0] = 1.0
    while owners:
        place = lowest_bit(owners) >> 2  # from the own seat on: then the sums are the same for whoever sits where
        number = owners >> 4 * place & 15
        owners &= -(16 << 4 * place)
        owner = seat + place if seat + place < s.seats else seat + place - s.seats
        chances = _SUMS[unseen >> _BYTE * owner + 1 & (1 << _HIDEABLE) - 1, number]
        reach = int(_REACH[number])
        for total in range(most + reach, -1, -1):
            chance = 0.0
            for more in range(max(0, total - most), min(total, reach) + 1):
                chance += sums[total - more] * chances[more]
            sums[total] = chance
        most += reach
    return base, most


@jit
def _write_seats(s: State, seat: int, unseen: int, out: Features) -> None:
    """Write what each seat has, and whose turn it is."""
    taken = s.turns // s.seats
    more = s.turns - taken * s.seats  # seats that have taken one turn more, from the starter on
    for player in range(s.seats):
        place = near(s, seat, player)
        out[_TURNS_LEFT + place] = (TURNS - taken - (near(s, int(s.starter), player) < more)) * _OF_TURNS
        out[_SCORE + place] = max(-1.0, min(1.0, score(s, player) * _OF_SCORES))
        out[_CAPTURED + place] = s.num_captured[player] * _OF_TURNS
        out[_PASSED + place] = s.num_passed[player] * _OF_TURNS
        out[_FAILED + place] = s.num_failed[player] * _OF_TURNS
        out[_CHIPS + place] = s.points[player] * _OF_TURNS
        cards = unseen >> _BYTE * player + 1 & (1 << VALUES) - 1
        for card in range(VALUES):
            out[_UNSEEN + VALUES * place + card] = cards >> card & 1
        if player == s.turn and not is_terminal(s):
            out[_TURN + place] = 1.0


@jit
def _write_slot(s: State, seat: int, slot: int, unseen: int, sums: Numbers, out: Features) -> None:
    """Write what lies on a slot, and how likely the request bears it and one card more."""
    at = _SLOTS + slot * _SLOT
    request = int(s.request[slot])
    out[at] = 1.0
    out[at + 1] = min(1.0, s.hp[request] * _OF_HP)
    out[at + 2] = min(1.0, s.worth[request] * _OF_POINTS)
    out[at + 3] = s.bang[request] * _OF_HIDDEN
    out[at + 4] = s.chips[slot] * _OF_HIDDEN
    out[at + 5] = s.chips[slot] == 0
    claimant = claim(s, slot)
    if claimant >= 0:
        out[at + _CLAIM + near(s, seat, claimant)] = 1.0
    hidden_here = hidden_cards(s, slot)
    for i in range(s.num_cards[slot]):
        owner, value = int(s.cards[slot, i]) >> 3, int(s.cards[slot, i]) & 7
        if i >= hidden_here:
            out[_OPEN + MAX_SEATS * slot + near(s, seat, owner)] += value * _OF_HP
            continue
        out[at + _OWNERS + near(s, seat, owner)] += _OF_HIDDEN
        if owner == seat:
            out[_OWN_HIDDEN + VALUES * slot + value - 1] = 1.0
    for place in range(MAX_SEATS):
        out[_OPEN + MAX_SEATS * slot + place] = min(1.0, out[_OPEN + MAX_SEATS * slot + place])
    base, most = hidden_sums(s, seat, slot, unseen, sums)
    room = int(s.hp[request]) - base
    out[_ROOM + slot] = max(-1.0, min(1.0, room * _OF_HP))
    bears = 0.0
    hidden = 0
    for value in range(VALUES, -1, -1):
        while hidden <= min(room - value, most):
            bears += sums[hidden]
            hidden += 1
        out[at + _BEARS + value] = min(1.0, bears)


@jit
def _write_coming(s: State, out: Features) -> None:
    """Write what the requests are like that lie in the stock: all of the deck that nobody has seen."""
    if s.num_stock == 0:
        return
    seen = 0
    for slot in range(s.seats - 1):
        if s.request[slot] != NO_REQUEST:
            seen |= 1 << int(s.request[slot])
    for player in range(s.seats):
        for i in range(s.num_captured[player]):
            seen |= 1 << int(s.captured[player, i])
        for i in range(s.num_failed[player]):
            seen |= 1 << int(s.failed[player, i])
    hp = points = bang = 0
    for request in range(s.num_requests + 0):
        if seen >> request & 1 == 0:
            hp += int(s.hp[request])
            points += int(s.worth[request])
            bang += int(s.bang[request])
    share = 1.0 / s.num_stock
    out[_COMING] = min(1.0, hp * share * _OF_HP)
    out[_COMING + 1] = min(1.0, points * share * _OF_POINTS)
    out[_COMING + 2] = min(1.0, bang * share * _OF_HIDDEN)


@jit
def _write_request(s: State, seat: int, slot: int, row: Features) -> None:
    """Write the request of an action, and whose cards lie there."""
    request = int(s.request[slot])
    row[_REQUEST] = min(1.0, s.hp[request] * _OF_HP)
    row[_REQUEST + 1] = min(1.0, s.worth[request] * _OF_POINTS)
    row[_REQUEST + 2] = s.bang[request] * _OF_HIDDEN
    row[_REQUEST + 3] = s.chips[slot] * _OF_HIDDEN
    claimant = claim(s, slot)
    if claimant >= 0:
        row[_FROM + near(s, seat, claimant)] = 1.0
    for i in range(hidden_cards(s, slot)):
        row[_HIDDEN + (int(s.cards[slot, i]) >> 3 != seat)] += _OF_HIDDEN


@jit
def _write_keep(s: State, seat: int, unseen: int, out: Features, at: int) -> None:
    """Multiply, for each game on a request, the chances that no other seat with a turn left holds a card that fits there."""
    taken = s.turns // s.seats
    more = s.turns - taken * s.seats
    player = seat
    for _ in range(s.seats - 1):
        player = player + 1 if player + 1 < s.seats else 0
        left = TURNS - taken - (near(s, int(s.starter), player) < more)
        if left > 0:
            cards = unseen >> _BYTE * player & _BYTES
            count = popcount(cards)
            for room in range(1, VALUES + 1):
                fitting = count - popcount(cards >> room + 1)
                out[at + room] *= _NONE[fitting, count, min(left + 1, count)]
