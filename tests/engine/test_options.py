"""Rule options: what they accept, and the way through whole numbers and back."""

import pytest

from arena.engine.options import Choice, Counted, Flag, Whole

CHOICE = Choice("5", ("5", "clinch"), "when a game ends early", "majority")
NUMBERED = Choice(5, (5, 7, 10, "none"), "points", "threshold")
FLAG = Flag(False, "whether", "slap_down")
WHOLE = Whole(101, 20, 500, "points", "limit")
COUNTED = Counted("first_to:1", ("games", "first_to"), 1000, "length", "series")

ACCEPTED = [
    (CHOICE, "5", [0]),
    (CHOICE, "clinch", [1]),
    (NUMBERED, 10, [2]),
    (NUMBERED, "none", [3]),
    (FLAG, False, [0]),
    (FLAG, True, [1]),
    (WHOLE, 20, [20]),
    (WHOLE, 500, [500]),
    (COUNTED, "games:1", [0, 1]),
    (COUNTED, "first_to:1000", [1, 1000]),
]
REFUSED = [
    *[(CHOICE, value) for value in ("6", "", "CLINCH", True, None, [], {}, 5.0)],
    *[(NUMBERED, value) for value in (6, "five", True, None, [], 5.0)],
    *[(FLAG, value) for value in (0, 1, "true", None, [])],
    *[(WHOLE, value) for value in (19, 501, True, "20", 20.0, None, [20])],
    *[(COUNTED, value) for value in ("games", "games:", "games:0", "games:01", "games:1001", "games:-1", "games: 1")],
    *[(COUNTED, value) for value in ("sets:1", ":1", "games:1:1", "games:\N{SUPERSCRIPT TWO}", 1, None, ["games:1"])],
]


@pytest.mark.parametrize(("option", "value", "codes"), ACCEPTED)
def test_value_becomes_whole_numbers_and_back(option, value, codes):
    assert option.encode(value) == codes
    assert len(codes) == option.width
    assert option.decode(codes) == value


@pytest.mark.parametrize("option", [CHOICE, FLAG, WHOLE, COUNTED])
def test_default_is_accepted(option):
    assert option.decode(option.encode(option.default)) == option.default


def test_number_is_read_as_the_text_of_a_choice():
    assert CHOICE.decode(CHOICE.encode(5)) == "5"


@pytest.mark.parametrize(("option", "value"), REFUSED)
def test_refused_value_is_told_what_would_be_right(option, value):
    with pytest.raises(ValueError, match=option.accepts):
        option.encode(value)


def test_accepted_values_in_words():
    assert [option.accepts for option in (CHOICE, FLAG, WHOLE, COUNTED)] == [
        "one of 5, clinch",
        "true or false",
        "a whole number from 20 to 500",
        "games:N or first_to:N with N from 1 to 1000",
    ]
