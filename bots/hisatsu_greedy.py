"""Greedy: takes what a turn gives by the look of it, a one-point card or the best request that its card seems to capture.

How beginners play: a hidden card counts as an average one, and nobody is expected to cover the own card before the next
turn. Folk strategy, the second yardstick after chance.
"""

from arena.agent import Agent
from arena.games.hisatsu import HisatsuView, Slot

AVERAGE = 3.5  # of the cards 1 to 6, those that can be hidden
FAILURE = -2.0


class Greedy(Agent[HisatsuView]):
    """The best promise of the moment."""

    games = ("hisatsu",)

    def act(self, view: HisatsuView) -> str:
        """The placement with the highest gain, with the highest card of equal ones; without any gain the highest discard."""
        best = max(view.placements, key=lambda action: self.worth(*view.placements[action]), default=None)
        if best is not None and self.worth(*view.placements[best])[0] > 0:
            return best
        return max(view.passes, key=view.passes.__getitem__)

    def worth(self, slot: Slot, card: int) -> tuple[float, int]:
        """What a card on a request seems to gain, and the card."""
        if slot.chips:
            return 1.0, card
        total = card + sum(placed.value or AVERAGE for placed in slot.cards)
        return (slot.points if total <= slot.hp else FAILURE), card
