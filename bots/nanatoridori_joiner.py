"""Joiner: plans how its hand falls apart into plays, and takes the blocks that join its runs into stronger ones.

The plan is the puzzle of removing boxes: clearing a run lets its neighbours meet, so the order of plays decides how many
there are. A play costs what it takes to get it through: many equal cards nearly nothing, a low single card a whole lead.
"""

from dataclasses import dataclass
from functools import cache

from arena.agent import Agent, StartInfo
from arena.games.nanatoridori import NanaView

Hand = tuple[int, ...]


@dataclass(frozen=True)
class Knobs:
    """What may be set by `params`; found by play against the greedy bot."""

    single: float = 1.5
    """Turns that a play of one card of value 0 would cost."""
    step: float = 0.1
    """Turns that each point of value saves."""
    more: float = 0.45
    """Turns that each further card saves."""
    least: float = 0.0
    """Turns that even the strongest play costs."""
    patience: float = 0.15
    """Turns that a pass costs beside the turn itself."""
    life: float = 2.5
    """Turns that a front card of a duel is worth."""
    hurry: float = 0.1
    """Turns that each card in hand costs."""


class Joiner(Agent[NanaView]):
    """Keeps the plan for its hand short."""

    games = ("nanatoridori",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs; an unknown one is a fault at the start."""
        self.knobs = Knobs(**self.params)
        self.plan = cache(self._plan)

    def act(self, view: NanaView) -> str:
        """The action that leaves the cheapest plan."""
        costs = {action: self.cost(tuple(hand)) for action, hand in view.gaps.items()}
        if view.phase == "turn":
            costs = {action: self.after_play(view, action) for action in view.plays}
            if view.table:
                costs |= {action: self.after_pass(view, action) for action in view.legal if action.startswith("pass")}
        else:
            costs[view.legal[-1]] = self.cost(tuple(view.hand))
        return min(costs, key=costs.__getitem__)

    def after_play(self, view: NanaView, action: str) -> float:
        """What is left of the hand, with the beaten block where it helps."""
        play, hand = view.plays[action], tuple(view.hand)
        rest = hand[: play.first] + hand[play.first + play.cards :]
        if not rest:
            return -100.0
        block = (view.table.value,) * view.table.size if view.table else ()
        return self.best(rest, block) + self.knobs.life * play.fronts

    def after_pass(self, view: NanaView, action: str) -> float:
        """The hand with the card that may come, kept where it helps."""
        hand, knobs = tuple(view.hand), self.knobs
        if view.variant == "duel":
            if action == "pass":
                return 100.0
            return self.best(hand, (int(action.split()[1]),)) + knobs.patience + knobs.life
        if not view.stock:
            return self.cost(hand) + knobs.patience
        total = sum(view.unseen.values())
        draws = sum(count * self.best(hand, (card,)) for card, count in view.unseen.items())
        return draws / total + knobs.patience

    def best(self, hand: Hand, block: Hand) -> float:
        """The cheapest plan with a block at its best gap, or without it."""
        gaps = range(len(hand) + 1) if block else ()
        return min([self.cost(hand), *(self.cost(hand[:gap] + block + hand[gap:]) for gap in gaps)])

    def cost(self, hand: Hand) -> float:
        """The turns that a hand still takes."""
        return self.plan(hand, 0) + self.knobs.hurry * len(hand)

    def _plan(self, hand: Hand, joined: int) -> float:
        """Turns to clear a hand to whose first card `joined` equal ones have been joined."""
        if not hand:
            return 0.0
        value, size = hand[0], 1
        while size < len(hand) and hand[size] == value:
            size += 1
        joined += size
        best = self.price(joined, value) + self.plan(hand[size:], 0)
        for meet in range(size + 1, len(hand)):
            if hand[meet] == value and hand[meet - 1] != value:
                best = min(best, self.plan(hand[size:meet], 0) + self.plan(hand[meet:], joined))
        return best

    def price(self, count: int, value: int) -> float:
        """Turns that a play takes to get through."""
        knobs = self.knobs
        return max(knobs.least, knobs.single - knobs.step * value - knobs.more * (count - 1))
