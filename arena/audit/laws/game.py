"""Laws of a whole game: its options, its compiled functions, and the same play with the compiler switched off."""

import hashlib
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from arena.audit.laws.laws import LAWS
from arena.engine import jit
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.random_tables import decisions, documented_values, make_table, resampled
from arena.errors import ConfigError

_LITERAL = re.compile(r"Literal\[int\]\(-?\d+\)")
_NO_VALUES: tuple[Any, ...] = (None, "no such value", -(10**9), 1.5, {}, ["?"])


def options_are_exact(game: Game) -> None:
    """Every documented value is kept by the state and its position; what is not documented is refused by name."""
    for option in game.options:
        for value in documented_values(option):
            kept = [seats for seats in game.seats if _keeps(game, seats, option.name, value)]
            assert kept, f"{game.name}: {option.name}={value!r} is documented but fits no number of seats"
        for value in _NO_VALUES:
            _refuses(partial(game.resolve_options, {option.name: value}, game.seats[0]), option.name)
    _refuses(partial(game.resolve_options, {"no_such_option": 1}, game.seats[0]), "no_such_option")
    for seats in (0, -1, max(game.seats) + 1):
        _refuses(partial(game.check_seats, seats), "seats")


def compiled_once(game: Game, tables: int = 5) -> None:
    """Check that each compiled function of the game and of the shared generators has one signature after every kind of use.

    Calls with a constant, which numba compiles apart, count as calls with a whole number. A program that calls
    these functions with other types leaves signatures in the cache, and so fails this.
    """
    for seed in range(tables):
        for law in LAWS:
            law(make_table(game, seed))
    parts = [f"{game.package}.{path.stem}" for path in sorted(game.folder.glob("*.py")) if path.stem[0] != "_"]
    for name in {*parts, "arena.engine.rng"} & set(
        sys.modules
    ):  # an explanations module is loaded for people alone, and not compiled
        for function in vars(sys.modules[name]).values():
            if hasattr(function, "nopython_signatures"):
                signatures = {_LITERAL.sub("int64", signature) for signature in jit.cached_signatures(function)}
                assert len(signatures) <= 1, f"{name}.{function.__name__} was compiled for\n" + "\n".join(signatures)


def fingerprint(game: Game, seeds: range, limit: int = 200) -> str:
    """A hash over the legal lists, actions and positions of random matches: the same with the compiler switched off."""
    digest = hashlib.sha256()
    for seed in seeds:
        table = make_table(game, seed)
        for _, moment in zip(range(limit), decisions(table)):
            position = game.text.to_position(moment.states[0])
            world = game.text.to_position(resampled(game, moment.states, moment.seat, moment.rng)[0])
            digest.update(repr((moment.seat, moment.codes, moment.action, position, world)).encode())
    return digest.hexdigest()


def _keeps(game: Game, seats: int, name: str, value: OptionValue) -> bool:
    """Return whether the value goes with the number of seats; then the state and its position must keep it."""
    try:
        resolved = game.resolve_options({name: value}, seats)
    except ConfigError:
        return False
    states = game.deal(seats, resolved, 1)
    found = game.options_of(game.text.to_position(states[0]))
    assert found == resolved, f"{game.name}: {name}={value!r} reads {found} in the position"
    assert game.resolve_options(resolved, seats) == resolved, f"{game.name}: {resolved} is not resolved"
    return True


def _refuses(call: Callable[[], object], name: str) -> None:
    try:
        call()
    except ConfigError as error:
        assert name in str(error), f"the message does not name {name}: {error}"
    else:
        raise AssertionError(f"{name}: a wrong value was accepted")
