"""A game as a Parallel environment of PettingZoo: all agents send an action in each step, as in games that are simultaneous."""

import secrets
from operator import index
from typing import Any, NoReturn, TypeAlias

import numpy as np
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from arena.engine.rng import Words
from arena.learning.drawing import Picture
from arena.learning.pettingzoo.settings import Observation, Settings, action_space, agent_names, observation_space
from arena.learning.rendering import RENDER_MODES, Renderer
from arena.learning.single import ILLEGAL, Together, table_rng

Infos: TypeAlias = dict[str, dict[str, Any]]


class TogetherEnv(EzPickle, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A match of one game, decision by decision.

    Where not all seats choose, the agents of the others have `to_choose` False in their info and only action 0 in their mask;
    what they send is not looked at. So games that are played in turn can be played, too.
    """

    def __init__(self, **settings: Any) -> None:
        """`settings`: the fields of `Settings`. Raises ConfigError for one that is wrong."""
        EzPickle.__init__(self, **settings)
        asked = Settings(**settings)
        self.seating = asked.check()
        """What is played: the game with its encoding, the number of seats, the options."""
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"{asked.game}_v0",
            "is_parallelizable": True,
            "render_fps": 1,
        }
        self.render_mode = asked.render_mode
        self.max_cycles = asked.max_cycles
        """Steps after which the episode is truncated; None: never."""
        self.possible_agents = agent_names(self.seating)
        self._settings = asked
        self._observation_spaces = {agent: observation_space(asked, self.seating) for agent in self.possible_agents}
        self._action_spaces = {agent: action_space(self.seating) for agent in self.possible_agents}
        self._table = Together(self.seating)
        self._rng: Words | None = None
        self._renderer = Renderer(self.seating.game, asked.render_mode)
        self._cycles = 0

    def observation_space(self, agent: str) -> Any:
        """What the agent observes."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What the agent chooses from: the game's action codes, or places in its list of legal actions."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Observation], Infos]:
        """Deal a match: with a seed the first one of that seed, else the next one. `options` changes nothing."""
        if seed is not None or self._rng is None:
            self._rng = table_rng(secrets.randbits(63) if seed is None else seed)
        self.agents = list(self.possible_agents)
        self._cycles = 0
        self._table.begin(self._rng)
        return self._shown()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play the actions of all agents that choose; every agent must send one."""
        table = self._table
        chosen = self._chosen(actions)
        lost = table.illegal(chosen)
        if lost and self._settings.illegal == "raise":
            self._refuse(lost, actions)
        is_over = bool(lost) or table.play(chosen)
        self._cycles += 1
        is_truncated = not is_over and self.max_cycles is not None and self._cycles >= self.max_cycles
        rewards = self.seating.rewards(table.states, lost) if is_over else [0.0] * self.seating.seats
        agents = self.agents
        if is_over or is_truncated:
            table.choosing = 0
            table.mask[:] = 0
            self.agents = []
        observations, infos = self._shown()
        return (
            observations,
            dict(zip(agents, rewards)),
            dict.fromkeys(agents, is_over),
            dict.fromkeys(agents, is_truncated),
            infos,
        )

    def render(self) -> str | Picture | None:
        """The table with everything, as text or as a picture, by `render_mode`. Raises ConfigError where it cannot be."""
        return self._renderer.render(self._table.states, None)

    def close(self) -> None:
        """Let go of what pictures needed."""
        self._renderer.close()

    def __getattr__(self, name: str) -> NoReturn:
        """Only what `reset` makes is missing before it."""
        if name == "agents":
            raise AttributeError("agents: call reset() first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _chosen(self, actions: dict[str, Any]) -> NDArray[np.int64]:
        """The actions by seat. Raises ValueError where one is missing."""
        if not self.agents:
            raise ValueError(f"step: the episode of {self} is over; call reset() first")
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"step: no action of {', '.join(missing)}; all agents of {self} send one")
        return np.array([_index(actions[agent]) for agent in self.agents], np.int64)

    def _refuse(self, lost: list[int], actions: dict[str, Any]) -> NoReturn:
        agent = self.possible_agents[lost[0]]
        legal = " ".join(str(place) for place in np.flatnonzero(self._table.mask[lost[0]]))
        raise ValueError(f"action: {actions[agent]!r} of {agent} is not legal in {self}; legal: {legal}")

    def _shown(self) -> tuple[dict[str, Observation], Infos]:
        """What all agents observe, and what stands beside it."""
        if self._renderer.is_live:
            self.render()
        table, asked = self._table, self._settings
        observations: dict[str, Observation] = {}
        infos: Infos = {}
        features, mask = table.features.copy(), table.mask.copy()  # each agent has a row of them
        for seat, agent in enumerate(self.possible_agents):
            infos[agent] = {"to_choose": table.chooses(seat)}
            offer: dict[str, NDArray[Any]] = {"action_mask": mask[seat]}
            if asked.action_features:
                offer["action_features"] = table.action_features(seat)
            if asked.mask == "info":
                observations[agent] = features[seat]
                infos[agent].update(offer)
            else:
                observations[agent] = {"observation": features[seat], **offer}
        return observations, infos


def _index(action: Any) -> int:
    try:
        return index(action)
    except TypeError:
        return ILLEGAL
