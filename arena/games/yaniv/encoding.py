"""Yaniv as numbers for learning programs: what a seat knows, and what each of its legal actions does (docs/encodings.md).

Seats are counted from the own one: 0 is the own seat, 1 the next to the left. Ranks are A to K, then the joker.
"""

from itertools import accumulate

import numpy as np

from arena.engine.contract import Actions, Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.games.yaniv.discards import NATURAL_BIT, NO_KINGS, TO_JACKS, laid_row
from arena.games.yaniv.estimates import call_failure, hand_worth, open_worth, taken_worth, without
from arena.games.yaniv.prospects import SIZE as PROSPECTS
from arena.games.yaniv.prospects import write_prospects
from arena.games.yaniv.public_features import PUBLIC_PLANES, encode_public, follower, known_row, share
from arena.games.yaniv.rows import (
    HAND,
    JOKER,
    RANK,
    RANKS,
    ROW,
    SUIT,
    VALUE,
    card_at,
    deleted,
    hand_value,
    is_set,
    place_in,
    row_length,
)
from arena.games.yaniv.state import (
    CALL,
    CLASSES,
    DECK,
    DRAW,
    FIRST,
    LAST,
    MAX_SEATS,
    OLDER,
    ORIGINS,
    ROUND_OVER,
    SLAP,
    SLAP_DOWN,
    START,
    STOCK,
    State,
    hand_row,
)

LOW = 12  # hand values told apart exactly: 0 to 10, and all higher ones together
MANY_POINTS = 50.0  # five court cards
MANY_TURNS = 20.0  # completed turns of each seat: most rounds are over by then
WORTH = 20.0  # points: `estimates` stay within this
THRIFT = 0.4  # as the rollout policy's constant of that name

PLANES = (
    Plane("phase", 4, "the phase: start, draw, slap, the round is over"),
    Plane("turn", MAX_SEATS, "whose turn it is; empty when the round is over"),
    Plane("in_play", MAX_SEATS, "who plays and has not dropped out"),
    Plane("totals", MAX_SEATS, "the totals, as shares of the limit"),
    Plane("hand_sizes", MAX_SEATS, "the cards in each hand, fifths"),
    Plane("known_cards", MAX_SEATS, "how many cards of each hand are known to all, fifths; the whole hand once it is open"),
    Plane("known_points", MAX_SEATS, "the points of those cards, of 50"),
    Plane("earlier_cards", MAX_SEATS, "how many cards each hand hides since before the last reshuffle, fifths"),
    Plane("next_known", RANKS + 1, "the known cards of the next seat in play by rank, fifths"),
    Plane("hand", JOKER + 1, "the own hand by card id (S, H, D, C from A to K, the joker), as shares of the copies in play"),
    Plane("hand_ranks", RANKS + 1, "the own hand by rank, fifths"),
    Plane("links", RANKS - 1, "for each rank but the king: held together with the next higher rank of the suit"),
    Plane("gaps", RANKS - 2, "for each rank up to the jack: held together with the rank two above in the suit"),
    Plane("value", LOW, "the points of the own hand: 0, 1, .. 10, more than 10"),
    Plane("value_scaled", 1, "the points of the own hand, of 50"),
    Plane("may_call", 1, "whether the own hand is low enough to call"),
    Plane("call_failure", 1, "the estimated chance that a call fails; 1 where the hand is too high to call"),
    Plane("is_reduced", 1, "whether the own total would be lowered if the points in hand were added to it"),
    Plane("worth", 1, "an estimate of the own hand, before a card from the stock in the phase draw, in points of 20", -1.0),
    Plane("takeable", JOKER + 1, "the cards of the previous discard that may be taken, by card id"),
    Plane("previous_size", 1, "how many cards the previous discard has, fifths; at most 1"),
    Plane("laid", RANKS + 1, "the discard of this turn by rank, fifths; at most 1"),
    Plane("drawn", RANKS + 1, "slap: the rank of the card just drawn, if the seat knows it"),
    Plane("stock_ranks", RANKS + 1, "the unseen cards that may be in the stock by rank, as shares of the copies in play"),
    Plane("earlier_ranks", RANKS + 1, "the unseen cards that others hide since before the last reshuffle by rank, likewise"),
    Plane("stock", 1, "the cards in the stock, as a share of the decks"),
    Plane("buried", 1, "the buried cards, as a share of the decks"),
    Plane("turns", 1, "the completed turns of each seat in this round, of 20; at most 1"),
    Plane("turns_left", 1, "the turns that this round may still have, as a share"),
    Plane("rounds", 1, "the number of the round, as a share of the rounds that the match may have"),
    Plane("threshold", 4, "the option threshold: 5, 7, 10, none"),
    Plane("options", 7, "the options: 2 decks, slap_down, elim201, minus50, halve_requires_change, joker_pair, set_take=any"),
    Plane("limit", 1, "the option limit, of 1000; at most 1"),
    *PUBLIC_PLANES,
)
(
    _PHASE, _TURN, _IN_PLAY, _TOTALS, _SIZES, _KNOWN, _KNOWN_POINTS, _EARLIER, _NEXT_KNOWN, _HAND, _RANKS, _LINKS, _GAPS,
    _VALUE, _SCALED, _MAY_CALL, _FAILURE, _IS_REDUCED, _WORTH, _TAKEABLE, _PREVIOUS, _LAID, _DRAWN, _STOCK_RANKS,
    _EARLIER_RANKS, _STOCK, _BURIED, _TURNS, _TURNS_LEFT, _ROUNDS, _THRESHOLD, _OPTIONS, _LIMIT, _PUBLIC, *_, _SIZE,
) = accumulate((plane.size for plane in PLANES), initial=0)  # fmt: skip

