"""Bots and policies of OpenSpiel as bots of the hall: they are asked for an action in a state that the seat thinks possible.

OpenSpiel gives its bots the true state and trusts them to look at their own cards alone. Here they get no true state: what the
seat cannot know is drawn at random for each decision. So a bot should draw other worlds by itself, as OpenSpiel's ISMCTSBot in
Python does, or go by the information state, as policies do.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyspiel

from arena.agent import Agent, StartInfo, View
from arena.games import load
from arena.learning.openspiel import parameters
from arena.learning.openspiel.game import ArenaGame, ArenaState
from arena.learning.openspiel.nodes import Learnt, digest


class OpenSpielAgent(Agent):
    """A bot of the hall in which a bot or a policy of OpenSpiel plays. Derive a class that says which: `player`."""

    wants_forced: ClassVar[bool] = True  # what a seat has learnt is counted from decision to decision

    def player(self, game: ArenaGame, seat: int) -> Any:
        """A `pyspiel.Bot`, or a policy with `action_probabilities(state, player)`, for a whole match."""
        raise NotImplementedError(f"{type(self).__name__} has no player")

    def start(self, info: StartInfo) -> None:
        """Make the game and its player."""
        self.game = ArenaGame(info.game, parameters.given(load(info.game), info.seats, info.options))
        self._learnt = b""
        self._player = self.player(self.game, info.seat)

    def act(self, view: View) -> str:
        """What the player chooses in a state that this seat thinks possible."""
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
