"""The laws of what a game may leave out: state features for networks, listed worlds, and what chance decides.

State features: what networks learn from is written whole, is small, and uses only the world that it is shown. Listed worlds:
where a game numbers the worlds of a seat, each is there once, and none that does not fit. Chance: a game's chance.py says of
every action what chance decides, as the engine decides it, and nothing else; from that follows what makes the corrections of
arena/engine/chance.py fair, which arena/ratings/simple_matches.py measures, too.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from arena import games
from arena.engine.chance import Luck
from arena.engine.contract import FEATURE_FUNCTIONS, Features, Numbers
from arena.engine.game import Game, States
from arena.engine.net import MOST_INPUTS
from arena.engine.random_tables import Decision, Table, copy, decisions, resampled
from arena.engine.rng import Words

_LARGEST = 4.0  # networks learn slowly from numbers much larger than 1
_MARGIN = 8  # places behind those that are to be written
_FILLS = (np.nan, 7.5)  # what a buffer holds before; what is left unwritten, or added to, is seen in one of them
_SECRET = "seed"

Write: TypeAlias = Callable[[Any, int, Features], None]


def state_features_are_whole(table: Table) -> None:
    """`state_features` and `belief_features` write all their places for each seat, nothing behind them, with small numbers."""
    for moment, name, size, write in _written(table):
        for seat in range(table.seats):
            _once(write, moment.states, seat, size, f"{table}: {moment}: {name} of seat {seat}")


def state_features_use_no_secret(table: Table) -> None:
    """Neither depends on the deal's secret, and those of a drawn world are the same whether it was drawn from the truth."""
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


SKETCH_LAWS: tuple[Callable[[Table], None], ...] = (state_features_are_whole, state_features_use_no_secret)


def _written(table: Table) -> Iterator[tuple[Decision, str, int, Write]]:
    """Each decision with each of the two functions and the number of places that it writes; nothing for a game without them."""
    module = table.game.state_features
    if table.seats in module.LEARNS:
        assert max(module.STATE_FEATURES, module.BELIEF_FEATURES) <= MOST_INPUTS, f"{table}: more than {MOST_INPUTS} numbers"
        for moment in decisions(table):
            for name in FEATURE_FUNCTIONS:
                size = getattr(module, name.upper())
                if size:
                    yield moment, name, size, getattr(module, name)


def _once(write: Write, states: States, seat: int, size: int, where: str) -> Features:
    """Return what is written, after a check that it is whole."""
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


MOST_LISTED = 50  # worlds of one decision that are all looked at; of more of them, the first and the last ones


def listed_worlds_fit(table: Table) -> None:
    """`count_worlds` and `nth_world` use only what the seat sees; each world looks the same to it, and no two to all seats."""
    game, rollout = table.game, table.game.rollout
    for moment in decisions(table):
        for seat in range(table.seats):
            where = f"{table}: {moment}: listed worlds of seat {seat}"
            seen = game.observed(moment.states, seat)
            count = int(rollout.count_worlds(moment.states[0], seat))
            assert count == rollout.count_worlds(seen[0], seat), f"{where}: their count shows what is hidden"
            assert count >= 0, f"{where}: {count} of them"
            kept = set()
            for number in _numbers(count):
                world, weight = _listed(game, moment.states, seat, number, moment.rng.copy())
                other, same = _listed(game, seen, seat, number, moment.rng.copy())
                assert 0.0 < weight < float("inf") and weight == same, f"{where}: number {number} has the weight {weight}"
                assert world.tobytes() == other.tobytes(), f"{where}: number {number} shows what is hidden"
                assert game.observed(world, seat).tobytes() == seen.tobytes(), f"{where}: number {number} does not fit"
                kept.add(_sights(game, world, table.seats))
            assert len(kept) == len(_numbers(count)), f"{where}: some are alike"


def no_world_is_left_out(table: Table) -> None:
    """What `determinize` draws is one of the listed worlds, but for what nobody sees."""
    game = table.game
    for moment in decisions(table):
        for seat in range(table.seats):
            count = int(game.rollout.count_worlds(moment.states[0], seat))
            if 0 < count <= MOST_LISTED:
                rng = moment.rng.copy()
                listed = {
                    _sights(game, _listed(game, moment.states, seat, number, rng)[0], table.seats) for number in range(count)
                }
                drawn = {_sights(game, resampled(game, moment.states, seat, rng), table.seats) for _ in range(5)}
                assert drawn <= listed, f"{table}: {moment}: listed worlds of seat {seat}: a drawn one is not among them"


WORLD_LAWS: tuple[Callable[[Table], None], ...] = (listed_worlds_fit, no_world_is_left_out)


def _numbers(count: int) -> list[int]:
    return sorted({*range(min(count, MOST_LISTED)), *range(max(0, count - 5), count)})


def _listed(game: Game, states: States, seat: int, number: int, rng: Words) -> tuple[States, float]:
    """A listed world, and its weight."""
    world = copy(game, states)
    return world, float(game.rollout.nth_world(world[0], seat, number, game.constants, rng))


def _sights(game: Game, world: States, seats: int) -> bytes:
    """Return what all seats together see of a world."""
    return b"".join(game.observed(world, seat).tobytes() for seat in range(seats))


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
"""The laws of games with a chance.py; each holds of itself for a game without one."""


def _moments(table: Table) -> Iterator[tuple[Luck, Decision]]:
    """The decisions to check; none for a game without a chance.py."""
    if games.has_luck(table.game.name):
        luck = games.ready_luck(games.load(table.game.name))
        yield from ((luck, moment) for moment in decisions(table))


def _seen(table: Table, states: States) -> list[bytes]:
    """Return what each seat sees."""
    return [table.game.observed(states, seat).tobytes() for seat in range(table.seats)]


def _after(table: Table, states: States, code: int) -> list[bytes]:
    """Return what each seat sees after an action, before the next round is dealt."""
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
