"""`format: compare`: is the first candidate better than the second, played until that is sure, or the deals are spent.

Better means: it finishes before the second in more than `share` of the matches, those with a shared place counting half. That
is asked of the difference of the shares of both, which is above the bound 2 share - 1.

One observation is a deal: the mean, over its matches (all rotations, both ways of sitting), of +1 where the first candidate
finishes before the second, -1 where behind it, 0 where they share a place. Both sit at every table, so a deal's luck and its
other bots meet both alike; deal, distance between them and other bots are drawn anew for every deal, so that observations are
independent and have one mean, the difference. With several games the question is about all of them: an observation is then
the mean over the pools of one deal of each. The test (formats/betting.py) may be looked at as often as one likes.

Checkpoints come after 8 deals and then each time an eighth more have been played, four at least.
"""

import math
from collections import defaultdict
from collections.abc import Iterator

import msgspec
import numpy as np

from arena.formats.betting import BettingTest, Verdict
from arena.formats.course import retirement_news
from arena.formats.plan import Plan
from arena.formats.retirement import Retirement
from arena.formats.tables import Compare
from arena.ratings.settings import OVERALL
from arena.records import MatchRecord

FIRST_DEALS = 8  # before the first checkpoint
LEAST_STEP = 4
GROWTH = 8  # an eighth more deals from checkpoint to checkpoint: at most so many more than needed


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one question."""

    pool: str
    """An entry's label, or `overall`."""
    deals: int
    """Observations."""
    difference: float | None
    """Their mean: share of matches in which the first candidate finishes before the second, less the other way round."""
    low: float
    high: float
    """Holds the true difference at all times together, but with probability `error`."""
    verdict: str
    """Of the first candidate, in the share that is asked for: `better`, `worse`, `equal` (closer to it than the difference that
    matters) or `open`."""
    deals_left: int | None
    """To a verdict, about, at this rate; None: not in sight."""


