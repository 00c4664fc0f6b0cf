"""Formats, measured: what `python -m lab formats` prints. Error rates of `compare`, and what `compare` and `ladder` save,
and how far estimates of comparisons that stop lie from the truth.

Savings: bots of this house play every pair on the same deals, once. From this bank, tournaments are drawn again and again, a
deal of a tournament being a random deal of the bank, for a round robin, a ladder and comparisons, until each says what it is
to say; the matches are counted. "Without rotations" takes every match from a deal of its own.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from arena.engine import rng
from arena.match.sandbox import NAMESPACE
from arena.match.seeds import key_from_seed
from arena.ratings.error_bars import without_luck
from arena.ratings.rows import Collector
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord
from arena.tournament.config import check_config
from arena.tournament.field import admit
from arena.tournament.formats.betting import BettingTest, Numbers, Verdict
from arena.tournament.formats.compare import Compare, Comparison, checkpoints
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.ladder.look import look_at
from arena.tournament.formats.ladder.schedule import LadderSchedule
from arena.tournament.formats.ladder.state import Leg
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.workers.worker import Job, Worker

BANK_DEALS = 80
DRAWS = 10  # tournaments of each kind
MOST_DEALS = 1_500  # of a drawn tournament
ERROR, DIFFERENCE = 0.05, 0.1
SIMULATED_RUNS = 500
MEANS = (0.0, 0.05, 0.1, 0.2, 0.4)
SHARES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)  # of matches in which one finishes before the other
_KEY = b"arena bench formats"
_GAME = {"game": "naga", "seats": 2, "deals": BANK_DEALS}
_BOTS = (
    {"path": "random_bot.py"},
    {"path": "naga_greedy.py"},
    {"path": "naga_planner.py"},
    {"path": "naga_planner.py", "name": "planner_short", "params": {"next_weight": 0.0, "eltam_weight": 0.0}},
    {"path": "naga_planner.py", "name": "planner_hasty", "params": {"hands": 2, "draws": 1}},
)
"""The house bots of this game, and the best one with worse params too: some neighbours are close in skill, others are not."""


class SimulatedTest(msgspec.Struct, frozen=True, kw_only=True):
    """`compare` on made-up deals whose true difference is known."""

    mean: float
    """The true difference between the two bots."""
    wrong: float
    """Share of runs with a wrong verdict: another sign, or `equal` beyond the difference that matters."""
    open: float
    """Share of runs without a verdict."""
    mean_deals: float
    fixed_deals: float | None
    """Deals of a plain test of the same error rate that finds the difference 19 times out of 20; None: there is none."""
    error: float
    difference: float
    matches: int
    """How many matches each deal has."""
    runs: int


def simulated(
    mean: float, *, matches: int, spread: float, error: float, difference: float, runs: int, most: int
) -> SimulatedTest:
    """Let the test run on deals of `matches` matches, each won or lost; a deal's own luck moves its mean by up to `spread`."""
    test = BettingTest(error, difference)
    stream = np.random.default_rng(rng.derive(_KEY, "simulated", mean, matches, spread, error, difference))
    wrong = still_open = deals = 0
    variance = 0.0
    for _ in range(runs):
        numbers = _made_up(mean, matches, spread, most, stream)
        variance += float(numbers.var()) / runs
        count, verdict = _stopped(test, numbers)
        deals += count
        still_open += verdict is Verdict.OPEN
        wrong += {
            Verdict.ABOVE: mean <= 0.0,
            Verdict.BELOW: mean >= 0.0,
            Verdict.NEAR: abs(mean) >= difference,
            Verdict.OPEN: False,
        }[verdict]
    quantiles = 1.959964 + 1.644854  # two-sided 5 %, power 95 %
    return SimulatedTest(
        mean=mean, wrong=wrong / runs, open=still_open / runs, mean_deals=deals / runs,
        fixed_deals=variance * (quantiles / mean) ** 2 if mean else None, error=error, difference=difference, matches=matches,
        runs=runs,
    )  # fmt: skip


class SimulatedEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """Estimates of a share by comparisons that stop when they are sure, on made-up deals whose true share is known."""

    share: float
    """The true share of matches in which the first bot finishes before the second."""
    bound: float
    """The share that it is held against."""
    bias: dict[str, float]
    """How far the mean of each estimate is above the truth."""
    apart: dict[str, float]
    """Root of the mean squared distance of each estimate from the truth."""
    coverage: float
    """How often the interval holds the truth."""
    mean_deals: float
    stopped: float
    """Share of runs that stopped before all deals were played."""
    matches: int
    """How many matches each deal has."""
    most: int
    """Deals at most."""
    runs: int


