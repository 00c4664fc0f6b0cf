"""Nana Toridori's positions: malformed ones are refused with the key, and what an author reads off the view."""

import pytest

from arena.errors import PositionError
from helpers.nanatoridori_tables import GAME, after, deal, ended, made, position, view_of


def changed(dealt=3, /, **keys):
    return {**position(deal(seats=dealt)), **keys}


TAKING = made(["236", "157", "157"], table=("44", 0), phase="take", beaten={"value": 3, "count": 2})
DRAWN = made(["236", "157", "157"], table=("7", 2), phase="drawn", drawn="5", passes=1)
OVER = position(ended(penguins=[2, 1, 2], round_number=2))
TEN = position(ended("advanced", points=[8, 6, 4], round_number=4))
ELIMINATED = position(after(made(["125", "46"], table=("77", 1), fronts=["", "16"]), "pass"))


class TestMalformedPositions:
    """A position that breaks the notation or the rules is refused with the key that does it."""

    @pytest.mark.parametrize(
        ("document", "key"),
        [
            (changed(hand=[]), "hand"),
            (changed(seats=7), "seats"),
            (changed(seats=2), "options.variant"),
            (changed(seats=4), "hands"),
            (changed(phase="over"), "out"),
            (changed(phase="deal"), "phase"),
            (changed(phase="take"), "table"),
            (changed(turn=None), "turn"),
            (changed(turn=3), "turn"),
            (changed(starter=3), "starter"),
            (changed(starter=None), "starter"),
            (changed(passes=1), "passes"),
            (changed(round=0), "round"),
            (changed(round=2), "penguins"),
            (changed(round=5), "round"),
            (changed(penguins=[2, 2]), "penguins"),
            (changed(penguins=[2, 2, 3]), "penguins[2]"),
            (changed(penguins=[2, 2, 0], round=3), "penguins"),
            (changed(points=[2, 0, 0]), "points"),
            (changed(options={"variant": "duel"}), "options.variant"),
            (changed(options={"varient": "basic"}), "options.varient"),
            (changed(options={"variant": "advanced"}), "penguins"),
            (changed(options={"duel_penguins": 3}), "options.duel_penguins"),
            (changed(hands="12345678"), "hands"),
            (changed(hands=[["1"], "2", "3"]), "hands[0]"),
            (changed(hands=["18", "2", "3"]), "hands[0][1]"),
            (changed(hands=["²", "2", "3"]), "hands[0][0]"),
            (changed(hands=["", "2", "3"]), "hands[0]"),
            (changed(hands=["1", "2", "3"]), "cards"),
            (changed(stock=""), "cards"),
            (changed(stock=["1"]), "stock"),
            (changed(discard="1"), "cards"),
            (changed(discard="x"), "discard[0]"),
            (changed(unused="1"), "unused"),
            (changed(fronts=["1", "2"]), "fronts"),
            (changed(out=[0]), "hands[0]"),
            (changed(out=[0, 1]), "out"),
            (changed(out=[3]), "out[0]"),
            (changed(drawn="1"), "drawn"),
            (changed(beaten={"value": 1, "count": 1}), "beaten"),
            (changed(table={"value": 1, "count": 1}), "table"),
            (changed(table={"value": 8, "count": 1, "owner": 0}), "table.value"),
            (changed(table={"value": 1, "count": 10, "owner": 0}), "table.count"),
            (changed(table={"value": 1, "count": 1, "owner": 3}), "table.owner"),
            (changed(table=[1]), "table"),
            (changed(memory={"known": [["1"]]}), "memory.known"),
            (changed(memory={"blocks": []}), "memory"),
            (changed(memory={"known": [["1111111111"], [], []]}), "memory.known[0][0]"),
            (changed(memory={"known": [["12"], [], []]}), "memory.known[0][0]"),
            (changed(memory={"known": [[""], [], []]}), "memory.known[0][0]"),
            (changed(memory={"known": [[3], [], []]}), "memory.known[0][0]"),
            (changed(rng="12"), "rng"),
            (changed(game="naga"), "game"),
            ({**TAKING, "turn": 1}, "turn"),
            ({**TAKING, "passes": 1}, "passes"),
            ({**TAKING, "beaten": None}, "beaten"),
            ({**TAKING, "beaten": {"value": 5, "count": 2}}, "beaten"),
            ({**TAKING, "beaten": {"value": 3, "count": 1}}, "cards"),
            ({**DRAWN, "passes": 0}, "passes"),
            ({**DRAWN, "passes": 3}, "passes"),
            ({**DRAWN, "passes": 2}, "turn"),
            ({**DRAWN, "turn": 2}, "turn"),
            ({**DRAWN, "drawn": None}, "drawn"),
            ({**DRAWN, "drawn": "55"}, "drawn"),
            ({**DRAWN, "drawn": "6"}, "cards"),
            (made(["", "34", "5"], table=("4", 1), turn=2, out=[]), "hands[0]"),
            (made(["", "34", "5"], table=("4", 1), turn=0, out=[0]), "turn"),
            (made(["", "34", "5"], table=("4", 1), turn=1, out=[0]), "turn"),
            (made(["", "", "5", "6"], table=("4", 1), turn=2, out=[1, 0]), "table.owner"),
            (made(["", "", "5", "6"], table=("4", 1), turn=2, out=[1, 1]), "out"),
            ({**OVER, "turn": 1}, "turn"),
            ({**OVER, "out": [2, 0]}, "table.owner"),
            ({**OVER, "passes": 1}, "passes"),
            ({**OVER, "penguins": [2, 1, 2]}, "penguins"),
            ({**OVER, "penguins": [0, 2, 2]}, "penguins"),
            ({**OVER, "penguins": [2, 1, 2], "round": 1}, "phase"),
            ({**TEN, "points": [11, 7, 6]}, "points"),
            ({**TEN, "points": [8, 8, 8]}, "phase"),
            (changed(options={"variant": "advanced"}, penguins=None, points=[2, 2, 2], round=2), "points"),
            (changed(options={"variant": "advanced"}, penguins=None, points=[10, 0, 2], round=3), "points"),
            (changed(2, unused=""), "unused"),
            (changed(2, stock="1"), "stock"),
            (changed(2, fronts=["1"]), "fronts"),
            (changed(2, fronts=["123", "1"]), "fronts[0]"),
            ({**ELIMINATED, "fronts": ["1", "16"]}, "fronts[0]"),
            ({**ELIMINATED, "passes": 2}, "passes"),
            (made(["125", "46"], table=("77", 1), fronts=["13", "16"], phase="drawn", drawn="5", passes=1), "fronts[0]"),
        ],
    )
    def test_error_names_the_key(self, document, key):
        with pytest.raises(PositionError) as raised:
            GAME.text.from_position(document)
        assert str(raised.value).startswith(key)

    @pytest.mark.parametrize("document", [TAKING, DRAWN, OVER, TEN, ELIMINATED])
    def test_the_sound_ones_are_read(self, document):
        states = GAME.text.from_position(document)
        assert GAME.text.from_position(position(states)).tobytes() == states.tobytes()

    def test_missing_card_is_named(self):
        start = position(deal())
        with pytest.raises(PositionError, match=f"missing {start['stock'][0]}"):
            GAME.text.from_position({**start, "stock": start["stock"][1:]})

    def test_a_hand_as_long_as_can_be(self):
        hand = "1234567" * 8 + "12345"
        states = after(made([hand, "6", "7"]))
        assert len(GAME.legal_list(states)) == 61
        taking = made([hand[:-1], "6", "7"], table=("5", 0), phase="take", beaten={"value": 4, "count": 1}, discard="")
        with pytest.raises(PositionError, match="cards"):
            GAME.text.from_position(taking)
        full = made([hand[:-2], "6", "7"], table=("5", 0), phase="take", beaten={"value": 4, "count": 1})
        states = after(full)
        assert len(GAME.legal_list(states)) == 61
        assert position(after(full, "take 59"))["hands"][0] == hand[:-2] + "4"


