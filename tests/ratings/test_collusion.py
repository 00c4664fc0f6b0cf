"""Pairs of bots that do better together: found if they are there, hardly ever if not, and never where nobody can tell."""

from itertools import combinations, permutations

import numpy as np
import pytest

from arena.ratings.pairs import partners
from arena.ratings.rows import PoolRows

BOTS = tuple((f"bot{number}", 1) for number in range(6))
SKILLS = np.array([0.0, 0.3, 0.6, 0.9, 1.2, 1.5])


def league(seed: int, *, help: float = 0.0, seats: int = 3, deals: int = 40, bots: int = 6, teams: bool = False) -> PoolRows:
    """Every table of `seats` bots on every deal in some orders; bots 0 and 3 are stronger by `help` at the same table."""
    stream = np.random.default_rng(seed)
    tables = list(combinations(range(bots), seats))
    rows, numbers = [], []
    for deal in range(deals):
        luck = stream.normal(size=seats)  # of a seat, on all tables of the deal
        for table in tables:
            order = list(permutations(table))[deal % 2]
            strength = SKILLS[list(order)] + luck + stream.normal(size=seats)
            strength += help * np.array([{0, 3} <= set(order) and bot in (0, 3) for bot in order])
            rows.append((order, np.argsort(np.argsort(-strength)) + 1))
            numbers.append(deal)
    units = np.arange(seats, dtype=np.int8) % (2 if teams else seats)
    count = len(rows)
    return PoolRows(
        BOTS[:bots], np.arange(0, seats * count + 1, seats), np.array(numbers, np.int32),
        np.array([bot for order, _ in rows for bot in order], np.int32), np.tile(units, count),
        np.array([place for _, places in rows for place in places], np.int8), np.zeros(seats * count, np.float32),
        np.zeros(seats * count, np.bool_),
    )  # fmt: skip


@pytest.mark.parametrize("seats", [3, 4])
def test_two_that_help_each_other_are_found_and_no_others(seats: int) -> None:
    found = partners(league(1, help=1.0, seats=seats))
    assert len(found) == 15
    assert [(pair.bot[0], pair.other[0]) for pair in found if pair.is_better] == [("bot0", "bot3")]
    assert found[0].bot == BOTS[0] and found[0].gain > 0.1


def test_strength_alone_is_no_collusion_and_chance_hardly_ever() -> None:
    named = sum(any(pair.is_better for pair in partners(league(seed))) for seed in range(40))
    assert named <= 5  # 1 is expected at most: one-sided 2.5 % of 40 leagues


def test_the_error_is_that_of_many_leagues() -> None:
    gains, errors = [], []
    for seed in range(60):
        pair = next(pair for pair in partners(league(seed, bots=4)) if (pair.bot, pair.other) == (BOTS[0], BOTS[1]))
        gains.append(pair.gain)
        errors.append(pair.half_width / 2.7)  # about the quantile of 6 pairs, 40 deals
    assert np.mean(errors) == pytest.approx(np.std(gains), rel=0.35)


def test_where_nobody_can_tell_nothing_is_said() -> None:
    assert partners(league(1, seats=2)) == []
    assert partners(league(1, seats=3, bots=3)) == []  # always together
    assert partners(league(1, seats=4, teams=True)) == []
    assert partners(league(1, deals=1)) == []
    assert (
        partners(
            PoolRows(
                (),
                np.zeros(1, np.int64),
                *(np.zeros(0, kind) for kind in (np.int32, np.int32, np.int8, np.int8, np.float32, np.bool_)),
            )
        )
        == []
    )  # type: ignore[arg-type]
