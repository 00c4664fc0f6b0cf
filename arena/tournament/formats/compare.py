"""`format: compare`: is the first candidate better than the second, played until that is sure, or the deals are spent.

Better means: it finishes before the second in more than `share` of the matches, those with a shared place counting half. That
is asked of the difference of the shares of both, which is above the bound 2 share - 1.

One observation is a deal: the mean, over its matches (all rotations, both ways of sitting), of +1 where the first candidate
finishes before the second, -1 where behind it, 0 where they share a place. Both sit at every table, so a deal's luck and its
other bots meet both alike; deal, distance between them and other bots are drawn anew for every deal, so that observations are
independent and have one mean, the difference. With several games the question is about all of them: an observation is then
the mean over the pools of one deal of each. The test (tournament/formats/betting.py) may be looked at as often as one likes.

With `luck: true` each deal's number also comes without its luck, as the cards of the match give it: the same mean, less
spread, so fewer deals decide. Whatever is used for that is fixed before the first match, by a hash in the plan.

Checkpoints come after 8 deals and then each time an eighth more have been played, four at least.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np

from arena.engine import rng
from arena.errors import ConfigError
from arena.ratings.error_bars import without_luck
from arena.ratings.match_luck import combined
from arena.ratings.settings import OVERALL, RatingSettings
from arena.records import MatchLuck, MatchRecord, Outcome
from arena.tournament.formats.betting import BettingTest, Numbers, Verdict
from arena.tournament.formats.format import CANDIDATES, Asked, Format, Seating, are_places, read_candidates
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import Retirement, Schedule
from arena.tournament.formats.tables import Table, Tables, ordered_sample, require

FIRST_DEALS = 8  # before the first checkpoint
LEAST_STEP = 4
DEALS_TO_TELL = 40  # what luck saves over fewer deals is known to no better than a fifth
LEAST_DIFFERENCE = 1e-6  # of the smallest that matters: no tournament has the matches to see less
GROWTH = 8  # an eighth more deals from checkpoint to checkpoint: at most so many more than needed


class CompareConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key `compare` of a config."""

    error: float = 0.05
    """The probability of a wrong verdict is at most this."""
    difference: float = 0.1
    """The smallest difference that matters: of the shares of matches in which one candidate finishes before the other."""
    share: float = 0.5
    """Better is who finishes before the other in more than this share of the matches; a shared place counts half."""
    luck: bool = False
    """Whether the luck of the matches is taken out."""


