"""Values its cards by a table of the rules, as a bot does that means no harm: what others could see of that is measured."""

import numpy as np
from numpy.typing import NDArray

from arena.agent import Agent
from arena.games.naga import NagaView
from arena.games.naga.endgame import _NUMBERS
from arena.games.naga.state import CARDS

LINES = 9  # of the table for each card, so that neighbours are not loaded with it
_LINE = 8  # numbers


class Rival(Agent[NagaView]):
    """Plays the selection that its table likes best."""

    games = ("naga",)
    wants_forced = True

    def act(self, view: NagaView) -> str:
        """Look up each card in hand, and play the first action."""
        numbers = table()
        for card in view.hand:
            numbers.item(LINES * _LINE * CARDS.parse(card, "hand"))
        return view.legal[0]


def table() -> NDArray[np.int64]:
    """A table that all seats have, with a line of memory for each card."""
    return _NUMBERS.view()
