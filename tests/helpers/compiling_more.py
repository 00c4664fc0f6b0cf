"""Compiles a game as arena does and, in the same process, what tests alone call: what both reach is lowered once.

Alone, each test process would lower most of a game to compile a few functions of it.
"""

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

import numpy as np
import pytest

from arena import games
from arena.audit.laws import laws, make_table, parts
from arena.engine.game import Game
from arena.tournament.workers import compiling
from helpers.paths import TESTS

CALLED = {
    "naga": (
        "shapes.best_category", "shapes.hand_shape", "shapes.power", "regret_matching.equilibrium", "knowledge.selected",
        "rules._is_decided", "rules._game_winner", "rules.is_series_over", "rules.num_seats", "rollout.rollout_action",
    ),
    "nanatoridori": (
        "knowledge._unseen_cards", "memory.remember", "estimates.plan", "rules.num_seats", "rollout.rollout_action",
    ),
    "hisatsu": (
        "estimates._chances_to_keep", "estimates.hidden_sums", "estimates.turns_left", "rules.clear_table",
        "rules.current_seat", "rules.num_seats", "rollout.believe",
    ),
    "nertz": (
        "layout.legal_mask", "layout.from_pile", "layout.to_pile", "ticks.delay_of", "ticks.order_of", "ticks.wanted_cards",
        "rules.next_round", "rules.num_seats", "rollout.prior",
    ),
    "yaniv": (
        "estimates.hand_worth", "estimates.open_worth", "estimates.call_failure", "rows.row_length", "rules.may_slap",
        "rules.num_seats", "rollout.believe",
    ),
}  # fmt: skip
"""Functions of the games that compiled code calls, and tests call by themselves. One that is missing a test compiles."""
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
    for place in CALLED.get(game.name, ()):
        with contextlib.suppress(Exception):
            _compile_for_python(game, place)
    for call in _learning_calls(game) if LEARNING in os.environ else ():
        with contextlib.suppress(Exception):
            call()


def _compile_for_python(game: Game, place: str) -> None:
    """Compile a function as Python calls it, for the types with which what was just compiled calls it."""
    module, _, name = place.rpartition(".")
    entry = getattr(import_module(f"{game.package}.{module}"), name)
    for types in list(entry._numba_type_.dispatcher.overloads):
        entry.compile(types)


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
    if game.nets.nets and game.state_features.LEARNS:
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
