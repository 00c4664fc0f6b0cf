"""Who sits at the seats that do not learn: `random`, `policy`, `search:N`, any bot, or a snapshot of the learning policy.

Random play and the rollout policy are compiled into the tables; all others are asked between two steps of the compiled code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from arena.agent import Agent
from arena.engine.contract import Actions, Features
from arena.engine.room import Game
from arena.errors import ConfigError
from arena.learning.arrays import Arrays, Indices, OptionValues
from arena.learning.compiled.layout import COUNT, OUTSIDE, POLICY, RANDOM, SEAT, SNAPSHOT, Masks
from arena.learning.rival_bots import AskedBot, role_of
from arena.learning.rival_search import PREFIX, AskedSearch, iterations_of
from arena.match.single_match import Entrant, Named, named
from arena.results_folder import nearest_results

COMPILED = {"random": RANDOM, "policy": POLICY}
_KNOWN = "random, policy, search:N, a bot (a path or house:NAME), or a callable"


@dataclass(frozen=True)
class Batch:
    """The decisions that a snapshot is to take together: a row for each."""

    tables: Indices
    """[rows]: the numbers of the tables."""
    seat: Indices
    """[rows]: the seat that is to choose."""
    features: Features
    """[rows, features]: what it knows."""
    mask: Masks
    """[rows, actions]: which actions are legal."""
    counts: Indices
    """[rows]: how many actions are legal."""
    actions: Actions
    """[rows, MAX_ACTIONS]: their codes."""
    action_features: Features | None
    """[rows, MAX_ACTIONS, action features], if the tables have them."""


Snapshot: TypeAlias = Callable[[Batch], Any]
"""Gives an index for each row of a batch, as a learner does."""
Rival: TypeAlias = Entrant | Named | Snapshot
"""`random`, `policy`, `search:N`, a bot by any of its names or with its parameters, or a snapshot."""


class Outside(Protocol):
    """A rival that is asked between two steps of the compiled code."""

    def choose(self, which: Indices) -> None:
        """Write its choices at some tables, where it is to choose, into `chosen`."""
        ...


@dataclass(frozen=True)
class Seating:
    """A rival at the tables: its role in compiled code, and what makes the one who is asked if that is not compiled."""

    role: int
    asked: Callable[[Arrays], Outside] | None = None
    needs_logs: bool = False
    """Whether it has to know all actions of an episode."""


def seating(rival: Rival, game: Game, seats: int, options: OptionValues, where: str) -> Seating:
    """What a rival is. Raises ConfigError, BotError or StoreError; `where`: before what is wrong."""
    if isinstance(rival, str) and rival in COMPILED:
        return Seating(COMPILED[rival])
    if isinstance(rival, str) and rival.startswith(PREFIX):
        iterations = iterations_of(rival, where)
        return Seating(OUTSIDE, lambda arrays: AskedSearch(iterations, game, arrays))
    if isinstance(rival, Agent):
        raise ConfigError(f"{where}an Agent plays one match; give its class, of which each match gets one")
    if callable(rival) and not (isinstance(rival, type) and issubclass(rival, Agent)):
        snapshot: Snapshot = rival
        return Seating(SNAPSHOT, lambda arrays: _AskedSnapshot(snapshot, arrays, where))
    if isinstance(rival, str) and "/" not in rival and ":" not in rival and not Path(rival).exists():
        raise ConfigError(f'{where}no rival "{rival}"; one is {_KNOWN}')
    bot = rival if isinstance(rival, Named) else named(rival, nearest_results(), where=where)
    return Seating(role_of(bot, game, seats, options), lambda arrays: AskedBot(bot, game, options, arrays), needs_logs=True)


def name_of(rival: Rival) -> str:
    """What a rival is called in stored matches, such as `yaniv_counter` for a bot's path."""
    if isinstance(rival, str) and (rival in COMPILED or rival.startswith(PREFIX)):
        return rival
    if isinstance(rival, Named):
        return rival.name
    if isinstance(rival, str | Path):
        return Path(str(rival).rpartition(":")[2]).stem
    return getattr(rival, "__name__", type(rival).__name__)


class _AskedSnapshot:
    """Asks a snapshot for all its tables at once; implements Outside."""

    def __init__(self, snapshot: Snapshot, arrays: Arrays, where: str) -> None:
        self._snapshot = snapshot
        self._arrays = arrays
        self._where = where

    def choose(self, which: Indices) -> None:
        """Write the snapshot's indices. Raises ConfigError unless all are legal."""
        arrays = self._arrays
        batch = Batch(
            which, arrays.books[which, SEAT], arrays.features[which], arrays.mask[which], arrays.books[which, COUNT],
            arrays.actions[which], arrays.rows[which] if len(arrays.rows) else None,
        )  # fmt: skip
        indices = np.asarray(self._snapshot(batch))
        if indices.shape != which.shape or indices.dtype.kind not in "iu":
            raise ConfigError(f"{self._where}a whole number for each of {len(which)} rows is needed, not {indices!r}")
        inside = (indices >= 0) & (indices < arrays.mask.shape[1])
        legal = inside & batch.mask[np.arange(len(which)), np.where(inside, indices, 0)]
        if not legal.all():
            row = int(np.flatnonzero(~legal)[0])
            raise ConfigError(f"{self._where}index {indices[row]} in row {row} is not legal; see the batch's mask")
        arrays.chosen[which] = indices
