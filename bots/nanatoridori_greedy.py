"""Greedy: plays whenever it can, the weakest cards that get through, and never picks anything up.

The way of a first evening: cards in hand are bad, so none come in, and the good ones are saved for later. A hand that only
shrinks is left with single cards that nobody lets through.
"""

from arena.agent import Agent
from arena.games.nanatoridori import NanaView


class Greedy(Agent[NanaView]):
    """Sheds cards."""

    games = ("nanatoridori",)

    def act(self, view: NanaView) -> str:
        """Play if it can; drop what it has beaten, toss what it has drawn."""
        if view.plays:
            return min(view.plays, key=lambda action: view.plays[action].block)
        return {"take": "drop", "drawn": "toss"}.get(view.phase, view.legal[-1])
