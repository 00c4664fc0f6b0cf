"""Naga as numbers for learning programs: what a seat knows, and what each of its actions makes of its cards.

Cards and places are compared here, as a small network hardly learns what a hand is: the best hand at each place, and how
strong each selection is. What is kept for later is described, not judged. RULES.md 2.3 to 2.5 say what hands are worth.
"""

from itertools import accumulate

import numpy as np

from arena.engine.contract import Actions, Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount, stack_array
from arena.games.naga.estimates import OUTLOOKS
from arena.games.naga.hands import ATTRIBUTES, CATEGORIES_5, HEAVEN, ILBECK, NUMBERS
from arena.games.naga.knowledge import selected, unseen_cards
from arena.games.naga.prospects import (
    BEHIND,
    CHANCE,
    DRAWN,
    WORTH,
    beaten,
    chance,
    drawn_strengths,
    write_chosen,
    write_kept,
    write_prospect,
    write_unseen,
)
from arena.games.naga.prospects import SIZE as PROSPECTS
from arena.games.naga.rollout import RIVALS
from arena.games.naga.rules import chooser, contest_strength, field_cards_won, field_mask
from arena.games.naga.shapes import (
    FOUR_KINDS,
    NATURALS,
    RUNS_4,
    RUNS_5,
    Shape,
    best_category,
    hand_shape,
    power,
    power_of,
)
from arena.games.naga.state import (
    CONTESTS,
    DECK,
    DESIGNATE,
    ELTAM,
    FIELD_CARDS,
    FIRST_CARD,
    GAME_OVER,
    OPEN,
    SELECT,
    THREE_OF_FIVE,
    TRUMPS,
    TWO_OF_THREE,
    State,
)

SINGLES = (1, 2, 3, 5, 6, 7)
"""The places with one field card, in the order of the planes."""
HAND = 5
_CARD = NUMBERS + ATTRIBUTES + 2 + 1  # per card of the hand: number, attribute, which moon, chosen
_FIELD_CARD = 9  # per card of a place: what it is, and what the hand has for it
_PLACE = 5 + _FIELD_CARD  # per place
_ELTAM = 2 * NUMBERS + 6

PLANES = (
    Plane("phase", 3, "designate, select, or the game is over"),
    Plane("contest", CONTESTS, "the number of the contest"),
    Plane("roles", 3, "this seat is parent; it designates this contest; it is to choose now"),
    Plane("score", 2, "field cards won by this seat and by the other, of 9"),
    Plane(
        "outlook",
        3,
        "the chance to win the game if coins are tossed for all open cards: now, after the next place is won, lost",
    ),
    Plane(
        "places",
        len(SINGLES) * _PLACE,
        "for each place but Eltam: open, contested, won by this seat, by the other, tied; if open: its card's number (of 7), a"
        " moon, a trump, of heaven; of the hand: cards of that number, trumps, cards of its attribute (each of 5), cards of the"
        " best straight with it (of 4), the category of the best hand (of 6)",
    ),
    Plane(
        "contested",
        _FIELD_CARD,
        "the contested place's card, if that is not Eltam, and what the hand has for it: as in `places`",
    ),
    Plane(
        "eltam",
        _ELTAM,
        "Eltam's cards by number and by attribute (each of 3), its moons (of 2); contested; of the hand: cards of its numbers,"
        " trumps (each of 5), cards of the best flush (of 8) and of the best straight (of 5) with it",
    ),
    Plane(
        "hand",
        HAND * _CARD,
        "for each card of the hand, ascending: its number, its attribute, Ilbeck, Kocelter, chosen already",
    ),
    Plane(
        "selections", len(THREE_OF_FIVE), "in phase select: how strong each legal selection is: its category and its best card"
    ),
    Plane("best", len(CATEGORIES_5) + 1, "in phase select: the category of the strongest selection, and how strong it is"),
    Plane("unseen", DECK, "the cards that are in the other hand or in the stock"),
    Plane("options", 5, "majority=clinch, none_compare=all, moon_class=identity, moon_duplicate, draw_parent=swap"),
    Plane("series", 3, "games won by this seat, by the other, and begun, of the length of the series"),
    Plane("first_to", 1, "whether the series is played until a seat has won so many games"),
    Plane("field", DECK, "the cards of the field, by card id: the place where each lies, of 7"),
    Plane("played", 2 * DECK, "for this seat and for the other the cards that it has played, by card id: the contest, of 7"),
)
ACTION_PLANES = (
    Plane("kind", 2, "designates a place, selects cards"),
    Plane("place", CONTESTS, "the place that is designated or contested"),
    Plane("category", len(CATEGORIES_5), "the hand that the selection makes, or the best one at the designated place"),
    Plane("strength", 1, "how strong that hand is: its category and its best card"),
    Plane("field", _FIELD_CARD, "of a designated place: as in `places`"),
    Plane("cards", HAND, "the selected cards by their place in the hand"),
    Plane(
        "chosen",
        5,
        "of selected cards: trumps, heaven, of the field card's number (each of 3), moons (of 2), mean number (of 7)",
    ),
    Plane(
        "kept",
        8,
        "of kept cards: moons, Eltam's trumps, cards of Eltam's numbers, of the number of another open place (each of 2),"
        " a pair, a flush begun, a straight begun, mean number (of 7)",
    ),
    Plane("kept_cards", NUMBERS + ATTRIBUTES, "kept cards by number and by attribute (each of 2)"),
    Plane(
        "prospects",
        PROSPECTS,
        "but for Eltam: about the chance to win the place against random cards at their strongest; for a selection also the"
        " share of eight drawn hands of unseen cards that it beats, and the edge of kept cards at the other open places, the"
        " mean and the best one, and at Eltam; the moons, trumps and cards of the field card's number and attribute that five"
        " unseen cards have on average; about the chance to win the game; how far that is behind the best action's (times 10)",
        low=-1.0,
        high=10.0,
    ),
)
VERSION = 2
CODES: tuple[int, ...] | None = tuple(sorted({*SINGLES, *THREE_OF_FIVE.tolist(), *TWO_OF_THREE.tolist()}))
"""Places and selections share codes; the phase says which of the two a code is."""

