"""Corrections for luck: what `python -m lab luck` prints. Matches by the games' own policies and by short searches."""

import concurrent.futures
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine import rng
from arena.ratings.error_bars import without_luck
from arena.ratings.simple_matches import RANDOM, RULE, SimpleMatches, joined, play_searched_matches, play_simple_matches
from arena.tournament.formats.betting import BettingTest, Verdict
from arena.tournament.formats.compare import checkpoints
from arena.tournament.workers.processes import WorkerPool
from lab.luck_boards import PAIRS, BoardCertainty, board_certainty
from lab.luck_boards import PLAYERS as BOARD_PLAYERS

SIZES = 2
"""How many table sizes of a game are measured, the smallest ones."""
PLAYERS = {"rule": (RULE,), "slips": (0.03, RULE), "random": (RULE, RANDOM)}
"""The kinds of players, by name: shares of random choices, in turn."""
SLIPS = "slips"
"""Two players who are about equal: those whose comparison takes many deals."""
SEARCHES = "searches"
ITERATIONS = (20, 50)  # of the searches for a decision, in turn
APART = 10_000_000  # deals: bench runs of different seeds share none
BATCH_DEALS = 50
COMPARED = (100, 200)  # deals of a simulated comparison for intervals; of one by betting at most
SIMULATED = 2_000
DECIDED = 200
ERROR, DIFFERENCE = 0.05, 0.1
_KEY = b"bench luck"
_Kind: TypeAlias = tuple[Sequence[float], bool]
"""The players in turn: shares of random choices, or the iterations of searches; whether they are searches."""
_NORMAL = 1.959964  # two-sided 95 %


class Tables(msgspec.Struct, frozen=True):
    """What is measured: a game at tables of one size, with its options."""

    game: str
    seats: int
    options: Mapping[str, Any] = {}


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """Whether luck is 0 on average."""

    game: str
    seats: int
    options: Mapping[str, Any]
    players: str
    matches: int
    events: float
    """Chance events of a match."""
    luck: float
    """Spread (standard deviation) of a seat's luck in a match, in shares of its rivals."""
    error: float
    """The largest standard error of a mean, by seat and kind of event."""
    worst: float
    """The largest distance of a mean from 0, in standard errors."""


class Certainty(msgspec.Struct, frozen=True, kw_only=True):
    """The deals that the same verdict takes: those of a pool without rotations, less by rotations, less by luck."""

    game: str
    seats: int
    options: Mapping[str, Any]
    deals: int
    rotations: float
    """How many single matches a match with its rotations is worth: the variance without them is so many times as large."""
    luck: float
    """How many deals a deal without luck is worth, beyond rotations."""
    single: float
    """How many matches a match without luck is worth, where there are no rotations."""
    covered: float
    """Share of simulated comparisons whose 95 % interval without luck held the truth."""
    wrong: float
    """Share of simulated comparisons of equal players by betting, without luck, that found one of them better."""
    decided: float
    """Mean deals to a verdict by betting, between unequal players, with luck taken out, over those without."""


def tables(names: Iterable[str], sizes: Sequence[int] = (), options: Mapping[str, Any] | None = None) -> list[Tables]:
    """What is measured of the games: the table sizes that are asked for, or the smallest ones. Raises ConfigError."""
    found = []
    for name in names:
        game = games.load(name)
        for seats in sizes or game.seats[:SIZES]:
            game.check_seats(seats)
            game.resolve_options(options or {}, seats)
            found.append(Tables(name, seats, options or {}))
    return found


def measure(
    asked: Sequence[Tables], matches: int, searched: int, seed: int, workers: int, say: Callable[[str], None]
) -> tuple[list[Fairness], list[Certainty], list[BoardCertainty]]:
    """All three: for all tables, and for boards of tables of two.

    `matches`: of each game and kind of players, all tables together; `searched`: the same of searches; `seed`: of the deals.
    """
    fair: list[Fairness] = []
    certain: list[Certainty] = []
    boards: list[BoardCertainty] = []
    with WorkerPool(workers, _prepare) as pool:
        for at in asked:
            parts = at.seats * sum(at.game == other.game for other in asked)
            kinds: dict[str, _Kind] = {players: (shares, False) for players, shares in PLAYERS.items()}
            if searched:
                kinds[SEARCHES] = (ITERATIONS, True)
            for players, kind in kinds.items():
                deals = max(2, math.ceil((searched if kind[1] else matches) / parts))
                say(f"{at.game}, {at.seats} seats, {players}: {deals:,} deals ...")
                played = _play(pool, at, _range(seed, deals), kind)
                fair.append(_fairness(at, players, played))
                if players == SLIPS:
                    certain.append(certainty(at, played))
            if at.seats == 2:
                say(f"{at.game}, boards ...")
                boards.append(_boards(pool, at, _range(seed, max(2, math.ceil(matches / len(PAIRS) / 2)))))
    return fair, certain, boards


def _range(seed: int, deals: int) -> range:
    return range(seed * APART, seed * APART + deals)


