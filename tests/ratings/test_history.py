"""history.parquet: what was believed along the plan, and `arena leaderboard --history`."""

from pathlib import Path

import numpy as np
import pytest

from arena.ratings.models import BATCH_MODEL, MODEL, STORED
from arena.ratings.order import LEAST_POINTS, POINTS, history
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings
from arena.records import HistoryPoint
from arena.results import parquet
from helpers.records import BOTS, RECORDS, rated

CLOSE = {MODEL: 0.0, BATCH_MODEL: 1e-5}
"""How near a point is to the rating of the same matches: the batch goes on from the point before until little changes."""


def test_history_goes_from_the_prior_to_the_ratings() -> None:
    standings = rated()
    points = history(standings.pools(), RatingSettings())
    for rating in standings.ratings(STORED):
        if rating.pool != "overall":
            own = [point for point in points if _key(point) == _key(rating)]
            assert (own[0].pool_matches, own[0].matches, own[0].mu, own[0].sigma) == (0, 0, 25.0, 25 / 3)
            assert own[-1].matches == rating.matches
            assert (own[-1].mu, own[-1].sigma) == pytest.approx((rating.mu, rating.sigma), abs=CLOSE[rating.model])
            assert [point.pool_matches for point in own] == sorted({point.pool_matches for point in own})


def test_each_point_is_the_rating_of_the_matches_up_to_it() -> None:
    points = history(rated().pools(), RatingSettings(), points=5)
    middle = sorted({point.pool_matches for point in points if point.pool == "naga"})[2]
    places = [index for index, record in enumerate(RECORDS) if record.pool == "naga" and not record.is_void]
    before = {_key(rating): rating for rating in rated(places[middle - 1] + 1).ratings(STORED)}
    here = [point for point in points if point.pool == "naga" and point.pool_matches == middle]
    assert len(here) == len(STORED) * len(BOTS)
    for point in here:
        rating = before[_key(point)]
        assert point.matches == rating.matches
        assert (point.mu, point.sigma) == pytest.approx((rating.mu, rating.sigma), abs=CLOSE[point.model])


def test_long_histories_are_thinned() -> None:
    count = 10 * POINTS + 7
    rows = PoolRows(
        (("alice", 1), ("bob", 1)), np.arange(0, 2 * count + 1, 2), np.zeros(count, np.int32),
        np.tile(np.array([0, 1], np.int32), count), np.tile(np.array([0, 1], np.int8), count),
        np.tile(np.array([1, 2], np.int8), count), np.zeros(2 * count, np.float32), np.zeros(2 * count, np.bool_),
    )  # fmt: skip
    points = history({"naga": rows}, RatingSettings())
    assert len(points) == 2 * len(STORED) * (POINTS + 1)
    assert points[0].model == BATCH_MODEL
    assert points[-1].pool_matches == points[-1].matches == count


def test_what_all_at_once_costs_is_shared_by_the_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each point solves all results that there are; so many different ones have fewer points, and a few are always there."""
    pools = rated().pools()
    results = sum(len(patterns_of(rows).starts) - 1 for rows in pools.values())
    for allowed, expected in ((20 * results, 20), (1, LEAST_POINTS)):
        monkeypatch.setattr("arena.ratings.order.MOST_SOLVED", allowed)
        points = history(pools, RatingSettings())
        for pool, rows in ((pool, rows) for pool, rows in pools.items() if rows.matches > 20):
            batch, online = (
                {point.pool_matches for point in points if (point.model, point.pool) == (model, pool)}
                for model in (BATCH_MODEL, MODEL)
            )
            assert len(batch) == expected + 1 < len(online) and max(batch) == max(online) == rows.matches


def test_history_comes_back(tmp_path: Path) -> None:
    points = history(rated().pools(), RatingSettings(), points=3)
    parquet.write_history(tmp_path, points)
    assert parquet.read_history(tmp_path) == points
    parquet.write_history(tmp_path, [])
    assert parquet.read_history(tmp_path) == []


def _key(entry: "HistoryPoint | object") -> tuple[str, str, str, int]:
    return entry.model, entry.pool, entry.bot, entry.bot_version