(
    _PHASE,
    _CONTEST,
    _ROLES,
    _SCORE,
    _OUTLOOK,
    _PLACES,
    _CONTESTED,
    _ELTAMS,
    _HANDS,
    _SELECTIONS,
    _BEST,
    _UNSEEN,
    _OPTIONS,
    _SERIES,
    _FIRST_TO,
    _FIELD_PLACES,
    _PLAYED,
    _SIZE,
) = accumulate((plane.size for plane in PLANES), initial=0)
_KIND, _AT, _CATEGORY, _STRENGTH, _FIELD, _CARDS, _CHOSEN, _KEPT, _KEPT_CARDS, _PROSPECTS, _ACTION_SIZE = accumulate(
    (plane.size for plane in ACTION_PLANES), initial=0
)
_PLAYED_BY_BOTH = 6  # cards of a contest, three of each seat; of the last one four
_SHOWN_BEFORE_ELTAM = _PLAYED_BY_BOTH * (CONTESTS - 1)
_SINGLES = np.array(SINGLES, np.int64)
_FATES = np.array([[0, 2, 3, 4], [0, 3, 2, 4]], np.int64)  # by seat: where in `places` stands what became of one
_OF_3, _OF_5, _OF_6, _OF_7, _OF_9 = (1 / whole for whole in (3, HAND, FOUR_KINDS, NUMBERS, FIELD_CARDS))


@jit
def encode(s: State, seat: int, out: Features) -> None:
    """Write what `seat` knows: PLANES says what stands where."""
    out[:] = 0.0
    hand = int(s.hand[seat])
    naturals = hand & NATURALS
    shape = hand_shape(naturals)
    _write_course(s, seat, out)
    _write_shown(s, seat, out)
    _write_hand(hand, int(s.pending[seat]), out)
    unseen = unseen_cards(s, seat)
    while unseen:
        out[_UNSEEN + lowest_bit(unseen)] = 1.0
        unseen &= unseen - 1
    still_open = 0
    for i in range(len(_SINGLES)):
        still_open |= (s.won[_SINGLES[i]] == OPEN) << i
    while still_open:
        i = lowest_bit(still_open)
        still_open &= still_open - 1
        _write_place(s, hand, shape, int(_SINGLES[i]), out, _PLACES + i * _PLACE + 5)
    if s.place > 0 and s.place != ELTAM:
        _write_place(s, hand, shape, int(s.place), out, _CONTESTED)
    _write_eltam(s, naturals, shape, out)
    if s.phase == SELECT:
        best = 0.0
        masks = TWO_OF_THREE if s.place == ELTAM else THREE_OF_FIVE
        field, trump = field_mask(s, int(s.place)), int(TRUMPS[s.place])
        for i in range(len(masks)):
            cards = field | selected(hand, int(masks[i]))
            value = power_of(cards, 5 if s.place == ELTAM else 4, trump, s.none_compare, s.moon_class, s.moon_duplicate)
            out[_SELECTIONS + i] = value
            best = max(best, value)
        out[_BEST + int(best * len(CATEGORIES_5))] = 1.0
        out[_BEST + len(CATEGORIES_5)] = best


