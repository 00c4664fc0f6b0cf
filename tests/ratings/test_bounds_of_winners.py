"""Of a bot that won everything only the prior says that it is no better: its rating is marked as the least that it may be."""

import io

import numpy as np
import pytest
from rich.console import Console

from arena.ratings.models import BATCH_MODEL
from arena.ratings.rows import PoolRows
from arena.ratings.settings import Anchor, RatingSettings
from arena.ratings.standings import rated_pool
from arena.reports.board import ranked, ranking
from arena.reports.table import Cell
from arena.reports.terminal import ConsolePage


def pool(*matches: tuple[int, ...], units: tuple[int, ...] = (), named: bool = False) -> PoolRows:
    """Matches of bots 0, 1, .. in this order, with these places."""
    seats, count = len(matches[0]), len(matches)
    return PoolRows(
        tuple((f"bot_{seat}", 1) for seat in range(seats)), np.arange(count + 1) * seats, np.arange(count, dtype=np.int32),
        np.tile(np.arange(seats, dtype=np.int32), count), np.tile(np.array(units or range(seats), np.int8), count),
        np.array(matches, np.int8).reshape(-1), np.zeros(seats * count, np.float32), np.zeros(seats * count, np.bool_), None,
        np.full(count, named),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "bounds"),
    [
        (pool((1, 2), (1, 2)), ["least", "most"]),
        (pool((1, 2), (2, 1)), ["", ""]),
        (pool((1, 2), (1, 1)), ["", ""]),
        (pool((1, 2, 3), (1, 3, 2)), ["least", "", ""]),
        (pool((1, 2, 3), (1, 3, 3)), ["least", "", ""]),
        (pool((1, 1, 3), (1, 2, 3)), ["", "", "most"]),
        (pool((1, 1, 3), (1, 1, 3), named=True), ["least", "least", "most"]),
        (pool((1, 1, 1), named=True), ["", "", ""]),
        (pool((1, 1, 3, 3), units=(0, 0, 1, 1)), ["least", "least", "most", "most"]),
        (pool((1, 1), units=(0, 0)), ["", ""]),
    ],
)
def test_who_won_or_lost_all_comparisons(rows: PoolRows, bounds: list[str]) -> None:
    rated = rated_pool(BATCH_MODEL, "pool", rows, RatingSettings())
    assert [one.bound for one in rated.unranked()] == bounds


def test_an_anchor_stays_where_it_is() -> None:
    settings = RatingSettings(anchor=Anchor("bot_0"))
    assert [one.bound for one in rated_pool(BATCH_MODEL, "pool", pool((1, 2), (1, 2)), settings).unranked()] == ["", "most"]


def test_boards_say_so_in_signs() -> None:
    ratings = rated_pool(
        BATCH_MODEL, "pool", pool((1, 2, 3), (1, 2, 3), (1, 3, 2), (1, 2, 3), (1, 2, 3)), RatingSettings()
    ).ratings()
    board = ranking(ranked(ratings, "pool"))
    shown = [row[2].text if isinstance(row[2], Cell) else None for row in board.rows]
    assert shown == [f"≥ {ratings[0].rating:.2f}", None, None]


def test_a_plain_terminal_has_the_sign_in_ascii() -> None:
    ratings, written = rated_pool(BATCH_MODEL, "pool", pool((1, 2), (1, 2)), RatingSettings()).ratings(), io.StringIO()
    ConsolePage(Console(file=written, width=200)).table(ranking(ranked(ratings, "pool")))
    assert f">= {ratings[0].rating:.2f} " in written.getvalue() and f"<= {ratings[1].rating:.2f} " in written.getvalue()
