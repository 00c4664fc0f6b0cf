"""Skill against luck: how many of its rivals each bot beat, how much of that its cards gave it, and how sure the rest is.

One observation is a deal, all matches with the same cards together. From a bot's mean share of a deal its mean luck is taken
off, with a coefficient that earlier deals give (arena/ratings/error_bars.py): that biases nothing, and is less noisy.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.error_bars import Numbers, half_width, without_luck
from arena.ratings.rows import Bot, PoolRows

MOST_CERTAIN = 99.0  # times as many deals: more is one number only


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What of the results of one bot in one pool its cards gave it."""

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
    worth: float | None
    """How many deals without luck taken out would be as certain; None where all deals ended alike, or too few were played."""

    @property
    def has_interval(self) -> bool:
        """Whether there were deals enough for an interval."""
        return not math.isnan(self.low)


def skills(pool: str, rows: PoolRows) -> list[Skill]:
    """Every bot that played in a pool, the most skilful first. `rows`: with their luck."""
    shares = shares_by_row(rows)
    found = [_skill(pool, rows, shares, number) for number in np.unique(rows.bots).tolist()]
    return sorted(found, key=lambda one: -one.skill)


def skill_of(pool: str, rows: PoolRows, bot: Bot) -> Skill | None:
    """One bot in a pool; None if it never played there. `rows`: with their luck."""
    number = rows.bots_by_number.index(bot) if bot in rows.bots_by_number else -1
    return _skill(pool, rows, shares_by_row(rows), number) if number in rows.bots else None


def shares_by_row(rows: PoolRows) -> Numbers:
    """[rows]: the share of its rivals that finished behind the bot of each row, as `shares_of`."""
    sizes = np.diff(rows.starts)
    shares = np.zeros(len(rows.bots))
    for seats in np.unique(sizes).tolist():
        own = rows.starts[:-1][sizes == seats][:, None] + np.arange(seats)  # [matches, seats]: row numbers
        places, units = rows.places[own].astype(np.int64), rows.units[own]
        for seat in range(seats):
            points, rivals = np.zeros(len(own)), np.zeros(len(own))
            for other in range(seats):
                is_rival = units[:, seat] != units[:, other]
                points += is_rival * (0.5 + 0.5 * np.sign(places[:, other] - places[:, seat]))
                rivals += is_rival
            shares[own[:, seat]] = points / np.maximum(1.0, rivals)
    return shares


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


def _skill(pool: str, rows: PoolRows, shares: Numbers, number: int) -> Skill:
    """The bot with this number."""
    assert rows.luck is not None
    own = np.flatnonzero(rows.bots == number)
    deals, places = np.unique(rows.deals[np.searchsorted(rows.starts, own, side="right") - 1], return_inverse=True)
    counts = np.bincount(places)
    plain, luck = (np.bincount(places, weights=values[own]) / counts for values in (shares, rows.luck))
    clean = without_luck(plain, luck)  # of its own: luck moves whoever always wins less than others
    mean, narrow, wide = float(clean.mean()), _half(clean), _half(plain)
    return Skill(
        pool=pool, bot=rows.bots_by_number[number][0], bot_version=rows.bots_by_number[number][1], matches=len(own),
        deals=len(deals), beaten=float(plain.mean()), luck=float(luck.mean()), skill=mean, low=mean - narrow,
        high=mean + narrow, half_width=wide,
        worth=len(deals) * min(MOST_CERTAIN, (wide / narrow) ** 2) if min(narrow, wide) > 0.0 else None,
    )  # fmt: skip


def _half(numbers: Numbers) -> float:
    places: NDArray[np.int64] = np.arange(len(numbers))
    return half_width(numbers, places)
