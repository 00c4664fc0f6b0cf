"""Fits the network by which luck is worked out in a game: who of two seats finishes the match before the other, all hands open.

It learns from whole matches between quick players of many kinds: the game's rollout policy with its own constants and with
others, with and without slips. What a round brings is learnt in two steps, as most of what decides a match lies ahead: a first
network says what the totals are worth at the end of a round, and the second one is fitted to what the first says at the end of
each round. So a row does not carry the luck of all later rounds. Nothing of it depends on matches of any tournament.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from arena import games
from arena.engine import jit
from arena.engine.contract import Numbers
from arena.engine.game import Game
from arena.engine.net import Nets
from arena.engine.net_files import Note, read_note, write_nets
from arena.engine.rng import seed_fast, seed_words
from arena.errors import ConfigError
from arena.learning.training.compiled import match_play
from arena.learning.training.compiled.match_play import END, MATCH, TURNED
from arena.learning.training.networks import Inputs, calibration, fit_shares, log_loss, predicted_shares
from arena.learning.training.selfplay import seed_of

ROWS = 5_000_000
"""Rows to learn from, all numbers of seats together."""
KINDS = 24
"""Kinds of quick players; the first is the game's rollout policy as it is."""
FARTHEST = 2.0
"""Times by which a constant of a player may differ from the game's."""
SLIPS = (0.0, 0.0, 0.02, 0.05, 0.1, 0.3)
"""Shares of random choices of the players, in turn."""
LUCKY, KEEP = 0.1, 0.01
"""Shares of the moments that become rows: after a chance event, where luck is worked out, and of all others."""
HIDDEN, END_HIDDEN = 64, 24
PASSES, END_PASSES = 2, 6
HELD_OUT = 10
"""Every tenth match is for measuring, none of its rows for learning."""
_PART = 200_000  # rows that are played at once


@dataclass
class PairRows:
    """Pairs of seats at moments of matches, a row each."""

    inputs: Inputs
    """[rows, WIN_FEATURES], in half precision: there are millions."""
    results: Numbers
    """[rows]: 1 if the first seat of the pair finished before the second."""
    ends: Any
    """[rows]: the row of the pair at the end of the round; -1 where the match ends with it."""
    is_turned: Any
    """[rows]: whether the seats of the pair have changed places there."""
    matches: Any
    """[rows]: the number of the match."""

    def __len__(self) -> int:
        return len(self.results)


@dataclass(frozen=True)
class FittedValue:
    """A network for luck, and how well it foretells matches that it has not seen."""

    nets: Nets
    losses: dict[str, float]
    rows: int


