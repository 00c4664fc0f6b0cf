"""The matches of one rating pool as arrays: what every model reads. Built from records, or from stored columns."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.losers import names_loser
from arena.records import MatchLuck, MatchRecord, Outcome

Bot = tuple[str, int]
"""A bot's name and version."""


@dataclass(frozen=True, eq=False)
class PoolRows:
    """Rated matches of one pool in plan order; match m has the rows starts[m] .. starts[m + 1] - 1, in seat order."""

    bots_by_number: tuple[Bot, ...]
    starts: NDArray[np.int64]
    """[matches + 1]: the first row of each match, then the number of rows."""
    deals: NDArray[np.int32]
    """[matches], numbered from 0: matches with the same cards have the same number."""
    bots: NDArray[np.int32]
    """[rows]: the number of each row's bot, its position in `bots_by_number`."""
    units: NDArray[np.int8]
    """[rows]: the team; the seat itself in a game without teams."""
    places: NDArray[np.int8]
    """[rows]: the place; 1 is best."""
    scores: NDArray[np.float32]
    """[rows]: the score, in the game's own points."""
    faults: NDArray[np.bool_]
    """[rows]: whether the seat's ending blames its bot."""
    luck: NDArray[np.float64] | None = None
    """[rows]: the luck of the seat (arena/ratings), which the ratings then go without; None: it is not known, or not wanted."""
    named_losers: NDArray[np.bool_] | None = None
    """[matches]: whether a match names one loser: to share place 1 is then to win, not to tie. None: no match does."""

    @cached_property
    def names_loser(self) -> NDArray[np.bool_]:
        """[matches]: `named_losers`, also where no match names one."""
        return np.zeros(self.matches, np.bool_) if self.named_losers is None else self.named_losers

    @property
    def matches(self) -> int:
        """The number of matches."""
        return len(self.deals)

    def first(self, matches: int) -> "PoolRows":
        """The same bots with the first `matches` alone."""
        end = int(self.starts[matches])
        by_row = {name: getattr(self, name)[:end] for name in ("bots", "units", "places", "scores", "faults")}
        luck = None if self.luck is None else self.luck[:end]
        starts, deals, losers = self.starts[: matches + 1], self.deals[:matches], self.names_loser[:matches]
        return replace(self, starts=starts, deals=deals, luck=luck, named_losers=losers, **by_row)

    @property
    def last_places(self) -> NDArray[np.int8]:
        """[matches]: the worst place."""
        return np.maximum.reduceat(self.places, self.starts[:-1]) if self.matches else np.zeros(0, np.int8)

    def per_bot(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """[bots]: the sum of `values` [rows] for each bot."""
        sums = np.bincount(self.bots, weights=values.astype(np.float64), minlength=len(self.bots_by_number))
        return sums.astype(np.float64)


@dataclass(frozen=True)
class Beliefs:
    """What a model says of every bot of a pool, in TrueSkill points."""

    mu: NDArray[np.float64]
    """[bots]: the mean of the belief about each bot's skill."""
    sigma: NDArray[np.float64]
    """[bots]: the standard deviation of the belief (not the variance)."""
    margin: float | None = None
    """The draw margin by which they were found, as `RatingSettings.margin`; None: that one."""


class Collector:
    """Collects matches one by one, in plan order, and returns them as `PoolRows`; takes about 15 bytes a row."""

    def __init__(self, bots: Iterable[Bot] = ()) -> None:
        """`bots`: those to list even if they never play."""
        self._numbers: dict[Bot, int] = {}
        self._deal_numbers: dict[tuple[str, int, int], int] = {}
        self._starts, self._deals, self._bots = array("q", [0]), array("i"), array("i")
        self._units, self._places, self._faults, self._scores = array("b"), array("b"), array("b"), array("f")
        self._luck, self._losers = array("d"), array("b")
        for bot in bots:
            self._numbers.setdefault(bot, len(self._numbers))

    def __len__(self) -> int:
        """The number of matches."""
        return len(self._deals)

    def add(self, record: MatchRecord | Outcome, luck: MatchLuck | None = None) -> None:
        """Add the next match; a void match is left out. `luck`: its luck, of all matches or of none."""
        if record.is_void:
            return
        deal = (record.options, len(record.seats), record.deal)  # entries of one pool have deals of their own
        self._deals.append(self._deal_numbers.setdefault(deal, len(self._deal_numbers)))
        for seat in record.seats:
            self._bots.append(self._numbers.setdefault((seat.bot, seat.bot_version), len(self._numbers)))
            self._units.append(seat.unit)
            self._places.append(seat.place)
            self._scores.append(seat.score)
            self._faults.append(seat.ending.blame == "bot")
        if luck is not None:
            self._luck.extend(seat.luck for seat in luck.seats)
        self._losers.append(names_loser(record))
        self._starts.append(len(self._bots))

    def rows(self) -> PoolRows:
        """The matches added so far, as arrays; a copy."""
        return PoolRows(
            tuple(self._numbers),
            np.array(self._starts, np.int64),
            np.array(self._deals, np.int32),
            np.array(self._bots, np.int32),
            np.array(self._units, np.int8),
            np.array(self._places, np.int8),
            np.array(self._scores, np.float32),
            np.array(self._faults, np.bool_),
            np.array(self._luck, np.float64) if len(self._luck) and len(self._luck) == len(self._bots) else None,
            np.array(self._losers, np.bool_),
        )
