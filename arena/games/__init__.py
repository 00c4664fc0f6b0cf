"""The rooms of this hall: how they are found, loaded and warmed."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from arena.engine import jit
from arena.engine.contract import ROLLOUTS, ROOMS
from arena.engine.entries import Engine, bind_engine
from arena.engine.rng import seed_words
from arena.engine.room import Game, TextModule
from arena.errors import ConfigError, nearest

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The games of this hall: the folders under games/ that hold rules."""
    return sorted(path.parent.name for path in _FOLDER.glob("*/rules.py"))


@cache
def load(name: str) -> Game:
    """The room of a game; raises ConfigError for an unknown name."""
    if name not in names():
        raise ConfigError(f'game: no game "{name}"; {nearest(name, names())}')
    rules, rollout, text, view = (import_module(f"arena.games.{name}.{part}") for part in ("rules", "rollout", "text", "view"))
    ROOMS[jit.record_type(rules.STATE)] = rules
    ROLLOUTS[jit.record_type(rules.STATE)] = rollout
    return Game(name, rules, rollout, cast(TextModule, text), view.VIEW, view.warm, bind_engine(name))


def warm(game: Game) -> None:
    """Call every entry of a room, and what views and texts call, once: compiled where the cache lacks it."""
    seats = game.seats[0]
    options = game.options_vector(game.resolve_options({}, seats))
    rng, out, numbers = seed_words(1), game.new_actions(), np.zeros(max(game.seats))
    states, seen = game.deal(seats, game.resolve_options({}, seats), 1), game.new_states()
    engine = game.engine
    seat = engine.current_seat(states)
    engine.is_simultaneous(states)
    engine.observe(states, seat, seen)
    engine.determinize(seen, seat, rng)
    view = game.view(game, seen, seat, codes=game.legal_list(seen), events=list, clock=None)
    game.warm_view(view)
    game.text.describe(states[0], None)
    _ = (str(view), view.position)
    engine.seen_action(states, game.legal_list(states)[0], seat)
    engine.step(states, game.legal_list(states)[0])
    engine.advance(states, game.legal_list(states)[0])
    engine.play_random(states, rng, out, 1 << 20)
    engine.is_round_over(states)
    engine.is_terminal(states)
    engine.has_one_loser(states)
    engine.scores(states, numbers)
    engine.places(states, np.zeros(max(game.seats), np.int64))
    engine.play_many(states, seats, options, 1, 1, rng, out)


def compiled_entries(game: Game) -> Sequence[Callable[..., Any]]:
    """The dispatchers of a room's entries."""
    return [getattr(game.engine, name) for name in Engine.__dataclass_fields__]