class TestView:
    """What an author reads off the view."""

    def test_view_of_a_turn(self):
        memory = {"known": [["3"], ["55", "1"], []]}
        document = made(["3366", "1557", "24"], table=("4", 2), discard="77", memory=memory)
        view = view_of(after(document))
        assert (view.hand, view.variant, view.phase, view.table, view.owner) == ([3, 3, 6, 6], "basic", "turn", (1, 4), 2)
        assert view.plays["play 0 2"] == (0, 2, 0, 3)
        assert view.plays["play 0 2"].block == (2, 3)
        assert view.known == [[(1, 3)], [(1, 1), (2, 5)], []]
        assert (view.discards, view.hand_sizes, view.others, view.totals) == ([7, 7], [4, 4, 2], [1, 2], [2, 2, 2])
        assert view.unseen == {1: 8, 2: 9, 3: 7, 4: 8, 5: 7, 6: 7, 7: 7}
        assert sum(view.unseen.values()) == view.stock + 1 + 2

    def test_view_of_a_choice(self):
        view = view_of(after(TAKING))
        assert (view.beaten, view.drawn, view.phase) == ((2, 3), None, "take")
        assert view.gaps["take 1"] == [2, 3, 3, 3, 6]
        view = view_of(after(DRAWN))
        assert (view.beaten, view.drawn, view.phase) == (None, 5, "drawn")
        assert view.gaps["keep 3"] == [2, 3, 6, 5]

    def test_view_of_a_duel(self):
        document = made(["125", "46"], table=("77", 1), fronts=["13", "16"], options={"front_visible": False})
        view = view_of(after(document))
        assert (view.variant, view.fronts, view.stock) == ("duel", [[1, 3], [0, 0]], 0)
        assert sum(view.unseen.values()) == 37 + 2 + 2
