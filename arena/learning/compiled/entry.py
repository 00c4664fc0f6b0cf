"""How Python calls the tables: the arrays are handed over once as a list of addresses, not array by array in each call."""

from typing import Any

import numpy as np

from arena.engine import jit
from arena.engine.contract import States
from arena.engine.jit import array_at
from arena.engine.rng import Words
from arena.learning.compiled.layout import TABLES, Places
from arena.learning.compiled.play import advance

# The arrays by their rows in `places`, named as the parameters of `advance`.
ORDER = ("settings", "options", "constants", "codes", "books", "numbers", "chosen", "actions", "mask", "features", "rows",
         "ended", "logs")  # fmt: skip


def advance_at(records: States, places: Places, thread: int, task: int, first: int, last: int) -> int:
    """`advance` (play.py) with arrays at known addresses.

    `records`: the states of all tables, then one to work in for each thread; `places`: for each array in ORDER its address and
    its shape, filled up with zeros to three numbers.
    """
    settings = _words(places[0])
    tables = settings[TABLES]
    own = tables + thread
    return advance(
        settings, _words(places[1]), array_at(places[2, 0], (places[2, 1],), np.float64), _words(places[3]), records[:tables],
        records[own : own + 1], _table(places[4], np.int64), _table(places[5], np.float64), _words(places[6]),
        _table(places[7], np.int64), _table(places[8], np.bool_), _table(places[9], np.float32),
        array_at(places[10, 0], (places[10, 1], places[10, 2], places[10, 3]), np.float32), _table(places[11], np.bool_),
        _table(places[12], np.int64), task, first, last,
    )  # fmt: skip


@jit.generic
def _words(place: Words) -> Words:
    return array_at(place[0], (place[1],), np.int64)  # type: ignore[no-any-return]


@jit.generic
def _table(place: Words, kind: Any) -> Any:
    return array_at(place[0], (place[1], place[2]), kind)
