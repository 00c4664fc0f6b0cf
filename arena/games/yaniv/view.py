"""What a Yaniv bot sees, typed. Cards are texts such as "SA", "HT", "CK", and "*" for a joker (RULES.md 5.1)."""

from collections import Counter
from collections.abc import Iterable

from arena.agent.view import View
from arena.engine.position import cached_property
from arena.games.yaniv import text
from arena.games.yaniv.rows import CARDS, VALUE, is_set
from arena.games.yaniv.state import DRAW, SLAP, START, State
from arena.games.yaniv.words import cards_of, pile_cards, plain


class YanivView(View):
    """One seat's knowledge of a Yaniv match."""

    @cached_property
    def _fields(self) -> State:
        return plain(self.state)

    @cached_property
    def hand(self) -> list[str]:
        """The own cards, ascending by card id."""
        return cards_of(self._fields.hand[self.seat])

    @cached_property
    def hand_value(self) -> int:
        """The points of the own hand."""
        return self.value(self.hand)

    @property
    def seats(self) -> int:
        """How many seats play, those that dropped out included."""
        return self._fields.seats

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self._fields.round_number

    @property
    def turns(self) -> int:
        """How many turns of this round are completed."""
        return self._fields.turns

    @cached_property
    def phase(self) -> str:
        """`start` (call or discard), `draw`, or `slap` (slap or hold)."""
        return {START: "start", DRAW: "draw", SLAP: "slap"}.get(self._fields.phase, "over")

    @cached_property
    def threshold(self) -> int:
        """The highest hand value that may call; 100 where any may."""
        return self._fields.threshold

    @property
    def can_call(self) -> bool:
        """Whether `call` is legal now."""
        return "call" in self.legal

    @cached_property
    def previous(self) -> list[str]:
        """The previous seat's discard as it lies."""
        return cards_of(self._fields.previous)

    @cached_property
    def ends(self) -> list[str]:
        """The ends of the previous discard: one card, or two."""
        return self.previous if len(self.previous) == 1 else [self.previous[0], self.previous[-1]]

    @cached_property
    def takeable(self) -> dict[str, str]:
        """What may be taken from the previous discard this turn: draw action -> card; `draw stock` is not among them.

        Also before the own discard, when the draw is still to come.
        """
        cards = self.previous
        found = {"draw first": cards[0]}
        if len(cards) > 1:
            found["draw last"] = cards[-1]
        if self._fields.set_take == 1 and len(cards) > 2 and is_set(self._fields.previous):
            found |= {f"draw {place}": cards[place] for place in range(1, len(cards) - 1)}
        return found

    @cached_property
    def laid(self) -> list[str]:
        """The own discard of this turn, in the phases `draw` and `slap`."""
        return cards_of(self._fields.laid)

    @cached_property
    def drawn(self) -> str | None:
        """The card just drawn, in the phase `slap`."""
        return CARDS.text(self._fields.drawn - 1) if self._fields.drawn else None

    @cached_property
    def discards(self) -> dict[str, list[str]]:
        """The cards of each legal `discard` action, as they will lie."""
        return {action: action.split()[1:] for action in self.legal if action.startswith("discard ")}

    @cached_property
    def buried(self) -> list[str]:
        """The discards that are out of play until the next reshuffle, ascending."""
        return pile_cards(self._fields, 0)

    @cached_property
    def unseen(self) -> list[str]:
        """The cards that this seat cannot see: in the stock or hidden in the other hands, ascending."""
        decks = self._fields.decks
        seen = Counter(self.hand + self.previous + self.laid + self.buried)
        for seat, cards in enumerate(self.known):
            if seat != self.seat:
                seen.update(cards)
        counts = {card: decks * (1 + (card == "*")) - seen[card] for card in CARDS.texts}
        return [card for card, count in counts.items() for _ in range(count)]

    @cached_property
    def known(self) -> list[list[str]]:
        """The cards that everybody knows to be in each hand, by seat, because they were taken from a discard."""
        return [cards_of(self._fields.known[seat]) for seat in range(self.seats)]

    @cached_property
    def hand_sizes(self) -> list[int]:
        """How many cards each seat holds, by seat."""
        return [self._fields.hand_size[seat] for seat in range(self.seats)]

    @cached_property
    def totals(self) -> list[int]:
        """The points of each seat so far, by seat; the lowest is best."""
        return [self._fields.totals[seat] for seat in range(self.seats)]

    @cached_property
    def in_play(self) -> list[int]:
        """The seats that have not dropped out."""
        return [seat for seat in range(self.seats) if not self._fields.dropped[seat]]

    @property
    def limit(self) -> int:
        """The total that ends the match, or that drops a seat out."""
        return self._fields.limit

    @property
    def stock(self) -> int:
        """How many cards the stock holds."""
        return self._fields.num_stock

    @staticmethod
    def value(cards: Iterable[str]) -> int:
        """The points of some cards: ace 1, 2 to 10 their number, court cards 10, joker 0."""
        return sum(map(_VALUES.__getitem__, cards))


_VALUES = {card: int(VALUE[number + 1]) for number, card in enumerate(CARDS.texts)}


def warm(view: YanivView) -> None:
    """Call every compiled function that views and texts use once, so that none is compiled in a bot's time."""
    is_set(int(view.state.previous))
    text.parse_action(view.state, view.legal[0])


VIEW = YanivView
