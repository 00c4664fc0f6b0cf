"""What a Naga bot sees, typed. Cards are texts such as "d7", "e1", "I", "K" (RULES.md 2.1)."""

from collections.abc import Iterable

import numpy as np

from arena.agent.view import View
from arena.engine.position import cached_property
from arena.games.naga import endgame, rules
from arena.games.naga.hands import category_name, strength
from arena.games.naga.state import ATTRIBUTES, CARDS, DESIGNATE, ELTAM, OPEN, TIED, TRUMPS
from arena.games.naga.words import field_cards


class NagaView(View):
    """One seat's knowledge of a Naga game."""

    @cached_property
    def hand(self) -> list[str]:
        """The own cards, ascending by card id."""
        return CARDS.listing(int(self._fields.hand[self.seat]))

    @property
    def phase(self) -> str:
        """`designate` (choose a place) or `select` (choose cards)."""
        return "designate" if self._fields.phase == DESIGNATE else "select"

    @property
    def is_parent(self) -> bool:
        """Whether this seat is the parent."""
        return bool(self._fields.parent == self.seat)

    @property
    def contest(self) -> int:
        """The number of the contest: 1 to 6, then 7 = Eltam."""
        return int(self._fields.contest)

    @property
    def place(self) -> int | None:
        """The contested place in phase `select`."""
        return int(self._fields.place) or None

    @cached_property
    def open_places(self) -> list[int]:
        """The places that are not contested yet, Eltam (4) included."""
        won = self._fields.won
        return [place for place in range(1, 8) if won[place] == OPEN]

    @cached_property
    def field(self) -> dict[int, list[str]]:
        """The field cards of all seven places."""
        return {place: field_cards(self._fields, place) for place in range(1, 8)}

    @cached_property
    def field_cards(self) -> tuple[int, int]:
        """How many field cards this seat and the other seat have won."""
        return rules.fields_won(self.state, self.seat), rules.fields_won(self.state, 1 - self.seat)

    @property
    def games(self) -> tuple[int, int]:
        """How many games of the series this seat and the other seat have won."""
        return int(self._fields.games[self.seat]), int(self._fields.games[1 - self.seat])

    @cached_property
    def played(self) -> list[str]:
        """All cards played so far in this game."""
        return [CARDS.text(card) for card in self._fields.shown[: self._fields.num_shown]]

    @cached_property
    def unseen(self) -> list[str]:
        """The cards that are in the other hand or in the stock."""
        known = {*self.hand, *self.played, *(card for cards in self.field.values() for card in cards)}
        return [card for card in CARDS.texts if card not in known]

    @cached_property
    def won(self) -> dict[int, int | None]:
        """The winner of each contested place: a seat, or None for a tie."""
        owners = {1: 0, 2: 1, TIED: None}
        won = self._fields.won
        return {place: owners[won[place]] for place in range(1, 8) if won[place]}

    @property
    def stock(self) -> int:
        """How many cards the stock holds."""
        return int(self._fields.num_stock)

    @cached_property
    def selections(self) -> dict[str, list[str]]:
        """The cards of each legal `select` action."""
        return {action: action.split()[1:] for action in self.legal if action.startswith("select ")}

    @cached_property
    def designations(self) -> dict[str, int]:
        """The place of each legal `field` action."""
        return {action: int(action.split()[1]) for action in self.legal if action.startswith("field ")}

    def trump(self, place: int) -> str:
        """The trump attribute of a place, as a letter of "dlfawte"."""
        return ATTRIBUTES[int(TRUMPS[place])]

    def strength(self, cards: Iterable[str], place: int) -> int:
        """How strong `cards` are with the field cards of `place`; comparable within one place, larger wins."""
        arguments = self._arguments.get(place) or self._strength_arguments(place)
        return strength(CARDS.mask(cards) | arguments[0], *arguments[1])

    def category(self, cards: Iterable[str], place: int) -> str:
        """The category of that hand in words, such as "flush"."""
        return category_name(self.strength(cards, place), 5 if place == ELTAM else 4)

    def solution(self) -> list[float] | None:
        """How often to make each legal selection of contest 6 and at Eltam; None before."""
        if not endgame.is_solvable(self.state):
            return None
        shares = np.zeros(len(self.codes))
        endgame.solve(self.state, self.seat, endgame.ROUNDS, shares)
        return [float(share) for share in shares]

    def _strength_arguments(self, place: int) -> tuple[int, tuple[int, int, int, int, int]]:
        """Field cards; size, trump and options. Read once per view, as reading a record is slow."""
        state = self._fields
        self._arguments[place] = found = (
            sum(1 << CARDS.parse(card, "field") for card in self.field[place]),
            (
                5 if place == ELTAM else 4,
                int(TRUMPS[place]),
                int(state.none_compare),
                int(state.moon_class),
                int(state.moon_duplicate),
            ),
        )
        return found

    @cached_property
    def _arguments(self) -> dict[int, tuple[int, tuple[int, int, int, int, int]]]:
        return {}


def warm(view: NagaView) -> None:
    """Call every compiled function that views and outcomes use once, so that none is compiled in a bot's or a person's time."""
    view.strength(view.hand[:3], 1)
    rules.contest_strength(view.state, int(view._fields.hand[view.seat]), 1)
    rules.fields_won(view.state, view.seat)
    endgame.warm()
    _ = view.field_cards


VIEW = NagaView
