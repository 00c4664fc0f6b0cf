"""Version against version: how often one bot does better than another one with the same cards, from the matches they share.

Where both sat at one table: who finished before the other. Where they did not: two tables of one deal at which they sat in the
same seat with the same rivals; who reached the better place did better. A tie counts as half. One observation is a deal: the
mean over all its comparisons.
"""

from collections import defaultdict

import msgspec
import numpy as np

from arena.ratings.over_deals import share_interval
from arena.ratings.rows import Bot, PoolRows


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How often a bot did better than another one in a pool."""

    share: float
    """The share of the comparisons in which the bot did better, ties as halves, as the mean over the deals."""
    low: float
    """The lower end of the 95 % interval of the share over deals."""
    high: float
    deals: int
    """The number of deals in which both can be compared."""
    matches: int
    """How many comparisons there are: matches at one table, or pairs of matches."""


_Place = tuple[int, int, tuple[int, ...]]
"""Seats at the table, seat, and the rivals' numbers, sorted: what two matches of a deal must share."""


def compare_bots(rows: PoolRows, bot: Bot, other: Bot) -> Comparison | None:
    """Compare two bots over all matches of a pool; None if no deal compares them."""
    if bot not in rows.bots_by_number or other not in rows.bots_by_number:
        return None
    one, two = rows.bots_by_number.index(bot), rows.bots_by_number.index(other)
    found: dict[int, list[float]] = defaultdict(list)
    alone: dict[int, tuple[dict[_Place, list[int]], dict[_Place, list[int]]]] = defaultdict(
        lambda: (defaultdict(list), defaultdict(list))
    )
    match_of = np.searchsorted(rows.starts, np.flatnonzero((rows.bots == one) | (rows.bots == two)), side="right") - 1
    for match in np.unique(match_of).tolist():
        deal, seats = int(rows.deals[match]), slice(int(rows.starts[match]), int(rows.starts[match + 1]))
        bots, places, units = rows.bots[seats].tolist(), rows.places[seats].tolist(), rows.units[seats].tolist()
        if one in bots and two in bots:
            mine, theirs = bots.index(one), bots.index(two)
            if units[mine] != units[theirs]:
                found[deal].append(_better(places[mine], places[theirs]))
            continue
        which, number = (0, one) if one in bots else (1, two)
        seat = bots.index(number)
        rivals = tuple(sorted(bots[:seat] + bots[seat + 1 :]))
        alone[deal][which][len(bots), seat, rivals].append(places[seat])
    for deal, (mine_at, theirs_at) in alone.items():
        for place in mine_at.keys() & theirs_at.keys():
            found[deal] += [_better(my, their) for my in mine_at[place] for their in theirs_at[place]]
    if not any(found.values()):
        return None
    shares = np.array([sum(results) / len(results) for results in found.values() if results])
    low, high = share_interval(shares)
    return Comparison(
        share=float(shares.mean()), low=low, high=high, deals=len(shares), matches=sum(map(len, found.values()))
    )  # fmt: skip


def _better(place: int, other: int) -> float:
    return 1.0 if place < other else 0.5 if place == other else 0.0
