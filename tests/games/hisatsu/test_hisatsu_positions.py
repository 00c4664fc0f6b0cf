"""Hisatsu positions as hostile input (docs/notation.md): what breaks them or conservation is refused, and the key named."""

import json

import pytest

from arena.errors import PositionError
from arena.games import load

GAME = load("hisatsu")
SMALL = [["Ant", 0, 3, 1], ["Bee", 1, 5, 2], ["Cat", 2, 7, 3], ["Dog", 0, 9, 4]]

MIDDLE = {
    "seats": 3,
    "phase": "act",
    "turn": 1,
    "turns": [2, 1, 1],
    "deck": SMALL,
    "row": [{"name": "Cat", "cards": [[0, 2, "down"], [1, 6, "down"], [2, 1, "up"]]}, {"name": "Bee", "chips": 1}],
    "stock": ["Ant", "Dog"],
    "hands": ["13456", "123457", "234567"],
    "discards": ["7", "", ""],
    "points": [1, 1, 0],
}
FACE_DOWN = {
    "seats": 3,
    "options": {"pass_discard": "face_down"},
    "phase": "act",
    "turn": 1,
    "turns": [2, 1, 1],
    "deck": SMALL,
    "row": [{"name": "Dog"}, {"name": "Bee", "cards": [[2, 1, "down"]]}],
    "stock": ["Cat"],
    "hands": ["13456", "123457", "234567"],
    "discards": ["7", "6", ""],
    "passed": ["2", "", ""],
    "captured": [[], ["Ant"], []],
    "points": [0, 0, 1],
}


def changed(document=MIDDLE, **keys):
    return {**document, **keys}


def row(*cards, name="Cat", **keys):
    return [{"name": name, "cards": list(cards), **keys}, MIDDLE["row"][1]]


def over(**keys):
    """The end of a match in which everybody passed: nothing was captured."""
    document = {
        "seats": 3,
        "phase": "over",
        "starter": 2,
        "turns": [6, 6, 6],
        "deck": SMALL,
        "row": [{"name": "Cat", "chips": 2}, {"name": "Bee", "chips": 1}],
        "stock": ["Ant", "Dog"],
        "hands": ["7", "1", "2"],
        "discards": ["123456", "234567", "134567"],
    }
    return {**document, **keys}


