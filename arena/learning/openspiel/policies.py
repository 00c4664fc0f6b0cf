"""Policies of OpenSpiel: kept in JSON files, and solved for end games that are small enough."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr

from arena import foreign_files
from arena.disk import write_whole
from arena.errors import ConfigError
from arena.learning.openspiel.game import PREFIX, ArenaGame, ArenaState
from arena.learning.openspiel.nodes import Node, drawn_words
from arena.userfiles import existing_path


class PolicyFile(msgspec.Struct, forbid_unknown_fields=True):
    """What a file of a policy holds."""

    game: str
    """The game as OpenSpiel names it, with its parameters."""
    probabilities: dict[str, dict[int, float]]
    """The chance of each action, by information state and action."""


class TablePolicy(policy.Policy):  # type: ignore[misc]
    """A policy that is looked up by information state; where it has none, every legal action is as likely as another."""

    def __init__(self, game: ArenaGame, probabilities: Mapping[str, Mapping[int, float]]) -> None:
        super().__init__(game, list(range(game.num_players())))
        self._probabilities = probabilities

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The chance of each legal action."""
        player = state.current_player() if player_id is None else player_id
        known, actions = self._probabilities.get(state.information_state_string(player), {}), state.legal_actions(player)
        total = sum(known.get(action, 0.0) for action in actions)
        return {action: known.get(action, 0.0) / total if total > 0 else 1.0 / len(actions) for action in actions}


def write_policy(path: Path, game: ArenaGame, table: policy.TabularPolicy) -> None:
    """Write a table such as `CFRSolver(game).average_policy()` as JSON. Raises StoreError."""
    chances = {key: {action: float(chance) for action, chance in pairs} for key, pairs in table.to_dict().items()}
    write_whole(path, msgspec.json.encode(PolicyFile(str(game), chances)))


def read_policy(path: Path | str, game: ArenaGame) -> TablePolicy:
    """The policy in a file that `write_policy` wrote. Raises ConfigError that names the file."""
    path = existing_path(str(path), (Path(),), "policy: no such file")
    try:
        read = msgspec.json.decode(foreign_files.content(path), type=PolicyFile)
    except OSError as error:
        raise ConfigError(f"policy: {path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"policy: {path}: {error}") from None
    if read.game.split("(")[0] != PREFIX + game.setup.game.name:
        raise ConfigError(f"policy: {path} is one of {read.game}, not of {game}")
    return TablePolicy(game, read.probabilities)


def end_game(game: ArenaGame, state: ArenaState, worlds: int, most_nodes: int, rng: random.Random) -> ArenaGame | None:
    """The rest of the match behind what the seat to choose sees, in `worlds` of the positions that it thinks possible.

    None where that has more than `most_nodes` positions. The others are taken to know the cards of that seat.
    """
    start = state.node
    assert start is not None
    starts, left = [start], most_nodes - _size(start, most_nodes)
    while left >= 0 and len(starts) < worlds:
        starts.append(start.resampled(start.seat, drawn_words(rng.random)))
        left -= _size(starts[-1], left)
    return None if left < 0 else ArenaGame(game.setup.game.name, game.given, starts)


def solved(game: ArenaGame, iterations: int) -> policy.Policy:
    """The average policy of counterfactual regret minimisation (M. Zinkevich et al. 2007) after some iterations."""
    solver = cfr.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.average_policy()


def _size(node: Node, most: int) -> int:
    """How many positions can follow, this one included; counting ends a little above `most`."""
    found, waiting = 0, [node]
    while waiting and found <= most:
        one = waiting.pop()
        found += 1
        waiting += [one.after(code) for code in one.codes]
    return found
