"""By which number should a board rank? `python -m lab headline` tries them on the made-up pools of coverage.py."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.engine import rng
from arena.ratings.models import BATCH_MODEL
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import RATING_SIGMAS, Rated, rated_pool
from lab.coverage import RUNS, SPREAD, Field, Say, fields, made_up

Numbers = NDArray[np.float64]
_KEY = b"arena lab headline"


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """How well one number ranks one kind of pool."""

    field: str
    by: str
    runs: int
    right: float
    """The share of the pairs of unequal bots of which the better one is above."""
    lifted: float | None
    """Of the pairs of a newcomer with a better bot that played most: the share in which the newcomer is above; None: none."""
    held_back: float | None
    """Of the pairs of a newcomer with a worse bot that played most: the share in which the newcomer is below it."""
    wrong_first: float
    """The share of the pools whose first is not the best bot."""
    first_by_few: float | None
    """The share in which that is a newcomer."""
    moved: float
    """By how many ranks a bot moves when the same field plays again, the mean of all bots."""


def low_end(rated: Rated) -> Numbers:
    """Return the lower end of each bot's interval over deals."""
    return rated.beliefs.mu - rated.bars.half_widths()


RULES: Mapping[str, Callable[[Rated], Numbers]] = MappingProxyType({
    "mu - 3 sigma": lambda rated: rated.beliefs.mu - RATING_SIGMAS * rated.beliefs.sigma,
    "mu": lambda rated: rated.beliefs.mu,
    "low end": low_end,
})  # fmt: skip
"""The numbers by which a board could rank."""


def orders(runs: int = RUNS, only: str = "", say: Say = lambda _: None) -> Iterator[Order]:
    """All rules on all kinds of pools whose names contain `only`."""
    for field in fields():
        if only in field.name:
            say(f"{field.name} ...")
            yield from _ordered(field, runs)


def _ordered(field: Field, runs: int) -> Iterator[Order]:
    found: dict[str, list[_Board]] = {by: [] for by in RULES}
    for run in range(runs):
        stream = np.random.default_rng(rng.derive(_KEY, field.name, run))
        skill = SPREAD * stream.standard_normal(len(field.deals))
        skill[len(skill) - field.copies :] = skill[0]
        once, again = (rated_pool(BATCH_MODEL, "game", made_up(field, skill, stream), RatingSettings()) for _ in range(2))
        for by, rule in RULES.items():
            found[by].append(_board(field, skill, rule(once), rule(again)))
    for by, boards in found.items():
        few = [board.first_by_few for board in boards if min(field.deals) < field.deals[0]]
        yield Order(
            field=field.name, by=by, runs=runs, right=float(np.concatenate([board.right for board in boards]).mean()),
            lifted=_share([board.lifted for board in boards]), held_back=_share([board.held_back for board in boards]),
            wrong_first=float(np.mean([board.wrong_first for board in boards])),
            first_by_few=float(np.mean(few)) if few else None, moved=float(np.mean([board.moved for board in boards])),
        )  # fmt: skip


class _Board(msgspec.Struct, frozen=True, kw_only=True):
    """What one board says rightly and wrongly."""

    right: NDArray[np.bool_]
    lifted: NDArray[np.bool_]
    held_back: NDArray[np.bool_]
    wrong_first: bool
    first_by_few: bool
    moved: float


def _board(field: Field, skill: Numbers, once: Numbers, again: Numbers) -> _Board:
    """`once`, `again`: by what the bots of the same field are ranked, after each of two plays."""
    is_new = np.array(field.deals) < field.deals[0]
    better, above = skill[:, None] > skill[None, :], once[:, None] > once[None, :]
    best, first = skill.max(), int(once.argmax())
    return _Board(
        right=above[better], lifted=above[is_new][:, ~is_new][better[~is_new][:, is_new].T],
        held_back=~above[is_new][:, ~is_new][better[is_new][:, ~is_new]], wrong_first=bool(skill[first] < best),
        first_by_few=bool(is_new[first] and skill[first] < best),
        moved=float(np.abs((-once).argsort().argsort() - (-again).argsort().argsort()).mean()),
    )  # fmt: skip


def _share(parts: list[NDArray[np.bool_]]) -> float | None:
    found = np.concatenate(parts)
    return float(found.mean()) if found.size else None
