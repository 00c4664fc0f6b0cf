"""Reckoner: knows how likely each sum of the hidden cards is, and claims where the request holds and hardly anybody can cover.

Every seat has the cards 1 to 7 once, so what lies open of a seat tells what it may have hidden: the exact distribution
of a sum of hidden cards is a convolution over their owners. The value of a claim falls with the room that it leaves:
a rival with a card that still fits takes it over. The idea is the card counter's, and the auctioneer's: bid what the
next one cannot top.
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
    """How likely a rival covers a claim that it can take over."""
    denial: float = 0.4
    """What a point that a rival loses is worth."""
    opening: float = 0.3
    """What the next seat's best claim on a request costs whoever takes its last one-point card."""
    thrift: float = 0.03
    """Points for each pip of a card that is hidden or passed instead of being kept: high cards are hard to place."""


class Reckoner(Agent[HisatsuView]):
    """Chances and points, one turn ahead."""

    games = ("hisatsu",)

    def start(self, info: StartInfo) -> None:
        """Read the knobs; an unknown one is a fault at the start."""
        self.knobs = Knobs(**self.params)

    def act(self, view: HisatsuView) -> str:
        """The action with the best expectation."""
        mind = Mind(view, self.knobs)
        values = {action: mind.placement(slot, card) for action, (slot, card) in view.placements.items()}
        values |= {action: self.knobs.thrift * card for action, card in view.passes.items()}
        return max(values, key=values.__getitem__)


class Mind:
    """One decision's chances."""

    def __init__(self, view: HisatsuView, knobs: Knobs) -> None:
        self.view, self.knobs = view, knobs
        self.sums = {slot.place: self.hidden_sums(slot) for slot in view.row}
        order = [(view.seat + step) % view.seats for step in range(1, view.seats)]
        self.followers = [seat for seat in order if view.turns_left[seat] > 0]
        self.later = view.turns_left[view.seat] > 1  # whether this seat has another turn
        self.fits = {}  # type: dict[tuple[int, int], float]

    def hidden_sums(self, slot: Slot) -> dict[int, float]:
        """How likely each sum of all cards of a request is."""
        known = sum(card.value or 0 for card in slot.cards)
        sums = {known: 1.0}
        for owner in {card.seat for card in slot.cards if card.value is None}:
            count = sum(card.seat == owner and card.value is None for card in slot.cards)
            hands = list(combinations([card for card in self.view.unseen[owner] if card != SEVEN], count))
            longer: dict[int, float] = defaultdict(float)
            for total, chance in sums.items():
                for hand in hands:
                    longer[total + sum(hand)] += chance / len(hands)
            sums = longer
        return sums

    def placement(self, slot: Slot, card: int) -> float:
        """What a card on a request is worth."""
        if slot.chips:
            return self.hiding(slot, card)
        value = 0.0
        for total, chance in self.sums[slot.place].items():
            room = slot.hp - total - card
            value += chance * (self.holding(room) * slot.points if room >= 0 else -FAILURE)
            if slot.claimant is not None:
                theirs = slot.points if total <= slot.hp else -FAILURE
                value += chance * self.knobs.denial * theirs
        return value

    def hiding(self, slot: Slot, card: int) -> float:
        """A one-point card, less what the next seat may make of it when it was the last one."""
        value = 1.0 + self.knobs.thrift * card
        if slot.chips > 1 or not self.followers:
            return value
        best = 0.0
        for claim in range(1, SEVEN + 1):
            chance = sum(c for total, c in self.sums[slot.place].items() if total + card + claim <= slot.hp)
            best = max(best, chance * slot.points - (1 - chance) * FAILURE)
        return value - self.knobs.opening * best

    def holding(self, room: int) -> float:
        """The chance that nobody covers a claim that leaves this room."""
        chance = 1.0
        for seat in self.followers:
            chance *= 1 - self.knobs.cover * self.fitting(seat, room)
        return chance

    def fitting(self, seat: int, room: int) -> float:
        """The chance that a seat holds a card of at most `room`."""
        if (seat, room) not in self.fits:
            unseen, hand = self.view.unseen[seat], self.view.hand_sizes[seat]
            small = sum(card <= room for card in unseen)
            self.fits[seat, room] = 1 - comb(len(unseen) - small, hand) / comb(len(unseen), hand)
        return self.fits[seat, room]