def _boards(pool: WorkerPool, at: Tables, deals: range) -> BoardCertainty:
    played = [_play(pool, at, deals, ([BOARD_PLAYERS[player] for player in pair], False)) for pair in PAIRS]
    return board_certainty(at.game, [pair.shares for pair in played], [pair.luck.sum(axis=2) for pair in played])


def certainty(at: Tables, played: SimpleMatches) -> Certainty:
    """What rotations and luck save between the first player and the others."""
    shares, luck = played.shares[:, :, 0], played.luck.sum(axis=2)[:, :, 0]
    whole, given = shares.mean(axis=1), luck.mean(axis=1)
    clean = without_luck(whole, given)
    single = without_luck(shares[:, 0], luck[:, 0])
    rotations = shares.shape[1]
    stream = np.random.default_rng(rng.derive(_KEY, at.game, at.seats))
    pairs = _pairs(played)
    return Certainty(
        game=at.game, seats=at.seats, options=at.options, deals=len(shares),
        rotations=float(shares.var() / rotations / whole.var()),
        luck=float(whole.var() / clean.var()), single=float(shares[:, 0].var() / single.var()),
        covered=_covered(whole, given, stream), wrong=_wrong(pairs, stream), decided=_decided(pairs, stream),
    )  # fmt: skip


def _pairs(played: SimpleMatches) -> NDArray[np.float64]:
    """[deals, 2]: of each deal, whether the first player finished before the second, from -1 to 1, and its luck in that."""
    first, second = played.shares[:, :, 0], played.shares[:, :, 1]
    ahead = np.sign(first - second).mean(axis=1)
    luck = (played.bounded[:, :, 0] - played.bounded[:, :, 1]).mean(axis=1)
    return np.stack([ahead, luck], axis=1)


def _covered(whole: NDArray[np.float64], given: NDArray[np.float64], stream: np.random.Generator) -> float:
    """How often the interval of a comparison holds the mean of all deals, which are drawn with replacement."""
    deals = COMPARED[0]
    held = 0
    for _ in range(SIMULATED):
        drawn = stream.integers(len(whole), size=deals)
        clean = without_luck(whole[drawn], given[drawn] - given.mean())  # in this world all luck is 0 on average, too
        held += abs(clean.mean() - whole.mean()) <= _NORMAL * clean.std(ddof=1) / math.sqrt(deals)
    return held / SIMULATED


def _wrong(pairs: NDArray[np.float64], stream: np.random.Generator) -> float:
    """How often betting finds a difference where there is none: the players change names in every other deal."""
    found = 0
    test = BettingTest(ERROR, DIFFERENCE)
    for _ in range(SIMULATED):
        numbers = _with_luck(
            pairs[stream.integers(len(pairs), size=COMPARED[1])] * stream.choice((-1.0, 1.0), (COMPARED[1], 1))
        )
        found += any(test.verdict(numbers[:deals]) in (Verdict.ABOVE, Verdict.BELOW) for deals in checkpoints(COMPARED[1]))
    return found / SIMULATED


def _decided(pairs: NDArray[np.float64], stream: np.random.Generator) -> float:
    """Deals to a verdict with luck taken out over those without, between the players as they are."""
    test, most = BettingTest(ERROR, DIFFERENCE), 4_000
    needed = [0, 0]
    for _ in range(DECIDED):
        drawn = pairs[stream.integers(len(pairs), size=most)] - [0.0, pairs[:, 1].mean()]
        for place, numbers in enumerate((drawn[:, 0], _with_luck(drawn))):
            needed[place] += next(
                (deals for deals in checkpoints(most) if test.verdict(numbers[:deals]) is not Verdict.OPEN), most
            )
    return needed[1] / needed[0]


def _with_luck(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([pairs[:, 0], without_luck(pairs[:, 0], pairs[:, 1])], axis=1)


def _fairness(at: Tables, players: str, played: SimpleMatches) -> Fairness:
    means = played.by_seat.mean(axis=1)
    return Fairness(
        game=at.game, seats=at.seats, options=at.options, players=players,
        matches=played.shares.shape[0] * played.shares.shape[1],
        events=played.events / (played.shares.shape[0] * played.shares.shape[1]),
        luck=float(played.luck.sum(axis=2).std()), error=float((means.std(axis=0, ddof=1) / math.sqrt(len(means))).max()),
        worst=played.worst(),
    )  # fmt: skip


def _play(pool: WorkerPool, at: Tables, deals: range, kind: _Kind) -> SimpleMatches:
    """The matches of these deals, on all cores."""
    ranges = [deals[first : first + BATCH_DEALS] for first in range(0, len(deals), BATCH_DEALS)]
    parts: list[concurrent.futures.Future[SimpleMatches]] = [pool.submit(_play_here, at, each, *kind) for each in ranges]
    return joined(part.result() for part in parts)


def _prepare() -> None:
    """Do nothing: games are loaded where they are played."""


def _play_here(at: Tables, deals: range, players: Sequence[float], is_searched: bool) -> SimpleMatches:
    game, options = games.load(at.game), dict(at.options)
    if is_searched:
        return play_searched_matches(game, at.seats, deals, [int(many) for many in players], options=options)
    return play_simple_matches(game, at.seats, deals, players, options=options)
