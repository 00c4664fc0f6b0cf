"""Chance: plays any legal action, each one equally likely, in every game of the hall.

The yardstick of every tournament: what cannot beat it has a mistake. As old as game programs: `Random` in
Axelrod, the uniform random bot of OpenSpiel.
"""

from arena.agent import Agent, View


class Chance(Agent):
    """Chooses blindly. It reads nothing of the view but the legal actions, so it plays all games."""

    def act(self, view: View) -> str:
        """Draw one of the legal actions from the bot's own generator: the same seed plays the same match."""
        return self.rng.choice(view.legal)
