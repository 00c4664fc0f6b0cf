"""The arrays of many tables of one game, as the compiled code fills them in place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers, States
from arena.engine.encoding import Encoding
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.rng import Words
from arena.learning.compiled.layout import COLUMNS, FIRST_REWARD, FIRST_ROLE, LOGS, SEATS, TABLES, Books, Masks
from arena.learning.compiled.single import ORDER

Indices: TypeAlias = NDArray[np.int64]
"""Places in lists, seats, numbers of tables."""
OptionValues: TypeAlias = Mapping[str, OptionValue]
"""Rule options by name."""
FIRST_LOG = 256
"""Actions that a log has room for at first; it grows."""
_GAP = 128
"""Bytes between states that two threads write to all the time: two lines of a cache, as processors fetch lines in pairs."""


@dataclass
class Arrays:
    """All arrays of some tables; see arena/learning/compiled/layout.py. Nothing here is allocated again while tables are
    played, but for logs that grow.
    """

    settings: Words
    options: Words
    constants: Numbers
    codes: Actions
    records: States
    """[tables + some for each thread]: the positions, then each thread's own state to work in, behind a gap."""
    threads: int
    """How many threads may play at once."""
    books: Books
    numbers: Numbers
    chosen: Actions
    """[tables]: an index for each table."""
    actions: Actions
    """[tables, MAX_ACTIONS]: the legal codes of who is to choose."""
    mask: Masks
    features: Features
    """[2 * tables, features]: in the second half the last sight of the episode that ended."""
    rows: Features
    """[tables, MAX_ACTIONS, action features], or empty."""
    ended: Masks
    """[tables, 1]: whether an episode ended in this step."""
    logs: Actions
    """[2 * tables, actions], or empty."""

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return int(self.settings[TABLES])

    @property
    def seats(self) -> int:
        """How many seats a table has."""
        return int(self.settings[SEATS])

    @property
    def states(self) -> States:
        """[tables]: the positions."""
        return self.records[: self.tables]

    def passed(self, thread: int) -> tuple[Any, ...]:
        """Return what the compiled `advance_at` gets, but for its task; as long as these arrays live and none is replaced."""
        places = np.zeros((len(ORDER), 4), np.int64)
        for place, name in zip(places, ORDER):
            array = getattr(self, name)
            place[: 1 + array.ndim] = array.ctypes.data, *array.shape
        return self.records, places, (thread + 1) * _taken(self.records.dtype) - 1

    def grow_logs(self) -> None:
        """Make the logs twice as long."""
        longer = np.zeros((len(self.logs), 2 * self.logs.shape[1]), np.int64)
        longer[:, : self.logs.shape[1]] = self.logs
        self.logs = longer


def new_arrays(
    game: Game,
    encoding: Encoding,
    settings: Words,
    options: Words,
    *,
    tables: int,
    threads: int,
    has_action_features: bool,
    zeros: Callable[..., Any] = np.zeros,
) -> Arrays:
    """Arrays for some tables that are still to be dealt. `settings`: without TABLES, which is set here; `zeros`: what makes the
    arrays that have a table in each row.
    """
    seats, most = int(settings[SEATS]), int(game.rules.MAX_ACTIONS)
    settings[TABLES] = tables
    codes = np.array(encoding.codes or (), np.int64)
    return Arrays(
        settings=settings,
        options=options,
        constants=game.constants,
        codes=codes,
        records=zeros((tables + threads * _taken(game.rules.STATE),), game.rules.STATE),
        threads=threads,
        books=zeros((tables, COLUMNS + 2 * seats), np.int64),
        numbers=zeros((tables, FIRST_REWARD + 2 * seats), np.float64),
        chosen=zeros((tables,), np.int64),
        actions=zeros((tables, most), np.int64),
        mask=zeros((tables, len(codes) or most), np.bool_),
        features=zeros((2 * tables, encoding.size), np.float32),
        rows=zeros((tables if has_action_features else 0, most, encoding.action_size), np.float32),
        ended=zeros((tables, 1), np.bool_),
        logs=zeros((2 * tables, FIRST_LOG) if settings[LOGS] else (0, 0), np.int64),
    )


def _taken(state: Any) -> int:
    """How many states a thread takes: the gap and, behind it, its own one. `state`: its dtype."""
    return int(-(-_GAP // state.itemsize)) + 1


def new_settings(seats: int, units: tuple[int, ...]) -> Words:
    """Settings with the units of the seats, and zeros everywhere else."""
    settings = np.zeros(FIRST_ROLE + seats * seats + seats, np.int64)
    settings[SEATS] = seats
    settings[FIRST_ROLE + seats * seats :] = units
    return settings


def deal_seed(book: Indices, at: int) -> int:
    """The 128-bit seed of the cards of an episode. `book`: of its table; `at`: DEAL_SEED or ENDED_DEAL."""
    seed = 0
    for word in book[at : at + 4].tolist():
        seed = seed << 32 | word
    return seed
