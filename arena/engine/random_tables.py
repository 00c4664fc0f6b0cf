"""Seeded matches of random legal actions: what the laws are checked on."""

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.engine.game import Game, States
from arena.engine.options import Choice, Counted, DataTable, Flag, OptionValue, Whole
from arena.engine.rng import SEED_BITS, Words, seed_words
from arena.errors import ConfigError

CHECKED = 60  # decisions of a match that are all checked; of later ones, CHECKED in 2 n
SEATS = 4  # with more of them fewer decisions are checked: each one for every seat
DECISION_LIMIT = 2_000_000  # far above any match: more is a match that does not end
SHORT = 3  # games or rounds, where an option counts them


@dataclass(frozen=True)
class Table:
    """A seeded match of random legal actions."""

    game: Game
    seats: int
    options: dict[str, OptionValue]
    """The rule options, resolved."""
    seed: int

    def deal(self) -> States:
        """The first position of the match that this table plays."""
        return self.game.deal(self.seats, self.options, self.seed)

    def __str__(self) -> str:
        return f"{self.game.name}, {self.seats} seats, seed {self.seed}, options {self.options}"


@dataclass(frozen=True)
class Decision:
    """A moment of a match; the states are a copy."""

    states: States
    seat: int
    codes: list[int]
    action: int
    rng: Words
    """Fresh words for `determinize`."""

    def __str__(self) -> str:
        return f"at a decision of seat {self.seat} with {len(self.codes)} actions"


def make_table(game: Game, seed: int) -> Table:
    """A table whose seats and options depend on `seed` too."""
    rng = random.Random(seed)
    seats = rng.choice(game.seats)
    return Table(game, seats, random_options(game, seats, rng), seed)


def random_options(game: Game, seats: int, rng: random.Random) -> dict[str, OptionValue]:
    """Resolved options at random, with counts small enough for short matches; the default where nothing else fits."""
    for _ in range(100):
        given = {option.name: _random_value(option, rng) for option in game.options}
        try:
            return game.resolve_options(given, seats)
        except ConfigError:
            continue  # the values do not go together
    return game.resolve_options({}, seats)


def decisions(table: Table) -> Iterator[Decision]:
    """The decisions to check."""
    game, rng, count = table.game, random.Random(table.seed), 0
    checked = CHECKED * SEATS // max(SEATS, table.seats)
    states = table.deal()
    while not game.engine.is_terminal(states):
        codes = game.legal_list(states)
        assert codes, f"{table}: no legal action although the match is not over (decision {count})"
        action = rng.choice(codes)
        if count < checked or 2 * rng.random() < checked / count:
            seat, words = int(game.engine.current_seat(states)), seed_words(rng.getrandbits(SEED_BITS))
            yield Decision(copy(game, states), seat, codes, action, words)
        game.engine.advance(states, action)
        count += 1
        assert count < DECISION_LIMIT, f"{table}: does not end"


def final_states(table: Table) -> States:
    """The end of the match."""
    game, rng, states = table.game, random.Random(table.seed), table.deal()
    while not game.engine.is_terminal(states):
        game.engine.advance(states, rng.choice(game.legal_list(states)))
    return states


def copy(game: Game, states: States) -> States:
    """The same state, on its own."""
    return game.from_bytes(states.tobytes())


def resampled(game: Game, states: States, seat: int, rng: Words) -> States:
    """Another world that `seat` cannot tell from this one."""
    world = copy(game, states)
    game.engine.determinize(world, seat, rng)
    return world


def variants(game: Game, seats: int) -> list[dict[str, OptionValue]]:
    """Resolved options of every variant that a table of `seats` can play: the default, then one other choice at a time.

    Choices are what an option names one by one; numbers (lengths, limits) and tables of data are none.

    >>> from arena.games import load
    >>> [options["majority"] for options in variants(load("naga"), 2)[:2]]
    ['5', 'clinch']
    """
    found = [game.resolve_options({}, seats)]
    for option in game.options:
        if isinstance(option, Whole | Counted | DataTable):
            continue
        for value in documented_values(option):
            with contextlib.suppress(ConfigError):  # not with so many seats
                resolved = game.resolve_options({option.name: value}, seats)
                if resolved not in found:
                    found.append(resolved)
    return found


def documented_values(option: Any) -> list[OptionValue]:
    """The values that an option's own description names; of a game's own kind of option its `values`, else the default."""
    if isinstance(option, Choice) or hasattr(option, "values"):
        return list(option.values)
    if isinstance(option, Flag):
        return [False, True]
    if isinstance(option, Whole):
        return [option.lowest, option.default, option.highest]
    if isinstance(option, Counted):
        return [f"{kind}:{count}" for kind in option.kinds for count in (1, option.highest)]
    if isinstance(option, DataTable):
        extremes = [[f"row {end}", *(getattr(column, end) for column in option.columns)] for end in ("lowest", "highest")]
        return [option.default, [*option.default, *extremes]]
    return [option.default]


def _random_value(option: Any, rng: random.Random) -> OptionValue:
    if isinstance(option, Whole) and option.is_length:
        return rng.randint(option.lowest, SHORT)
    if isinstance(option, Whole):
        return rng.choice([option.default, rng.randint(option.lowest, min(option.highest, 2 * option.default))])
    if isinstance(option, Counted):
        return f"{rng.choice(option.kinds)}:{rng.randint(1, SHORT)}"
    if isinstance(option, DataTable):
        return rng.choice([option.default, rng.sample(option.default, len(option.default) - rng.randrange(3))])
    values: list[OptionValue] = list(getattr(option, "examples", ())) or documented_values(option)
    return rng.choice(values)
