"""Play to learn from: play by the rollout policy, and rounds between searches. Each gives rows for networks."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from arena import search
from arena.engine import jit
from arena.engine.contract import Actions, Numbers, States
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.rng import Words, chance, derive, seed_fast, seed_words
from arena.errors import ConfigError
from arena.learning.training.compiled import rollout_play
from arena.learning.training.rows import Choices, Rows, Written, joined, joined_choices, new_rows
from arena.search import Settings

WHIMS = np.array([0.0, 0.1, 0.3])  # shares of random choices in rollout play: to know more than what one policy does
KEEP = 0.5  # share of the decisions of rollout play that become rows
WHIM = 0.1  # share of random choices in rounds between searches
STRANGERS: tuple[Mapping[str, Any], ...] = (
    {"method": "pimc", "world_iterations": 20},
    {"iterations": 20},
    {"iterations": 20, "rollout": "uniform"},
    {"iterations": 1},
)
"""What strangers play, as settings beside those of the searches: other play than the networks are for, better and worse."""
LONGEST = 2048  # decisions of a round that become rows, at most
PURPOSE = "arena train"  # of all random streams of training


class Table(NamedTuple):
    """What is played: a game, a number of seats, its options."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]


def default_table(game: Game) -> Table:
    """The first number of seats that the state features are written for, with the game's own options. Raises ConfigError."""
    if not game.state_features.LEARNS:
        raise ConfigError(f"game: {game.name} has no state_features.py, so nothing can be learnt there (docs/training.md)")
    seats = game.state_features.LEARNS[0]
    return Table(game, seats, game.resolve_options({}, seats))


def seed_of(seed: int, *path: object) -> int:
    """The seed of a part of a training."""
    return derive(str(seed).encode(), PURPOSE, *path)


def rollout_rows(table: Table, count: int, seed: int) -> Rows:
    """Rows of rollout play."""
    game = table.game
    rows = new_rows(game, table.seats, count)
    if count:
        _entries(game).play(
            _two(game), table.seats, game.options_vector(table.options), _fast(seed_of(seed, "rollouts")), game.new_actions(),
            game.constants, WHIMS, KEEP, rows.seat_features, rows.outcomes, rows.world_features, rows.drawn, rows.judged,
            rows.rounds, 0,
        )  # fmt: skip
    return rows


class Round(NamedTuple):
    """What a round between searches gives to learn from."""

    rows: Rows
    choices: Choices | None
    """What was chosen; None where nobody had a choice."""


def searched_round(table: Table, asked: Settings, number: int, seed: int, strangers: float = 0.0) -> Round:
    """Play a round between equal searches, some choices at random. It depends on nothing but its number and the seed.

    `strangers`: the chance of each seat to be played by a stranger, whose choices teach the policy nothing.
    """
    game, engine = table.game, table.game.engine
    constants, rng = game.constants, _fast(seed_of(seed, "searched round", number))
    states = _two(game)
    now = states[:1]
    now[:] = game.deal(table.seats, table.options, seed_of(seed, "deal", number))
    seated = _seated(table, asked, strangers, seed_of(seed, "strangers", number))
    rows, at, written = new_rows(game, table.seats, LONGEST), 0, Written()
    while not engine.is_round_over(now):
        codes = game.legal_list(now)
        if len(codes) == 1:
            engine.step(now, codes[0])
            continue
        if at < LONGEST:
            at += _entries(game).write(
                states, at, constants, rng, rows.seat_features, rows.world_features, rows.drawn, rows.judged
            )
        seat = engine.current_seat(now)
        observed = game.observed(now, seat)
        found, encoding = search.search(game, observed, seat, codes, seated[seat]), game.encoding
        code = found.best_code
        if seated[seat] is asked:
            written.add(
                encoding.features(observed, seat), encoding.action_features(observed, seat, codes), codes.index(code),
                found.expected, number,
            )  # fmt: skip
        if chance(rng) < WHIM:
            code = codes[int(chance(rng) * len(codes))]
        engine.step(now, code)
    rows.outcomes[:] = worth_of(table, now)
    rows.rounds[:] = number
    return Round(rows.first(at), written.choices() if len(written) else None)


def _seated(table: Table, asked: Settings, strangers: float, seed: int) -> list[Settings]:
    """Return what each seat plays."""
    rng = random.Random(seed)
    return [
        replace(asked, judge="rule", worlds="uniform", **rng.choice(STRANGERS)) if rng.random() < strangers else asked
        for _ in range(table.seats)
    ]


def joined_rounds(table: Table, rounds: list[Round]) -> tuple[Rows, Choices]:
    """Return what many rounds give, one after the other."""
    rows = joined([new_rows(table.game, table.seats, 0), *(found.rows for found in rounds)])
    return rows, joined_choices([found.choices for found in rounds if found.choices is not None])


def worth_of(table: Table, states: States) -> Numbers:
    """Return what a position is worth to each seat, by the game's `evaluate`."""
    out = np.zeros(max(table.game.seats))
    _entries(table.game).worth(states, table.game.constants, out)
    return out[: table.seats]


def row_writer(game: Game, seed: int) -> Callable[[States, int, Rows], bool]:
    """A function that writes the first of two states as a row at a place; False where it is no place to be judged at.

    `seed`: of the worlds that are drawn.
    """
    rng = _fast(seed)

    def write(states: States, at: int, rows: Rows) -> bool:
        return _entries(game).write(
            states, at, game.constants, rng, rows.seat_features, rows.world_features, rows.drawn, rows.judged
        )

    return write


class _Entries(NamedTuple):
    """The compiled functions of compiled/rollout_play.py, bound to one game."""

    play: Callable[..., int]
    write: Callable[..., bool]
    worth: Callable[[States, Numbers, Numbers], None]


@cache
def _entries(game: Game) -> _Entries:
    home = jit.learning_of(game.package)
    return _Entries(jit.bind(rollout_play.play, home), jit.bind(rollout_play.write, home), jit.bind(rollout_play.worth, home))


def _two(game: Game) -> States:
    return np.zeros(2, game.rules.STATE)


def _fast(seed: int) -> Words:
    rng: Actions = np.zeros(4, np.int64)
    seed_fast(rng, seed_words(seed))
    return rng
