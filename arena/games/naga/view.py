"""What a Naga bot sees, typed. Cards are texts such as "d7", "e1", "I", "K" (RULES.md 2.1)."""

from functools import cached_property

from arena.games.naga import rules, text
from arena.view import View


class NagaView(View):
    """One seat's knowledge of a Naga game."""

    @cached_property
    def hand(self) -> list[str]:
        """The own cards, ascending by card id."""
        return rules.CARDS.listing(int(self.state.hand[self.seat]))

    @property
    def phase(self) -> str:
        """`designate` (choose a place) or `select` (choose cards)."""
        return "designate" if self.state.phase == rules.DESIGNATE else "select"

    @property
    def is_parent(self) -> bool:
        """Whether this seat is the parent."""
        return bool(self.state.parent == self.seat)

    @property
    def contest(self) -> int:
        """1 to 6, then 7 = Eltam."""
        return int(self.state.contest)

    @property
    def place(self) -> int | None:
        """The contested place in phase `select`."""
        return int(self.state.place) or None

    @cached_property
    def open_places(self) -> list[int]:
        """The places that are not contested yet, Eltam (4) included."""
        return [place for place in range(1, 8) if self.state.won[place] == rules.OPEN]

    @cached_property
    def field(self) -> dict[int, list[str]]:
        """The field cards of all seven places."""
        return {place: rules.CARDS.listing(int(rules.field_mask(self.state, place))) for place in range(1, 8)}

    @cached_property
    def field_cards(self) -> tuple[int, int]:
        """How many field cards this seat and the other seat have won."""
        return rules.fields_won(self.state, self.seat), rules.fields_won(self.state, 1 - self.seat)

    @property
    def games(self) -> tuple[int, int]:
        """How many games of the series this seat and the other seat have won."""
        return int(self.state.games[self.seat]), int(self.state.games[1 - self.seat])

    @cached_property
    def played(self) -> list[str]:
        """All cards played so far in this game."""
        return [rules.CARDS.text(int(self.state.shown[i])) for i in range(self.state.num_shown)]

    @cached_property
    def unseen(self) -> list[str]:
        """The cards that are in the other hand or in the stock."""
        known = {*self.hand, *self.played, *(card for cards in self.field.values() for card in cards)}
        return [card for card in rules.CARDS.texts if card not in known]

    def trump(self, place: int) -> str:
        """The trump attribute of a place, as a letter of "dlfawte"."""
        return rules.ATTRIBUTES[int(rules.TRUMPS[place])]

    def strength(self, cards: list[str], place: int) -> int:
        """How strong `cards` are with the field cards of `place`; comparable within one place, larger wins."""
        mask = sum(1 << rules.CARDS.parse(card, "cards") for card in cards)
        return int(rules.contest_strength(self.state, mask, place))

    def category(self, cards: list[str], place: int) -> str:
        """The category of that hand in words, such as "flush"."""
        mask = sum(1 << rules.CARDS.parse(card, "cards") for card in cards)
        return text.strength_text(self.state, mask, place)


VIEW = NagaView
