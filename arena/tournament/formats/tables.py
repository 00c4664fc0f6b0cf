"""Who sits with whom: tables as pure functions of the deal and the table's number, and what several formats need of them.

A table is its bots in order round it; the rotations turn it, or permute it. Tables of one deal share its cards. What a format
plays is in its own file.
"""

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import msgspec

from arena.engine import rng
from arena.errors import ConfigError
from arena.tournament.formats.balance import ordered_sample

Table = tuple[int, ...]
"""Contestants, by their place in the field, in order round the table."""


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
        """Table `number`, which is the same on every deal.

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


def require(there: int, needed: int, text: str) -> None:
    """Raise ConfigError if `there` are fewer bots than `needed`. `text`: what needs them."""
    if there < needed:
        raise ConfigError(f"{text}, there are {there}")


@cache
def orders(seats: int, *, has_all: bool) -> Sequence[Table]:
    """The seating of each rotation: which member of the table sits at each seat."""
    if has_all:
        return tuple(itertools.permutations(range(seats)))
    return tuple(tuple((seat + rotation) % seats for seat in range(seats)) for rotation in range(seats))


def orders_text(*, has_all: bool) -> str:
    """How the bots of a table change seats on a deal, in words."""
    return "all orders of a table" if has_all else "each bot of a table in each seat once a deal"


def shuffled(table: Sequence[int], dice: int) -> Table:
    """The bots of a table in random order. `dice`: 128 random bits."""
    words = rng.seed_words(dice)
    rng.seed_fast(words, words.copy())
    return tuple(table[place] for place in ordered_sample(len(table), len(table), words))