def estimates(
    share: float, *, matches: int, spread: float, most: int, runs: int, bound: float = 0.5, luck: float = 0.0
) -> SimulatedEstimates:
    """Let comparisons stop, and hold ways to estimate the share against the truth.

    `bound`: the share that is asked for; `luck`: how much of each match the cards decide, which is taken out.
    """
    mean, test = 2.0 * share - 1.0, BettingTest(ERROR, DIFFERENCE, 2.0 * bound - 1.0)
    stream = np.random.default_rng(rng.derive(_KEY, "estimates", share, matches, spread, most, bound, luck))
    found: dict[str, list[float]] = {}
    held = deals = stopped = 0
    for _ in range(runs):
        numbers = _with_luck(mean, matches, luck, most, stream) if luck else _made_up(mean, matches, spread, most, stream)
        count, verdict = _stopped(test, numbers)
        taken = numbers[:count]
        low, high = test.interval(taken)
        clean = taken if taken.ndim == 1 else taken[:, 1]
        for way, estimate in {
            "mean": float(clean.mean()),
            "shown": test.estimate(taken),
            "centre of the interval": (low + high) / 2.0,
            "mean with 1 deal at the bound": float(np.append(clean, test.bound).mean()),
            "mean with 4 deals at the bound": float(np.append(clean, [test.bound] * 4).mean()),
        }.items():
            found.setdefault(way, []).append((1.0 + estimate) / 2.0 - share)
        held += low <= mean <= high
        deals += count
        stopped += verdict is not Verdict.OPEN
    return SimulatedEstimates(
        share=share, bound=bound, bias={way: float(np.mean(off)) for way, off in found.items()},
        apart={way: float(np.sqrt(np.mean(np.square(off)))) for way, off in found.items()}, coverage=held / runs,
        mean_deals=deals / runs, stopped=stopped / runs, matches=matches, most=most, runs=runs,
    )  # fmt: skip


def _made_up(mean: float, matches: int, spread: float, deals: int, stream: np.random.Generator) -> Numbers:
    """Numbers of deals of `matches` matches, each won or lost; a deal's own luck moves its mean by up to `spread`."""
    luck = np.minimum(spread, 1.0 - abs(mean)) * stream.choice((-1.0, 1.0), deals)
    won: Numbers = 2.0 * stream.binomial(matches, (1.0 + mean + luck) / 2.0) / matches - 1.0
    return won


def _with_luck(mean: float, matches: int, part: float, deals: int, stream: np.random.Generator) -> Numbers:
    """[deals, 2]: numbers, and the same without their luck, a guess at the cards, of which each match is so large a part."""
    chance = stream.uniform(-1.0, 1.0, (deals, matches))
    part = min(part, 1.0 - abs(mean))  # else the mean of what can be won is another one
    won = np.where(stream.random((deals, matches)) < (1.0 + mean + part * chance) / 2.0, 1.0, -1.0)
    numbers = won.mean(axis=1)
    return np.stack([numbers, without_luck(numbers, chance.mean(axis=1))], axis=1)


def _stopped(test: BettingTest, numbers: Numbers) -> tuple[int, Verdict]:
    """How many deals are played, and the verdict after them."""
    for count in checkpoints(len(numbers)):
        verdict = test.verdict(numbers[:count])
        if verdict is not Verdict.OPEN:
            break
    return count, verdict


class Saving(msgspec.Struct, frozen=True, kw_only=True):
    """Matches to the same end, means over all draws."""

    question: str
    has_rotations: bool
    round_robin: float
    adaptive: float
    """Matches that the adaptive format plays: `ladder` or `compare`."""
    unfinished: int
    """Draws of either that did not come to the end; counted with what they had played."""
    draws: int


class Bank:
    """Matches of all pairs of some bots on the same deals, played once and drawn from in every simulation."""

    def __init__(self, bots: Path, say: Callable[[str], None], deals: int = BANK_DEALS) -> None:
        """`bots`: the folder of the house bots."""
        document = {
            "name": "bench", "seed": 1, "games": [{**_GAME, "deals": deals}],
            "bots": [{**bot, "path": str(bots / str(bot["path"])), "trusted": True} for bot in _BOTS],
        }  # fmt: skip
        tournament = check_config(document, bots)
        self.contestants, *_ = admit(tournament, isolation=NAMESPACE, unsafe_trust_bots=False)
        self.deals = deals
        self._plan = Plan(
            entries=tournament.entries, contestants=self.contestants, rotations=tournament.rotations, clock=tournament.clock,
            limits=tournament.limits, faults=tournament.faults, key=key_from_seed(1), seed=1,
        )  # fmt: skip
        say(f"playing {len(self._plan):,} matches of naga, {len(self.contestants)} bots ...")
        worker = Worker(Job(self._plan, {bot.files.sha256: bot.files for bot in tournament.bots}))
        records = worker.play(range(len(self._plan))).records
        worker.close()
        self._records = {(record.deal, *(seat.bot for seat in record.seats)): record for record in records}

    def plan(self, format: Format, deals: int) -> Plan:
        """A plan of the same bots."""
        entries = (msgspec.structs.replace(self._plan.entries[0], deals=deals),)
        return msgspec.structs.replace(self._plan, entries=entries, format=format)

    def draw(self, plan: Plan, index: int, tournament: int, *, has_rotations: bool) -> MatchRecord:
        """Match `index` of a plan: that of a random deal of the bank."""
        setup = plan.setup(index)
        deal = setup.deal if has_rotations else setup.deal * 2 + setup.rotation
        chosen = rng.derive(_KEY, "draw", tournament, deal) % self.deals
        found = self._records[(chosen, *(player.bot for player in setup.players))]
        return msgspec.structs.replace(found, index=index, deal=deal, match_id=setup.match_id)


