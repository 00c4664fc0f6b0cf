"""Reckoner: knows how likely each sum of the hidden cards is, and claims what holds and what hardly anybody can take over.

Every seat has the cards 1 to 7 once, so what lies open of a seat tells what it may have hidden: the exact distribution of a
sum of hidden cards is a convolution over their owners. A claim is worth less the more room it leaves: a rival with a card
that still fits takes it over. The idea is the card counter's, and the bidder's: bid what the next one cannot top.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from math import comb

from arena.agent import Agent, StartInfo
from arena.games.hisatsu import HisatsuView, Slot

SEVEN = 7  # never hidden
FAILURE = 2.0  # points


@dataclass(frozen=True)
class Knobs:
    """What may be set by `params`; found by play against the greedy bot."""

    cover: float = 0.7
    """How likely a rival takes a claim over when it can."""
    thrift: float = 0.1
    """Points for each pip of a card that is hidden or passed: high cards are hard to place, low ones fit to the end."""


class Reckoner(Agent[HisatsuView]):
    """The best expectation, one turn ahead."""

    games = ("hisatsu",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs; an unknown one is a fault at the start."""
        self.knobs = Knobs(**self.params)

    def act(self, view: HisatsuView) -> str:
        """Hide for a one-point card, claim, or pass with the card that is worth least later."""
        mind = Mind(view, self.knobs)
        values = {action: self.knobs.thrift * card for action, card in view.passes.items()}
        for action, (slot, card) in view.placements.items():
            values[action] = 1.0 + self.knobs.thrift * card if slot.chips else mind.claim(slot, card)
        return max(values, key=values.__getitem__)


class Mind:
    """The chances at one decision."""

    def __init__(self, view: HisatsuView, knobs: Knobs) -> None:
        self.view, self.knobs = view, knobs
        order = [(view.seat + step) % view.seats for step in range(1, view.seats)]
        self.followers = [seat for seat in order if view.turns_left[seat]]
        self.sums = {slot.place: self.likely_sums(slot) for slot in view.row if not slot.chips}
        self.fits: dict[tuple[int, int], float] = {}

    def likely_sums(self, slot: Slot) -> dict[int, float]:
        """How likely each sum of the cards on a request is."""
        sums = {sum(card.value or 0 for card in slot.cards): 1.0}
        hidden = [card.seat for card in slot.cards if card.value is None]
        for owner in set(hidden):
            candidates = [card for card in self.view.unseen[owner] if card != SEVEN]
            choices = [sum(cards) for cards in combinations(candidates, hidden.count(owner))]
            longer: dict[int, float] = defaultdict(float)
            for total, chance in sums.items():
                for more in choices:
                    longer[total + more] += chance / len(choices)
            sums = longer
        return sums

    def claim(self, slot: Slot, card: int) -> float:
        """The expected points of an open card: the request if it holds and nobody takes it over, else the failure."""
        value = 0.0
        for total, chance in self.sums[slot.place].items():
            room = slot.hp - total - card
            value += chance * (slot.points * self.lasting(room) if room >= 0 else -FAILURE)
        return value

    def lasting(self, room: int) -> float:
        """The chance that no rival takes over a claim that leaves this room before the own next turn."""
        chance = 1.0
        for seat in self.followers:
            chance *= 1 - self.knobs.cover * self.fitting(seat, room)
        return chance

    def fitting(self, seat: int, room: int) -> float:
        """The chance that a seat holds a card of at most `room`."""
        if (seat, room) not in self.fits:
            unseen, hand = self.view.unseen[seat], self.view.hand_sizes[seat]
            larger = sum(card > room for card in unseen)
            self.fits[seat, room] = 1 - comb(larger, hand) / comb(len(unseen), hand)
        return self.fits[seat, room]
