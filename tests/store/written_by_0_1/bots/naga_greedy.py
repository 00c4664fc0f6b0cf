"""Greedy: fights where its hand is strong for the place and always plays its strongest cards, whatever it costs later.

How beginners play: good cards are spent at once, moons first, also in a contest that is lost or was safe with less.
Folk strategy, and the usual second yardstick after chance: it sees its own hand and the field, and no later contest.
"""

from itertools import combinations

from arena.agent import Agent
from arena.games.naga import NagaView

SAMPLES = 20  # random selections that show what is usual at a place


class Greedy(Agent[NagaView]):
    """Strengths compare within one place only, so places are compared by how many random selections the hand beats."""

    games = ("naga",)

    def act(self, view: NagaView) -> str:
        """Choose the best place or the strongest cards; of equal ones the first in the legal list."""
        if view.place is None:
            return max(view.legal, key=lambda action: self.promise(view, int(action.removeprefix("field "))))
        place = view.place
        return max(view.legal, key=lambda action: view.strength(action.split()[1:], place))

    def promise(self, view: NagaView, place: int) -> int:
        """How many of some random selections the best one of the own hand beats at a place."""
        best = max(view.strength(cards, place) for cards in combinations(view.hand, 3))
        return sum(view.strength(self.rng.sample(view.unseen, 3), place) < best for _ in range(SAMPLES))