class Compare(Format, frozen=True, tag="compare", omit_defaults=True):
    """Whether the first candidate is better than the second."""

    KEYS: ClassVar[Mapping[str, Any]] = {**CANDIDATES, "compare": CompareConfig}
    VERB = "compare"
    MAY_END_EARLY = True

    candidates: tuple[int, int]
    """The two candidates, as places in the field."""
    error: float
    """The probability of a wrong verdict is at most this."""
    difference: float
    """The smallest difference that matters: of the shares of the matches in which one finishes before the other."""
    bound: float = 0.0
    """Better is who is so by more than this difference."""
    luck: str = ""
    """The hash of the estimates by which luck is taken out; empty: it is not."""

    @classmethod
    def read(cls, asked: Asked) -> Format:
        """The format with the settings of a config. Raises ConfigError that names the key."""
        candidates = read_candidates(asked, cls.name())
        for place in asked.own_deals:
            raise ConfigError(f"games[{place}].deals: compare plays the same number of deals of every game; set deals alone")
        if len(candidates) != 2:
            raise ConfigError(f"candidates: two of the bots are compared, not {len(candidates)}")
        settings = asked.settings.get("compare") or CompareConfig()
        for key in ("error", "difference"):
            if not 0.0 < getattr(settings, key) < 0.5:
                raise ConfigError(f"compare.{key}: between 0 and 0.5, not {getattr(settings, key)}")
        if settings.difference < LEAST_DIFFERENCE:
            raise ConfigError(f"compare.difference: at least {LEAST_DIFFERENCE:f}, not {settings.difference}")
        bound = bound_of(settings.share, "compare.share")
        if bound + settings.difference >= 1.0:
            raise ConfigError(f"compare.share: {settings.share}: above it there is no room for the difference")
        luck = combined(asked.games) if settings.luck else ""
        if settings.luck and not luck:
            raise ConfigError("compare.luck: no game of this config has a game that says what chance decides in it")
        return cls((candidates[0], candidates[1]), settings.error, settings.difference, bound, luck)

    def check(self, plan: Plan) -> None:
        """Raise ValueError for candidates or settings that no config gives."""
        if not are_places(self.candidates, len(plan.contestants)):
            raise ValueError("candidates: two of the bots are compared")
        has_numbers = 0.0 < self.error < 0.5 and LEAST_DIFFERENCE <= self.difference < 0.5
        if not (has_numbers and 0.0 <= self.bound < 1.0 - self.difference):
            raise ValueError("error, difference, bound: not settings of a comparison")

    @property
    def uses_luck(self) -> bool:
        """Whether luck is taken out."""
        return bool(self.luck)

    def tables(self, seating: Seating) -> Tables:
        """Tables with both candidates, and with others drawn per deal. Raises ConfigError if there are too few bots."""
        seats, units = seating.seats, seating.units
        others = [place for place in seating.field if place not in self.candidates]
        require(sum(place in seating.field for place in self.candidates), 2, "both candidates have to play it")
        require(len(others), seats - 2, f"{seats} seats need {seats - 2} bots that play it beside the candidates")
        distances = [far for far in range(1, seats) if all(units[seat] != units[(seat + far) % seats] for seat in range(seats))]
        per_deal = 1 if seating.has_all or seats == 2 else 2
        return Exchanges(self.candidates, others, seats, distances, per_deal, seating.stream)

    def schedule(self, plan: Plan, settings: RatingSettings) -> Schedule:
        """The schedule that goes on until the question is answered."""
        return Comparison(plan, self)

    def balance_text(self, plan: Plan, place: int) -> str:
        """Return how often the bots meet in the game at `place`, over all its deals, in words."""
        entry = plan.entries[place]
        others = len(plan.field(entry)) - 2
        beside = f", with {entry.seats - 2} of {others} others, drawn per deal" if entry.seats > 2 else ""
        return f"the two candidates at every table, seats exchanged{beside}"


class Exchanges(msgspec.Struct, frozen=True):
    """The two candidates with others drawn per deal, and once more with their seats exchanged."""

    candidates: tuple[int, int]
    others: Sequence[int]
    seats: int
    distances: Sequence[int]
    """How far apart they may sit: never as team mates."""
    per_deal: int
    """1 where the rotations exchange the seats anyway."""
    stream: Callable[[int], int]
    """Gives 128 random bits for a deal number; the error rates of the test need independent deals."""

    def table(self, deal: int, number: int) -> Table:
        """The first candidate, at a random distance the second, and a random choice of the others between them."""
        words = rng.seed_words(self.stream(deal))
        rng.seed_fast(words, words.copy())
        second = self.distances[rng.below(words, len(self.distances))]
        chosen = iter(ordered_sample(len(self.others), self.seats - 2, words))
        first, other = self.candidates if number == 0 else self.candidates[::-1]
        return tuple(
            first if seat == 0 else other if seat == second else self.others[next(chosen)] for seat in range(self.seats)
        )


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one question."""

    pool: str
    """An entry's label, or `overall`."""
    deals: int
    """How many deals were observed."""
    difference: float | None
    """Mean over these deals: share of matches in which the first candidate finishes before the second, less the reverse."""
    estimate: float | None
    """What the true difference is about: `difference`, drawn towards the bound where the comparison stopped beyond it."""
    low: float
    high: float
    """End of an interval that holds the true difference at all times together, but with probability `error`."""
    verdict: str
    """Whether the first candidate is `better` than the share asked for, `worse`, or `equal` (closer to it than the difference
    that matters); `open` if nothing is decided."""
    deals_left: int | None
    """About how many more deals a verdict takes at this rate; None if none is in sight."""
    worth: int | None = None
    """How many deals would be as certain if luck were not taken out; None: it is not, or there are few deals."""

    @property
    def is_drawn(self) -> bool:
        """Whether the estimate is drawn towards the bound."""
        return self.estimate != self.difference

    def drawn_with(self, asked: "Evidence") -> "Evidence":
        """The evidence of one game, its estimate drawn as far as that of all games: it is their mean that stopped."""
        if self.difference is None or asked.difference is None or asked.estimate is None:
            return self
        drawn = self.difference + asked.estimate - asked.difference
        return msgspec.structs.replace(self, estimate=min(self.high, max(self.low, drawn)))


