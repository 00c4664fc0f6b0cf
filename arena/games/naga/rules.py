"""Naga for 2 seats: a series of games over nine field cards.

Rules, sources and our decisions O-G1..O-G7: RULES.md beside this file.

Left out: the cut of the shuffled cards, which has no effect with a seeded shuffle.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import Deck
from arena.games.naga.hands import strength
from arena.jit import jit, lowest_bit, popcount
from arena.options import Choice, Counted, Flag, Option, OptionValue
from arena.rng import Seed, Words, below, draw_below, next_word, shuffle

VERSION = 1

ATTRIBUTES = "dlfawte"  # dark, light, fire, wind, water, wood, earth
CARDS = Deck([*(attribute + str(number) for attribute in ATTRIBUTES for number in range(1, 8)), "I", "K"])
"""Card id = attribute * 7 + number - 1; then the moons: 49 Ilbeck (big), 50 Kocelter (small)."""

SEATS = (2,)
DECK = 51
FIELD_CARDS = 9
ELTAM = 4  # the place with three cards, contested last
CONTESTS = 7  # six single cards, then Eltam
MAJORITY = 5  # of nine field cards
MAX_ACTIONS = 10  # three of five hand cards
SHOWN = 40  # six contests with six cards, Eltam with four
MAX_SERIES = 1000  # games: keeps all counters small

TRUMPS = np.array([-1, 0, 2, 5, 4, 6, 1, 3], np.int64)  # by place: dark fire wood water earth light wind (RULES.md 2.1)
FIRST_CARD = np.array([0, 0, 1, 2, 3, 6, 7, 8, 9], np.int64)  # by place: where its cards begin in `field`
THREE_OF_FIVE = np.array([7, 11, 13, 14, 19, 21, 22, 25, 26, 28], np.int64)  # masks over the hand, ascending
TWO_OF_THREE = np.array([3, 5, 6], np.int64)

DESIGNATE, SELECT, GAME_OVER, MATCH_OVER = 0, 1, 2, 3  # phases
OPEN, TIED = 0, 3  # in `won`; 1 and 2 = won by seat 0 and 1
DEALING, FIRST_PARENT = 1, 2  # purposes of random streams (RULES.md 2.7)
SEEN_SELECT = 1 << 50  # marks a seen selection: six 6-bit fields card + 1, three per seat, 0 = unseen

OPTIONS: tuple[Option, ...] = (
    Choice("majority", "5", ("5", "clinch"), "when a game ends early (O-G1)"),
    Choice("none_compare", "top", ("top", "all"), "which cards of two hands without a category count (O-G3)"),
    Choice("moon_class", "trump", ("trump", "identity"), "the class of a moon (O-G4)"),
    Flag("moon_duplicate", True, "whether a moon may stand for a card of the same hand (O-G5)"),
    Choice("draw_parent", "keep", ("keep", "swap"), "who is parent after a drawn game (O-G6)"),
    Counted("series", "first_to:1", ("games", "first_to"), MAX_SERIES, "the length of a match (RULES.md 2.6)"),
)

STATE = np.dtype((np.record, [
    ("hand", "i8", (2,)),  # card masks
    ("pending", "i8", (2,)),  # chosen masks over the hand, 0 = not yet
    ("place", "i8"),  # contested place, 0 = none (wide, like the next three: functions of them then have one signature)
    ("none_compare", "i8"),
    ("moon_class", "i8"),
    ("moon_duplicate", "i8"),
    ("seed", "u4", (4,)),  # the deal's secret
    ("games", "i2", (2,)),  # won games
    ("round_number", "i2"),  # number of the game in the series, from 1
    ("series_count", "i2"),
    ("field", "i1", (FIELD_CARDS,)),  # cards of places 1, 2, 3, 4, 4, 4, 5, 6, 7
    ("won", "i1", (8,)),  # by place
    ("stock", "i1", (DECK,)),  # bottom first
    ("num_stock", "i1"),
    ("shown", "i1", (SHOWN,)),  # played cards: per contest seat 0's, then seat 1's, ascending
    ("num_shown", "i1"),
    ("phase", "i1"),
    ("turn", "i1"),
    ("parent", "i1"),
    ("contest", "i1"),  # 1..7
    ("majority", "i1"),
    ("draw_parent", "i1"),
    ("series_kind", "i1"),  # 0 games, 1 first_to
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    hand: NDArray[np.int64]
    pending: NDArray[np.int64]
    place: int
    seed: Seed
    games: NDArray[np.int16]
    round_number: int
    series_count: int
    field: NDArray[np.int8]
    won: NDArray[np.int8]
    stock: NDArray[np.int8]
    num_stock: int
    shown: NDArray[np.int8]
    num_shown: int
    phase: int
    turn: int
    parent: int
    contest: int
    majority: int
    none_compare: int
    moon_class: int
    moon_duplicate: int
    draw_parent: int
    series_kind: int


def resolve_options(resolved: dict[str, OptionValue], _seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Nothing depends on the number of seats."""
    return resolved


