"""Whether the ratings of a pool tell its results: pairs beside what is expected of them, and cycles beyond noise."""

from dataclasses import replace

import numpy as np
import pytest

from arena.ratings.fit import Fit, fit_of
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings

SETTINGS = RatingSettings()
SKILLS = np.array([0.0, 1.0, 2.0, 3.0, 4.0])


def pool(skills: np.ndarray, deals: int, seed: int, *, cycle: float = 0.0) -> PoolRows:
    """Every pair plays each deal twice, with the cards changed over. `cycle`: points that the first three have on the next."""
    rng = np.random.default_rng(seed)
    boost = np.zeros((len(skills) + 1, len(skills) + 1))
    for one in range(3):
        boost[one, (one + 1) % 3], boost[(one + 1) % 3, one] = cycle, -cycle
    bots, places, deal = [], [], []
    for number in range(deals):
        cards = rng.normal(0.0, 2.0)
        for one in range(len(skills)):
            for other in range(one):
                for side in (1.0, -1.0):
                    noise = rng.normal(0.0, SETTINGS.beta * 1.3)
                    is_first = skills[one] - skills[other] + boost[one, other] + side * cards + noise > 0
                    bots += [one, other]
                    places += [1, 2] if is_first else [2, 1]
                    deal.append(number)
    rows = len(bots)
    return PoolRows(
        tuple((f"bot{number}", 1) for number in range(len(skills))), np.arange(0, rows + 1, 2), np.array(deal, np.int32),
        np.array(bots, np.int32), np.tile(np.array([0, 1], np.int8), rows // 2), np.array(places, np.int8),
        np.zeros(rows, np.float32), np.zeros(rows, np.bool_),
    )  # fmt: skip


def fitted(*, seed: int, cycle: float = 0.0) -> Fit:
    found = fit_of(pool(SKILLS, 40, seed, cycle=cycle), SETTINGS)
    assert found is not None
    return found


def test_where_the_model_holds_no_board_is_warned_of() -> None:
    found = [fitted(seed=seed) for seed in range(6)]
    assert not any(one.is_doubtful for one in found)
    assert sum(pair.chance < 0.05 for one in found for pair in one.pairs) <= 6, "of sixty pairs three are by chance"


def test_a_cycle_is_named_and_its_pairs_are_first() -> None:
    found = fitted(seed=1, cycle=4.0)
    assert found.is_doubtful and found.chance < 0.001
    assert found.cycles == ((("bot0", 1), ("bot1", 1), ("bot2", 1)),)
    assert {pair.bot for pair in found.pairs[:2]} <= {("bot0", 1), ("bot1", 1), ("bot2", 1)}


def test_the_shares_are_those_of_the_matches_and_what_is_expected_adds_up() -> None:
    rows = pool(SKILLS, 40, 3)
    found = fit_of(rows, SETTINGS)
    assert found is not None and len(found.pairs) == 10
    for pair in found.pairs:
        one, other = (rows.bots_by_number.index(bot) for bot in (pair.bot, pair.other))
        both = [(rows.bots[row : row + 2].tolist(), rows.places[row : row + 2].tolist()) for row in rows.starts[:-1]]
        results = [places[bots.index(one)] < places[bots.index(other)] for bots, places in both if {one, other} == set(bots)]
        assert (pair.meetings, pair.deals, pair.observed) == (80, 40, pytest.approx(np.mean(results)))
    strongest = found.expected_of(("bot4", 1))
    assert len(strongest) == 4 and min(strongest.values()) > 0.5
    assert found.expected_of(("bot0", 1))["bot4", 1] == pytest.approx(1.0 - strongest["bot0", 1])


def test_nothing_is_said_where_any_shares_fit() -> None:
    assert fit_of(pool(SKILLS[:2], 40, 1), SETTINGS) is None, "two bots"
    assert fit_of(pool(SKILLS, 8, 1), SETTINGS) is None, "few deals"
    empty = PoolRows(
        (), np.zeros(1, np.int64), *(np.zeros(0, kind) for kind in (np.int32, np.int32, np.int8, np.int8, np.float32, np.bool_))
    )  # fmt: skip
    assert fit_of(empty, SETTINGS) is None


def test_bots_that_win_together_are_not_compared() -> None:
    """In a game that names one loser, two of three win: what is expected is the share of the matches that one of both lost."""
    rng = np.random.default_rng(5)
    skills = np.array([0.0, 2.0, 4.0, 6.0])
    bots, places, deal = [], [], []
    for number in range(60):
        for absent in range(4):
            table = [bot for bot in range(4) if bot != absent]
            shown = skills[table] + rng.normal(0.0, SETTINGS.beta, 3)
            bots += table
            places += [3 if place == shown.argmin() else 1 for place in range(3)]
            deal.append(number)
    rows = PoolRows(
        tuple((f"bot{number}", 1) for number in range(4)), np.arange(0, len(bots) + 1, 3), np.array(deal, np.int32),
        np.array(bots, np.int32), np.tile(np.array([0, 1, 2], np.int8), len(bots) // 3), np.array(places, np.int8),
        np.zeros(len(bots), np.float32), np.zeros(len(bots), np.bool_), named_losers=np.ones(len(deal), np.bool_),
    )  # fmt: skip
    found = fit_of(rows, SETTINGS)
    assert found is not None and not found.is_doubtful
    assert all(pair.meetings < 120 for pair in found.pairs), "of 120 matches of two bots they won some together"
    counted = fit_of(replace(rows, named_losers=None), SETTINGS)
    assert counted is not None and all(pair.meetings == 120 for pair in counted.pairs)