ACTION_PLANES = (
    Plane("kind", 6, "call, discard, draw from the stock, take openly, hold, slap"),
    Plane("cards", JOKER + 1, "the cards that are laid, or the one that is taken, by card id, as shares of the copies in play"),
    Plane("count", HAND, "how many cards those are: 1, .. 5"),
    Plane("is_run", 1, "whether they are a run"),
    Plane("points", 1, "their points, of 50"),
    Plane("end_ranks", RANKS + 1, "discard: the ranks of its two ends, which the next seat may take"),
    Plane("end_suits", 4, "discard: their suits: S, H, D, C"),
    Plane("end_points", 1, "discard: the points of the cheaper end, tenths"),
    Plane("end_pairs", 1, "discard: whether an end has the rank of a card that the next seat is known to hold"),
    Plane("end_links", 1, "discard: whether an end is near a card in its suit that the next seat is known to hold"),
    Plane("left", LOW, "the points in hand after the action: 0, 1, .. 10, more than 10; a card from the stock is not counted"),
    Plane("left_scaled", 1, "the same, of 50"),
    Plane("left_may_call", 1, "whether these are few enough to call"),
    Plane("worth", 1, "an estimate of what stays, with a card from the stock if one is still to come, in points of 20", -1.0),
    Plane("worth_taking", 1, "discard: the same if the better of the open cards is taken instead; else as `worth`", -1.0),
    Plane("call_failure", 1, "call: the estimated chance that it fails"),
    Plane(
        "prospects",
        PROSPECTS,
        "the own hand with a card from the stock, the mean over all unseen ones (discard, draw from the stock), then with the"
        " better open card (discard, take openly) or as it is (others): its points, of 50; those that its best discard leaves,"
        " of 50; the cards that this leaves, fifths; whether it may call; how likely that succeeds, as others' hands are now;"
        " both after that discard; an estimate in points of 20. How far the better of both estimates is behind the best one",
        -1.0,
    ),
)
VERSION = 2
(
    _KIND, _CARDS, _COUNT, _IS_RUN, _POINTS, _END_RANKS, _END_SUITS, _END_POINTS, _END_PAIRS, _END_LINKS,
    _LEFT, _LEFT_SCALED, _LEFT_MAY_CALL, _LEFT_WORTH, _WORTH_TAKING, _CALL_FAILURE, _PROSPECTS, _ACTION_SIZE,
) = accumulate((plane.size for plane in ACTION_PLANES), initial=0)  # fmt: skip
_IS_CALL, _IS_DISCARD, _IS_STOCK, _IS_TAKING, _IS_HOLD, _IS_SLAP = range(6)

