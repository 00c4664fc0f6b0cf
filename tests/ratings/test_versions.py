"""Version against version: at one table, at two tables of one deal; intervals over deals, which cover what they promise."""

import numpy as np
import pytest

from arena.ratings.error_bars import share_interval
from arena.ratings.pairs import compare_bots
from arena.ratings.rows import Collector, PoolRows
from arena.records import MatchRecord
from helpers.records import make_record, make_seat, make_void

OLD, NEW = ("fox", 1), ("fox", 2)


def rows_of(*records: MatchRecord) -> PoolRows:
    collector = Collector()
    for record in records:
        collector.add(record)
    return collector.rows()


def table(deal: int, *seats: tuple[str, int, int], rotation: int = 0) -> MatchRecord:
    """A match of these seats: bot, version, place."""
    made = tuple(make_seat(bot, place, bot_version=v, unit=unit) for unit, (bot, v, place) in enumerate(seats))
    return make_record(0, made, deal=deal, rotation=rotation)


def test_at_one_table_who_finishes_first_did_better() -> None:
    won, lost = table(0, ("fox", 2, 1), ("fox", 1, 2)), table(1, ("fox", 1, 1), ("fox", 2, 2))
    shared = table(2, ("fox", 1, 1), ("fox", 2, 1))
    found = compare_bots(rows_of(won, won, lost, shared, make_void()), NEW, OLD)
    assert found is not None
    assert (found.share, found.deals, found.matches) == (0.5, 3, 4)  # two matches of a deal are one observation
    assert found.low < 0.5 < found.high
    other_way = compare_bots(rows_of(won, won, lost, shared), OLD, NEW)
    assert other_way is not None and other_way.share == pytest.approx(1 - found.share)


def test_at_two_tables_the_same_seat_of_the_same_deal_with_the_same_rivals_is_compared() -> None:
    new, old = table(0, ("fox", 2, 1), ("owl", 1, 2), ("crab", 1, 3)), table(0, ("fox", 1, 2), ("owl", 1, 1), ("crab", 1, 3))
    found = compare_bots(rows_of(new, old), NEW, OLD)
    assert found is not None and (found.share, found.deals, found.matches) == (1.0, 1, 1)
    others = (
        table(1, ("fox", 1, 2), ("owl", 1, 1), ("crab", 1, 3)),  # other cards
        table(0, ("owl", 1, 1), ("fox", 1, 2), ("crab", 1, 3)),  # another seat
        table(0, ("fox", 1, 2), ("owl", 2, 1), ("crab", 1, 3)),  # another rival
        table(0, ("fox", 1, 2), ("owl", 1, 1)),  # a smaller table
    )
    for other in others:
        assert compare_bots(rows_of(new, other), NEW, OLD) is None


def test_who_never_played_is_not_compared() -> None:
    rows = rows_of(table(0, ("fox", 2, 1), ("owl", 1, 2)))
    assert compare_bots(rows, NEW, OLD) is None and compare_bots(rows_of(), NEW, OLD) is None


def test_few_equal_results_are_not_certain_and_many_are() -> None:
    wins = [table(deal, ("fox", 2, 1), ("fox", 1, 2)) for deal in range(60)]
    few, many = (compare_bots(rows_of(*wins[:count]), NEW, OLD) for count in (3, 60))
    assert few is not None and many is not None
    assert few.share == many.share == 1.0 and few.low < 0.5 < many.low < many.high == 1.0


@pytest.mark.parametrize("share", [0.5, 0.57, 0.9])
@pytest.mark.parametrize("deals", [4, 80])
def test_an_interval_covers_the_truth_as_often_as_it_says(share: float, deals: int) -> None:
    rng = np.random.default_rng(28)
    found = [share_interval((rng.random((deals, 2)) < share).mean(axis=1)) for _ in range(500)]
    assert np.mean([low <= share <= high for low, high in found]) > 0.93
