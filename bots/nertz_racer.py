"""Racer: wins the races for foundations, unloads its Nertz pile, keeps slots free, and calls when playing on earns no more.

A card in the middle can be lost to a quicker hand, one on the own work piles cannot: so the middle goes first. Work piles are
moved only where that frees a slot or uncovers a card that goes somewhere. Folk strategy of Nertz and of Klondike players;
each Nertz card that lies out is worth three points, one for itself and two that it no longer costs.
"""

from dataclasses import dataclass

from arena.agent import Agent, StartInfo
from arena.games.nertz import NertzView

RANKS = "A23456789TJQK"


@dataclass(frozen=True)
class Knobs:
    """What may be set by `params`; found by play against the greedy bot."""

    patience: int = 14
    """Ticks without anybody's progress after which turning the stock is hopeless: a whole pass takes 13."""
    generosity: float = 0.3
    """How little a point for us may be worth when it lets a rival's Nertz card out."""
    hurry: int = 2
    """A rival's Nertz cards at which a round is about to end: then no more points are waited for."""


class Racer(Agent[NertzView]):
    """Weighs every legal move; all that it needs is on the table."""

    games = ("nertz",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs: a wrong name is an error before the first card."""
        self.knobs = Knobs(**self.params)

    def act(self, view: NertzView) -> str:
        """The move that is worth most; of equal ones the first in the legal list."""
        return max(view.legal, key=lambda action: self.worth(view, action))

    def worth(self, view: NertzView, action: str) -> float:
        """What a move is worth; only the order counts. Waiting is 0."""
        words = action.split()
        if words[0] == "call":
            return self.call(view)
        if words[0] == "flip":
            return 0.5 if view.stall < self.knobs.patience else -1.0
        if words[0] == "wait":
            return 0.0
        if words[-1] == "found":
            return self.race(view, action)
        if words[0] == "nertz":
            pile = view.own.work[int(words[2])]
            return 30.0 + (len(pile) / 13 if pile else -1.0)  # a slot only where it fits nowhere else
        if words[0] == "waste":
            return self.from_waste(view, int(words[2]))
        return self.between(view, int(words[1]), int(words[3]))

    def call(self, view: NertzView) -> float:
        """Call at once where that wins the match; else only when nothing more can be laid."""
        total = view.totals[view.unit] + view.round_points[view.unit] + view.call_bonus
        return 100.0 if total >= view.target else 10.0

    def race(self, view: NertzView, action: str) -> float:
        """A card to the middle: before all else, unless it lets a rival's Nertz card out."""
        if action == "nertz found":
            return 90.0
        card = view.own.waste_top if action == "waste found" else view.own.work[int(action.split()[1])][-1]
        assert card is not None
        rivals = [layout for unit, layout in enumerate(view.layouts) if unit != view.unit]
        above = following(card)
        if above and above not in view.wanted and any(layout.nertz_top == above for layout in rivals):
            return 80.0 if above == view.own.nertz_top else 20.0 * self.knobs.generosity
        opens = action != "waste found" and len(view.own.work[int(action.split()[1])]) == 1
        return 70.0 + opens

    def from_waste(self, view: NertzView, slot: int) -> float:
        """A waste card to a work pile: best where the Nertz card then goes onto it; an empty slot is for the Nertz pile."""
        card, pile = view.own.waste_top, view.own.work[slot]
        assert card is not None
        if view.own.nertz_top and view.fits(view.own.nertz_top, card):
            return 25.0
        return (5.0 if pile else 1.0) + len(pile) / 13

    def between(self, view: NertzView, source: int, target: int) -> float:
        """Work pile to work pile: to free a slot, or to uncover a card that goes somewhere."""
        own = view.own
        pile, top = own.work[source], own.work[target][-1]
        kept = [card for card in pile if not view.fits(card, top) and RANKS.index(card[1]) >= RANKS.index(top[1])]
        if not kept:
            return 28.0 if own.nertz else 2.0
        uncovered = kept[-1]
        if uncovered in view.wanted:
            return 60.0
        if own.nertz_top and view.fits(own.nertz_top, uncovered) and f"nertz work {source}" not in view.legal:
            return 27.0 if not any(action.startswith("nertz work") for action in view.legal) else -2.0
        return -2.0


def following(card: str) -> str | None:
    """The next card of the suit; None after the king."""
    rank = RANKS.index(card[1]) + 1
    return card[0] + RANKS[rank] if rank < len(RANKS) else None
