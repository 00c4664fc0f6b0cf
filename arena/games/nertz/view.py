"""What a Nertz bot sees, typed. Cards are texts such as "SA", "HT" (RULES.md 4.1)."""

from dataclasses import dataclass
from functools import cached_property

from arena.cards import SUITS
from arena.games.nertz import text
from arena.games.nertz.layout import ACCEPTS
from arena.games.nertz.state import CARD, CARDS, PILES, SEEN, SHOWN
from arena.games.nertz.ticks import wanted_cards
from arena.games.nertz.words import work_cards
from arena.view import View

HIDDEN = "?"


@dataclass(frozen=True)
class Layout:
    """One unit's cards, as far as this seat knows them."""

    nertz: int
    """How many cards the Nertz pile holds."""
    nertz_top: str | None
    """Its open card."""
    work: tuple[tuple[str, ...], ...]
    """The four work piles, bottom first."""
    waste: tuple[str, ...]
    """Bottom first; `?` for a card that this seat has not seen."""
    stock: tuple[str, ...]
    """Top first; `?` for a card that this seat has not seen."""
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
        return int(self.state.seats)

    @cached_property
    def unit(self) -> int:
        """The own unit: the seat, or the team."""
        return self.seat >> int(self.state.teams)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Every unit's cards, by unit."""
        return tuple(self._layout(unit) for unit in range(self.seats >> int(self.state.teams)))

    @cached_property
    def own(self) -> Layout:
        """The own cards (a team's are common)."""
        return self.layouts[self.unit]

    @cached_property
    def foundations(self) -> tuple[str, ...]:
        """The top card of every foundation, in order of opening; a king closes its foundation."""
        sizes, suits = self.state.pile_size.tolist(), self.state.pile_suit.tolist()
        return tuple(CARDS.text(4 * (sizes[k] - 1) + suits[k]) for k in range(int(self.state.num_piles)))

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The cards that some foundation takes now; aces always."""
        return frozenset(CARDS.listing(int(self.state.wanted)))

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self.state.round_number)

    @property
    def tick(self) -> int:
        """How many ticks of this round are resolved."""
        return int(self.state.tick)

    @property
    def stall(self) -> int:
        """Ticks in a row without progress."""
        return int(self.state.stall)

    @property
    def stuck(self) -> int:
        """How often everybody was stuck since the last progress."""
        return int(self.state.stuck)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """By unit: the points of the rounds before."""
        return tuple(self.state.totals.tolist()[: self.seats >> int(self.state.teams)])

    @property
    def target(self) -> int:
        """The total that ends the match."""
        return int(self.state.target)

    @property
    def call_bonus(self) -> int:
        """Points for the unit that calls."""
        return int(self.state.call_bonus)

    @cached_property
    def failed(self) -> tuple[int, ...]:
        """The seats whose move failed in the last tick."""
        return tuple(seat for seat in range(self.seats) if int(self.state.failed) >> seat & 1)

    @cached_property
    def busy(self) -> tuple[int, ...]:
        """The seats whose move takes more ticks (latency)."""
        since = self.state.since.tolist()
        return tuple(seat for seat in range(self.seats) if since[seat])

    @cached_property
    def round_points(self) -> tuple[int, ...]:
        """By unit: what the round would bring if it ended now without a call."""
        return tuple(layout.laid - 2 * layout.nertz for layout in self.layouts)

    def fits(self, card: str, on: str) -> bool:
        """Whether a card may lie on another in a work pile: one rank lower, other colour."""
        return bool(_ACCEPTS[_IDS[on]] >> _IDS[card] & 1)

    def _layout(self, unit: int) -> Layout:
        nertz, line, work, num_line, num_waste, num_nertz = (
            self._arrays[name] for name in ("nertz", "line", "work", "num_line", "num_waste", "num_nertz")
        )
        known = SEEN if unit == self.unit else SHOWN
        cards = tuple(
            CARDS.text((value & CARD) - 1) if value & known else HIDDEN for value in line[unit][: num_line[unit]]
        )
        count, waste = num_nertz[unit], num_waste[unit]
        return Layout(
            nertz=count,
            nertz_top=CARDS.text(nertz[unit][count - 1] - 1) if count else None,
            work=tuple(tuple(CARDS.listing(work[unit][pile])[::-1]) for pile in range(PILES)),
            waste=cards[:waste],
            stock=cards[waste:],
            laid=self._arrays["laid"][unit].bit_count(),
        )

    @cached_property
    def _arrays(self) -> dict[str, list]:  # type: ignore[type-arg]  # lists of numbers, nested or not
        """Fields as plain lists: reading an array item by item is slow."""
        names = ("nertz", "line", "work", "num_line", "num_waste", "num_nertz", "laid")
        return {name: getattr(self.state, name).tolist() for name in names}


_IDS = {card: place for place, card in enumerate(CARDS.texts)}
_ACCEPTS = [int(mask) for mask in ACCEPTS]


def warm(view: NertzView) -> None:
    """Call every compiled function that views and texts use once, so that none is compiled in a bot's time."""
    text.to_position(view.state)
    wanted_cards(view.state)


VIEW = NertzView
