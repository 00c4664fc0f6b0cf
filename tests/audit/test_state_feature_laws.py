"""The laws of state features catch games that break them; that our games keep them is tested with all laws (test_rooms.py)."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.audit.laws.parts import SKETCH_LAWS, state_features_are_whole, state_features_use_no_secret
from arena.engine.net import Nets
from arena.engine.random_tables import Table, make_table
from arena.games import load

SIZE = 3


def table_with(write: Callable[[Any, int, Any], None]) -> Table:
    """A table of two seats in a game with this for state features."""
    game = load("nanatoridori")
    tables = (make_table(replace(game, state_features=sketch_of(write), nets=Nets()), seed) for seed in range(100))
    return next(table for table in tables if table.seats == 2)


def sketch_of(write: Callable[[Any, int, Any], None]) -> SimpleNamespace:
    return SimpleNamespace(LEARNS=(2,), STATE_FEATURES=SIZE, BELIEF_FEATURES=0, state_features=write, belief_features=write)


def good(s: Any, seat: int, out: Any) -> None:
    out[:SIZE] = (s.hand_size[seat] / 11, s.hand_size[1 - seat] / 11, s.table_count / 9)


def lazy(s: Any, seat: int, out: Any) -> None:
    out[0] = out[2] = 0.5


def long(s: Any, seat: int, out: Any) -> None:
    out[: SIZE + 1] = 0.5


def large(s: Any, seat: int, out: Any) -> None:
    out[:SIZE] = 50.0


def meddling(s: Any, seat: int, out: Any) -> None:
    out[:SIZE] = 0.5
    s.passes += 1


def prophetic(s: Any, seat: int, out: Any) -> None:
    out[:SIZE] = s.seed[3] % 2


def test_a_good_sketch_keeps_the_laws() -> None:
    for law in SKETCH_LAWS:
        law(table_with(good))


@pytest.mark.parametrize(
    ("write", "law", "words"),
    [
        (lazy, state_features_are_whole, "depends on what stood there before"),
        (long, state_features_are_whole, "more is written than it says"),
        (large, state_features_are_whole, "is not within"),
        (meddling, state_features_are_whole, "the state is changed"),
        (prophetic, state_features_use_no_secret, "depends on the deal's secret"),
    ],
)
def test_a_broken_sketch_is_caught(write: Callable[[Any, int, Any], None], law: Callable[[Table], None], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        law(table_with(write))
