"""The laws of a room's chance.py: it says of every action what chance decides, as the engine decides it, and nothing else.

From these follows what makes the corrections of arena/engine/chance.py fair; arena/ratings/simple_matches.py measures it, too.
"""

from collections.abc import Callable, Iterator

import numpy as np

from arena import games
from arena.engine.chance import Luck
from arena.engine.contract import Numbers
from arena.engine.random_tables import Decision, Table, copy, decisions
from arena.engine.room import States

REDRAWN = 1_000  # times that an event with a list of alternatives is drawn, to compare both
COMPARED = 3  # such events of a match
SPREADS = 5.0  # standard errors by which the two means may differ: never by chance, with as few comparisons


def redrawing_shows_nothing(table: Table) -> None:
    """What chance may redraw no seat has seen: each sees the same bytes and legal list, and the value is the same."""
    for luck, moment in _moments(table):
        world = copy(table.game, moment.states)
        luck.redraw(world, moment.rng)
        where = f"{table}: {moment}: redrawn"
        assert _seen(table, world) == _seen(table, moment.states), f"{where}: some seat sees another state"
        assert table.game.legal_list(world) == moment.codes, f"{where}: another legal list"
        assert (world["seed"] != moment.states["seed"]).any(), f"{where}: the deal seed is the same"
        assert (_value(table, luck, world) == _value(table, luck, moment.states)).all(), f"{where}: the value peeks"


def chance_is_declared(table: Table) -> None:
    """An action without alternatives shows the same in every redrawn world; a list of alternatives holds what happens."""
    for luck, moment in _moments(table):
        where = f"{table}: {moment}"
        for code in dict.fromkeys([moment.action, moment.codes[0], moment.codes[-1]]):
            happens = _after(table, moment.states, code)
            ways = int(luck.alternatives(moment.states, code))
            if ways == 0:
                world = copy(table.game, moment.states)
                luck.redraw(world, moment.rng)
                assert _after(table, world, code) == happens, f"{where}: chance decides what {code} leads to"
            elif ways > 0:
                found = list(_arranged(table, luck, moment.states, code, ways))
                total = sum(weight for weight, _ in found)
                assert abs(total - 1.0) < 1e-9, f"{where}: the alternatives of {code} have probability {total}"
                could = [_after(table, world, code) for weight, world in found if weight > 0.0]
                assert happens in could, f"{where}: what {code} leads to is none of its alternatives"
                assert all(_seen(table, world) == _seen(table, moment.states) for _, world in found), f"{where}: arranged"


def alternatives_are_drawn(table: Table) -> None:
    """The mean value over the alternatives of an action is the mean over redrawn worlds."""
    compared = 0
    for luck, moment in _moments(table):
        ways = int(luck.alternatives(moment.states, moment.action))
        if ways <= 0 or compared == COMPARED:
            continue
        compared += 1
        listed = sum(
            weight * _value_after(table, luck, world, moment.action)
            for weight, world in _arranged(table, luck, moment.states, moment.action, ways)
        )
        drawn = []
        for _ in range(REDRAWN):
            world = copy(table.game, moment.states)
            luck.redraw(world, moment.rng)
            drawn.append(_value_after(table, luck, world, moment.action))
        error = np.std(drawn, axis=0) / np.sqrt(REDRAWN)
        apart = np.abs(np.mean(drawn, axis=0) - listed)
        assert (apart <= SPREADS * error + 1e-9).all(), f"{table}: {moment}: {apart} apart, standard errors {error}"


CHANCE_LAWS: tuple[Callable[[Table], None], ...] = (redrawing_shows_nothing, chance_is_declared, alternatives_are_drawn)
"""The laws of rooms with a chance.py; each holds of itself for a room without one."""


def _moments(table: Table) -> Iterator[tuple[Luck, Decision]]:
    """The decisions to check; none for a room without a chance.py."""
    if games.has_luck(table.game.name):
        luck = games.ready_luck(games.load(table.game.name))
        yield from ((luck, moment) for moment in decisions(table))


def _seen(table: Table, states: States) -> list[bytes]:
    """What each seat sees."""
    return [table.game.observed(states, seat).tobytes() for seat in range(table.seats)]


def _after(table: Table, states: States, code: int) -> list[bytes]:
    """What each seat sees after an action, before the next round is dealt."""
    after = copy(table.game, states)
    table.game.engine.step(after, code)
    return _seen(table, after)


def _value(table: Table, luck: Luck, states: States) -> Numbers:
    out = np.zeros(table.seats)
    luck.value(states, games.luck_numbers(table.game), out)
    return out


def _value_after(table: Table, luck: Luck, states: States, code: int) -> Numbers:
    after = copy(table.game, states)
    table.game.engine.step(after, code)
    return _value(table, luck, after)


def _arranged(table: Table, luck: Luck, states: States, code: int, ways: int) -> Iterator[tuple[float, States]]:
    """The alternatives of an action: probability, and the state in which the action leads to it."""
    for alternative in range(ways):
        world = copy(table.game, states)
        yield float(luck.arrange(world, code, alternative)), world
