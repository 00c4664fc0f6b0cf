"""Greedy: plays the first card that goes, Nertz pile first, calls as soon as it may, and turns the stock when nothing goes.

How everybody plays the first evening: no card is moved between work piles, and nobody else's cards are looked at.
"""

from arena.agent import Agent
from arena.games.nertz import NertzView

ORDER = ("call", "nertz found", "waste found", "work found", "nertz work", "waste work", "flip", "wait")


class Greedy(Agent[NertzView]):
    """The best kind of move in a fixed order; of one kind the first in the legal list."""

    games = ("nertz",)

    def act(self, view: NertzView) -> str:
        """Go down the list."""
        kinds = {kind(action): action for action in reversed(view.legal)}
        return next(kinds[name] for name in ORDER if name in kinds)


def kind(action: str) -> str:
    """An action without its piles, such as `work found`."""
    return " ".join(word for word in action.split() if not word.isdigit())
