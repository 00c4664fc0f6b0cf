"""Skill against luck: how many of its rivals each bot beat, how much of that its cards gave it, and how sure the rest is.

One observation is a deal, all matches with the same cards together. From a bot's mean share of a deal its mean luck is taken
off, with a coefficient that earlier deals give (arena/ratings/control_variates.py): that biases nothing, and is less noisy.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.analysis.over_deals import half_width
from arena.ratings.control_variates import Numbers, without_luck
from arena.ratings.rows import Bot
from arena.records import MatchLuck, MatchRecord

MOST_CERTAIN = 99.0  # times as many deals: more is one number only


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """One bot in one pool."""

    pool: str
    bot: str
    bot_version: int
    matches: int
    deals: int
    beaten: float
    """Mean share of the rivals that finished behind it; a tie counts half."""
    luck: float
    """Mean of what chance gave it, in the same shares; about 0 over many deals."""
    skill: float
    """What is left of `beaten` without the luck that its deals explain."""
    low: float
    high: float
    """The 95 % interval of `skill`, over deals."""
    half_width: float
    """Half of the interval of `beaten`, without luck taken out."""
    worth: float
    """How many deals without luck taken out would be as certain."""


def skills(matches: Iterable[tuple[MatchRecord, MatchLuck]], *, with_measured: bool = False) -> list[Skill]:
    """Every bot of every pool, by pool, the most skilful first; without void matches and, as a rule, measured ones."""
    found: defaultdict[str, _Pool] = defaultdict(_Pool)
    for record, luck in matches:
        if not record.is_void and (with_measured or not record.is_measured):
            found[record.pool].add(record, luck)
    return [skill for pool, rows in found.items() for skill in sorted(rows.skills(pool), key=lambda row: -row.skill)]


def shares_of(places: Sequence[int], units: Sequence[int]) -> list[float]:
    """The share of its rivals that finished behind each seat, a tie counting half; team mates are no rivals.

    >>> shares_of([1, 3, 2], [0, 1, 2]), shares_of([1, 1, 3, 3], [0, 0, 1, 1])
    ([1.0, 0.0, 0.5], [1.0, 1.0, 0.0, 0.0])
    """
    shares = []
    for own, unit in zip(places, units):
        rivals = [place for place, other in zip(places, units) if other != unit]
        points = [0.5 + 0.5 * ((place > own) - (place < own)) for place in rivals]
        shares.append(math.fsum(points) / max(1, len(rivals)))
    return shares


class _Pool:
    """The seats of a pool, one after the other."""

    def __init__(self) -> None:
        self._deals: dict[tuple[str, int, int], int] = {}
        self._bots: dict[Bot, int] = {}
        self._at: list[tuple[int, int]] = []  # deal, bot
        self._numbers: list[tuple[float, float]] = []  # share of rivals beaten, luck

    def add(self, record: MatchRecord, luck: MatchLuck) -> None:
        deal = self._deals.setdefault((record.options, len(record.seats), record.deal), len(self._deals))
        shares = shares_of([seat.place for seat in record.seats], [seat.unit for seat in record.seats])
        for seat, share, given in zip(record.seats, shares, luck.seats):
            self._at.append((deal, self._bots.setdefault((seat.bot, seat.bot_version), len(self._bots))))
            self._numbers.append((share, given.luck))

    def skills(self, pool: str) -> Iterable[Skill]:
        at, numbers = np.array(self._at), np.array(self._numbers)
        counts = np.zeros((len(self._deals), len(self._bots)))
        np.add.at(counts, (at[:, 0], at[:, 1]), 1.0)
        sums = np.zeros((2, *counts.shape))
        for kind in (0, 1):
            np.add.at(sums[kind], (at[:, 0], at[:, 1]), numbers[:, kind])
        with np.errstate(invalid="ignore"):
            shares, luck = sums / counts  # nan where a bot did not play
        for (bot, version), number in self._bots.items():
            played = counts[:, number] > 0
            plain = shares[played, number]
            clean = without_luck(plain, luck[played, number])  # of its own: luck moves whoever always wins less than others
            mean, narrow, wide = float(clean.mean()), _half(clean), _half(plain)
            yield Skill(
                pool=pool, bot=bot, bot_version=version, matches=int(counts[:, number].sum()), deals=len(plain),
                beaten=float(plain.mean()), luck=float(luck[played, number].mean()), skill=mean,
                low=mean - narrow, high=mean + narrow, half_width=wide,
                worth=len(plain) * min(MOST_CERTAIN, (wide / narrow) ** 2) if narrow > 0.0 else math.nan,
            )  # fmt: skip


def _half(numbers: Numbers) -> float:
    places: NDArray[np.int64] = np.arange(len(numbers))
    return half_width(numbers, places)