def fit_value(game: Game, rows: int, seed: int, say: Callable[[str], None] = lambda _: None) -> FittedValue:
    """Play at the numbers of seats for which win_features.py is written, and fit. Raises ConfigError if the game has none."""
    seats = _module(game).LEARNS
    say(f"playing {rows:,} rows ...")
    played = joined([played_rows(game, count, rows // len(seats), seed) for count in seats])
    is_held_out = played.matches % HELD_OUT == 0
    is_end = played.ends == np.arange(len(played))
    own = seed_of(seed, "win_features") & 0xFFFFFFFF
    ends = np.flatnonzero(is_end & ~is_held_out)
    targets = played.results
    if len(ends) > 0:
        say("fitting what totals are worth ...")
        first = fit_shares(played.inputs, played.results, hidden=END_HIDDEN, seed=own, passes=END_PASSES, rows=ends)
        targets = targets_of(first, played)
    say("fitting the network ...")
    learnt = np.flatnonzero(~is_held_out)
    net = fit_shares(played.inputs, targets, hidden=HIDDEN, seed=own + 1, passes=PASSES, rows=learnt).rounded()
    found = predicted_shares(net, played.inputs[is_held_out])
    wanted = played.results[is_held_out]
    losses = {
        "value": log_loss(found, wanted), "calibration": calibration(found, wanted),
        "round": float(np.mean((found - targets[is_held_out]) ** 2)), "spread": float(np.var(targets[is_held_out])),
    }  # fmt: skip
    return FittedValue(Nets({"value": net}, frozenset(seats)), losses, len(played))


def write_value(game: Game, folder: Path, fitted: FittedValue, *, command: str, seed: int) -> Note:
    """Write the network, and how it was made."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = f"{jit.source_hash(game.package)}-{jit.source_hash(jit.learning_of(game.package))}"
    note = Note(
        game=game.name, seats=(), command=command, seed=seed, sources=sources,
        generations=[{"rows": fitted.rows, "losses": fitted.losses}],
    )  # fmt: skip
    write_nets(folder, fitted.nets, note)
    return read_note(folder)


def targets_of(first: Any, played: PairRows) -> Numbers:
    """[rows]: what the first network says of each pair at the end of its round; the result where the match ends with it."""
    at_end = predicted_shares(first, played.inputs)
    found = at_end[played.ends]
    found = np.where(played.is_turned, 1.0 - found, found)
    result: Numbers = np.where(played.ends < 0, played.results, found)
    return result


def players_of(game: Game, seed: int) -> Numbers:
    """[kinds, constants]: the players, as constants of the rollout policy within their ranges."""
    stream = np.random.default_rng(seed_of(seed, "players"))
    found = np.tile(game.constants, (KINDS, 1))
    for place, constant in enumerate(game.rollout.CONSTANTS):
        factors = FARTHEST ** stream.uniform(-1.0, 1.0, KINDS - 1)
        found[1:, place] = np.clip(found[1:, place] * factors, constant.low, constant.high)
    return found


def played_rows(game: Game, seats: int, count: int, seed: int) -> PairRows:
    """So many rows at tables of one size, nearly, in parts that are played one after the other."""
    players, slips = players_of(game, seed), np.array([SLIPS[kind % len(SLIPS)] for kind in range(KINDS)])
    options = game.options_vector(game.resolve_options({}, seats))
    module = _module(game)
    parts: list[PairRows] = []
    while (done := sum(map(len, parts))) < count:
        size = min(_PART, max(1_000 * seats, count - done))
        inputs, numbers, results = (
            np.zeros((size, module.WIN_FEATURES), np.float32),
            np.zeros((size, 4), np.int64),
            np.zeros(size),
        )
        rng = np.zeros(4, np.int64)
        seed_fast(rng, seed_words(seed_of(seed, "matches", seats, len(parts))))
        written = _entry(game)(
            np.zeros(1, game.rules.STATE),
            seats,
            options,
            rng,
            game.new_actions(),
            players,
            slips,
            KEEP,
            getattr(module, "LUCKY", LUCKY),
            inputs,
            numbers,
            results,
        )
        ends, turned, matches = (numbers[:written, column] for column in (END, TURNED, MATCH))
        parts.append(PairRows(inputs[:written].astype(np.float16), results[:written], ends, turned == 1, matches))
    return joined(parts)


def joined(parts: Sequence[PairRows]) -> PairRows:
    """Rows one after the other."""
    starts = np.cumsum([0, *map(len, parts)])
    ends = [np.where(part.ends < 0, -1, part.ends + start) for part, start in zip(parts, starts)]
    return PairRows(
        inputs=np.concatenate([part.inputs for part in parts]),
        results=np.concatenate([part.results for part in parts]), ends=np.concatenate(ends),
        is_turned=np.concatenate([part.is_turned for part in parts]), matches=np.concatenate([part.matches for part in parts]),
    )  # fmt: skip


def _module(game: Game) -> ModuleType:
    """The game's win_features.py, where compiled code finds it, and its chance.py. Raises ConfigError if it has none."""
    module = games.win_features(game)
    if module is None:
        raise ConfigError(f"game: {game.name} has no win_features.py, from which a network for luck could be made")
    match_play.MODULES[jit.record_type(game.rules.STATE)] = module
    games.luck(game)
    return module


@cache
def _entry(game: Game) -> Callable[..., int]:
    return jit.bind(match_play.play, jit.learning_of(game.package))