def savings(bank: Bank, draws: int = DRAWS) -> list[Saving]:
    """What a ladder and a comparison save, with rotations and without: until all neighbours are separable, and pair by pair."""
    return [saving for has_rotations in (True, False) for saving in _savings(bank, draws, has_rotations)]


def _savings(bank: Bank, draws: int, has_rotations: bool) -> Iterator[Saving]:
    field = tuple(range(len(bank.contestants)))
    plain, ladders = [], []
    pairs = list(itertools.combinations(field, 2))
    apart: dict[tuple[int, int], list[tuple[int, bool]]] = {pair: [] for pair in pairs}
    for number in range(draws):
        whole, by_pair = _round_robin(bank, field, number, has_rotations)
        plain.append(whole)
        for pair in pairs:
            apart[pair].append(by_pair[pair])
        ladders.append(_ladder(bank, field, number, has_rotations))
    yield _saving("all neighbours separable (ladder)", has_rotations, plain, ladders)
    for pair in pairs:
        compared = [_compared(bank, pair, number, has_rotations) for number in range(draws)]
        names = " or ".join(bank.contestants[place].name for place in pair)
        yield _saving(f"{names} (compare)", has_rotations, apart[pair], compared)


def _saving(question: str, has_rotations: bool, plain: list[tuple[int, bool]], adaptive: list[tuple[int, bool]]) -> Saving:
    return Saving(
        question=question, has_rotations=has_rotations, round_robin=_mean(plain), adaptive=_mean(adaptive),
        unfinished=sum(not is_over for _, is_over in (*plain, *adaptive)), draws=len(plain),
    )  # fmt: skip


def _mean(counted: list[tuple[int, bool]]) -> float:
    return math.fsum(matches for matches, _ in counted) / len(counted)


def _round_robin(
    bank: Bank, field: tuple[int, ...], number: int, has_rotations: bool
) -> tuple[tuple[int, bool], dict[tuple[int, int], tuple[int, bool]]]:
    """Matches until all neighbours are separable, and until each pair is; and whether that came."""
    whole = bank.plan(RoundRobin(), MOST_DEALS)
    whole = msgspec.structs.replace(whole, contestants=tuple(bank.contestants[place] for place in field))
    leg, per_deal = Leg(0, field, None, True, 0, model="trueskill-batch"), len(whole) // MOST_DEALS
    rows = Collector((bot.name, bot.version) for bot in whole.contestants)
    over: int | None = None
    apart: dict[tuple[int, int], tuple[int, bool]] = {}
    pairs = list(itertools.combinations(range(len(field)), 2))
    done = 0
    for deals in checkpoints(MOST_DEALS):
        for index in range(done, deals * per_deal):
            rows.add(bank.draw(whole, index, number, has_rotations=has_rotations))
        done = deals * per_deal
        look = look_at(rows.rows(), [(bot.name, bot.version) for bot in whole.contestants], leg, RatingSettings())
        if over is None and look.is_apart().all():
            over = done
        for one, other in pairs:
            if look.are_separable(one, other) and min(look.deals[[one, other]]) >= 12:
                apart.setdefault((field[one], field[other]), (done, True))
        if over is not None and len(apart) == len(pairs):
            break
    found = {(field[one], field[other]): apart.get((field[one], field[other]), (done, False)) for one, other in pairs}
    return (over or done, over is not None), found


def _ladder(bank: Bank, field: tuple[int, ...], number: int, has_rotations: bool) -> tuple[int, bool]:
    """Matches, and whether all neighbours became separable."""
    leg = Leg(0, field, None, True, MOST_DEALS * 2 * len(field), model="trueskill-batch")
    schedule = LadderSchedule(bank.plan(Ladder((leg,)), 4), RatingSettings())
    for first, last in schedule.segments():
        for index in range(first, last):
            schedule.add(bank.draw(schedule.plan, index, number, has_rotations=has_rotations))
        schedule.pass_checkpoint()
    return schedule.total() or 0, "separable" in (schedule.outcome or "")


def _compared(bank: Bank, pair: tuple[int, int], number: int, has_rotations: bool) -> tuple[int, bool]:
    """Matches, and whether there was a verdict."""
    format = Compare(pair, ERROR, DIFFERENCE)
    schedule = Comparison(bank.plan(format, MOST_DEALS), format)
    matches = 0
    for first, last in schedule.segments():
        for index in range(first, last):
            schedule.add(bank.draw(schedule.plan, index, number, has_rotations=has_rotations))
        schedule.pass_checkpoint()
        matches = last
    return matches, schedule.evidence()[0].verdict != "open"
