"""The laws of sketches: what networks learn from is written whole, is small, and uses only the world that it is shown."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from arena.engine.contract import SKETCHING, Features
from arena.engine.net import MOST_INPUTS
from arena.engine.random_tables import Decision, Table, copy, decisions, resampled
from arena.engine.room import States

_LARGEST = 4.0  # networks learn slowly from numbers much larger than 1
_MARGIN = 8  # places behind those that are to be written
_FILLS = (np.nan, 7.5)  # what a buffer holds before; what is left unwritten, or added to, is seen in one of them
_SECRET = "seed"

Write: TypeAlias = Callable[[Any, int, Features], None]


def sketches_are_whole(table: Table) -> None:
    """`sketch` and `clue` write all their places for each seat, nothing behind them, with small numbers."""
    for moment, name, size, write in _written(table):
        for seat in range(table.seats):
            _once(write, moment.states, seat, size, f"{table}: {moment}: {name} of seat {seat}")


def sketches_use_no_secret(table: Table) -> None:
    """Neither depends on the deal's secret, and a clue of a drawn world is the same whether it was drawn from the truth."""
    game = table.game
    for moment, name, size, write in _written(table):
        other = copy(game, moment.states)
        if _SECRET in (game.rules.STATE.names or ()):
            other[_SECRET] ^= 1
        for seat in range(table.seats):
            where = f"{table}: {moment}: {name} of seat {seat}"
            found = [_once(write, states, seat, size, where) for states in (moment.states, other)]
            assert found[0].tobytes() == found[1].tobytes(), f"{where}: depends on the deal's secret"
            seen = game.observed(moment.states, seat)
            worlds = [resampled(game, states, seat, moment.rng.copy()) for states in (moment.states, seen)]
            drawn = [_once(write, world, seat, size, where) for world in worlds]
            assert drawn[0].tobytes() == drawn[1].tobytes(), f"{where}: of a world drawn from the truth is another one"


SKETCH_LAWS: tuple[Callable[[Table], None], ...] = (sketches_are_whole, sketches_use_no_secret)


def _written(table: Table) -> Iterator[tuple[Decision, str, int, Write]]:
    """Each decision with each of the two functions and the number of places that it writes; nothing for a room without them."""
    module = table.game.sketch
    if table.seats in module.LEARNS:
        assert max(module.SKETCH, module.CLUE) <= MOST_INPUTS, f"{table}: more than {MOST_INPUTS} numbers"
        for moment in decisions(table):
            for name in SKETCHING:
                size = getattr(module, name.upper())
                if size:
                    yield moment, name, size, getattr(module, name)


def _once(write: Write, states: States, seat: int, size: int, where: str) -> Features:
    """What is written, after a check that it is whole."""
    before, found = states.tobytes(), []
    for fill in _FILLS:
        buffer = np.full(size + _MARGIN, fill, np.float32)
        write(states[0], seat, buffer)
        rest = buffer[size:]
        assert np.array_equal(rest, np.full(_MARGIN, fill), equal_nan=True), f"{where}: more is written than it says"
        found.append(buffer[:size])
    assert found[0].tobytes() == found[1].tobytes(), f"{where}: depends on what stood there before"
    assert (np.abs(found[0]) <= _LARGEST).all(), f"{where}: {found[0]} is not within -{_LARGEST} and {_LARGEST}"
    assert states.tobytes() == before, f"{where}: the state is changed"
    return found[0]
