"""Greedy: calls as soon as it may, sheds the most points each turn, takes an open card only if it is cheap.

The way most people play their first evening; no memory, no thought about the others.
"""

from arena.agent import Agent
from arena.games.yaniv import YanivView

CHEAP = 3  # points: a card from the stock costs 6.3 on average


class Greedy(Agent[YanivView]):
    """Sheds points, calls when allowed."""

    games = ("yaniv",)

    def act(self, view: YanivView) -> str:
        """Call, shed, draw or slap."""
        if view.phase == "start":
            if view.can_call:
                return "call"
            return max(view.discards, key=lambda action: view.value(view.discards[action]))
        if view.phase == "draw":
            action, card = min(view.takeable.items(), key=lambda item: view.value([item[1]]))
            return action if view.value([card]) <= CHEAP or "draw stock" not in view.legal else "draw stock"
        return "slap"
