"""The online ratings once more, by the `trueskill` package, which shares no code with ours."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from scipy import special

from arena.ratings.beliefs import believe
from arena.ratings.models import MODEL
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its escape sequences, where it is compiled for the first time
    import trueskill

MOST_MATCHES = 5_000  # of all pools together: a few seconds of a core; what goes for so many goes for more
CLOSE = 1e-3  # of beta: the package keeps fewer digits in the tails
_EXACT = (
    lambda x, mu=0, sigma=1: float(special.ndtr((x - mu) / sigma)),
    lambda x, mu=0, sigma=1: math.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
    lambda x, mu=0, sigma=1: mu + sigma * float(special.ndtri(x)),
)
"""The functions of the package's scipy backend, without the checks around them that make it several times slower."""


class Compared(msgspec.Struct, frozen=True):
    """Our online ratings beside those of the package, after the first matches of each pool."""

    matches: int
    """How many were compared, all pools together."""
    largest: float
    """The largest difference of a mu or a sigma; TrueSkill points."""
    problems: tuple[str, ...]
    """The pools where it is more than digits."""


def compare_with_package(pools: Mapping[str, PoolRows], settings: RatingSettings) -> Compared:
    """Rate the first matches of each pool by both. A pool in which the package runs out of digits is left out."""
    compared, largest, problems = 0, 0.0, []
    for pool, rows in pools.items():
        part = rows.first(min(rows.matches, MOST_MATCHES // len(pools)))
        try:
            other = _by_package(part, settings)
        except (ArithmeticError, ValueError):
            continue
        ours = believe(MODEL, part, settings)
        apart = max(
            float(np.max(np.abs(one - two), initial=0.0)) for one, two in ((ours.mu, other.mu), (ours.sigma, other.sigma))
        )
        compared, largest = compared + part.matches, max(largest, apart)
        if not apart <= CLOSE * settings.beta:
            problems.append(f"ratings: {MODEL} {pool}: {apart:.1e} points from those of the trueskill package")
    return Compared(compared, largest, tuple(problems))


def _by_package(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    model = trueskill.TrueSkill(
        mu=settings.mu, sigma=settings.sigma, beta=settings.beta, tau=settings.tau,
        draw_probability=settings.equal_draws, backend=_EXACT,
    )  # fmt: skip
    found: list[Any] = [model.create_rating() for _ in rows.bots_by_number]
    for start, end in zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist()):
        teams: dict[int, list[int]] = {}
        places: dict[int, int] = {}
        for bot, unit, place in zip(*(part[start:end].tolist() for part in (rows.bots, rows.units, rows.places))):
            teams.setdefault(unit, []).append(bot)
            places[unit] = place
        groups = [tuple(found[bot] for bot in bots) for bots in teams.values()]
        for bots, rated in zip(teams.values(), model.rate(groups, ranks=list(places.values()))):
            for bot, belief in zip(bots, rated):
                found[bot] = belief
    return Beliefs(np.array([one.mu for one in found]), np.array([one.sigma for one in found]))