def units(_seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return (0, 1)


@jit
def deal(s: State, _seats: int, options: Words, seed: Words) -> None:
    """Start a series: draw the first parent and deal its first game."""
    for i in range(4):
        s.seed[i] = seed[i]
    s.majority = options[0]
    s.none_compare = options[1]
    s.moon_class = options[2]
    s.moon_duplicate = options[3]
    s.draw_parent = options[4]
    s.series_kind = options[5]
    s.series_count = options[6]
    s.games[0] = 0
    s.games[1] = 0
    s.round_number = 1
    s.parent = draw_below(2, s.seed[:], 1, FIRST_PARENT, 0)
    _deal_game(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """DESIGNATE: place numbers; SELECT: bit masks over the hand in card id order (RULES.md 2.7)."""
    if s.phase == DESIGNATE:
        count = 0
        for place in range(1, 8):
            if place != ELTAM and s.won[place] == OPEN:
                out[count] = place
                count += 1
        return count
    if s.phase != SELECT:
        return 0
    if s.contest == CONTESTS:
        for i in range(3):
            out[i] = TWO_OF_THREE[i]
        return 3
    for i in range(10):
        out[i] = THREE_OF_FIVE[i]
    return 10


@jit
def step(s: State, action: int) -> None:
    """Designate a place, or select cards; the second selection resolves the contest."""
    if s.phase == DESIGNATE:
        s.place = action
        s.phase = SELECT
        s.turn = 0
        return
    s.pending[s.turn] = action
    if s.turn == 0:
        s.turn = 1
    else:
        _resolve_contest(s)


@jit
def current_seat(s: State) -> int:
    """The chooser, or the seat to select: seat 0 first."""
    return int(s.turn)


@jit
def num_seats(_s: State) -> int:
    """Always two."""
    return 2


@jit
def is_simultaneous(s: State) -> bool:
    """Selections are hidden until both are in."""
    return s.phase == SELECT


@jit
def is_round_over(s: State) -> bool:
    """Whether a game of the series is over."""
    return s.phase >= GAME_OVER


@jit
def is_terminal(s: State) -> bool:
    """Whether the series is over."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """The winner of the last game is the next parent; after a draw see O-G6."""
    winner = _game_winner(s)
    if winner >= 0:
        s.parent = winner
    elif s.draw_parent == 1:
        s.parent = 1 - s.parent
    s.round_number += 1
    _deal_game(s)


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Won games."""
    for seat in range(2):
        out[seat] = s.games[seat]


@jit
def places(s: State, out: Words) -> None:
    """By won games; equal = both first."""
    for seat in range(2):
        out[seat] = 2 if s.games[seat] < s.games[1 - seat] else 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def observe(s: State, seat: int, out: State) -> None:
    """Hides the deal seed, the stock, the other hand and the other's pending selection."""
    other = 1 - seat
    for i in range(4):
        out.seed[i] = 0
    out.hand[seat] = s.hand[seat]
    out.hand[other] = 0
    out.pending[seat] = s.pending[seat]
    out.pending[other] = 0
    for i in range(DECK):
        out.stock[i] = 0
    for i in range(SHOWN):
        out.shown[i] = s.shown[i]
    for i in range(FIELD_CARDS):
        out.field[i] = s.field[i]
    for place in range(8):
        out.won[place] = s.won[place]
    for i in range(2):
        out.games[i] = s.games[i]
    out.round_number = s.round_number
    out.series_count = s.series_count
    out.num_stock = s.num_stock
    out.num_shown = s.num_shown
    out.phase = s.phase
    out.turn = s.turn
    out.parent = s.parent
    out.contest = s.contest
    out.place = s.place
    out.majority = s.majority
    out.none_compare = s.none_compare
    out.moon_class = s.moon_class
    out.moon_duplicate = s.moon_duplicate
    out.draw_parent = s.draw_parent
    out.series_kind = s.series_kind


@jit
def determinize(s: State, seat: int, rng: Words) -> None:
    """All unseen cards in uniformly random order: the other's hand, then the stock. A selection that is in is drawn anew."""
    other = 1 - seat
    unseen = ((1 << DECK) - 1) & ~s.hand[seat]
    for i in range(FIELD_CARDS):
        unseen &= ~(1 << int(s.field[i]))
    for i in range(s.num_shown):
        unseen &= ~(1 << int(s.shown[i]))
    count = 0
    while unseen:
        s.stock[count] = lowest_bit(unseen)
        count += 1
        unseen &= unseen - 1
    hand = 0
    for _ in range(count - s.num_stock):
        taken = below(rng, count)
        count -= 1
        hand |= 1 << int(s.stock[taken])
        s.stock[taken] = s.stock[count]
        s.stock[count] = 0
    s.hand[other] = hand
    for last in range(count - 1, 0, -1):
        taken = below(rng, last + 1)
        card = s.stock[last]
        s.stock[last] = s.stock[taken]
        s.stock[taken] = card
    s.pending[other] = 0
    if s.phase == SELECT and s.turn == 1 and seat == 1:
        if s.contest == CONTESTS:
            s.pending[0] = TWO_OF_THREE[below(rng, len(TWO_OF_THREE))]
        else:
            s.pending[0] = THREE_OF_FIVE[below(rng, len(THREE_OF_FIVE))]
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def seen_action(s: State, action: int, viewer: int) -> int:
    """A place as it is; a selection as its cards, to its seat at once, to the other when the second one reveals both."""
    if s.phase == DESIGNATE:
        return action
    if s.turn == 1:
        return SEEN_SELECT | _packed(int(s.hand[0]), int(s.pending[0])) | _packed(int(s.hand[1]), action) << 18
    if viewer == 0:
        return SEEN_SELECT | _packed(int(s.hand[0]), action)
    return 0


@jit
def hand_size(s: State) -> int:
    """Cards in each hand: both always hold the same number."""
    if s.phase >= GAME_OVER:
        return 1 if s.contest == CONTESTS else 2
    return 3 if s.contest == CONTESTS else 5


@jit
def chooser(s: State) -> int:
    """Who designates contest k: the child for odd k, the parent for even k (RULES.md 2.2)."""
    return 1 - s.parent if s.contest % 2 == 1 else int(s.parent)


@jit
def selected(hand: int, mask: int) -> int:
    """The cards of `hand` that a mask over the hand in card id order selects."""
    cards = 0
    while mask:
        if mask & 1:
            cards |= hand & -hand
        hand &= hand - 1
        mask >>= 1
    return cards


@jit
def field_mask(s: State, place: int) -> int:
    """The field cards of a place as a card mask."""
    mask = 0
    for i in range(FIRST_CARD[place], FIRST_CARD[place + 1]):
        mask |= 1 << int(s.field[i])
    return mask


@jit
def contest_strength(s: State, cards: int, place: int) -> int:
    """The strength of `cards` with the field cards of `place`; larger wins, equal ties (RULES.md 2.3-2.5)."""
    return strength(
        cards | field_mask(s, place),
        5 if place == ELTAM else 4,
        int(TRUMPS[place]),
        s.none_compare,
        s.moon_class,
        s.moon_duplicate,
    )


@jit
def _deal_game(s: State) -> None:
    """Nine field cards from the top, then five to each hand in blocks, the parent's block first."""
    for card in range(DECK):
        s.stock[card] = card
    shuffle(s.stock[:], DECK, s.seed[:], int(s.round_number), DEALING, 0)
    s.num_stock = DECK
    for i in range(FIELD_CARDS):
        s.field[i] = _draw(s)
    for place in range(8):
        s.won[place] = OPEN
    for i in range(SHOWN):
        s.shown[i] = 0
    s.num_shown = 0
    s.hand[0] = 0
    s.hand[1] = 0
    s.pending[0] = 0
    s.pending[1] = 0
    s.contest = 1
    _begin_designation(s)
    _fill_hands(s)


@jit
def _begin_designation(s: State) -> None:
    s.phase = DESIGNATE
    s.place = 0
    s.turn = chooser(s)


@jit
def _draw(s: State) -> int:
    s.num_stock -= 1
    card = int(s.stock[s.num_stock])
    s.stock[s.num_stock] = 0
    return card


@jit
def _fill_hands(s: State) -> None:
    """Five cards at the start, three between contests, one before Eltam: in blocks, the parent's block first."""
    count = hand_size(s) - popcount(int(s.hand[0]))
    for _ in range(count):
        s.hand[s.parent] |= 1 << _draw(s)
    for _ in range(count):
        s.hand[1 - s.parent] |= 1 << _draw(s)


@jit
def _resolve_contest(s: State) -> None:
    place = int(s.place)
    left = selected(int(s.hand[0]), int(s.pending[0]))
    right = selected(int(s.hand[1]), int(s.pending[1]))
    difference = contest_strength(s, left, place) - contest_strength(s, right, place)
    s.won[place] = 1 if difference > 0 else 2 if difference < 0 else TIED
    _show(s, left)
    _show(s, right)
    s.hand[0] &= ~left
    s.hand[1] &= ~right
    s.pending[0] = 0
    s.pending[1] = 0
    if _is_decided(s):
        _end_game(s)
        return
    s.contest += 1
    if s.contest == CONTESTS:
        s.place = ELTAM
        s.turn = 0
    else:
        _begin_designation(s)
    _fill_hands(s)


@jit
def _show(s: State, cards: int) -> None:
    while cards:
        s.shown[s.num_shown] = lowest_bit(cards)
        s.num_shown += 1
        cards &= cards - 1


@jit
def _is_decided(s: State) -> bool:
    """After Eltam, at five field cards, or (clinch) when the lead exceeds the field cards still open (O-G1)."""
    if s.contest == CONTESTS:
        return True
    first, second = _field_cards_won(s)
    if first >= MAJORITY or second >= MAJORITY:
        return True
    still_open = FIELD_CARDS - s.contest  # one card is gone per contest, won or tied
    return s.majority == 1 and abs(first - second) > still_open


@jit
def _field_cards_won(s: State) -> tuple[int, int]:
    """By seat 0 and by seat 1."""
    first = second = 0
    for place in range(1, 8):
        worth = 3 if place == ELTAM else 1
        if s.won[place] == 1:
            first += worth
        elif s.won[place] == 2:
            second += worth
    return first, second


@jit
def _game_winner(s: State) -> int:
    """The seat with more field cards, -1 for a draw."""
    first, second = _field_cards_won(s)
    return 0 if first > second else 1 if second > first else -1


@jit
def _end_game(s: State) -> None:
    winner = _game_winner(s)
    if winner >= 0:
        s.games[winner] += 1
    s.phase = MATCH_OVER if is_series_over(s) else GAME_OVER
    s.place = 0
    s.turn = 0


@jit
def is_series_over(s: State) -> bool:
    """All games played, or one seat has won enough: drawn games do not count there (RULES.md 2.6)."""
    if s.series_kind == 0:
        return s.round_number >= s.series_count
    return bool(s.games[0] >= s.series_count or s.games[1] >= s.series_count)


@jit
def _packed(hand: int, mask: int) -> int:
    """The selected cards, ascending, as 6-bit fields card + 1."""
    cards = selected(hand, mask)
    packed = 0
    shift = 0
    while cards:
        packed |= (lowest_bit(cards) + 1) << shift
        shift += 6
        cards &= cards - 1
    return packed


def unpacked(seen: int, seat: int) -> list[int]:
    """The card ids of one seat's selection in a seen code; empty when it is not in it."""
    fields = [seen >> (18 * seat + 6 * i) & 63 for i in range(3)]
    return [field - 1 for field in fields if field]


def fields_won(s: Any, seat: int) -> int:
    """How many field cards a seat has won, for views and text."""
    return int(_field_cards_won(s)[seat])
