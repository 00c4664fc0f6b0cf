"""The record of a Naga match: its options, its fields, and what their numbers mean (RULES.md 2.1, 2.7)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import Deck
from arena.engine.options import Choice, Counted, Flag, Option
from arena.engine.rng import Seed

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