@jit
def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write what each action makes of the cards: ACTION_PLANES says what stands where."""
    hand = int(s.hand[seat])
    shape = hand_shape(hand & NATURALS)
    unseen = unseen_cards(s, seat)
    strengths = stack_array(RIVALS, np.int64)
    if s.phase == SELECT and s.place != ELTAM:
        drawn_strengths(s, seat, int(s.place), strengths)
    for i in range(count):
        row = out[i]
        row[:] = 0.0
        if s.phase == DESIGNATE:
            place = int(actions[i])
            row[_KIND] = 1.0
            _write_place(s, hand, shape, place, row, _FIELD)
            best = 0.0
            for k in range(len(THREE_OF_FIVE)):
                best = max(best, power(s, selected(hand, int(THREE_OF_FIVE[k])), place))
            row[_PROSPECTS + CHANCE] = chance(s, place, best)
            write_prospect(s, seat, 0, place, row[_PROSPECTS + CHANCE], row, _PROSPECTS)
            write_unseen(s, unseen, place, row, _PROSPECTS)
        else:
            place = int(s.place)
            row[_KIND + 1] = 1.0
            cards = selected(hand, int(actions[i]))
            for k in range(HAND):
                row[_CARDS + k] = int(actions[i]) >> k & 1
            write_chosen(s, cards, place, row, _CHOSEN)
            write_kept(s, hand & ~cards, place, row, _KEPT, _KEPT_CARDS)
            best = power(s, cards, place)
            if place != ELTAM:
                row[_PROSPECTS + CHANCE] = chance(s, place, best)
                row[_PROSPECTS + DRAWN] = beaten(contest_strength(s, cards, place), strengths)
                write_prospect(s, seat, hand & ~cards, place, row[_PROSPECTS + DRAWN], row, _PROSPECTS)
                write_unseen(s, unseen, place, row, _PROSPECTS)
        row[_AT + place - 1] = 1.0
        row[_CATEGORY + int(best * len(CATEGORIES_5))] = 1.0
        row[_STRENGTH] = best
    worth = 0.0
    for i in range(count):
        worth = max(worth, out[i, _PROSPECTS + WORTH])
    for i in range(count):
        out[i, _PROSPECTS + BEHIND] = 10.0 * (worth - out[i, _PROSPECTS + WORTH])


@jit
def _write_course(s: State, seat: int, out: Features) -> None:
    """Write phase, contest, roles, score, what became of the places, options, series."""
    over = s.phase >= GAME_OVER
    out[_PHASE + min(int(s.phase), GAME_OVER)] = 1.0
    out[_CONTEST + s.contest - 1] = 1.0
    out[_ROLES] = s.parent == seat
    out[_ROLES + 1] = s.contest < CONTESTS and chooser(s) == seat
    out[_ROLES + 2] = not over and s.turn == seat
    first, second = field_cards_won(s)
    mine, theirs = (first, second) if seat == 0 else (second, first)
    out[_SCORE] = mine * _OF_9
    out[_SCORE + 1] = theirs * _OF_9
    if over:
        out[_OUTLOOK : _OUTLOOK + 3] = 0.5 + 0.5 * (int(mine > theirs) - int(mine < theirs))
    else:
        left = CONTESTS - s.contest
        prize = 1 if left else 3
        rest = left - 1 if left else CONTESTS
        out[_OUTLOOK] = OUTLOOKS[mine, theirs, left]
        out[_OUTLOOK + 1] = OUTLOOKS[mine + prize, theirs, rest]
        out[_OUTLOOK + 2] = OUTLOOKS[mine, theirs + prize, rest]
    for i in range(len(_SINGLES)):
        won = int(s.won[_SINGLES[i]])
        at = _PLACES + i * _PLACE
        out[at + _FATES[seat, won]] = 1.0
        out[at + 1] = s.place == _SINGLES[i]
    out[_OPTIONS] = s.majority
    out[_OPTIONS + 1] = s.none_compare
    out[_OPTIONS + 2] = s.moon_class
    out[_OPTIONS + 3] = s.moon_duplicate
    out[_OPTIONS + 4] = s.draw_parent
    share = 1.0 / s.series_count
    out[_SERIES] = s.games[seat] * share
    out[_SERIES + 1] = s.games[1 - seat] * share
    out[_SERIES + 2] = min(1.0, s.round_number * share)
    out[_FIRST_TO] = s.series_kind


@jit
def _write_shown(s: State, seat: int, out: Features) -> None:
    """Write where the field cards lie, and who played which cards in which contest."""
    for place in range(1, CONTESTS + 1):
        for i in range(FIRST_CARD[place], FIRST_CARD[place + 1]):
            out[_FIELD_PLACES + int(s.field[i])] = place * _OF_7
    for i in range(s.num_shown):
        begin = i // _PLAYED_BY_BOTH * _PLAYED_BY_BOTH  # of the contest in which it was played
        first = _PLAYED_BY_BOTH // 2 if begin < _SHOWN_BEFORE_ELTAM else 2  # cards of seat 0
        player = 0 if i - begin < first else 1
        out[_PLAYED + (0 if player == seat else DECK) + int(s.shown[i])] = (i // _PLAYED_BY_BOTH + 1) * _OF_7


@jit
def _write_hand(hand: int, chosen: int, out: Features) -> None:
    """Write the cards of the hand one by one. The ids of natural cards are below ILBECK."""
    at = _HANDS
    while hand:
        card = lowest_bit(hand)
        hand &= hand - 1
        is_natural = card < ILBECK
        out[at + (card % NUMBERS if is_natural else NUMBERS + ATTRIBUTES + card - ILBECK)] = 1.0
        out[at + NUMBERS + (card // NUMBERS if is_natural else ATTRIBUTES + card - ILBECK)] = 1.0
        out[at + _CARD - 1] = chosen & 1
        chosen >>= 1
        at += _CARD


@jit
def _write_place(s: State, hand: int, shape: Shape, place: int, out: Features, at: int) -> None:
    """Write what an open place's card is and what the hand makes of it, from `at` on."""
    field = int(s.field[FIRST_CARD[place]]) & 63
    trump = int(TRUMPS[place])
    numbers, attributes, row = shape[0], shape[1], shape[2]
    if field < ILBECK:
        number, attribute = field % NUMBERS, field // NUMBERS
        out[at] = (number + 1) * _OF_7
        out[at + 2] = attribute == trump
        out[at + 3] = attribute < HEAVEN
        out[at + 4] = (numbers >> 4 * number & 15) * _OF_5
        out[at + 6] = (attributes >> 4 * attribute & 15) * _OF_5
        out[at + 7] = RUNS_4[row | 1 << number, 1 + number] * 0.25
    else:
        out[at + 1] = 1.0
        out[at + 7] = RUNS_4[row, 0] * 0.25
    out[at + 5] = (attributes >> 4 * trump & 15) * _OF_5
    out[at + 8] = best_category(shape, popcount(hand >> ILBECK), field) * _OF_6


