"""Games, learners that choose at random, and the episodes that they play: what tests of arena/learning share."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from arena import games
from arena.engine import jit
from arena.engine.options import OptionValue
from arena.learning.tables import Tables

COMPILED = "naga"
"""The game whose tables are compiled for quick tests: for each game that takes half a minute."""
TRAINED = "nanatoridori"
"""The game in which quick tests train networks."""
GAMES = [
    pytest.param(name, marks=() if name == COMPILED or not jit.ENABLED else pytest.mark.slow) for name in games.names()
]  # fmt: skip
SHORT: dict[str, dict[str, OptionValue]] = {  # options that keep random matches short
    "nertz": {"max_rounds": 1, "tick_limit": 20},
    "yaniv": {"max_rounds": 2, "turn_limit": 10},
}


@dataclass(frozen=True)
class Episode:
    """An episode that ended, as the tables tell it."""

    table: int
    deal: int
    own: int
    log: list[int]
    places: list[int]
    scores: list[float]
    reward: float
    seat_rewards: list[float]
    final: bytes


class Chooser:
    """Chooses at random for each table, from a stream of the table's own."""

    def __init__(self, tables: Tables, seed: int = 0) -> None:
        self._streams = [np.random.default_rng([seed, table]) for table in range(len(tables))]

    def __call__(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.array([
            int(stream.choice(np.flatnonzero(row))) if row.any() else 0 for stream, row in zip(self._streams, mask)
        ])  # fmt: skip


def episodes(tables: Tables, steps: int, seed: int = 0) -> list[Episode]:
    """The episodes that end in some steps, played from where the tables are."""
    choose = Chooser(tables, seed)
    found = []
    for _ in range(steps):
        tables.step(choose(tables.mask))
        found += [ended(tables, int(table)) for table in np.flatnonzero(tables.terminated)]
    return found


def ended(tables: Tables, table: int) -> Episode:
    """The episode that ended at a table in this step."""
    return Episode(
        table=table,
        deal=tables.deal_seed(table, ended=True),
        own=tables.own_seat(table, ended=True),
        log=tables.log(table, ended=True),
        places=tables.final_places[table].tolist(),
        scores=tables.final_scores[table].tolist(),
        reward=float(tables.rewards[table]),
        seat_rewards=tables.seat_rewards[table].tolist(),
        final=tables.final_features[table].tobytes(),
    )
