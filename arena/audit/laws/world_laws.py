"""The laws of listed worlds: where a room numbers the worlds of a seat, each is there once, and none that does not fit."""

from collections.abc import Callable

from arena.engine.random_tables import Table, copy, decisions, resampled
from arena.engine.rng import Words
from arena.engine.room import Game, States

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
    """What all seats together see of a world."""
    return b"".join(game.observed(world, seat).tobytes() for seat in range(seats))
