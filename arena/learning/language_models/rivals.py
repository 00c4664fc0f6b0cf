"""Who plays against models: a level of known strength, or any rival that learning programs know by name."""

from pathlib import Path
from typing import Any

from arena import games
from arena.agent import Agent, View
from arena.engine.game import Game
from arena.engine.rng import SEED_BITS, seed_words
from arena.errors import ConfigError
from arena.learning.rivals import PREFIX, iterations_of
from arena.match.single_match import Named, named
from arena.results_folder import nearest_results
from arena.server.people.levels import NAMES, level

RANDOM, POLICY = "random", "policy"
_CHANCE = "house:random_bot"
_KNOWN = f"{', '.join(NAMES)}, random, policy, search:N, or a bot (a path or house:NAME)"


class RolloutPolicy(Agent[View]):
    """Plays as searches of the game play matches out: fast, and no fool."""

    def act(self, view: View) -> str:
        """The policy's action, with its numbers as the game has them."""
        game = games.load(view.game)
        actions = game.new_actions()
        actions[: len(view.codes)] = view.codes
        words = seed_words(self.rng.getrandbits(SEED_BITS))
        code = game.rollout.rollout_action(view.state, actions, len(view.codes), game.constants, words)
        return view.legal[list(view.codes).index(int(code))]


class Search(Agent[View]):
    """Searches from the view alone at each decision; `iterations`: how long."""

    def act(self, view: View) -> str:
        """The best choice of the search."""
        return str(view.search(iterations=self.params["iterations"]).best)


def rival(name: str, game: Game, where: str = "") -> Named:
    """The bot that a name stands for. Raises ConfigError, BotError or StoreError; `where`: before what is wrong."""
    if name == RANDOM:
        return _bot(_CHANCE, name, {}, where)
    if name == POLICY:
        return Named(POLICY, RolloutPolicy, {})
    if name.startswith(PREFIX):
        return Named(name, Search, {"iterations": iterations_of(name, where)})
    if name in NAMES:
        found = level(game.name, name)
        return _bot(found.bot, name, found.params, where)
    if "/" not in name and ":" not in name and not Path(name).exists():
        raise ConfigError(f'{where}no rival "{name}"; one is {_KNOWN}')
    return named(name, nearest_results(), where=where)


def _bot(bot: str, name: str, params: dict[str, Any], where: str) -> Named:
    return named(bot, nearest_results(), params, where=where)._replace(name=name)
