"""What a Hisatsu bot sees, typed. Number cards are their values 1 to 7, requests have their names (RULES.md 3.1)."""

from functools import lru_cache
from typing import Any, NamedTuple

from arena.agent.view import View
from arena.engine.options import row_name
from arena.engine.position import cached_property
from arena.games.hisatsu import rules
from arena.games.hisatsu.knowledge import unseen
from arena.games.hisatsu.state import NO_REQUEST, TURNS, VALUES, State


class PlacedCard(NamedTuple):
    """A number card under a request."""

    seat: int
    """The seat that played the card."""
    value: int | None
    """1 to 7; None for a face-down card of another seat."""
    is_open: bool


class Slot(NamedTuple):
    """A request of the row, with the cards on it."""

    place: int
    """The request's place in the row, from 0, the leftmost."""
    name: str
    bang: int
    """How many cards come face down; as many one-point cards lay there at first."""
    hp: int
    """The highest sum of all cards with which it is captured."""
    points: int
    """How many points it brings to the seat that captures it."""
    chips: int
    """How many one-point cards are left; if there are any, the next card is hidden and takes one."""
    cards: tuple[PlacedCard, ...]
    """The cards on the request, in the order in which they were placed."""

    @property
    def claimant(self) -> int | None:
        """The seat whose open card lies last: it gets the request at its next turn, unless another one covers the card."""
        return self.cards[-1].seat if self.cards and self.cards[-1].is_open else None


class HisatsuView(View):
    """One seat's knowledge of a game of Hisatsu Shigotonin."""

    @property
    def seats(self) -> int:
        """How many seats play."""
        return int(self._fields.seats)

    @cached_property
    def hand(self) -> list[int]:
        """The own cards, ascending."""
        return values_of(int(self._fields.hand[self.seat]))

    @cached_property
    def row(self) -> list[Slot]:
        """The requests of the row from left to right; an empty slot is left out."""
        state = self._fields
        return [self._slot(place) for place in range(state.seats - 1) if state.request[place] != NO_REQUEST]

    @cached_property
    def discards(self) -> list[list[int]]:
        """The open discards of each seat."""
        state = self._fields
        return [[int(value) for value in state.discards[seat][: state.num_discards[seat]]] for seat in range(state.seats)]

    @cached_property
    def unseen(self) -> list[list[int]]:
        """The cards of each seat that were never open, by seat, ascending: hand, hidden cards and face-down passes."""
        return [values_of(int(unseen(self.state, seat))) for seat in range(self.seats)]

    @cached_property
    def hand_sizes(self) -> list[int]:
        """Cards in the hand of each seat."""
        return [VALUES - turns for turns in turns_taken(self._fields)]

    @cached_property
    def turns_left(self) -> list[int]:
        """Turns that each seat has still to take, this one included."""
        return [TURNS - turns for turns in turns_taken(self._fields)]

    @cached_property
    def scores(self) -> list[int]:
        """Points so far: captured requests, failed ones, one-point cards."""
        return [int(rules.score(self.state, seat)) for seat in range(self.seats)]

    @property
    def stock(self) -> int:
        """How many requests are face down."""
        return int(self._fields.num_stock)

    @cached_property
    def placements(self) -> dict[str, tuple[Slot, int]]:
        """The request and the card of each legal `place` action."""
        slots = {slot.place: slot for slot in self.row}
        words = {action: action.split() for action in self.legal if action.startswith("place ")}
        return {action: (slots[int(slot)], int(value)) for action, (_, value, slot) in words.items()}

    @cached_property
    def passes(self) -> dict[str, int]:
        """The card of each legal `discard` action."""
        return {action: int(action.split()[1]) for action in self.legal if action.startswith("discard ")}

    def _slot(self, place: int) -> Slot:
        state = self._fields
        request = int(state.request[place])
        bang = int(state.bang[request])
        return Slot(
            place,
            request_name(state, request),
            bang,
            int(state.hp[request]),
            int(state.worth[request]),
            int(state.chips[place]),
            tuple(
                PlacedCard(card >> 3, card & 7 or None, i >= bang)
                for i, card in enumerate(state.cards[place][: state.num_cards[place]])
            ),
        )


def request_name(state: Any, request: int) -> str:
    """The name of a request of the deck. `state`: the fields of one."""
    return _name(*state.names[request])


@lru_cache(maxsize=1024)
def _name(*words: int) -> str:
    return row_name(words)


def turns_taken(state: State) -> list[int]:
    """Turns that each seat has taken: they go round from the starter."""
    seats, turns = int(state.seats), int(state.turns)
    return [(turns + seats - 1 - (seat - int(state.starter)) % seats) // seats for seat in range(seats)]


def values_of(mask: int) -> list[int]:
    """The cards of a mask, ascending."""
    return [value for value in range(1, VALUES + 1) if mask >> value & 1]


def warm(view: HisatsuView) -> None:
    """Call every compiled function that views and outcomes use once, so that none is compiled in a bot's or a person's time."""
    _ = (view.unseen, view.scores)
    rules.claim(view.state, 0)
    rules.is_terminal(view.state)


VIEW = HisatsuView
