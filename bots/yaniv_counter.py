"""Counter: plans discard and draw together, remembers who took what, and calls only when the others are likely to hold more.

The idea is the card counter's of every shedding game: what is not seen lies in the stock or in the other hands. A call that
fails costs 30 points, so the chance that somebody holds as little is estimated by dealing the unseen cards.
"""

from dataclasses import dataclass
from itertools import combinations

from arena.agent import Agent, StartInfo
from arena.games.yaniv import YanivView

RANKS = "A23456789TJQK"


@dataclass(frozen=True)
class Knobs:
    """What may be set by `params`; found by play against the greedy bot."""

    worlds: int = 40
    """Imagined deals per call decision."""
    thrift: float = 0.08
    """How much lower a rival holds its cards per completed turn of its own, as a share: it sheds, too."""
    risk: float = 0.3
    """A call that fails more often than this waits."""
    promise: float = 0.55
    """What the points of the next discard are worth today."""
    denial: float = 0.35
    """Points for each point that the next seat cannot get rid of by the offered card."""


@dataclass
class Choice:
    """A discard with the draw that follows it."""

    discard: str
    draw: str
    cost: float


class Counter(Agent[YanivView]):
    """Counts cards and weighs the call."""

    games = ("yaniv",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs; an unknown one is a fault at the start."""
        self.knobs = Knobs(**self.params)
        self.draw = "draw stock"

    def act(self, view: YanivView) -> str:
        """Call if it is safe enough; else the discard and the draw that leave the least."""
        if view.phase == "slap":
            return "slap"
        if view.phase == "draw":
            return self.draw if self.draw in view.legal else view.legal[0]
        if view.can_call and (not view.discards or self.failure(view) <= self.knobs.risk):
            return "call"
        best = min(self.choices(view), key=lambda choice: choice.cost)
        self.draw = best.draw
        return best.discard

    def choices(self, view: YanivView) -> list[Choice]:
        """Every discard with its best draw."""
        stock = view.unseen
        if len(stock) > 12:
            stock = self.rng.sample(stock, 12)
        choices = []
        costs: dict[tuple[str, ...], float] = {}
        for action, cards in view.discards.items():
            rest = list(view.hand)
            for card in cards:
                rest.remove(card)
            key = tuple(rest)
            if key not in costs:
                costs[key] = sum(self.cost(view, [*rest, card]) for card in stock) / max(1, len(stock))
            draws = {"draw stock": costs[key]} if stock else {}
            draws |= {draw: self.cost(view, [*rest, card]) for draw, card in view.takeable.items()}
            draw = min(draws, key=draws.__getitem__)
            choices.append(Choice(action, draw, draws[draw] + self.gift(view, cards)))
        return choices

    def cost(self, view: YanivView, hand: list[str]) -> float:
        """The points of a hand, less a part of those that its best discard would shed."""
        return view.value(hand) - self.knobs.promise * best_shed(view, hand)

    def gift(self, view: YanivView, cards: list[str]) -> float:
        """What the ends of this discard may save the next seat: a low card, or one that joins cards known to be there."""
        order = view.in_play
        follower = order[(order.index(view.seat) + 1) % len(order)]
        known = {card[-1] for card in view.known[follower] if card != "*"}
        ends = {cards[0], cards[-1]}
        saved = max(6 - view.value([end]) + 6 * (end[-1] in known and end != "*") for end in ends)
        return self.knobs.denial * max(0, saved)

    def failure(self, view: YanivView) -> float:
        """The share of imagined deals in which somebody holds no more than this hand."""
        rivals = [seat for seat in view.in_play if seat != view.seat]
        failed = 0
        thrift = max(0.25, 1 - self.knobs.thrift * view.turns / len(view.in_play))
        for _ in range(self.knobs.worlds):
            cards = list(view.unseen)
            self.rng.shuffle(cards)
            for seat in rivals:
                hidden = view.hand_sizes[seat] - len(view.known[seat])
                value = view.value(view.known[seat]) + thrift * view.value(cards[:hidden])
                del cards[:hidden]
                if value <= view.hand_value:
                    failed += 1
                    break
        return failed / self.knobs.worlds


def best_shed(view: YanivView, hand: list[str]) -> int:
    """The most points that one discard of this hand sheds: a card, a set, or a run without jokers."""
    best = max(view.value([card]) for card in hand)
    for size in range(2, len(hand) + 1):
        for cards in combinations(hand, size):
            if "*" not in cards and (is_set(cards) or is_run(cards)):
                best = max(best, view.value(cards))
    return best


def is_set(cards: tuple[str, ...]) -> bool:
    """Cards of one rank."""
    return len({card[1] for card in cards}) == 1


def is_run(cards: tuple[str, ...]) -> bool:
    """Three or more consecutive cards of one suit."""
    ranks = sorted(RANKS.index(card[1]) for card in cards)
    same_suit = len({card[0] for card in cards}) == 1
    return len(cards) >= 3 and same_suit and ranks == list(range(ranks[0], ranks[0] + len(ranks)))
