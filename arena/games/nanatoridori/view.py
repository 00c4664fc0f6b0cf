"""What a Nana Toridori bot sees, typed. Cards are whole numbers from 1 to 7 (RULES.md 1.1)."""

from collections import Counter
from typing import NamedTuple

from arena.agent.view import View
from arena.engine.position import cached_property
from arena.games.nanatoridori import text
from arena.games.nanatoridori.memory import block_sizes
from arena.games.nanatoridori.state import (
    ADVANCED,
    COPIES,
    DRAWN,
    DUEL,
    FRONTS,
    KEEPS,
    KIND,
    MARKS,
    PLAYS,
    ROW,
    TAKE,
    TAKES,
    TURN,
    VALUES,
)


class Block(NamedTuple):
    """Equal cards that lie together; of two blocks the greater one is the stronger one."""

    size: int
    value: int


class Play(NamedTuple):
    """A legal play of cards from the hand."""

    first: int
    """Place of the leftmost card in the hand."""
    cards: int
    """How many cards come out of the hand."""
    fronts: int
    """How many front cards of a duel are played with them."""
    value: int

    @property
    def block(self) -> Block:
        """What will lie on the table."""
        return Block(self.cards + self.fronts, self.value)


class NanaView(View):
    """One seat's knowledge of a Nana Toridori match."""

    @cached_property
    def hand(self) -> list[int]:
        """The own cards in their order."""
        return self._cards("hand", self.seat << ROW, self.hand_sizes[self.seat])

    @cached_property
    def variant(self) -> str:
        """`basic`, `advanced` or `duel`."""
        return {ADVANCED: "advanced", DUEL: "duel"}.get(int(self._fields.variant), "basic")

    @cached_property
    def phase(self) -> str:
        """`turn` (play or pass), `take` (take or drop the beaten cards), `drawn` (keep or toss the drawn card)."""
        return {TURN: "turn", TAKE: "take", DRAWN: "drawn"}.get(int(self._fields.phase), "over")

    @cached_property
    def seats(self) -> int:
        """How many seats play, those that are out included."""
        return int(self._fields.seats)

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._fields.round_number)

    @cached_property
    def table(self) -> Block | None:
        """The cards to beat; None: this seat leads."""
        count = int(self._fields.table_count)
        return Block(count, int(self._fields.table_value)) if count else None

    @property
    def owner(self) -> int | None:
        """The seat that played the cards on the table; None: this seat leads."""
        return int(self._fields.table_owner) if self.table else None

    @property
    def passes(self) -> int:
        """How many seats have passed since the last play."""
        return int(self._fields.passes)

    @cached_property
    def beaten(self) -> Block | None:
        """The block that may be taken, in the phase `take`."""
        count = int(self._fields.beaten_count)
        return Block(count, int(self._fields.beaten_value)) if count else None

    @property
    def drawn(self) -> int | None:
        """The card that was drawn, in the phase `drawn`, if this seat may see it."""
        return int(self._fields.drawn) or None

    @cached_property
    def plays(self) -> dict[str, Play]:
        """The cards of each legal `play` action."""
        hand = self.hand
        found = {}
        for action, code in zip(self.legal, self.codes):
            if code >> KIND == PLAYS:
                first, count = code >> 8 & 63, code >> 2 & 63
                found[action] = Play(first, count, code & 3, hand[first])
        return found

    @cached_property
    def gaps(self) -> dict[str, list[int]]:
        """The hand after each legal `take` or `keep` action."""
        block = [self.beaten.value] * self.beaten.size if self.beaten else [self.drawn or 0]
        return {
            action: [*self.hand[: code >> 8 & 63], *block, *self.hand[code >> 8 & 63 :]]
            for action, code in zip(self.legal, self.codes)
            if code >> KIND in (TAKES, KEEPS)
        }

    @cached_property
    def hand_sizes(self) -> list[int]:
        """How many cards each seat holds, by seat; 0 means that the seat is out."""
        sizes: list[int] = self._fields.hand_size[: self.seats]
        return sizes

    @cached_property
    def known(self) -> list[list[Block]]:
        """Blocks that everybody knows to be in each hand, by seat, because they were taken; their place in it is not known."""
        marks = self._fields.known
        return [
            [Block(size, value) for value in range(1, VALUES + 1) for size in block_sizes(marks[(seat << MARKS) + value])]
            for seat in range(self.seats)
        ]

    @cached_property
    def discards(self) -> list[int]:
        """The discarded cards in their order."""
        return self._cards("discard", 0, int(self._fields.num_discard))

    @cached_property
    def unseen(self) -> Counter[int]:
        """How many cards of each value this seat cannot place: in the stock, in other hands or not used."""
        left = Counter(dict.fromkeys(range(1, VALUES + 1), COPIES))
        left.subtract(self.hand + self.discards)
        for block in (self.table, self.beaten, *(block for seat in self.others for block in self.known[seat])):
            left[block.value if block else 1] -= block.size if block else 0
        for cards in self.fronts:
            left.subtract(card for card in cards or () if card)
        if self.drawn:
            left[self.drawn] -= 1
        return left

    @property
    def others(self) -> list[int]:
        """The other seats, the next one first; those that are out included."""
        return [(self.seat + step) % self.seats for step in range(1, self.seats)]

    @cached_property
    def fronts(self) -> list[list[int]]:
        """The front cards of each seat in a duel, by seat, 0 for one that lies face down; empty lists in other variants."""
        sizes = self._fields.num_fronts
        return [self._cards("fronts", FRONTS * seat, sizes[seat]) for seat in range(self.seats)]

    @cached_property
    def out(self) -> list[int]:
        """The seats that are out, in that order."""
        seats: list[int] = self._fields.out[: self._fields.num_out]
        return seats

    @cached_property
    def totals(self) -> list[int]:
        """The penguins that each seat has left, by seat; in the advanced variant its points."""
        totals: list[int] = self._fields.totals[: self.seats]
        return totals

    @property
    def stock(self) -> int:
        """How many cards can still be drawn."""
        return 0 if self.variant == "duel" else int(self._fields.num_stock)

    def _cards(self, field: str, first: int, count: int) -> list[int]:
        cards: list[int] = getattr(self._fields, field)[first : first + count]
        return cards


def warm(view: NanaView) -> None:
    """Views and texts of this game call no compiled function."""
    text.parse_action(view.state, view.legal[0])


VIEW = NanaView