class Comparison:
    """Implements course.Course."""

    def __init__(self, plan: Plan) -> None:
        assert isinstance(plan.format, Compare)
        self.plan = plan
        self.outcome: str | None = None
        first, second = (plan.contestants[place] for place in plan.format.candidates)
        self.names = (first.name, second.name)
        self._sides = {(first.name, first.version): 1, (second.name, second.version): -1}
        self._test = BettingTest(plan.format.error, plan.format.difference, plan.format.bound)
        self._retirement = Retirement(plan)
        self.retired = self._retirement.retired
        self._deals = 0
        self._most_deals = max(entry.deals for entry in plan.entries)
        self._per_deal = len(plan) // self._most_deals
        self._points: dict[str, defaultdict[int, list[float]]] = {pool: defaultdict(list) for pool in plan.pools()}
        self._void: set[tuple[str, int]] = set()
        self._evidence: list[Evidence] = []

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Until the question is answered."""
        for deals in checkpoints(self._most_deals):
            if self.outcome is not None:
                return
            yield self._deals * self._per_deal, deals * self._per_deal
            self._deals = deals

    def is_wanted(self, index: int) -> bool:
        """All: a comparison ends when one of its bots is retired."""
        return True

    def add(self, record: MatchRecord) -> None:
        """Take in the next match; a deal with a void one says nothing."""
        self._retirement.add(record)
        if record.is_void:
            self._void.add((record.pool, record.deal))
            return
        place = {side: seat.place for seat in record.seats if (side := self._sides.get((seat.bot, seat.bot_version)))}
        self._points[record.pool][record.deal].append(float(np.sign(place[-1] - place[1])))

    def pass_checkpoint(self) -> list[str]:
        """Is it answered?"""
        retired = retirement_news(self.plan, self._retirement.pass_checkpoint())
        self._evidence = [self._weigh(pool, self._observations([pool])) for pool in self._points]
        if len(self._points) > 1:
            self._evidence.insert(0, self._weigh(OVERALL, self._observations(list(self._points))))
        self.outcome = self._ending(self._evidence[0])
        return [*retired, self.line(self._evidence[0])]

    def total(self) -> int | None:
        """Up to the checkpoint at which there may be a verdict."""
        known = self._deals_known()
        if self.outcome is not None:
            return known * self._per_deal
        left = self._evidence[0].deals_left if self._evidence else None
        wanted = self._most_deals if left is None else known + max(1, left)
        deals = next((deals for deals in checkpoints(self._most_deals) if deals >= wanted), self._most_deals)
        return deals * self._per_deal

    def evidence(self) -> list[Evidence]:
        """Of the question asked, then of each game where there are several; empty before the first checkpoint."""
        return self._evidence

    def line(self, evidence: Evidence) -> str:
        """The evidence in words."""
        first, second = self.names
        bound, difference = self._test.bound, f"{self._test.difference:g}"
        texts = {
            "better": f"{first} is better" + (f" by more than {bound:g}" if bound else ""),
            "worse": f"{first} is not better by {bound:g}" if bound else f"{second} is better",
            "equal": f"closer than {difference} to {bound:g}" if bound else f"they differ by less than {difference}",
            "open": "open",
        }
        left = "" if evidence.verdict != "open" else _left_text(evidence.deals_left, self._most_deals - evidence.deals)
        mean = "no deals yet" if evidence.difference is None else f"{evidence.difference:+.3f}"
        return (
            f"{evidence.pool}: {first} - {second}: {mean} ({evidence.low:+.3f} to {evidence.high:+.3f}) "
            f"after {evidence.deals:,} deals: {texts[evidence.verdict]}{left}"
        )

    def _ending(self, asked: Evidence) -> str | None:
        first, second = self.names
        risk = f"wrong with probability {self._test.error:g} at most"
        if self._test.bound and asked.verdict in ("better", "worse", "equal"):
            more = {"better": "in more than", "worse": "in less than", "equal": "in about"}[asked.verdict]
            return f"{first} finishes before {second} {more} {share_of(self._test.bound):.1%} of the matches: {risk}"
        if asked.verdict == "better":
            return f"{first} is better than {second}: {risk}"
        if asked.verdict == "worse":
            return f"{first} is not better than {second}: {second} is better; {risk}"
        if asked.verdict == "equal":
            return f"{first} is not better than {second} by {self._test.difference:g} or more, nor worse: {risk}"
        if self.retired:
            names = ", ".join(self.plan.contestants[place].name for place in sorted(self.retired))
            return f"not decided: {names} forfeits again and again and is retired"
        if self._deals_known() >= self._most_deals:
            return f"not decided: all {self._most_deals:,} deals are played"
        return None

    def _deals_known(self) -> int:
        """Deals up to the checkpoint that was passed last."""
        return 1 + max((max(deals, default=-1) for deals in self._points.values()), default=-1)

    def _observations(self, pools: list[str]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """One number per deal."""
        means = []
        for deal in range(self._deals_known()):
            if not any((pool, deal) in self._void for pool in pools):
                means.append(math.fsum(math.fsum(p := self._points[pool][deal]) / len(p) for pool in pools) / len(pools))
        return np.array(means, np.float64)

    def _weigh(self, pool: str, observations: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Evidence:
        verdicts = {Verdict.ABOVE: "better", Verdict.BELOW: "worse", Verdict.NEAR: "equal", Verdict.OPEN: "open"}
        verdict = self._test.verdict(observations)
        low, high = self._test.interval(observations)
        return Evidence(
            pool=pool, deals=len(observations), difference=float(observations.mean()) if len(observations) else None,
            low=low, high=high, verdict=verdicts[verdict],
            deals_left=self._test.numbers_left(observations) if verdict is Verdict.OPEN else 0,
        )  # fmt: skip


def share_of(difference: float) -> float:
    """The share of the matches in which one of two finishes before the other, from the difference; a shared place counts half.

    >>> share_of(0.1)
    0.55
    """
    return (1.0 + difference) / 2.0


def checkpoints(most: int) -> Iterator[int]:
    """Numbers of deals after which to look, the last one being `most`.

    >>> list(checkpoints(20))
    [8, 12, 16, 20]
    """
    deals = min(FIRST_DEALS, most)
    while deals < most:
        yield deals
        deals = min(most, deals + max(LEAST_STEP, deals // GROWTH))
    yield most


def _left_text(left: int | None, budget: int) -> str:
    if left is None:
        return ", no end in sight"
    return f", about {left:,} more" + (f" (but only {budget:,} are left)" if left > budget else "")
