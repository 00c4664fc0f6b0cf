"""The compiled parts of a game that play tables: loaded when they are asked for, or compiled, which is said on stderr."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from arena import games
from arena.engine import jit
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.readiness import SEARCHING, TABLES, Part, part_text, require
from arena.errors import ConfigError
from arena.learning.arrays import new_arrays, new_settings
from arena.learning.compiled import search, single
from arena.learning.compiled.layout import CHOOSING, COUNT, DEAL, NEW, RNG, STATUS
from arena.learning.rendering import note_visibly
from arena.search import Settings
from arena.search.scratch import Scratch
from arena.search.task import task_of
from arena.search.tree import take_tree


def play_entry(game: Game) -> Callable[..., int]:
    """The compiled `advance_at` of a game."""
    have(_part(game, TABLES))
    return _play(game)


def search_entry(game: Game) -> Callable[..., None]:
    """The compiled `search` of a game."""
    play_entry(game)
    have(_part(game, SEARCHING))
    return _search(game)


def unmeasured(game: Game, options: Mapping[str, OptionValue]) -> None:
    """Raise ConfigError for a table at which thinking time counts: learning programs take as long as they take."""
    if game.ms_per_tick(options) is not None:
        raise ConfigError("options.latency: thinking time cannot be measured here; take another latency")


def have(part: Part) -> None:
    """Have a part ready in this process; if it must be compiled, a line on standard error says so."""
    if not part.is_compiled:
        note_visibly(f"compiling {part_text(part.game, part.name)} (asked for the first time) ...")
    require(part)


@cache
def _part(game: Game, name: str) -> Part:
    make = _warm_play if name == TABLES else _warm_search
    return Part(game.name, name, game.package, jit.tables_of(game.package), partial(make, game))


@cache
def _play(game: Game) -> Callable[..., int]:
    games.encoding(game)  # compiled code finds the game's encoding by the type of its states
    return jit.bind(single.advance_at, jit.tables_of(game.package))


@cache
def _search(game: Game) -> Callable[..., None]:
    return jit.bind(search.search, jit.tables_of(game.package))


def _warm_play(game: Game) -> Any:
    """Call the entry once. Gives the arrays of a table at which seat 0 learns."""
    seats = game.seats[0]
    options = game.resolve_options({}, seats)
    settings = new_settings(seats, game.units(seats, options))
    arrays = new_arrays(
        game, games.encoding(game), settings, game.options_vector(options), tables=1, threads=1, has_action_features=False
    )
    arrays.books[0, STATUS], arrays.books[0, RNG] = NEW, 1
    _play(game)(*arrays.passed(0), DEAL, 0, 1)
    return arrays


def _warm_search(game: Game) -> None:
    """Call the entry once."""
    arrays, scratch, task = _warm_play(game), Scratch(game), task_of(game, Settings(iterations=2))
    assert arrays.books[0, STATUS] == CHOOSING and arrays.books[0, COUNT] > 1
    nodes, slots = take_tree(task.nodes)
    _search(game)(
        np.zeros(1, np.int64), arrays.states, arrays.books, arrays.chosen, task.settings, task.numbers, 2, task.is_halving,
        scratch.states, scratch.sights, nodes, slots, scratch.work, scratch.actions, scratch.priors, arrays.constants,
        scratch.rewards, np.zeros(4, np.int64),
    )  # fmt: skip