_OF_HAND, _OF_POINTS = 1 / HAND, 1 / MANY_POINTS  # factors: a division takes longer

CODES = None
"""The game has thousands of action codes."""

_RANK_CARDS = np.array(
    [*[sum(1 << 13 * suit + rank for suit in range(4)) for rank in range(RANKS)], 3 << JOKER], np.int64
)  # by rank: its cards in a pile's mask


@jit
def encode(s: State, seat: int, out: Features) -> None:
    """Write PLANES. `s`: the state as `observe` shows it to `seat`."""
    for i in range(_SIZE):
        out[i] = 0.0
    _encode_seats(s, seat, out)
    _encode_hand(s, seat, out)
    _encode_table(s, seat, out)
    _encode_options(s, out)
    encode_public(s, seat, out[_PUBLIC:])


@jit
def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write ACTION_PLANES, one row for each legal action."""
    hand = hand_row(s, seat)
    previous = int(s.previous)
    known = int(s.known[follower(s, seat)]) & ROW
    mask = -1
    left, worth, taking = hand_value(hand), 0.0, 0.0
    for i in range(count):
        row = out[i]
        for place in range(_ACTION_SIZE):
            row[place] = 0.0
        action = int(actions[i])
        if s.phase == START and action != CALL:
            row[_KIND + _IS_DISCARD] = 1.0
            if action >> 6 != mask:  # arrangements of the same cards follow each other
                mask = action >> 6
                rest = without(hand, mask)
                left = hand_value(rest)
                worth = open_worth(rest)
                taking = taken_worth(rest, card_at(previous, 0))
                if row_length(previous) > 1:
                    taking = max(taking, taken_worth(rest, card_at(previous, row_length(previous) - 1)))
            _encode_discard(s, laid_row(hand, action) if mask & mask - 1 else hand >> 6 * lowest_bit(mask) & 63, known, row)
            _encode_left(s, left, worth, taking, row)
        elif s.phase == DRAW and action != STOCK:
            card = card_at(previous, 0 if action == FIRST else row_length(previous) - 1 if action == LAST else action - LAST)
            row[_KIND + _IS_TAKING] = 1.0
            _encode_cards(s, card + 1, row)
            worth = taken_worth(hand, card)
            _encode_left(s, left + VALUE[card + 1], worth, worth, row)
        elif s.phase == DRAW:
            row[_KIND + _IS_STOCK] = 1.0
            worth = open_worth(hand)
            _encode_left(s, left, worth, worth, row)
        elif s.phase == SLAP and action == SLAP_DOWN:
            row[_KIND + _IS_SLAP] = 1.0
            drawn = int(s.drawn) & 63
            _encode_discard(s, drawn, known, row)
            worth = hand_worth(deleted(hand, place_in(hand, drawn)))
            _encode_left(s, left - VALUE[drawn], worth, worth, row)
        else:
            worth = hand_worth(hand)
            _encode_left(s, left, worth, worth, row)
            if s.phase == SLAP:
                row[_KIND + _IS_HOLD] = 1.0
            else:
                row[_KIND + _IS_CALL] = 1.0
                row[_CALL_FAILURE] = _failure(s, seat, left)
    write_prospects(s, seat, THRIFT, actions, count, _PROSPECTS, out)


@jit
def _encode_seats(s: State, seat: int, out: Features) -> None:
    """The planes with a number for each seat, and what is known of the next seat's hand."""
    over = s.phase >= ROUND_OVER
    player = seat
    for place in range(s.seats):
        known = known_row(s, player)
        out[_IN_PLAY + place] = s.dropped[player] == 0
        out[_TOTALS + place] = min(1.0, s.totals[player] / s.limit)
        out[_SIZES + place] = s.hand_size[player] * _OF_HAND
        out[_KNOWN + place] = row_length(known) * _OF_HAND
        out[_KNOWN_POINTS + place] = hand_value(known) * _OF_POINTS
        for older in range(CLASSES):
            out[_EARLIER + place] += np.float32(s.held[older * MAX_SEATS + player] * _OF_HAND)
        if player == s.turn and not over:
            out[_TURN + place] = 1.0
        player = player + 1 if player + 1 < s.seats else 0
    known = int(s.known[follower(s, seat)]) & ROW
    while known:
        out[_NEXT_KNOWN + RANK[known & 63]] += np.float32(_OF_HAND)
        known >>= 6


