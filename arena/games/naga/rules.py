"""Naga for 2 seats: a series of games over nine field cards.

Rules, sources and our decisions O-G1..O-G7: RULES.md beside this file. The state is in state.py, what seats know of it in
knowledge.py.

Left out: the cut of the shuffled cards, which has no effect with a seeded shuffle.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.engine.options import OptionValue
from arena.engine.rng import Words, draw_below, shuffle
from arena.engine.state import begin
from arena.games.naga.hands import strength
from arena.games.naga.knowledge import determinize, observe, seen_action, selected
from arena.games.naga.state import (
    CONTESTS,
    DECK,
    DESIGNATE,
    ELTAM,
    FIELD_CARDS,
    FIRST_CARD,
    GAME_OVER,
    MAJORITY,
    MATCH_OVER,
    MAX_ACTIONS,
    OPEN,
    OPTIONS,
    SEATS,
    SELECT,
    SHOWN,
    STATE,
    THREE_OF_FIVE,
    TIED,
    TRUMPS,
    TWO_OF_THREE,
    State,
)

# What arena/engine/contract.py looks for in this module, although it stands in others.
__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "determinize", "observe", "seen_action"]

VERSION = 1

_DEALING, _FIRST_PARENT = 1, 2  # purposes of random streams (RULES.md 2.7)


def resolve_options(resolved: dict[str, OptionValue], _seats: int, _given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """The options as they are: none depends on the number of seats."""
    return resolved


def units(_seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return (0, 1)


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Start a series: draw the first parent and deal its first game."""
    begin(s, seats, options, seed)
    s.round_number = 1
    s.parent = draw_below(2, s.seed[:], 1, _FIRST_PARENT, 0)
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
    """How many seats play: always two."""
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
    """Each seat's won games."""
    for seat in range(2):
        out[seat] = s.games[seat]


@jit
def places(s: State, out: Words) -> None:
    """Places by won games; with equally many both seats are first."""
    for seat in range(2):
        out[seat] = 2 if s.games[seat] < s.games[1 - seat] else 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by score."""
    return False


@jit
def hand_size(s: State) -> int:
    """Cards in each hand: both always hold the same number."""
    if s.phase >= GAME_OVER:
        return 1 if s.contest == CONTESTS else 2
    return 3 if s.contest == CONTESTS else 5


@jit
def chooser(s: State) -> int:
    """The seat that designates contest k: the child for odd k, the parent for even k (RULES.md 2.2)."""
    return 1 - s.parent if s.contest % 2 == 1 else int(s.parent)


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
    shuffle(s.stock[:], DECK, s.seed[:], int(s.round_number), _DEALING, 0)
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
    """Whether the game is decided: after Eltam, at five field cards, or (clinch) by a lead above what is still open (O-G1)."""
    if s.contest == CONTESTS:
        return True
    first, second = field_cards_won(s)
    if first >= MAJORITY or second >= MAJORITY:
        return True
    still_open = FIELD_CARDS - s.contest  # one card is gone per contest, won or tied
    return s.majority == 1 and abs(first - second) > still_open


@jit
def field_cards_won(s: State) -> tuple[int, int]:
    """How many field cards seat 0 and seat 1 have won."""
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
    first, second = field_cards_won(s)
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
    """Whether all games are played, or a seat has won enough of them, for which drawn games do not count (RULES.md 2.6)."""
    if s.series_kind == 0:
        return s.round_number >= s.series_count
    return bool(s.games[0] >= s.series_count or s.games[1] >= s.series_count)


def fields_won(s: Any, seat: int) -> int:
    """How many field cards a seat has won, for views and texts."""
    return int(field_cards_won(s)[seat])
