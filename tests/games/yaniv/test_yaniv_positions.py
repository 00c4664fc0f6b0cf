"""Positions of Yaniv that are refused, and what its view shows."""

import pytest

from arena.errors import PositionError
from helpers.yaniv_tables import GAME, after, deal, made, position


def changed(**keys):
    return {**position(deal()), **keys}


TURN = {"laid": ["S2"], "taken": None}
SLAPPING = made(["S7 C2", "D2"], previous="S2", laid="H7", phase="slap", drawn="S7", options={"slap_down": True})


class TestMalformedPositions:
    """A position that breaks the notation or the rules is refused with the key that does it."""

    @pytest.mark.parametrize(
        ("document", "key"),
        [
            (changed(hand=[]), "hand"),
            (changed(seats=1), "seats"),
            (changed(seats=3), "totals"),
            (changed(phase="over"), "phase"),
            (changed(phase="deal"), "phase"),
            (changed(phase="draw"), "laid"),
            (changed(turn=None), "turn"),
            (changed(turn=2), "turn"),
            (changed(starter=2), "starter"),
            (changed(round=0), "round"),
            (changed(round="1"), "round"),
            (changed(round=201), "round"),
            (changed(turns=200), "turns"),
            (changed(totals=[0]), "totals"),
            (changed(totals=[0, 101]), "totals[1]"),
            (changed(totals=[0, -1]), "totals[1]"),
            (changed(dropped=[0, 1]), "dropped"),
            (changed(options={"threshold": 6}), "options.threshold"),
            (changed(options={"treshold": 5}), "options.treshold"),
            (changed(options={"mode": "elim201"}, dropped=[1, 0]), "dropped[0]"),
            (changed(options={"mode": "elim201"}, dropped=[1, 0], round=2), "totals[0]"),
            (changed(options={"mode": "elim201"}, dropped=[1, 0], round=2, totals=[300, 0]), "phase"),
            (changed(seats=6, options={"decks": 1}), "options.decks"),
            (changed(hands=None), "hands"),
            (changed(hands=["S2", "S3"]), "hands[0]"),
            (changed(hands=[["S1"], []]), "hands[0][0]"),
            (changed(stock=[]), "cards"),
            (changed(stock=[1]), "stock[0]"),
            (changed(previous=[]), "previous"),
            (changed(previous=["S2", "H3"]), "previous"),
            (changed(laid=["S2"]), "laid"),
            (changed(buried=["x"]), "buried[0]"),
            (changed(drawn="S2"), "drawn"),
            (changed(**{"from": "stock"}), "from"),
            (changed(memory={"known": []}), "memory"),
            (changed(memory={"origins": ["11111", "1"]}), "memory.origins[1]"),
            (changed(memory=[1]), "memory"),
            (changed(memory={"recent": [TURN]}), "memory.recent: a list of at most 0 turns"),
            (changed(turns=9, memory={"recent": [TURN] * 9}), "memory.recent: a list of at most 8 turns"),
            (changed(turns=1, memory={"recent": TURN}), "memory.recent"),
            (changed(turns=1, memory={"recent": [[]]}), "memory.recent[0]"),
            (changed(turns=1, memory={"recent": [{**TURN, "laid": []}]}), "memory.recent[0].laid"),
            (changed(turns=1, memory={"recent": [{**TURN, "laid": ["S2"] * 7}]}), "memory.recent[0].laid"),
            (changed(turns=1, memory={"recent": [{**TURN, "laid": ["?"]}]}), "memory.recent[0].laid[0]"),
            (changed(turns=1, memory={"recent": [{**TURN, "taken": "x"}]}), "memory.recent[0].taken"),
            (changed(turns=1, memory={"recent": [{"laid": ["S2"]}]}), "memory.recent[0]"),
            (changed(rng="12"), "rng"),
            (changed(game="naga"), "game"),
            (changed(pending=[]), "pending"),
            ({**SLAPPING, "drawn": None}, "drawn"),
            ({**SLAPPING, "drawn": "C2"}, "drawn"),
            ({**SLAPPING, "drawn": "H9"}, "drawn"),
            ({**SLAPPING, "from": "previous"}, "from"),
            ({**SLAPPING, "options": {}}, "phase"),
            ({**SLAPPING, "memory": {"origins": ["01", "1"]}}, "memory.origins[0]"),
        ],
    )
    def test_error_names_the_key(self, document, key):
        with pytest.raises(PositionError) as raised:
            GAME.text.from_position(document)
        assert str(raised.value).startswith(key)

    def test_missing_card_is_named(self):
        start = position(deal())
        missing = start["stock"].pop().replace("*", r"\*")
        with pytest.raises(PositionError, match=f"missing {missing}"):
            GAME.text.from_position(start)


class TestView:
    """What an author reads off the view."""

    def test_view_of_a_start(self):
        states = after(made(["S4 SA", "H5 D9 CQ"], previous="D9 S9 H9".replace("D9", "C9"), memory={"origins": ["11", "101"]}))
        seen = GAME.observed(states, 0)
        view = GAME.view(GAME, seen, 0, codes=GAME.legal_list(seen), events=list, clock=None)
        assert (view.hand, view.hand_value, view.can_call, view.phase) == (["SA", "S4"], 5, True, "start")
        assert (view.previous, view.ends) == (["C9", "S9", "H9"], ["C9", "H9"])
        assert view.takeable == {"draw first": "C9", "draw last": "H9"}
        assert view.known == [[], ["D9"]]
        assert (view.hand_sizes, view.stock, len(view.unseen)) == ([2, 3], 46, 48)
        assert view.discards == {"discard SA": ["SA"], "discard S4": ["S4"]}