@jit
def _encode_hand(s: State, seat: int, out: Features) -> None:
    """The planes of the own hand."""
    hand = rest = hand_row(s, seat)
    suited = 0
    while rest:
        field = rest & 63
        out[_HAND + field - 1] += share(s, field)
        out[_RANKS + RANK[field]] += np.float32(_OF_HAND)
        suited |= NATURAL_BIT[field]
        rest >>= 6
    near = suited & suited >> 1 & NO_KINGS
    while near:
        out[_LINKS + lowest_bit(near) % RANKS] = 1.0
        near &= near - 1
    near = suited & suited >> 2 & TO_JACKS
    while near:
        out[_GAPS + lowest_bit(near) % RANKS] = 1.0
        near &= near - 1
    value = hand_value(hand)
    out[_VALUE + min(value, LOW - 1)] = 1.0
    out[_SCALED] = value * _OF_POINTS
    out[_MAY_CALL] = value <= s.threshold
    out[_FAILURE] = _failure(s, seat, value) if s.phase < ROUND_OVER else 0.0
    total = s.totals[seat] + value
    out[_IS_REDUCED] = total == 100 or (total == 50 and s.mode == 0) or (s.mode == 1 and _is_reduced_late(s, total))
    out[_WORTH] = _scaled_worth(open_worth(hand) if s.phase == DRAW and s.turn == seat else hand_worth(hand))


@jit
def _encode_table(s: State, seat: int, out: Features) -> None:
    """The planes of discards, stock and unseen cards, and of time."""
    out[_PHASE + min(s.phase, ROUND_OVER)] = 1.0
    previous, laid = int(s.previous), int(s.laid)
    length = row_length(previous)
    every = s.set_take == 1 and is_set(previous)
    for place in range(length):
        if every or place == 0 or place == length - 1:
            out[_TAKEABLE + card_at(previous, place)] = 1.0
    out[_PREVIOUS] = min(1.0, length * _OF_HAND)
    if s.drawn:
        out[_DRAWN + RANK[s.drawn]] = 1.0
    seen = _rank_counts(laid)
    while laid:
        rank = RANK[laid & 63]
        out[_LAID + rank] = min(1.0, (seen >> 4 * rank & 15) * _OF_HAND)
        laid >>= 6
    seen += _rank_counts(previous)
    own = 0  # own cards of earlier stocks
    hand, origins = hand_row(s, seat), int(s.origin[seat]) & ORIGINS
    while hand:
        card = 1 << 4 * RANK[hand & 63]
        if origins & 3 >= OLDER:
            own += card
        else:
            seen += card
        hand >>= 6
        origins >>= 2
    for player in range(s.seats):
        if player != seat:
            seen += _rank_counts(known_row(s, player))
    _encode_unseen(s, seen, own, out)
    buried = popcount(s.piles[0]) + popcount(s.piles[1])
    out[_STOCK] = s.num_stock / (DECK * s.decks)
    out[_BURIED] = buried / (DECK * s.decks)
    out[_TURNS] = min(1.0, s.turns / (s.seats * MANY_TURNS))
    out[_TURNS_LEFT] = 1.0 - s.turns / s.last_turn
    out[_ROUNDS] = s.round_number / s.max_rounds


