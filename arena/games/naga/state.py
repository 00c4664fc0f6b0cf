"""The record of a Naga match: its options, its fields, and what their numbers mean (RULES.md 2.1, 2.7)."""

import numpy as np

from arena.cards import Deck
from arena.engine.options import Choice, Counted, Flag, Part
from arena.engine.state import array, declare, number, option

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
SELECTIONS = len(THREE_OF_FIVE)
TWO_OF_THREE = np.array([3, 5, 6], np.int64)

DESIGNATE, SELECT, GAME_OVER, MATCH_OVER = 0, 1, 2, 3  # phases
OPEN, TIED = 0, 3  # in `won`; 1 and 2 = won by seat 0 and 1

SERIES = Counted("first_to:1", ("games", "first_to"), MAX_SERIES, "the length of a match (RULES.md 2.6)", "series")


class State:
    """The fields of a match."""

    hand = array(np.int64, 2, seen_by="owner")  # card masks
    pending = array(np.int64, 2, seen_by="owner")  # chosen masks over the hand, 0 = not yet
    place = number(np.int64)  # contested place, 0 = none (wide, like the next three: functions of them then have one signature)
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    games = array(np.int16, 2)  # won games
    round_number = number(np.int16)  # number of the game in the series, from 1
    field = array(np.int8, FIELD_CARDS)  # cards of places 1, 2, 3, 4, 4, 4, 5, 6, 7
    won = array(np.int8, 8)  # by place
    stock = array(np.int8, DECK, seen_by="nobody")  # bottom first
    num_stock = number(np.int8)
    shown = array(np.int8, SHOWN)  # played cards: per contest seat 0's, then seat 1's, ascending
    num_shown = number(np.int8)
    phase = number(np.int8)
    turn = number(np.int8)
    parent = number(np.int8)
    contest = number(np.int8)  # 1..7
    majority = option(np.int8, Choice("5", ("5", "clinch"), "when a game ends early (O-G1)"))
    none_compare = option(np.int64, Choice("top", ("top", "all"), "which cards of two hands without a category count (O-G3)"))
    moon_class = option(np.int64, Choice("trump", ("trump", "identity"), "the class of a moon (O-G4)"))
    moon_duplicate = option(np.int64, Flag(True, "whether a moon may stand for a card of the same hand (O-G5)"))
    draw_parent = option(np.int8, Choice("keep", ("keep", "swap"), "who is parent after a drawn game (O-G6)"))
    series_kind = option(np.int8, SERIES)  # 0 games, 1 first_to
    series_count = option(np.int16, Part(SERIES, 1))


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
