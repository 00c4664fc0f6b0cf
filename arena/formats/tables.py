"""Who sits with whom: the tables that each format plays on a deal, as pure functions of the deal and the table's number.

A table is its bots in order round it; the rotations turn it, or permute it. Tables of one deal share its cards.

- *round robin*: all combinations of the field, or a balanced sample of them (balance.py).
- *gauntlet*: every candidate with every choice of the others; all candidates meet the same ones on the same deals.
- *compare*: the two candidates with others drawn per deal; they sit there, and then again with their seats exchanged.
- *ladder*: chosen stage by stage from earlier rows (formats/ladder.py); `Ladder` holds what has been chosen so far.

The adaptive formats decide at checkpoints, from rows in plan order alone (formats/course.py): `compare` only where its plan
ends, `ladder` which stage follows. So a plan stays a function of the index, whatever was decided.
"""

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from arena.engine import rng
from arena.errors import ConfigError
from arena.formats.balance import base_tables, has_repeats, ordered_sample, ring_meetings

Table = tuple[int, ...]
"""Contestants, by their place in the field, in order round the table."""


class RoundRobin(msgspec.Struct, frozen=True, tag_field="name", tag="round_robin"):
    """All tables of the field, or a balanced sample of them."""

    sample: int | None = None
    """On every deal, so many times as many tables as there are bots; None: all combinations."""


class Gauntlet(msgspec.Struct, frozen=True, tag_field="name", tag="gauntlet"):
    """Candidates against all others."""

    candidates: tuple[int, ...]
    """By their place in the field."""


class Compare(msgspec.Struct, frozen=True, tag_field="name", tag="compare", omit_defaults=True):
    """Whether the first candidate is better than the second."""

    candidates: tuple[int, int]
    error: float
    """At most this is the probability of a wrong verdict."""
    difference: float
    """The smallest difference that matters: of the shares of the matches in which one finishes before the other."""
    bound: float = 0.0
    """Better is who is so by more than this difference."""


class Leg(msgspec.Struct, frozen=True):
    """A part of a ladder that was played under the same settings with the same field."""

    first_stage: int
    field: tuple[int, ...]
    """Who takes part, by place among all contestants that there ever were."""
    sigma: float | None
    """It ends when no sigma is above; None: not for that."""
    separable: bool
    """Whether it ends when all neighbours are separable."""
    matches: int
    """It ends when so many are played."""
    skipped: tuple[int, ...] = ()
    """Matches of the leg before that were not played when this one began; they never are."""


class Stage(msgspec.Struct, frozen=True, array_like=True):
    """Tables of a ladder that were chosen together."""

    number: int
    first_index: int
    tables: tuple[tuple[int, Table], ...]
    """Entry and contestants; each plays its entry's deals."""


class Ladder(msgspec.Struct, frozen=True, tag_field="name", tag="ladder"):
    """A rating list that goes on."""

    legs: tuple[Leg, ...] = ()
    stages: tuple[Stage, ...] = ()


Format = RoundRobin | Gauntlet | Compare | Ladder


class Tables(Protocol):
    """The tables of one entry."""

    @property
    def per_deal(self) -> int:
        """How many are played on each deal."""
        ...

    def table(self, deal: int, number: int) -> Table:
        """Table `number` of a deal."""
        ...


class Combinations(msgspec.Struct, frozen=True):
    """All tables of `seats` out of `field`, in lexicographic order."""

    field: Sequence[int]
    seats: int

    @property
    def per_deal(self) -> int:
        """How many there are."""
        return math.comb(len(self.field), self.seats)

    def table(self, _deal: int, number: int) -> Table:
        """The same on every deal.

        >>> [Combinations([0, 1, 2, 3], 2).table(0, number) for number in range(6)]
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        """
        chosen: list[int] = []
        place = 0
        while len(chosen) < self.seats:
            with_this = math.comb(len(self.field) - place - 1, self.seats - len(chosen) - 1)
            if number < with_this:
                chosen.append(self.field[place])
            else:
                number -= with_this
            place += 1
        return tuple(chosen)


def count_later(field: Sequence[int], table: tuple[int, ...], without: set[int]) -> int:
    """How many tables without the contestants `without` come after `table` in lexicographic order.

    >>> count_later([0, 1, 2, 3], (0, 2), set()), count_later([0, 1, 2, 3], (0, 2), {1})
    (4, 2)
    """
    free = [place for place in field if place not in without]
    count = 0
    for seat, place in enumerate(table):  # tables that first differ here
        count += math.comb(len(free) - bisect_right(free, place), len(table) - seat)
        if place in without:
            break
    return count