@pytest.mark.parametrize(
    "document",
    [
        MIDDLE,
        FACE_DOWN,
        changed(captured=[["Ant"], [], []], stock=["Dog"]),
        over(),
        over(round=1, game="hisatsu", turn=None, points=[0, 0, 0]),
        over(row=[None, {"name": "Bee", "chips": 1}], captured=[["Cat"], [], []], points=[2, 0, 0]),
    ],
)
def test_good_positions_are_read(document):
    states = GAME.text.from_position(document)
    written = GAME.text.to_position(states[0])
    assert all(written[key] == value for key, value in document.items() if key not in ("row", "options"))
    assert GAME.text.from_position(written).tobytes() == states.tobytes()


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        # The notation.
        (changed(hand=[]), 'hand: no such key in a hisatsu position; did you mean "hands"?'),
        (changed(game="naga"), "game:"),
        (changed(seats=2), "seats: 2 is not from 3 to 5"),
        (changed(seats=4), "turns: 4 items are needed, not 3"),
        (changed(round=2), "round: 2"),
        (changed(phase="deal"), "phase: one of act, over"),
        (changed(phase=None), "phase"),
        (changed(turn="1"), "turn: a whole number"),
        (changed(options={"tiebreak": "points"}), "options.tiebreak: one of none, captures"),
        (changed(options={"deck": SMALL}), "options.deck: in a position"),
        (changed(rng="12"), "rng: 32 hex digits"),
        (changed(deck="requests.csv"), "deck: a list is needed"),
        (changed(deck=[["Ant", 0, -3, 1], *SMALL[1:]]), "deck: row 1: hp: a whole number from 1"),
        (changed(deck=[*SMALL, SMALL[0]]), 'deck: row 5: name: "Ant"'),
        (changed(deck=SMALL[:1]), "deck: 1 requests are too few for 3 seats"),
        (changed(hands=[1, 2, 3]), "hands[0]: a text of digits 1 to 7"),
        (changed(hands=["13456", "123457", "23456?"]), "hands[2]: a text of digits"),
        (changed(hands=["31456", "123457", "234567"]), "hands[0]: different cards, ascending"),
        (changed(discards=["7", ""]), "discards: 3 items"),
        (changed(discards=["8", "", ""]), "discards[0]: a text of digits"),
        (changed(discards=["7777777", "", ""]), "discards[0]: at most 6 cards"),
        (changed(points=[1, 1, -1]), "points[2]: -1 is not from 0 to 6"),
        (changed(stock=["Ant", "Eel"]), "stock[1]: no request 'Eel'"),
        (changed(stock=[["Ant"], "Dog"]), "stock[0]: no request"),
        (changed(captured=[["Eel"], [], []]), "captured[0][0]: no request 'Eel'"),
        (changed(row=[None, 3]), "row[1]: null or an object"),
        (changed(row=[{"name": "Cat", "chip": 2}, None]), "row[0]: null or an object"),
        (changed(row=[{"chips": 2}, None]), "row[0].name: no request None"),
        (changed(row=row([0, 2], [1, 6, "down"])), "row[0].cards[0]: 3 items"),
        (changed(row=row([3, 2, "down"], chips=1)), "row[0].cards[0][0]: 3 is not from 0 to 2"),
        (changed(row=row([0, "?", "down"], chips=1)), "row[0].cards[0][1]: a whole number"),
        (changed(passed=["2", "", ""]), "passed: must be empty under pass_discard=face_up"),
        # Turns.
        (changed(turns=[2, 2, 1]), "turns: seat 2 started"),
        (changed(turns=[1, 1, 2]), "turns: seat 0 started"),
        (changed(starter=1), "starter: after 4 turns with seat 1 to act, seat 0 started"),
        (changed(turns=[7, 1, 1]), "turns[0]: 7"),
        (changed(phase="over", turn=None), "phase: 'over' does not go with 4 of 18 turns"),
        (changed(turn=None), "turn"),
        # Conservation of requests and one-point cards.
        (changed(stock=["Ant"]), "requests: each must be once in row, stock, captured or failed; missing Dog"),
        (changed(stock=["Ant", "Dog", "Cat"]), "requests: each must be once in row, stock, captured or failed; too often Cat"),
        (changed(stock=["Ant", "Dog"] * 3), "stock: 6 requests are more"),
        (changed(row=[MIDDLE["row"][0], None], stock=["Ant", "Bee", "Dog"]), "row: a slot is empty although"),
        (
            changed(row=[MIDDLE["row"][0], {"name": "Bee"}]),
            "row[1].chips: 1 are left of 1 one-point cards after 0 cards, not 0",
        ),
        (changed(row=row(*MIDDLE["row"][0]["cards"], chips=1)), "row[0].chips: 0 are left"),
        (changed(points=[1, 0, 0]), "points[1]: 0 one-point cards do not go with 1 hidden cards"),
        (changed(points=[2, 1, 0]), "points[0]: 2 one-point cards do not go with 1 hidden cards"),
        (changed(captured=[["Ant", "Dog"], [], []], stock=[]), "points[0]: 1 one-point cards do not go with 1 hidden cards"),
        (changed(captured=[[], ["Ant"], []], stock=["Dog"]), "points[1]"),
        (changed(captured=[["Ant"] * 7, [], []]), "captured[0]: a seat cannot have had 7 claims"),
        # Conservation of cards.
        (
            changed(hands=["13456", "123457", "134567"]),
            "cards: seat 2 must have each card 1 to 7 once; missing [2], too often [1]",
        ),
        (changed(discards=["1", "", ""]), "cards: seat 0 must have each card 1 to 7 once; missing [7], too often [1]"),
        (
            changed(hands=["1345", "123457", "234567"], discards=["76", "", ""]),
            "hands[0]: 5 cards are needed after 2 turns, not 4",
        ),
        (changed(row=row([0, 2, "up"], [1, 6, "down"])), 'row[0].cards[0]: the first 2 cards lie "down"'),
        (changed(row=row([0, 2, "down"], [1, 7, "down"])), "row[0].cards[1][1]: 7 is not from 1 to 6"),
        (changed(row=row(*[[0, 1, "down"]] * 31)), "row[0].cards: 31 cards are more"),
        (changed(turn=2, turns=[2, 2, 1]), "row[0]: the claim of seat 2 should be resolved"),
        (
            over(row=[{"name": "Cat", "chips": 2}, {"name": "Bee", "cards": [[0, 1, "down"], [1, 2, "up"]]}]),
            "row[1]: the claim of",
        ),
        (over(starter=None), "starter: a whole number"),
        (over(turn=0), "turn: must be empty when the match is over"),
        (over(points=[1, 0, 0]), "points: 0 one-point cards were taken from the requests, not 1"),
        # Face-down passes.
        (changed(FACE_DOWN, passed=None), "cards: seat 0 must have each card 1 to 7 once; missing [2]"),
        (changed(FACE_DOWN, passed=["7", "", ""]), "cards: seat 0"),
        (changed(FACE_DOWN, passed=["?", "", ""]), "passed[0]: a text of digits"),
        (
            changed(FACE_DOWN, captured=None, stock=["Ant", "Cat"]),
            "discards: under pass_discard=face_down only cards of captured and failed requests",
        ),
        (
            changed(FACE_DOWN, passed=["27", "6", ""], discards=None),
            "points[1]: 0 one-point cards do not go with 0 hidden cards",
        ),
    ],
)
def test_error_names_the_key(document, problem):
    with pytest.raises(PositionError) as raised:
        GAME.text.from_position(json.loads(json.dumps(document)))
    assert str(raised.value).startswith(problem)
    assert "\n" not in str(raised.value)


def test_a_position_does_not_read_files(tmp_path):
    table = tmp_path / "deck.csv"
    table.write_text("name,bang,hp,points\nAnt,0,3,1\nBee,0,3,1\n")
    for document in (changed(deck=str(table)), changed(options={"deck": str(table)})):
        with pytest.raises(PositionError, match="deck"):
            GAME.text.from_position(document)