@jit
def _write_eltam(s: State, naturals: int, shape: Shape, out: Features) -> None:
    """Write Eltam's cards, and what the hand has of their kind."""
    at = _ELTAMS + 2 * NUMBERS
    cards = moons = 0
    for i in range(FIRST_CARD[ELTAM], FIRST_CARD[ELTAM + 1]):
        card = int(s.field[i])
        cards |= 1 << card
        if card < ILBECK:
            out[_ELTAMS + card % NUMBERS] += _OF_3
            out[_ELTAMS + NUMBERS + card // NUMBERS] += _OF_3
        else:
            moons += 1
    field = hand_shape(cards & NATURALS)
    row = field[2]
    out[at] = moons * 0.5
    out[at + 1] = s.phase == SELECT and s.place == ELTAM
    matches = 0
    while row:
        matches += shape[0] >> 4 * lowest_bit(row) & 15
        row &= row - 1
    out[at + 2] = matches * _OF_5
    out[at + 3] = (shape[1] >> 4 * int(TRUMPS[ELTAM]) & 15) * _OF_5
    suited = 0
    for attribute in range(ATTRIBUTES):
        suited = max(suited, shape[1] + field[1] >> 4 * attribute & 15)
    out[at + 4] = suited * 0.125
    out[at + 5] = RUNS_5[shape[2] | field[2], 0] * _OF_5
