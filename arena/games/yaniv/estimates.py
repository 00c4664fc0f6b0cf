"""Estimates for Yaniv: what a hand is worth, how likely a call fails. Prior, policy and evaluation rest on them.

The numbers were fitted by least squares to the points that seats won in 1.6 million rounds of two seats, default options, in
which both played by them (policy iteration: what the last policy's hands brought makes the next policy). They are points that
the others have more than oneself at the end of the round; only differences count.
"""

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.functions import exponential
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, stack_array
from arena.games.yaniv.discards import NATURAL_BIT, NO_KINGS, TO_JACKS
from arena.games.yaniv.memory import count_unseen
from arena.games.yaniv.rows import CARD_IDS, HAND, JOKER, RANK, RANKS, ROW, VALUE, hand_value, inserted, place_in, row_length
from arena.games.yaniv.rules import PENALTY
from arena.games.yaniv.state import FRESH, State

_MOST = 20  # points left over beyond which each costs the same
_SLOPE = 0.25
_MAY_CALL = 5  # points: the threshold for which the numbers were fitted
_TENS = 11  # card values: 0 to 10
_SUMS = HAND * 10 + 1  # hand values: 0 to 50

# At the end of the own turn: by the points left after the best next discard; by hand value where it may call; by the cards held
# (row) and the cards left after that discard (column).
_REST = np.array(
    [11.8, 9.3, 8.0, 5.7, 4.6, 2.9, 2.0, 1.2, 1.1, 0.2, 0.0, -0.4, -1.1, -1.4, -1.8, -2.3, -2.4, -2.5, -2.7, -2.9, -3.3]
)
_CALLABLE = np.array([5.0, 4.3, 3.8, 4.0, 3.3, 2.4])
_CARDS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.1, 0.0, 0.0, 0.0, 0.0],
        [-0.5, 1.5, 0.0, 0.0, 0.0],
        [-0.9, 1.4, 0.4, 0.0, 0.0],
        [-1.4, 0.2, 0.0, -1.8, 0.0],
        [-1.8, 0.5, -1.6, -2.6, -4.7],
    ]
)
# The same before a card from the stock comes to it.
_OPEN = -0.8
_OPEN_REST = np.array(
    [8.6, 5.8, 4.2, 2.6, 2.1, 0.7, 0.5, -0.2, -0.4, -1.1, -1.1, -1.6, -1.9, -2.1, -2.3, -2.5, -2.5, -2.6, -2.6, -2.7, -3.3]
)
_OPEN_CALLABLE = np.array([7.7, 5.7, 3.7, 2.5, 1.3, 0.7])
_OPEN_CARDS = np.array(
    [
        [-1.3, 0.0, 0.0, 0.0],
        [-0.7, 0.0, 0.0, 0.0],
        [-1.5, -0.3, 0.0, 0.0],
        [-3.2, -1.0, -1.5, 0.0],
        [-5.3, -3.4, -2.5, -4.4],
    ]
)
# What the cheaper end of a discard, by its points, costs, as the next seat may take it.
_GIFT = np.array([-4.8, -2.2, -1.2, -0.8, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.0])


@jit
def hand_worth(row: int) -> float:
    """What a hand (a row) is worth at the end of its owner's turn, in points."""
    return shed_worth(best_shed(row))


@jit
def shed_worth(shed: int) -> float:
    """The same by what `best_shed` says of the hand."""
    value, cards, rest, left = shed & 255, shed >> 8 & 255, shed >> 16 & 255, shed >> 24
    worth = _REST[min(rest, _MOST)] + _CARDS[cards, min(left, 4)] - _SLOPE * max(0, rest - _MOST)
    return float(worth + _CALLABLE[value] if value <= _MAY_CALL else worth)


@jit
def open_worth(row: int) -> float:
    """What a hand is worth after the discard, when a card from the stock is still to come, in points."""
    shed = best_shed(row)
    value, cards, rest, left = shed & 255, shed >> 8 & 255, shed >> 16 & 255, shed >> 24
    cards = min(cards, HAND - 1)
    worth = _OPEN + _OPEN_REST[min(rest, _MOST)] + _OPEN_CARDS[cards, min(left, 3)] - _SLOPE * max(0, rest - _MOST)
    return float(worth + _OPEN_CALLABLE[value] if value <= _MAY_CALL else worth)


@jit
def taken_worth(row: int, card: int) -> float:
    """What a hand is worth after the discard and with a card then taken openly, in points."""
    return hand_worth(inserted(row, place_in(row, card + 1), card))


@jit
def gift(laid: int) -> float:
    """What it costs, in points (negative), that the next seat may take an end of this discard."""
    last = laid >> 6 * (row_length(laid) - 1) & 63
    return float(_GIFT[min(VALUE[laid & 63], VALUE[last])])