class Comparison:
    """The schedule of a comparison; implements schedule.Schedule."""

    def __init__(self, plan: Plan, format: Compare) -> None:
        self.plan = plan
        self.outcome: str | None = None
        first, second = (plan.contestants[place] for place in format.candidates)
        self.names = (first.name, second.name)
        self._sides = {(first.name, first.version): 1, (second.name, second.version): -1}
        self._test = BettingTest(format.error, format.difference, format.bound)
        self._retirement = Retirement(plan)
        self.retired = self._retirement.retired
        self._deals = 0
        self._most_deals = max(entry.deals for entry in plan.entries)
        self._per_deal = len(plan) // self._most_deals
        self._points: dict[str, defaultdict[int, list[float]]] = {pool: defaultdict(list) for pool in plan.pools()}
        self._uses_luck = format.uses_luck
        self._lucks: dict[str, defaultdict[int, list[float]]] = {pool: defaultdict(list) for pool in plan.pools()}
        self._void: set[tuple[str, int]] = set()
        self._evidence: list[Evidence] = []

    def segments(self) -> Iterator[tuple[int, int]]:
        """The segments from checkpoint to checkpoint, until the question is answered."""
        for deals in checkpoints(self._most_deals):
            if self.outcome is not None:
                return
            yield self._deals * self._per_deal, deals * self._per_deal
            self._deals = deals

    def is_wanted(self, index: int) -> bool:
        """Every match is wanted: a comparison ends when one of its bots is retired."""
        return True

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match; a deal with a void one says nothing."""
        self._retirement.add(record)
        if record.is_void:
            self._void.add((record.pool, record.deal))
            return
        place = {side: seat.place for seat in record.seats if (side := self._sides.get((seat.bot, seat.bot_version)))}
        self._points[record.pool][record.deal].append(float(np.sign(place[-1] - place[1])))

    def add_luck(self, record: MatchRecord | Outcome, luck: MatchLuck) -> None:
        """Take in the luck of a match; called for each one, before its checkpoint, where the format uses luck."""
        sides = [self._sides.get((seat.bot, seat.bot_version)) for seat in record.seats]
        given = {side: found.bounded for side, found in zip(sides, luck.seats)}
        self._lucks[record.pool][record.deal].append(given[1] - given[-1])

    def pass_checkpoint(self) -> list[str]:
        """Decide whether the question is answered; returns the news, a line each."""
        retired = self._retirement.pass_checkpoint()
        pools = list(self._points)
        asked = self._weigh(OVERALL if len(pools) > 1 else pools[0], self._observations(pools))
        parts = [self._weigh(pool, self._observations([pool])) for pool in pools] if len(pools) > 1 else []
        self._evidence = [asked, *(part.drawn_with(asked) for part in parts)]
        self.outcome = self._ending(self._evidence[0])
        return [*retired, self.line(self._evidence[0])]

    def total(self) -> int | None:
        """The number of matches up to the checkpoint at which a verdict is expected."""
        known = self._deals_known()
        if self.outcome is not None:
            return known * self._per_deal
        left = self._evidence[0].deals_left if self._evidence else None
        wanted = self._most_deals if left is None else known + max(1, left)
        deals = next((deals for deals in checkpoints(self._most_deals) if deals >= wanted), self._most_deals)
        return deals * self._per_deal

    def evidence(self) -> list[Evidence]:
        """The evidence on the question, then on each game if there are several; empty before the first checkpoint."""
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
        worth = "" if evidence.worth is None else f" (as certain as {evidence.worth:,} without luck correction)"
        estimate = "no deals yet" if evidence.estimate is None else f"{evidence.estimate:+.3f}"
        drawn = (
            f" (stopped early: estimate drawn towards {bound:g}; mean {evidence.difference:+.3f})" if evidence.is_drawn else ""
        )
        return (
            f"{evidence.pool}: {first} - {second}: {estimate} ({evidence.low:+.3f} to {evidence.high:+.3f}) "
            f"after {evidence.deals:,} deals{worth}: {texts[evidence.verdict]}{left}{drawn}"
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
            return f"not decided: {names} forfeits again and again, or has void matches, and is retired"
        if self._deals_known() >= self._most_deals:
            return f"not decided: all {self._most_deals:,} deals are played"
        return None

    def _deals_known(self) -> int:
        """Deals up to the checkpoint that was passed last."""
        return 1 + max((max(deals, default=-1) for deals in self._points.values()), default=-1)

    def _observations(self, pools: list[str]) -> Numbers:
        """One number per deal that these pools have in common: who did better, from -1 to 1; and without luck, if asked."""
        deals = [deal for deal in range(self._deals_known()) if not any((pool, deal) in self._void for pool in pools)]
        numbers = _means(self._points, pools, deals)
        if not self._uses_luck:
            return numbers
        return np.stack([numbers, without_luck(numbers, _means(self._lucks, pools, deals))], axis=1)

    def _weigh(self, pool: str, observations: Numbers) -> Evidence:
        verdicts = {Verdict.ABOVE: "better", Verdict.BELOW: "worse", Verdict.NEAR: "equal", Verdict.OPEN: "open"}
        verdict = self._test.verdict(observations)
        low, high = self._test.interval(observations)
        return Evidence(
            pool=pool, deals=len(observations), difference=_mean(observations),
            estimate=self._test.estimate(observations) if len(observations) else None, low=low, high=high,
            verdict=verdicts[verdict],
            deals_left=self._test.numbers_left(observations) if verdict is Verdict.OPEN else 0, worth=_worth(observations),
        )  # fmt: skip


def _means(by_deal: Mapping[str, Mapping[int, list[float]]], pools: list[str], deals: list[int]) -> Numbers:
    """[deals]: the mean over the pools of their means of each deal."""
    means = [math.fsum(math.fsum(found := by_deal[pool][deal]) / len(found) for pool in pools) / len(pools) for deal in deals]
    return np.array(means, np.float64)


def _mean(observations: Numbers) -> float | None:
    """The mean of the numbers, without luck where that is known; None without any."""
    return float(observations.mean(axis=0).flat[-1]) if len(observations) else None


def _worth(observations: Numbers) -> int | None:
    """Return how many deals would be as certain without luck taken out; None where it is not, or too little is known."""
    if observations.ndim == 1 or len(observations) < DEALS_TO_TELL:
        return None
    plain, clean = observations.var(axis=0)
    return round(len(observations) * float(plain / clean)) if clean > 0.0 else None


def comparison_of(schedule: Schedule | None) -> Comparison:
    """The schedule of a run as a comparison's, which it must be."""
    assert isinstance(schedule, Comparison)
    return schedule


def between(format: Format, candidates: tuple[int, int], bound: float | None = None) -> tuple[Compare, float]:
    """A comparison's format with other candidates, and its bound, which is another one where it is given."""
    assert isinstance(format, Compare)
    found = format.bound if bound is None else bound
    return msgspec.structs.replace(format, candidates=candidates, bound=found), found


def bound_of(share: float, key: str) -> float:
    """The difference between two candidates of which the first one finishes before the other in this share of the matches.

    Raises ConfigError that names `key` where no share of a better bot is meant.
    """
    if not 0.5 <= share < 1.0:
        raise ConfigError(f"{key}: from 0.5 to below 1, not {share}")
    return round(2.0 * share - 1.0, 9)


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


FORMAT = Compare