@jit
def _encode_unseen(s: State, seen: int, own: int, out: Features) -> None:
    """The planes of unseen cards by rank. `seen` and `own` (of earlier stocks): cards by rank, four bits each."""
    first, second = int(s.piles[0]), int(s.piles[1])
    has_earlier = False
    for pile in range(2, 2 + 2 * CLASSES):
        has_earlier |= s.piles[pile] != 0
    of_copies = 0.25 / s.decks
    for rank in range(RANKS + 1):
        if rank == RANKS:
            of_copies *= 2.0
        cards = _RANK_CARDS[rank]
        earlier = 0
        if has_earlier:
            for pile in range(2, 2 + 2 * CLASSES):
                earlier += popcount(s.piles[pile] & cards)
            if s.phase < ROUND_OVER:
                out[_EARLIER_RANKS + rank] = max(0, earlier - (own >> 4 * rank & 15)) * of_copies
        left = (4 if rank < RANKS else 2) * s.decks - popcount(first & cards) - popcount(second & cards) - earlier
        out[_STOCK_RANKS + rank] = max(0, left - (seen >> 4 * rank & 15)) * of_copies


@jit
def _encode_options(s: State, out: Features) -> None:
    place = 0 if s.threshold == 5 else 1 if s.threshold == 7 else 2 if s.threshold == 10 else 3
    out[_THRESHOLD + place] = 1.0
    out[_OPTIONS] = s.decks == 2
    out[_OPTIONS + 1] = s.slap_down
    out[_OPTIONS + 2] = s.mode
    out[_OPTIONS + 3] = s.reduction
    out[_OPTIONS + 4] = s.halve_requires_change
    out[_OPTIONS + 5] = s.joker_pair
    out[_OPTIONS + 6] = s.set_take
    out[_LIMIT] = min(1.0, s.limit / 1000.0)


@jit
def _encode_discard(s: State, laid: int, known: int, row: Features) -> None:
    """The cards that are laid, and what they give to the next seat, of whom the row `known` is known."""
    _encode_cards(s, laid, row)
    first, last = laid & 63, laid >> 6 * (row_length(laid) - 1) & 63
    row[_END_POINTS] = min(VALUE[first], VALUE[last]) / 10.0
    for field in (first, last):
        row[_END_RANKS + RANK[field]] = 1.0
        if field <= JOKER:
            row[_END_SUITS + SUIT[field]] = 1.0
        rest = known
        while rest:
            other = rest & 63
            rest >>= 6
            if RANK[field] == RANK[other]:
                row[_END_PAIRS] = 1.0
            elif field <= JOKER and SUIT[field] == SUIT[other] and abs(RANK[field] - RANK[other]) <= 2:
                row[_END_LINKS] = 1.0


@jit
def _encode_cards(s: State, cards: int, row: Features) -> None:
    row[_IS_RUN] = not is_set(cards)
    row[_COUNT + row_length(cards) - 1] = 1.0
    row[_POINTS] = hand_value(cards) * _OF_POINTS
    while cards:
        row[_CARDS + (cards & 63) - 1] += share(s, cards & 63)
        cards >>= 6


@jit
def _encode_left(s: State, points: int, worth: float, taking: float, row: Features) -> None:
    row[_LEFT + min(points, LOW - 1)] = 1.0
    row[_LEFT_SCALED] = points * _OF_POINTS
    row[_LEFT_MAY_CALL] = points <= s.threshold
    row[_LEFT_WORTH] = _scaled_worth(worth)
    row[_WORTH_TAKING] = _scaled_worth(taking)


@jit
def _failure(s: State, seat: int, value: int) -> float:
    """The chance that a call of this hand fails; a hand above 10 points is not looked at, as it nearly always fails."""
    if value > s.threshold or value > LOW - 2:
        return 1.0
    return min(1.0, max(0.0, float(call_failure(s, seat, THRIFT))))


@jit
def _is_reduced_late(s: State, total: int) -> bool:
    """Whether a total above 100 is lowered in mode=elim201."""
    return bool(total == 200 or (s.reduction == 1 and total == 150))


@jit
def _scaled_worth(worth: float) -> float:
    return min(1.0, max(-1.0, worth / WORTH))


@jit
def _rank_counts(row: int) -> int:
    """How many cards of each rank a row holds, four bits each."""
    counts = 0
    while row:
        counts += 1 << 4 * RANK[row & 63]
        row >>= 6
    return counts