@jit
def without(row: int, mask: int) -> int:
    """The row without the places in a mask."""
    rest = 0
    shift = 0
    for place in range(HAND):
        kept = (mask >> place & 1) ^ 1
        rest |= (row >> 6 * place & 63) * kept << shift
        shift += 6 * kept
    return rest


@jit
def thriftiness(s: State, thrift: float) -> float:
    """How much less likely a kept card is for each of its points: by the factor exp(-thriftiness). Seats shed high cards.

    Measured: the hidden cards of a seat after 0, 2, 5, 10 turns are 6.0, 4.6, 3.6 and 2.8 points on average.
    """
    turns = s.turns / s.seats
    return thrift * (turns + 0.5) / (turns + 5.0)


@jit
def call_failure(s: State, seat: int, thrift: float) -> float:
    """The chance that somebody holds as little as this seat; by the unseen cards, the lower the likelier to be held."""
    called = hand_value(int(s.hand[seat]) & ROW)
    successes = stack_array(_SUMS, np.float64)
    call_successes(s, seat, thrift, called, successes)
    return 1.0 - float(successes[called])


@jit
def call_successes(s: State, seat: int, thrift: float, most: int, out: Numbers) -> None:
    """Write how likely it is that all others hold more than 0, 1, .. `most` points, as their hands are now."""
    chances = stack_array(_TENS, np.float64)
    _card_chances(s, seat, thrift, chances)
    sums = stack_array(_SUMS, np.float64)
    for points in range(most + 1):
        out[points] = 1.0
    for other in range(s.seats):
        known = int(s.known[other]) & ROW
        shown = hand_value(known)
        room = most - shown
        if other == seat or s.dropped[other] > 0 or room < 0:
            continue
        sums[0] = 1.0
        for points in range(1, room + 1):
            sums[points] = 0.0
        for _ in range(s.hand_size[other] - row_length(known)):
            for points in range(room, -1, -1):
                total = 0.0
                for value in range(min(points, _TENS - 1) + 1):
                    total += chances[value] * sums[points - value]
                sums[points] = total
        chance = 0.0
        for points in range(room + 1):
            chance += sums[points]
            out[shown + points] *= 1.0 - chance


@jit
def call_loss(hand: int) -> float:
    """Points that a failed call costs more than a successful one brings, others' hands apart."""
    return float(PENALTY + hand_value(hand))


@jit
def _card_chances(s: State, seat: int, thrift: float, chances: Numbers) -> None:
    """Write how likely it is that a hidden card of another seat is worth 0, 1, .. 10 points."""
    cards = stack_array(CARD_IDS, np.int64)
    count_unseen(s, seat, FRESH, cards)
    tilt = thriftiness(s, thrift)
    total = 0.0
    for value in range(_TENS):
        chances[value] = 0.0
    for card in range(JOKER + 1):
        chances[VALUE[card + 1]] += max(0, cards[card])
    for value in range(_TENS):
        chances[value] *= exponential(-tilt * value)
        total += chances[value]
    for value in range(_TENS):
        chances[value] = chances[value] / total if total > 0.0 else 1.0 / _TENS


@jit
def best_shed(row: int) -> int:
    """Value and cards of a hand, and points and cards that its best discard leaves: 8 bits each, lowest first.

    A card, a set, a run, or two cards and a joker as a run: most points first. Longer runs with jokers are seldom better.
    """
    value = ranks = suited = cards = 0
    for shift in range(0, 6 * HAND, 6):
        field = row >> shift & 63
        value += VALUE[field]
        suited |= NATURAL_BIT[field]
        ranks += 1 << 4 * RANK[field]
        cards += field != 0
    best = size = 0
    for shift in range(0, 6 * HAND, 6):
        field = row >> shift & 63
        count = ranks >> 4 * RANK[field] & 15
        points = VALUE[field] * count
        if points > best or (points == best and points > 0 and count > size):
            best = points
            size = count
    near = suited & suited >> 1 & suited >> 2 & TO_JACKS
    while near:
        start = lowest_bit(near)
        near &= near - 1
        rank = start % RANKS
        points = count = 0
        while rank + count < RANKS and suited >> start + count & 1:
            points += min(rank + count + 1, 10)
            count += 1
        if points > best or (points == best and count > size):
            best = points
            size = count
    if ranks >> 4 * RANKS & 15:
        near = suited & (suited >> 1 & NO_KINGS | suited >> 2 & TO_JACKS)
        while near:
            start = lowest_bit(near)
            near &= near - 1
            rank = start % RANKS
            gap = 1 if rank < RANKS - 1 and suited >> start + 1 & 1 else 2
            points = min(rank + 1, 10) + min(rank + gap + 1, 10)
            if points > best:
                best = points
                size = 3
    size = max(size, min(cards, 1))
    return int(value | cards << 8 | value - best << 16 | cards - size << 24)
