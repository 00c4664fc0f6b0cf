"""A state that is declared once: its record, its options, how a match starts, what a seat sees of it."""

from typing import Any

import numpy as np
import pytest

from arena import games
from arena.engine import jit
from arena.engine.options import Choice, Column, Counted, DataTable, Flag, Part, Whole
from arena.engine.state import MATCHES_KEPT, PADDING, array, begin, declare, number, option, show

SEATS = (2, 3)
SERIES = Counted("games:1", ("games", "first_to"), 9, "how long", "series")
DECK = DataTable("deck", [["ant", 6, 1], ["bee", 7, 2]], (Column("legs", 0, 8), Column("wings", 0, 4)), 3, "animals")


class State:
    wings = array(np.int8, 3, option=DECK.column("wings"))
    names = array(np.int64, 3, 3, option=DECK.names)
    animals = option(np.int8, DECK.count)
    turn = number(np.int16)
    limit = option(np.int8, Choice(5, (5, "none"), "what ends it"), stored=(5, 100))
    seats = number(np.int64)
    pairs = option(np.int8, Flag(True, "whether pairs count"))
    hand = array(np.int32, 3, seen_by="owner")
    piles = array(np.int8, 6, 2, seen_by="owner")  # two for each seat
    seed = array(np.uint32, 4, seen_by="nobody")
    drawn = number(np.int8, seen_by="rule")
    kind = option(np.int8, SERIES)
    count = option(np.int8, Part(SERIES, 1))


RECORD = declare(State, SEATS)


def begin_first(states: Any, seats: int, options: Any, seed: Any) -> None:
    begin(states[0], seats, options, seed)


def show_second(states: Any, seat: int) -> None:
    show(states[0], seat, states[1])


def entry(function: Any, is_compiled: bool) -> Any:
    return jit.bind(function, jit.ENGINE) if is_compiled else function


def test_the_record_has_the_widest_fields_first_else_in_the_order_of_the_class() -> None:
    assert RECORD.dtype.names is not None
    widths = [RECORD.dtype[name].base.itemsize for name in RECORD.dtype.names]
    assert widths == sorted(widths, reverse=True)
    assert RECORD.dtype.names[:5] == ("names", "seats", "hand", "seed", "turn")
    assert RECORD.dtype["piles"].shape == (6, 2)


def test_a_record_is_a_multiple_of_eight_bytes_and_what_that_adds_stays_0_in_every_copy() -> None:
    assert RECORD.dtype.itemsize % 8 == 0
    assert RECORD.dtype[PADDING].shape[0] < 8 and (RECORD.dtype.names or ())[-1] == PADDING
    states = np.zeros(2, RECORD.dtype)
    begin_first(states, 2, np.arange(100), np.array([9, 8, 7, 6]))
    show_second(states, 0)
    filled = np.frombuffer(bytearray(b"\7" * states.nbytes), RECORD.dtype)
    filled[:] = states
    for copy in (states, states.copy(), states[[0, 1]], np.concatenate([states]), filled):
        assert copy.tobytes() == states.tobytes() and not copy[PADDING].any()


def test_what_is_drawn_for_a_position_does_not_depend_on_padding() -> None:
    """So searches are the same as before records were padded."""
    game = games.load("hisatsu")
    states = game.deal(3, game.resolve_options({}, 3), 1)
    before = game.without_history(states.tobytes())
    assert len(before) == game.rules.STATE.itemsize - game.rules.STATE[PADDING].itemsize
    states[PADDING] = 7
    assert game.without_history(states.tobytes()) == before
    states["turn"] += 1
    assert game.without_history(states.tobytes()) != before


def test_options_are_called_like_their_fields_and_tables_come_last() -> None:
    assert [each.name for each in RECORD.options] == ["limit", "pairs", "series", "deck"]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_match_begins_with_seats_options_and_seed_and_nothing_else(is_compiled: bool) -> None:
    states = np.frombuffer(bytearray(b"\7" * RECORD.dtype.itemsize), RECORD.dtype)
    chosen = {"limit": "none", "pairs": False, "series": "first_to:4", "deck": [["cat", 4, 3]]}
    vector = np.array([code for each in RECORD.options for code in each.encode(chosen[each.name])], np.int64)
    entry(begin_first, is_compiled)(states, 3, vector, np.array([9, 8, 7, 6]))
    s = states[0]
    assert (s.seats, s.seed.tolist(), s.limit, s.pairs, s.kind, s.count) == (3, [9, 8, 7, 6], 100, 0, 1, 4)
    assert (s.animals, s.wings.tolist(), s.names[0].tolist()) == (1, [3, 0, 0], vector[7:10].tolist())
    assert not s.turn and not s.hand.any() and not s.piles.any() and not s.drawn
    assert RECORD.option_values(s) == {"limit": "none", "pairs": False, "series": "first_to:4"}
    assert RECORD.option_value(s, DECK) == [["cat", 0, 3]]  # no field holds the legs


def test_options_are_those_of_the_state_whatever_states_were_asked_before() -> None:
    s = np.zeros(1, RECORD.dtype)[0]
    s.limit, s.kind = 100, 1
    for count in range(2 * MATCHES_KEPT):
        s.count = count
        for _ in range(2):
            values = RECORD.option_values(s)
            assert values["series"] == f"first_to:{count}"
            values["series"] = "changed by who has it"


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_seat_sees_what_all_see_and_its_own(is_compiled: bool) -> None:
    states = np.frombuffer(bytearray(b"\1" * 2 * RECORD.dtype.itemsize), RECORD.dtype)
    states[1].hand[:], states[1].turn = 7, 7
    entry(show_second, is_compiled)(states, 1)
    true, seen = states
    assert seen.hand.tolist() == [0, true.hand[1], 0]
    assert seen.piles.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1], [0, 0], [0, 0]]
    assert not seen.seed.any() and seen.drawn == 0
    for name in ("wings", "names", "animals", "turn", "limit", "seats", "pairs", "kind", "count"):
        assert np.array_equal(seen[name], true[name]), name


def test_what_owners_see_must_be_equally_much_for_each_seat() -> None:
    class Uneven:
        seed = array(np.uint32, 4, seen_by="nobody")
        hand = array(np.int32, 4, seen_by="owner")

    with pytest.raises(ValueError, match="hand: 4 places are not equally many for each of 3 seats"):
        declare(Uneven, SEATS)


def test_an_option_that_has_a_name_keeps_it() -> None:
    class Named:
        limit = option(np.int16, Whole(3, 1, 9, "rounds", "rounds"))

    assert [each.name for each in declare(Named, SEATS).options] == ["rounds"]