class Sample(msgspec.Struct, frozen=True, dict=True):
    """A balanced sample: every pair meets equally often, within one, over all deals together."""

    field: Sequence[int]
    seats: int
    deals: int
    turns: int
    """Base tables per deal, each turned through the whole field."""

    @property
    def per_deal(self) -> int:
        """Every bot sits at `turns` times `seats` of them."""
        return self.turns * len(self.field)

    def table(self, deal: int, number: int) -> Table:
        """Base table and turn."""
        base, turn = divmod(number, len(self.field))
        places = self._base_tables[deal * self.turns + base]
        return tuple(self.field[(place + turn) % len(self.field)] for place in places)

    def meetings(self) -> tuple[int, int]:
        """How often the pairs that meet least and most sit at one table, over all deals."""
        return ring_meetings(len(self.field), self._base_tables)

    @property
    def is_balanced(self) -> bool:
        """Whether every pair meets equally often, within one, and no table is played twice on a deal."""
        least, most = self.meetings()
        return most - least <= 1 and not has_repeats(len(self.field), self._base_tables, self.turns)

    @property
    def _base_tables(self) -> tuple[Table, ...]:
        return base_tables(len(self.field), self.seats, self.deals * self.turns, self.turns)


class Challenges(msgspec.Struct, frozen=True):
    """Every candidate with every choice of the others."""

    candidates: Sequence[int]
    others: Combinations

    @property
    def per_deal(self) -> int:
        """Candidates times choices."""
        return len(self.candidates) * self.others.per_deal

    def table(self, deal: int, number: int) -> Table:
        """The same others for one candidate after the other."""
        choice, candidate = divmod(number, len(self.candidates))
        return (self.candidates[candidate], *self.others.table(deal, choice))


class Exchanges(msgspec.Struct, frozen=True):
    """The two candidates with others drawn per deal, and once more with their seats exchanged."""

    candidates: tuple[int, int]
    others: Sequence[int]
    seats: int
    distances: Sequence[int]
    """How far apart they may sit: never as team mates."""
    per_deal: int
    """1 where the rotations exchange the seats anyway."""
    dice: Callable[[int], int]
    """By deal, 128 random bits: independent deals are what the test's error rates rest on."""

    def table(self, deal: int, number: int) -> Table:
        """The first candidate, at a random distance the second, and a random choice of the others between them."""
        words = rng.seed_words(self.dice(deal))
        rng.seed_fast(words, words.copy())
        second = self.distances[rng.below(words, len(self.distances))]
        chosen = iter(ordered_sample(len(self.others), self.seats - 2, words))
        first, other = self.candidates if number == 0 else self.candidates[::-1]
        return tuple(
            first if seat == 0 else other if seat == second else self.others[next(chosen)] for seat in range(self.seats)
        )


def tables_of(
    format: Format, field: Sequence[int], seats: int, deals: int, *, units: Sequence[int], has_all: bool,
    dice: Callable[[int], int],
) -> Tables:  # fmt: skip
    """The tables of one entry, whose bots are `field`; raises ConfigError that says whom they lack.

    `units`: the team of each seat; `has_all`: whether every order of a table is played; `dice`: 128 random bits by deal.
    """
    if isinstance(format, RoundRobin):
        _require(len(field), seats, f"{seats} seats need as many bots that play it")
        if format.sample is None or math.comb(len(field), seats) <= format.sample * len(field):
            return Combinations(field, seats)
        sample = Sample(field, seats, deals, format.sample)
        if not sample.is_balanced:
            wider = (Sample(field, seats, more, format.sample) for more in (*range(deals + 1, deals + 9), *range(1, deals)))
            possible = next((f"with deals: {other.deals} it can" for other in wider if other.is_balanced), "leave it out")
            raise ConfigError(
                f"sample: {format.sample}: {len(field)} bots at {seats} seats cannot be balanced within one over {deals} "
                f"deals, without playing a match twice; {possible}"
            )
        return sample
    assert not isinstance(format, Ladder)
    candidates = [place for place in format.candidates if place in field]
    others = [place for place in field if place not in format.candidates]
    if isinstance(format, Gauntlet):
        _require(len(candidates), 1, "at least one candidate has to play it")
        _require(len(others), seats - 1, f"{seats} seats need {seats - 1} bots that play it beside a candidate")
        return Challenges(candidates, Combinations(others, seats - 1))
    _require(len(candidates), 2, "both candidates have to play it")
    _require(len(others), seats - 2, f"{seats} seats need {seats - 2} bots that play it beside the candidates")
    distances = [far for far in range(1, seats) if all(units[seat] != units[(seat + far) % seats] for seat in range(seats))]
    return Exchanges(format.candidates, others, seats, distances, 1 if has_all or seats == 2 else 2, dice)


def _require(there: int, needed: int, text: str) -> None:
    if there < needed:
        raise ConfigError(f"{text}, there are {there}")


def orders(seats: int, *, has_all: bool) -> list[Table]:
    """Per rotation: which member of the table sits at each seat."""
    if has_all:
        return list(itertools.permutations(range(seats)))
    return [tuple((seat + rotation) % seats for seat in range(seats)) for rotation in range(seats)]
