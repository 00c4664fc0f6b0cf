"""Policies and bots of OpenSpiel: as bots of arena, kept in JSON files, solved for small end games; random play.

A bot or a policy is asked for an action in a state that its seat thinks possible.

OpenSpiel gives its bots the true state and trusts them to look at their own cards alone. Here they get no true state: what the
seat cannot know is drawn at random for each decision. So a bot should draw other worlds by itself, as OpenSpiel's ISMCTSBot in
Python does, or go by the information state, as policies do.

Random play to the end of a match, in compiled code, is an evaluator for OpenSpiel's searches.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr

from arena import userfiles
from arena.agent import Agent, StartInfo, View
from arena.disk import write_whole
from arena.engine.rng import seed_words
from arena.errors import ConfigError
from arena.games import load
from arena.learning.openspiel import setups
from arena.learning.openspiel.game import PREFIX, ArenaGame, ArenaState
from arena.learning.openspiel.nodes import Learnt, Node, digest, drawn_words
from arena.userfiles import existing_path

_NO_LIMIT = 1 << 40  # decisions


class Rollouts:
    """Evaluates a state by playing it to the end at random, as `mcts.RandomRolloutEvaluator` does, many times as fast."""

    def __init__(self, count: int = 1, seed: int = 0) -> None:
        """`count`: matches that are played for one state; `seed`: 128 bits."""
        self._count = count
        self._rng = seed_words(seed)

    def evaluate(self, state: ArenaState) -> list[float]:
        """The mean returns of the players."""
        node = state.node
        assert node is not None, "chance is drawn before a state is evaluated"
        setup, total = node.setup, np.zeros(node.setup.seats)
        for _ in range(self._count):
            states = node.states.copy()
            setup.game.engine.play_random(states, self._rng, setup.scratch, _NO_LIMIT)
            total += setup.returns(states)
        return [float(value) for value in total / self._count]

    def prior(self, state: ArenaState) -> list[tuple[int, float]]:
        """All legal actions, each as likely as another."""
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]


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
        read = msgspec.json.decode(userfiles.content(path), type=PolicyFile)
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
    """Return how many positions can follow, this one included; counting ends a little above `most`."""
    found, waiting = 0, [node]
    while waiting and found <= most:
        one = waiting.pop()
        found += 1
        waiting += [one.after(code) for code in one.codes]
    return found


class OpenSpielAgent(Agent):
    """A bot of arena in which a bot or a policy of OpenSpiel plays. Derive a class that says which: `player`."""

    wants_forced: ClassVar[bool] = True  # what a seat has learnt is counted from decision to decision

    def player(self, game: ArenaGame, seat: int) -> Any:
        """A `pyspiel.Bot`, or a policy with `action_probabilities(state, player)`, for a whole match."""
        raise NotImplementedError(f"{type(self).__name__} has no player")

    def start(self, info: StartInfo) -> None:
        """Make the game and its player."""
        self.game = ArenaGame(info.game, setups.parameters_of(load(info.game), info.seats, info.options))
        self._learnt = b""
        self._player = self.player(self.game, info.seat)

    def act(self, view: View) -> str:
        """Return what the player chooses in a state that this seat thinks possible."""
        shown = Learnt(self._learnt, tuple(view.events))
        self._learnt = digest(shown, view.state.tobytes())
        if len(view.legal) == 1:
            return str(view.legal[0])
        observed = self.game.setup.game.from_bytes(view.state.tobytes())
        state = self.game.seen_state(observed, view.seat, shown, self.rng.random)
        return str(view.legal[state.legal_actions().index(self._choice(state, view.seat))])

    def generator(self) -> np.random.RandomState:
        """A source of random numbers as OpenSpiel's bots take them, seeded by the match."""
        return np.random.RandomState(self.rng.getrandbits(32))

    def _choice(self, state: ArenaState, seat: int) -> int:
        if isinstance(self._player, pyspiel.Bot):
            return int(self._player.step(state))
        chances: Mapping[int, float] = self._player.action_probabilities(state, seat)
        actions: Sequence[int] = list(chances)
        return int(self.rng.choices(actions, [chances[action] for action in actions])[0])
