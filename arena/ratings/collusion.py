"""Which bots do better together than apart: at a table of three or more, two bots can play for each other against the rest.

A bot's results against every third bot are compared between the matches that its partner plays too and those that it does not;
how the two finish among themselves does not count, since one may lose for the other. So neither the strength of the pair nor
that of its opponents matters. Teams of the rules are left out: they are to help each other.

All matches with the same deal are one observation (as in ratings/error_bars.py), and the level of the intervals is corrected
for the number of pairs (Bonferroni): if no two bots collude, a pair is named in one pool of 40 at most. Two that collude spoil
the comparison of others, who do worse wherever both are there; so once a pair is named, its matches together are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.ratings.error_bars import CONFIDENCE
from arena.ratings.rows import Bot, PoolRows

MOST_NAMED = 10  # pairs, each of which is left out before the next is looked for


class Partners(msgspec.Struct, frozen=True):
    """How much better two bots do at one table than apart."""

    bot: Bot
    other: Bot
    matches: int
    """The matches that both played."""
    gain: float
    """The mean gain of each in the share of third bots that it finishes before, when the other one is at the table."""
    half_width: float
    """Half the width of the interval of `gain`, corrected for the number of pairs."""

    @property
    def is_better(self) -> bool:
        """Whether the two surely do better together."""
        return self.gain > self.half_width


def partners(rows: PoolRows) -> list[Partners]:
    """All pairs of bots that played together and apart against the same third bots; the most suspicious first."""
    meetings, bots = _meetings(rows), rows.bots_by_number
    named: list[Partners] = []
    while True:
        rest = _ranked(meetings, bots)
        if not rest or not rest[0].is_better or len(named) == MOST_NAMED:
            return named + rest
        named.append(rest[0])
        meetings = meetings.without_both(bots.index(rest[0].bot), bots.index(rest[0].other))


def _ranked(meetings: "_Meetings", bots: tuple[Bot, ...]) -> list[Partners]:
    found = [pair for pair in _compared(meetings, len(bots)) if pair is not None]
    deals = len(np.unique(meetings.deals))
    if not found or deals < 2:
        return []
    quantile = float(special.stdtrit(deals - 1, 1 - (1 - CONFIDENCE) / 2 / len(found)))
    pairs = [
        Partners(bots[one], bots[other], matches, gain, quantile * error) for one, other, matches, gain, error in found
    ]  # fmt: skip
    return sorted(pairs, key=lambda pair: (pair.half_width - pair.gain, pair.bot, pair.other))


@dataclass(frozen=True)
class _Meetings:
    """Every bot against every other one at its table; arrays with an element per meeting."""

    matches: NDArray[np.int32]
    deals: NDArray[np.int32]
    """The number of the deal, from 0 without gaps."""
    bots: NDArray[np.int32]
    thirds: NDArray[np.int32]
    """The bot that is met."""
    better: NDArray[np.float32]
    """1: finished before it, 0: after it, a half: at the same place."""

    def without_both(self, one: int, other: int) -> "_Meetings":
        """The meetings of the matches that two bots did not both play."""
        size = int(self.matches.max(initial=-1)) + 1
        played = [np.bincount(self.matches[self.bots == bot], minlength=size) > 0 for bot in (one, other)]
        kept = ~(played[0] & played[1])[self.matches]
        return _Meetings(*(getattr(self, name)[kept] for name in ("matches", "deals", "bots", "thirds", "better")))


def _meetings(rows: PoolRows) -> _Meetings:
    """The meetings at tables of three seats or more in which nobody has a team mate."""
    sizes = np.diff(rows.starts)
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), sizes)
    seat = (np.arange(len(rows.bots)) - rows.starts[:-1][match]).astype(np.int32)
    has_teams = np.zeros(rows.matches, np.bool_)
    has_teams[match[rows.units != seat]] = True
    chosen = np.flatnonzero((sizes[match] > 2) & ~has_teams[match])
    found = []
    for distance in range(1, int(sizes.max(initial=1))):
        first = chosen[: max(0, len(chosen) - distance)]
        first = first[match[first] == match[np.minimum(first + distance, len(match) - 1)]]
        found += [(first, first + distance), (first + distance, first)]
    one = np.concatenate([pair[0] for pair in found]) if found else np.zeros(0, np.int64)
    two = np.concatenate([pair[1] for pair in found]) if found else np.zeros(0, np.int64)
    better = ((np.sign(rows.places[two] - rows.places[one]) + 1) / 2).astype(np.float32)
    deals = np.unique(rows.deals[match[one]], return_inverse=True)[1].astype(np.int32)
    return _Meetings(match[one], deals, rows.bots[one], rows.bots[two], better)


def _compared(meetings: _Meetings, bots: int) -> Iterator[tuple[int, int, int, float, float] | None]:
    """For each pair that met: both bots, the matches together, the gain and its standard error; None if it is not known."""
    own = [np.flatnonzero(meetings.bots == bot) for bot in range(bots)]
    played = [np.zeros(int(meetings.matches.max(initial=-1)) + 1, np.bool_) for _ in range(bots)]
    for bot, places in enumerate(own):
        played[bot][meetings.matches[places]] = True
    for one, other in combinations(range(bots), 2):
        together = int(np.sum(played[one] & played[other]))
        if together:
            yield _pair(meetings, own, played, (one, other), together)


def _pair(
    meetings: _Meetings, own: list[NDArray[np.int64]], played: list[NDArray[np.bool_]], pair: tuple[int, int], together: int
) -> tuple[int, int, int, float, float] | None:
    """The gain is the mean over all meetings together of their result less the mean result of the same two bots apart."""
    bots = len(own)
    parts = []
    for bot, partner in (pair, pair[::-1]):
        places = own[bot][meetings.thirds[own[bot]] != partner]
        thirds, better = meetings.thirds[places], meetings.better[places].astype(np.float64)
        is_together = played[partner][meetings.matches[places]]
        counts = [np.bincount(thirds[side], minlength=bots) for side in (is_together, ~is_together)]
        usable = (counts[0] > 0) & (counts[1] > 0)
        sums = [np.bincount(thirds[side], better[side], minlength=bots) for side in (is_together, ~is_together)]
        means = [total / np.maximum(1, count) for total, count in zip(sums, counts)]
        weights = np.where(usable, counts[0], 0).astype(np.float64)
        rest = np.where(is_together, better - means[0][thirds], better - means[1][thirds])
        share = np.where(is_together, usable[thirds], -weights[thirds] / np.maximum(1, counts[1][thirds]))
        parts.append((weights.sum(), float(weights @ (means[0] - means[1])), meetings.deals[places], share * rest))
    total = sum(part[0] for part in parts)
    if not total:
        return None
    gain = sum(part[1] for part in parts) / total
    deals = np.concatenate([part[2] for part in parts])
    by_deal = np.bincount(deals, np.concatenate([part[3] for part in parts])) / total
    count = len(np.unique(deals))
    if count < 2:
        return None
    return *pair, together, float(gain), float(np.sqrt(np.sum(by_deal**2) * count / (count - 1)))
