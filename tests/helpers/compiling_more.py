"""Compiles a game as arena does and, in the same process, what tests alone call: what both reach is lowered once.

Alone, each test process would lower most of a game to compile a few functions of it.
"""

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from arena import games
from arena.audit.laws import laws, make_table, parts
from arena.engine.game import Game
from arena.tournament.workers import compiling
from helpers.paths import TESTS

LEARNING = "ARENA_TEST_LEARNING"
"""The variable that has what the tests of learning programs call compiled, too."""

_LAWS = (
    laws.rollouts_are_blind, laws.rounds_halt, laws.deals_do_not_depend_on_play, laws.notation_round_trips,
    *parts.SKETCH_LAWS, *parts.WORLD_LAWS, *parts.CHANCE_LAWS,
)  # fmt: skip
_started = compiling._started


@contextlib.contextmanager
def compiling_more(*, learning: bool = False) -> Iterator[None]:
    """Games that are compiled meanwhile are compiled with more. `learning`: for the tests of learning programs, too."""
    inherited = os.environ.get("PYTHONPATH")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_started", _start)
        if learning:
            patch.setenv(LEARNING, "1")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *([inherited] if inherited else [])]))
        yield


def _start(module: str, name: str, parts: Iterable[str] = ()) -> subprocess.Popen[bytes]:
    """Start this module instead of arena's where a game is compiled."""
    return _started(__name__ if parts else module, name, parts)


def _compile_more(game: Game) -> None:
    """Call what tests call. Where that fails, a test will say so."""
    for law in _LAWS:
        with contextlib.suppress(Exception):
            law(make_table(game, 1))
    with contextlib.suppress(Exception):
        game.rollout.evaluate(make_table(game, 1).deal()[0], game.constants, np.zeros(max(game.seats)))
    for call in _learning_calls(game) if LEARNING in os.environ else ():
        with contextlib.suppress(Exception):
            call()


def _learning_calls(game: Game) -> Iterator[Callable[[], object]]:
    """The tables of one game, the training of another, and the play between searches of all games that have learnt."""
    from arena.learning import parts as tables
    from arena.learning import single
    from arena.learning.training import selfplay, win_features, worth
    from arena.learning.training.watching import Watcher
    from arena.ratings.simple_matches import play_simple_matches
    from arena.search import Settings
    from helpers.learning import COMPILED, TRAINED

    if game.name == COMPILED:
        yield lambda: tables.search_entry(game)
        yield lambda: single.seating(game.name, None, {})
        yield lambda: play_simple_matches(game, game.seats[0], range(1))
    if game.nets.nets:
        table = selfplay.default_table(game)
        yield lambda: selfplay.searched_round(table, Settings(iterations=1), 0, 1)
    if game.name == TRAINED:
        yield lambda: selfplay.rollout_rows(table, 100, 1)
        worth.PART = 2 * worth.BATCH
        yield lambda: worth.played_policy(table, 2 * worth.PART, 1, Watcher())
    if games.win_features(game) is not None:
        yield lambda: win_features.played_rows(game, 2, 100, 1)


if __name__ == "__main__":
    gc.disable()  # a twenty-fifth of the time; the process takes half a gigabyte, not a third, and is soon over
    compiling.compile_as_child(sys.argv[1], sys.argv[2:])
    _compile_more(games.load(sys.argv[1]))
