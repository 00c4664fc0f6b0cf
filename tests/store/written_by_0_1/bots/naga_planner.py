"""Planner: spends strong cards on the fields that decide the game and keeps the others, above all for Eltam's three.

Each selection is worth the chance to win this contest and what the two kept cards promise in the next one and at Eltam,
each times the weight of that field at this score. So nothing good goes into a lost contest, and a safe one is won with
the weakest cards that do it. The rival's hand is imagined: a few random hands out of the cards that nobody has shown.

Ideas: sampled hands as in bridge programs (M. Ginsberg, "GIB", 2001), but only one contest deep; the weight of a field
is how often it would decide a game of coin tosses (L. Penrose 1946, J. Banzhaf 1965: the power of a vote).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from arena.agent import Agent, StartInfo
from arena.games.naga import NagaView

ELTAM, ELTAM_CARDS, MAJORITY = 4, 3, 5  # the last place, its field cards, and how many of the nine win the game
LAST_SINGLE = 6  # the contest before Eltam

Cards = tuple[str, ...]


@dataclass(frozen=True)
class Knobs:
    """All that was tuned by play; a tournament's config may set them as `params`."""

    hands: int = 12  # imagined hands of the rival: more are steadier and slower
    draws: int = 4  # imagined draws to the kept cards
    places: int = 2  # later places at which the kept cards are tried
    next_weight: float = 0.6  # of the edge that kept cards give in the next contest; 1 = it counts in full
    eltam_weight: float = 0.45  # of the edge at Eltam, once for each contest before it: few cards are kept that long


class Planner(Agent[NagaView]):
    """Every decision starts from the view alone; only the generator and the knobs outlive it."""

    games = ("naga",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs: a wrong name is an error before the first card."""
        self.knobs = Knobs(**self.params)

    def act(self, view: NagaView) -> str:
        """Choose the place with the best prospect, or the best selection."""
        mind = Mind(view, self.rng, self.knobs)
        if view.place is None:
            return max(view.legal, key=lambda action: mind.prospect(int(action.removeprefix("field "))))
        place = view.place
        return max(view.legal, key=lambda action: mind.value(tuple(action.split()[1:]), place))


class Mind:
    """What one decision is worth: chances against the same imagined hands for all that it compares."""

    def __init__(self, view: NagaView, rng: Random, knobs: Knobs) -> None:
        """Imagine hands: the first cards are the rival's, the last ones what will be drawn."""
        self.view, self.knobs = view, knobs
        unseen = view.unseen
        held = min(len(view.hand), len(unseen))
        self.imagined = [rng.sample(unseen, min(held + 3, len(unseen))) for _ in range(knobs.hands)]
        self.left = LAST_SINGLE - view.contest  # single places after this one; -1 at Eltam
        later = [place for place in view.open_places if place not in (ELTAM, view.place)]
        self.later = rng.sample(later, min(knobs.places, len(later)))
        self.strengths: dict[tuple[Cards, int], int] = {}
        self.rivals: dict[int, list[int]] = {}
        self.edges: dict[tuple[Cards, int], float] = {}

    def prospect(self, place: int) -> float:
        """The chance to win a place with the best cards of the hand."""
        return self.share(self.best(self.view.hand, place), self.rival(place))

    def value(self, selection: Cards, place: int) -> float:
        """The chance to win the game with a selection: this contest, and what the kept cards add later."""
        strength, rival = self.strength(selection, place), self.rival(place)
        weaker, not_stronger = bisect_left(rival, strength), bisect_right(rival, strength)
        mine, theirs = self.view.field_cards
        prize = ELTAM_CARDS if place == ELTAM else 1
        kept = tuple(card for card in self.view.hand if card not in selection)
        return (
            weaker * self.worth(mine + prize, theirs, kept)
            + (not_stronger - weaker) * self.worth(mine, theirs, kept)
            + (len(rival) - not_stronger) * self.worth(mine, theirs + prize, kept)
        ) / len(rival)

    def worth(self, mine: int, theirs: int, kept: Cards) -> float:
        """The chance to win the game from a score: that of coin tosses, and the edges that the kept cards give."""
        if self.left < 0:
            return outlook(mine, theirs, ())
        singles = (1,) * self.left
        worth = outlook(mine, theirs, (*singles, ELTAM_CARDS))
        eltam = swing(mine, theirs, ELTAM_CARDS, singles) * self.edge(kept, ELTAM)
        worth += self.knobs.eltam_weight**self.left * eltam
        if self.later:
            edge = sum(self.edge(kept, place) for place in self.later) / len(self.later)
            worth += self.knobs.next_weight * swing(mine, theirs, 1, (*singles[1:], ELTAM_CARDS)) * edge
        return worth

    def edge(self, kept: Cards, place: int) -> float:
        """How much better than a coin toss two kept cards and what is drawn to them do at a place."""
        if (kept, place) not in self.edges:
            drawn = 1 if place == ELTAM else 3
            draws = [hand[-drawn:] for hand in self.imagined[: self.knobs.draws]]
            shares = [self.share(self.best([*kept, *cards], place), self.rival(place)) for cards in draws]
            self.edges[kept, place] = sum(shares) / len(shares) - 0.5
        return self.edges[kept, place]

    def rival(self, place: int) -> list[int]:
        """What the imagined rivals reach at a place, ascending."""
        if place not in self.rivals:
            size = 3 if place == ELTAM else 5
            self.rivals[place] = sorted(self.best(hand[:size], place) for hand in self.imagined)
        return self.rivals[place]

    def best(self, cards: Iterable[str], place: int) -> int:
        """The strongest hand that can be made of cards at a place."""
        size = 2 if place == ELTAM else 3
        return max(self.strength(chosen, place) for chosen in combinations(sorted(cards), size))

    def strength(self, cards: Cards, place: int) -> int:
        """The view's strength, asked once per hand and place."""
        if (cards, place) not in self.strengths:
            self.strengths[cards, place] = self.view.strength(cards, place)
        return self.strengths[cards, place]

    @staticmethod
    def share(strength: int, rival: list[int]) -> float:
        """The share of the imagined rivals that a strength beats; a tie counts half."""
        return (bisect_left(rival, strength) + bisect_right(rival, strength)) / (2 * len(rival))


def swing(mine: int, theirs: int, prize: int, others: tuple[int, ...]) -> float:
    """What a contest for `prize` field cards changes in the chance to win the game."""
    return outlook(mine + prize, theirs, others) - outlook(mine, theirs + prize, others)


@cache
def outlook(mine: int, theirs: int, prizes: tuple[int, ...]) -> float:
    """The chance to win the game from a score if coin tosses gave away the open `prizes`; a draw counts half."""
    if not prizes or max(mine, theirs) >= MAJORITY:
        return 0.5 + 0.5 * ((mine > theirs) - (mine < theirs))
    prize, *others = prizes
    return (outlook(mine + prize, theirs, tuple(others)) + outlook(mine, theirs + prize, tuple(others))) / 2
