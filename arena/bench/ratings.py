"""Ratings, measured: what `arena bench ratings` prints. The compiled TrueSkill beside the `trueskill` package, same cases."""

import itertools
import math
import random
import time
from collections.abc import Sequence

import msgspec
import numpy as np
import trueskill
from scipy import special

from arena.ratings import factor_graph
from arena.ratings.settings import RatingSettings

SHAPES = ((1,) * 2, (1,) * 3, (1,) * 4, (1,) * 6, (1,) * 10, (2,) * 3, (2,) * 6)
CASES = 10_000
_EXACT = (
    lambda x, mu=0, sigma=1: float(special.ndtr((x - mu) / sigma)),
    lambda x, mu=0, sigma=1: math.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
    lambda x, mu=0, sigma=1: mu + sigma * float(special.ndtri(x)),
)
"""The functions of the package's scipy backend, without the checks around them that make it several times slower."""


class RatingSpeed(msgspec.Struct, frozen=True):
    """One shape of match."""

    teams: str
    package_per_second: float
    """Matches per CPU second."""
    compiled_per_second: float
    worst_mu: float
    """Largest difference of a mean, TrueSkill points."""
    worst_sigma: float


def rating_speeds(cases: int = CASES) -> list[RatingSpeed]:
    """Random matches of every shape, half of them with ties, rated by both."""
    return [_measure(shape, cases) for shape in SHAPES]


def _measure(shape: Sequence[int], cases: int) -> RatingSpeed:
    source, settings = random.Random(str(shape)), RatingSettings()
    seats = sum(shape)
    units = np.repeat(np.arange(len(shape)), shape).astype(np.int8)
    ranks = [_ranks(source, len(shape)) for _ in range(cases)]
    mu = np.array([source.uniform(0, 50) for _ in range(cases * seats)])
    sigma = np.array([source.uniform(0.6, 8.4) for _ in range(cases * seats)])
    environment = trueskill.TrueSkill(tau=0.0, backend=_EXACT)
    ends = np.cumsum([0, *shape])
    beliefs = [environment.create_rating(mean, deviation) for mean, deviation in zip(mu, sigma)]
    groups = [
        [tuple(beliefs[case * seats + first : case * seats + last]) for first, last in itertools.pairwise(ends)]
        for case in range(cases)
    ]
    began = time.process_time()
    expected = [environment.rate(teams, ranks=order) for teams, order in zip(groups, ranks)]
    package = time.process_time() - began
    arguments = (
        np.arange(cases + 1) * seats, np.arange(cases * seats, dtype=np.int32), np.tile(units, cases),
        np.array([case[unit] for case in ranks for unit in units], np.int8), settings.beta, 0.0, settings.margin,
        factor_graph.new_workspace(),
    )  # fmt: skip
    factor_graph.fold(mu.copy(), sigma.copy(), *arguments)
    began = time.process_time()
    factor_graph.fold(mu, sigma, *arguments)
    compiled = time.process_time() - began
    rated = [belief for groups in expected for group in groups for belief in group]
    return RatingSpeed(
        teams="x".join([str(len(shape)), str(shape[0])]),
        package_per_second=cases / package,
        compiled_per_second=cases / compiled,
        worst_mu=max(abs(belief.mu - float(mean)) for belief, mean in zip(rated, mu)),
        worst_sigma=max(abs(belief.sigma - float(deviation)) for belief, deviation in zip(rated, sigma)),
    )


def _ranks(source: random.Random, teams: int) -> list[int]:
    return [source.randrange(teams) for _ in range(teams)] if source.random() < 0.5 else list(range(teams))
