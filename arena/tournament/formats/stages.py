"""Plans that are made of stages: tables that were chosen together, from the rows of all stages before.

Stage by stage, within a stage table by table, within a table deal by deal, within a deal rotation by rotation. Every stage
plays deals of its own. So match i is still a pure function of i and of the stages.
"""

import itertools
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from arena.tournament.formats.tables import Table


class Stage(msgspec.Struct, frozen=True, array_like=True):
    """Tables that were chosen together."""

    number: int
    first_index: int
    tables: tuple[tuple[int, Table], ...]
    """Entry and contestants; each plays its entry's deals."""


class StageLayout:
    """Finds each match of the stages; implements layers.Layout."""

    def __init__(self, stages: Sequence[Stage], deals: Sequence[int], orders: Sequence[int]) -> None:
        """`deals`, `orders`: by entry, how many of a table's deals and orders are played in one stage."""
        self._stages, self._deals, self._orders = stages, deals, orders

    def __len__(self) -> int:
        return self._stages[-1].first_index + self._starts(self._stages[-1])[-1] if self._stages else 0

    def locate(self, index: int) -> tuple[int, int, Table, int]:
        """Entry, deal, table and rotation of match `index`. Raises IndexError outside the stages that are known."""
        stages = self._stages
        stage = stages[bisect_right(stages, index, key=lambda stage: stage.first_index) - 1] if stages else None
        if stage is None or not 0 <= index - stage.first_index < self._starts(stage)[-1]:
            raise IndexError(index)
        starts = self._starts(stage)
        number = bisect_right(starts, index - stage.first_index) - 1
        place, table = stage.tables[number]
        deal, rotation = divmod(index - stage.first_index - starts[number], self._orders[place])
        return place, stage.number * max(self._deals) + deal, table, rotation

    def count_without(self, contestants: set[int], first: int) -> int:
        """How many matches from index `first` on have none of `contestants`."""
        return sum(contestants.isdisjoint(self.locate(index)[2]) for index in range(first, len(self)))

    def _starts(self, stage: Stage) -> list[int]:
        """The number of the first match of each table of a stage, counted within the stage, and the number of its matches."""
        sizes = [self._deals[place] * self._orders[place] for place, _ in stage.tables]
        return [0, *itertools.accumulate(sizes)]
