"""Guest: lets a search, a policy or a solver of the library OpenSpiel choose, in worlds that fit what it sees. Every game.

`params`: {player: ismcts, simulations: 50} is OpenSpiel's information set search; {player: uniform} any legal action;
{player: policy, policy: FILE} a policy that `arena.learning.openspiel.policies.write_policy` wrote; {player: cfr} solves the
end of a match by counterfactual regret minimisation as soon as that is small enough, and searches before. It needs the extra
`openspiel`.
Idea: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).
"""

from typing import Any

from arena.learning.openspiel import ArenaGame, ArenaState, OpenSpielAgent, Rollouts  # says so if the library is missing
from arena.learning.openspiel.policies import end_game, read_policy, solved

DEFAULTS = {
    "player": "ismcts",  # or uniform, policy, cfr
    "simulations": 50,
    "exploration": 2.0,  # returns lie between -1 and 1
    "policy": "",
    "worlds": 5,  # cfr: how many a solved end of a match has
    "nodes": 300,  # cfr: how many positions it may have
    "iterations": 30,  # cfr
}


class Guest(OpenSpielAgent):
    """Gives the hall's view as a state to what `params` name."""

    def player(self, game: ArenaGame, seat: int) -> Any:
        """What chooses for a whole match."""
        from open_spiel.python.algorithms.ismcts import ISMCTSBot
        from open_spiel.python.policy import UniformRandomPolicy

        unknown = set(self.params) - set(DEFAULTS)
        if unknown:
            raise ValueError(f"unknown params {sorted(unknown)}; known are {', '.join(DEFAULTS)}")
        settings = {**DEFAULTS, **self.params}
        if settings["player"] == "uniform":
            return UniformRandomPolicy(game)
        if settings["player"] == "policy":
            return read_policy(settings["policy"], game)
        search = ISMCTSBot(
            game, Rollouts(seed=self.rng.getrandbits(128)), settings["exploration"], settings["simulations"],
            random_state=self.generator(),
        )  # fmt: skip
        search.set_resampler(lambda state, player: state.resample_from_infostate(player, self.rng.random))
        if settings["player"] == "ismcts":
            return search
        if settings["player"] == "cfr":
            return Solver(self, search, settings)
        raise ValueError(f"player: ismcts, uniform, policy or cfr is needed, not {settings['player']!r}")


class Solver:
    """Solves what is left of a match where that is small, and searches elsewhere."""

    def __init__(self, guest: Guest, search: Any, settings: dict[str, Any]) -> None:
        self.guest, self.otherwise, self.settings = guest, search, settings

    def action_probabilities(self, state: ArenaState, player: int) -> dict[int, float]:
        """The chances of all actions at a decision."""
        rest = end_game(self.guest.game, state, self.settings["worlds"], self.settings["nodes"], self.guest.rng)
        if rest is None:
            return {int(self.otherwise.step(state)): 1.0}
        start = rest.new_initial_state()
        start.apply_action(0)
        return dict(solved(rest, self.settings["iterations"]).action_probabilities(start, player))
