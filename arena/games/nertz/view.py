"""What a Nertz bot sees, typed. Cards are texts such as "SA", "HT" (RULES.md 4.1)."""

from dataclasses import dataclass

from arena.agent.view import View
from arena.engine.position import cached_property
from arena.games.nertz import text
from arena.games.nertz.layout import ACCEPTS
from arena.games.nertz.state import CARDS, PILES
from arena.games.nertz.ticks import wanted_cards
from arena.games.nertz.words import (
    foundation_top,
    knowledge,
    moves_of,
    nertz_cards,
    stock_and_waste,
    units_in,
    work_cards,
)


@dataclass(frozen=True)
class Layout:
    """One unit's cards, as far as this seat knows them."""

    nertz: int
    """How many cards the Nertz pile holds."""
    nertz_top: str | None
    """The open card of the Nertz pile; None if the pile is empty."""
    work: tuple[tuple[str, ...], ...]
    """The four work piles, bottom first."""
    waste: tuple[str, ...]
    """The waste, bottom first; `?` for a card that this seat has not seen."""
    stock: tuple[str, ...]
    """The stock, top first; `?` for a card that this seat has not seen."""
    laid: int
    """How many cards of the unit lie on foundations: its points so far in this round."""

    @property
    def waste_top(self) -> str | None:
        """The open card of the waste."""
        return self.waste[-1] if self.waste else None


class NertzView(View):
    """One seat's knowledge of a Nertz match."""

    @property
    def seats(self) -> int:
        """How many seats play."""
        return int(self._fields.seats)

    @cached_property
    def unit(self) -> int:
        """The own unit: the seat, or the team."""
        return self.seat >> int(self._fields.teams)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Every unit's cards, by unit."""
        return tuple(self._layout(unit) for unit in range(units_in(self._fields)))

    @cached_property
    def own(self) -> Layout:
        """The own cards (a team's are common)."""
        return self._layout(self.unit)

    @cached_property
    def foundations(self) -> tuple[str, ...]:
        """The top card of every foundation, in order of opening; a king closes its foundation."""
        return tuple(foundation_top(self._fields, k) for k in range(self._fields.num_piles))

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The cards that some foundation takes now; aces always."""
        return frozenset(CARDS.listing(int(self._fields.wanted)))

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._fields.round_number)

    @property
    def tick(self) -> int:
        """How many ticks of this round are resolved."""
        return int(self._fields.tick)

    @property
    def stall(self) -> int:
        """Ticks in a row without progress."""
        return int(self._fields.stall)

    @property
    def stuck(self) -> int:
        """How often everybody was stuck since the last progress."""
        return int(self._fields.stuck)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The points of the rounds before, by unit."""
        return tuple(self._fields.totals[: units_in(self._fields)])

    @property
    def target(self) -> int:
        """The total that ends the match."""
        return int(self._fields.target)

    @property
    def call_bonus(self) -> int:
        """Points for the unit that calls."""
        return int(self._fields.call_bonus)

    @cached_property
    def failed(self) -> tuple[int, ...]:
        """The seats whose move failed in the last tick."""
        return tuple(seat for seat in range(self.seats) if self._fields.failed >> seat & 1)

    @cached_property
    def moves(self) -> tuple[str | None, ...]:
        """Each seat's move in the last tick as everybody saw it, even if it failed; None: no move; `begun`: not done yet."""
        return tuple(moves_of(self._fields.moves, self.seats))

    @cached_property
    def busy(self) -> tuple[int, ...]:
        """The seats whose move takes more ticks (latency)."""
        return tuple(seat for seat in range(self.seats) if self._fields.since[seat])

    @cached_property
    def round_points(self) -> tuple[int, ...]:
        """The points that the round would bring if it ended now without a call, by unit."""
        return tuple(layout.laid - 2 * layout.nertz for layout in self.layouts)

    def fits(self, card: str, on: str) -> bool:
        """Whether a card may lie on another in a work pile: one rank lower, other colour."""
        return bool(_ACCEPTS[_IDS[on]] >> _IDS[card] & 1)

    def _layout(self, unit: int) -> Layout:
        if unit not in self._made:
            self._made[unit] = self._new_layout(unit)
        return self._made[unit]

    @cached_property
    def _made(self) -> dict[int, Layout]:
        return {}

    def _new_layout(self, unit: int) -> Layout:
        fields = self._fields
        cards = stock_and_waste(fields, unit, knowledge(fields, unit, self.seat))
        nertz = nertz_cards(fields, unit)
        return Layout(
            nertz=len(nertz),
            nertz_top=nertz[-1] if nertz else None,
            work=tuple(tuple(work_cards(fields, unit, pile)) for pile in range(PILES)),
            waste=tuple(cards["waste"]),
            stock=tuple(cards["stock"]),
            laid=fields.laid[unit].bit_count(),
        )


_IDS = {card: place for place, card in enumerate(CARDS.texts)}
_ACCEPTS = [int(mask) for mask in ACCEPTS]


def warm(view: NertzView) -> None:
    """Call every compiled function that views and texts use once, so that none is compiled in a bot's time."""
    text.to_position(view.state)
    wanted_cards(view.state)


VIEW = NertzView
