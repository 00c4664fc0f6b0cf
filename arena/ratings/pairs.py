"""What the rows say of pairs of bots, and of seats: who beats whom, with the same cards, together and apart.

*Head to head*: how often a bot was placed before another in the matches that they shared.

*Seats*: every bot plays every deal from every seat, so what is left between seats is the seat's own.

*Version against version*: how often one bot does better than another one with the same cards. Where both sat at one table:
who finished before the other. Where they did not: two tables of one deal at which they sat in the same seat with the same
rivals; who reached the better place did better. A tie counts as half. One observation is a deal: the mean over all its
comparisons.

*Together and apart*: which bots do better at one table than at different ones; at a table of three or more, two bots can play
for each other against the rest.

A bot's results against every third bot are compared between the matches that its partner plays too and those that it does not;
how the two finish among themselves does not count, since one may lose for the other. So neither the strength of the pair nor
that of its opponents matters. Teams of the rules are left out: they are to help each other.

All matches with the same deal are one observation (as in ratings/error_bars.py), and the level of the intervals is corrected
for the number of pairs (Bonferroni): if no two bots collude, a pair is named in one pool of 40 at most. Two that collude spoil
the comparison of others, who do worse wherever both are there; so once a pair is named, its matches together are left out.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.ratings.error_bars import CONFIDENCE, half_width, share_interval
from arena.ratings.rows import Bot, PoolRows


@dataclass(frozen=True)
class HeadToHead:
    """How often each bot of a pool finished ahead of each other bot."""

    bots: tuple[Bot, ...]
    meetings: NDArray[np.int64]
    """[bots, bots]: the matches in which two bots are compared: team mates are not, nor winners where only losers are named."""
    better: NDArray[np.float64]
    """[bots, bots]: the meetings in which the first bot finished ahead of the second; a tie counts as half."""

    def share(self, bot: int, other: int) -> float | None:
        """The share of the meetings in which `bot` finished ahead of `other`; None if they never met."""
        meetings = int(self.meetings[bot, other])
        return float(self.better[bot, other]) / meetings if meetings else None


def head_to_head(rows: PoolRows) -> HeadToHead:
    """Compare all pairs of bots over all matches of a pool."""
    count = len(rows.bots_by_number)
    meetings, wins, ties = (np.zeros(count * count, np.int64) for _ in range(3))
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), np.diff(rows.starts))
    won_together = rows.names_loser & (rows.last_places > 1)  # where nobody lost, sharing place 1 is a tie
    for distance in range(1, int(np.diff(rows.starts).max(initial=1))):  # seats apart
        first = np.flatnonzero(match[:-distance] == match[distance:])
        second = first + distance
        tied = rows.places[first] == rows.places[second]
        compared = rows.units[first] != rows.units[second]
        compared &= ~(tied & (rows.places[first] == 1) & won_together[match[first]])
        for one, other in ((first, second), (second, first)):
            pair = rows.bots[one].astype(np.int64) * count + rows.bots[other]
            meetings += np.bincount(pair[compared], minlength=count * count)
            wins += np.bincount(pair[compared & (rows.places[one] < rows.places[other])], minlength=count * count)
            ties += np.bincount(pair[compared & tied], minlength=count * count)
    shape = (count, count)
    return HeadToHead(rows.bots_by_number, meetings.reshape(shape), (wins + ties / 2).reshape(shape))


class SeatShare(msgspec.Struct, frozen=True):
    """One seat of the tables of one size, over all bots that sat there."""

    seats: int
    """The number of seats at the table."""
    seat: int
    """The seat, from 0."""
    matches: int
    better: float
    """Share of the others at the table that the seat finished before, ties as halves: 0.5 without any advantage."""
    half_width: float | None
    """Half the width of the 95 % interval of `better` over deals; None below two deals."""
    wins: float
    """The share of matches in which the seat took place 1."""
    mean_place: float
    mean_score: float
    """The mean score, in the game's own points."""


def seat_advantage(rows: PoolRows) -> list[SeatShare]:
    """The results of each seat over all bots; small tables first."""
    sizes = np.diff(rows.starts)
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), sizes)
    seat = np.arange(len(rows.bots)) - rows.starts[:-1][match]
    better = _better(rows, match)
    found = []
    for size in np.unique(sizes).tolist():
        for number in range(size):
            here = np.flatnonzero((sizes[match] == size) & (seat == number))
            places = rows.places[here]
            half = half_width(better[here], rows.deals[match[here]])
            found.append(
                SeatShare(
                    size, number, len(here), float(better[here].mean()), None if math.isnan(half) else half,
                    float(np.mean(places == 1)), float(places.mean()), float(rows.scores[here].mean(dtype=np.float64)),
                )
            )  # fmt: skip
    return found


def _better(rows: PoolRows, match: NDArray[np.int32]) -> NDArray[np.float32]:
    """[rows]: share of the rivals, those of other teams, with a worse place, ties as halves; alone or in one team: a half."""
    points, rivals = np.zeros(len(match), np.float32), np.zeros(len(match), np.int8)
    for distance in range(1, int(np.diff(rows.starts).max(initial=1))):  # seats apart
        first = np.flatnonzero(match[:-distance] == match[distance:])
        first = first[rows.units[first] != rows.units[first + distance]]
        second = first + distance
        points[first] += (np.sign(rows.places[second] - rows.places[first]) + 1) / 2
        points[second] += (np.sign(rows.places[first] - rows.places[second]) + 1) / 2
        rivals[first] += 1
        rivals[second] += 1
    return np.where(rivals > 0, points / np.maximum(1, rivals), np.float32(0.5)).astype(np.float32)


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
                found[deal].append(_better_version(places[mine], places[theirs]))
            continue
        which, number = (0, one) if one in bots else (1, two)
        seat = bots.index(number)
        rivals = tuple(sorted(bots[:seat] + bots[seat + 1 :]))
        alone[deal][which][len(bots), seat, rivals].append(places[seat])
    for deal, (mine_at, theirs_at) in alone.items():
        for place in mine_at.keys() & theirs_at.keys():
            found[deal] += [_better_version(my, their) for my in mine_at[place] for their in theirs_at[place]]
    if not any(found.values()):
        return None
    shares = np.array([sum(results) / len(results) for results in found.values() if results])
    low, high = share_interval(shares)
    return Comparison(
        share=float(shares.mean()), low=low, high=high, deals=len(shares), matches=sum(map(len, found.values()))
    )  # fmt: skip


def _better_version(place: int, other: int) -> float:
    return 1.0 if place < other else 0.5 if place == other else 0.0


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
