"""Compiles a game as arena does and, in the same process, what tests alone call: what both reach is lowered once.

Alone, each test process would lower most of a game to compile a few functions of it.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from arena import games
from arena.audit.laws import laws, make_table, parts
from arena.engine.game import Game
from arena.tournament.workers import compiling
from helpers.paths import TESTS

_LAWS = (
    laws.rollouts_are_blind, laws.rounds_halt, laws.deals_do_not_depend_on_play, laws.notation_round_trips,
    *parts.SKETCH_LAWS, *parts.WORLD_LAWS, *parts.CHANCE_LAWS,
)  # fmt: skip
_started = compiling._started


@contextlib.contextmanager
def compiling_more() -> Iterator[None]:
    """Games that are compiled meanwhile are compiled with more."""
    inherited = os.environ.get("PYTHONPATH")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_started", _start)
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


if __name__ == "__main__":
    compiling.compile_as_child(sys.argv[1], sys.argv[2:])
    _compile_more(games.load(sys.argv[1]))
