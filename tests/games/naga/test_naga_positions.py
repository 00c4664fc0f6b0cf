"""Positions of Naga that break the notation or the rules: refused with the key that does it."""

import pytest

from arena.errors import PositionError
from helpers.naga_tables import GAME, deal, position


def changed(**keys):
    return {**position(deal()), **keys}


class TestMalformedPositions:
    """A position that breaks the notation or the rules is refused with the key that does it."""

    @pytest.mark.parametrize(
        ("document", "key"),
        [
            (changed(hand=[]), "hand"),
            (changed(seats=3), "seats"),
            (changed(phase="deal"), "phase"),
            (changed(turn=None), "turn"),
            (changed(turn=position(deal())["parent"]), "turn"),
            (changed(parent=2), "parent"),
            (changed(contest=0), "contest"),
            (changed(contest=7), "won"),
            (changed(place=3), "place"),
            (changed(options={"majority": 6}), "options.majority"),
            (changed(options={"majorty": "5"}), "options.majorty"),
            (changed(round=0), "round"),
            (changed(round="1"), "round"),
            (changed(games=[1, 0]), "games"),
            (changed(games=[0]), "games"),
            (changed(won={"1": 0}), "won"),
            (changed(won={"8": 0}), "won.8"),
            (changed(won={"1": 2}), "won.1"),
            (changed(won={"1": True}), "won.1"),
            (changed(won={"4": 0}), "won"),
            (changed(places={}), "places.1"),
            (changed(places={**position(deal())["places"], "9": []}), "places.9"),
            (changed(hands=[[], []]), "hands[0]"),
            (changed(hands=["d1", "d2"]), "hands[0]"),
            (changed(hands=None), "hands"),
            (changed(stock=[]), "cards"),
            (changed(stock=["x1"]), "stock[0]"),
            (changed(stock=[1]), "stock[0]"),
            (changed(shown=["d1"]), "shown"),
            (changed(pending=[["d1", "d2", "d3"], None]), "pending"),
            (changed(rng="12"), "rng"),
            (changed(game="yaniv"), "game"),
            (changed(starter=1), "starter"),
        ],
    )
    def test_error_names_the_key(self, document, key):
        with pytest.raises(PositionError) as raised:
            GAME.text.from_position(document)
        assert str(raised.value).startswith(key)

    def test_missing_card_is_named(self):
        start = position(deal())
        missing = start["stock"].pop()
        with pytest.raises(PositionError, match=f"missing {missing}"):
            GAME.text.from_position(start)
