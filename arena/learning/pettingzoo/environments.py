"""A game as an environment of PettingZoo: AEC, one agent after the other, and Parallel, all agents at once.

In AEC an agent sees what its seat knows, and chooses; in Parallel all send an action in each step, as in games that are
simultaneous. What both are made with is checked here, and their names and spaces follow from it.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import index
from typing import Any, NoReturn, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from arena.engine.entries import ENDED_ROUND, IS_OVER, IS_TOGETHER, SEAT_SHIFT
from arena.engine.options import OptionValue
from arena.engine.rng import Words
from arena.errors import ConfigError
from arena.learning.gymnasium.environments import MASKS
from arena.learning.gymnasium.environments import observation_space as observed
from arena.learning.rendering import RENDER_MODES, Picture, Renderer
from arena.learning.single import ILLEGAL, Seating, Table, Together, seating, table_rng

Observation: TypeAlias = Any
"""An array of features; or a dict with it, the mask and the features of the actions."""
_CHOICES = {
    "mask": MASKS,
    "illegal": ("lose", "raise"),
    "render_mode": (None, *RENDER_MODES),
    "render_view": ("agent", "all"),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a game is played and shown as an environment."""

    game: str
    seats: int | None = None
    """How many play; None: the fewest that the game has."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Rule options of the game that are not as its defaults."""
    mask: str = "observation"
    """The mask of legal actions stands as `action_mask` in the `observation`, which then is a dict, or in the `info`."""
    action_features: bool = False
    """Whether `action_features`, a row for each action, stand beside the mask."""
    illegal: str = "lose"
    """What an illegal action does: it loses the match, or raises ValueError and changes nothing."""
    max_cycles: int | None = None
    """Decisions after which the episode is truncated, those that fall together counted as one; None: never."""
    render_mode: str | None = None
    render_view: str = "agent"
    """What is rendered of an AEC environment: what the agent to choose knows, or everything."""

    def check(self) -> Seating:
        """Return what is played. Raises ConfigError that names the setting."""
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ConfigError(f'{name}: "{value}" is none of {", ".join(str(choice) for choice in allowed)}')
        if self.max_cycles is not None and self.max_cycles < 1:
            raise ConfigError(f"max_cycles: a whole number from 1, or None, not {self.max_cycles}")
        return seating(self.game, self.seats, self.options)


def agent_names(played: Seating) -> list[str]:
    """The agents, by seat."""
    return [f"player_{seat}" for seat in range(played.seats)]


def observation_space(settings: Settings, played: Seating) -> spaces.Space[Any]:
    """Return what an agent observes."""
    return observed(played.encoding, played.actions, settings.mask, has_action_features=settings.action_features)


def action_space(played: Seating) -> spaces.Discrete[Any]:
    """Return what an agent chooses from."""
    return spaces.Discrete(played.actions)


class _Environment(EzPickle):
    """What both kinds of environment are made with, and say of themselves."""

    is_parallelizable: bool

    def __init__(self, **settings: Any) -> None:
        """`settings`: the fields of `Settings`. Raises ConfigError for one that is wrong."""
        super().__init__(**settings)
        asked = Settings(**settings)
        self.seating = asked.check()
        """What is played: the game with its encoding, the number of seats, the options."""
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"{asked.game}_v0",
            "is_parallelizable": self.is_parallelizable,
            "render_fps": 1,
        }
        self.render_mode = asked.render_mode
        self.possible_agents = agent_names(self.seating)
        self._settings = asked
        self._observation_spaces = {agent: observation_space(asked, self.seating) for agent in self.possible_agents}
        self._action_spaces = {agent: action_space(self.seating) for agent in self.possible_agents}
        self._rng: Words | None = None
        self._renderer = Renderer(self.seating.game, asked.render_mode)

    def observation_space(self, agent: str) -> Any:
        """Return what the agent observes."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return what the agent chooses from: the game's action codes, or places in its list of legal actions."""
        return self._action_spaces[agent]


class TurnsEnv(_Environment, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A match of one game, agent by agent. What PettingZoo's wrappers check it checks itself, which is much faster."""

    is_parallelizable = False  # agents do not choose in turn one after the other; ParallelEnv knows who chooses

    def __init__(self, **settings: Any) -> None:
        """`settings`: the fields of `Settings`. Raises ConfigError for one that is wrong."""
        super().__init__(**settings)
        self._is_in_info = self._settings.mask == "info"
        self._has_rows = self._settings.action_features
        self.max_cycles = self._settings.max_cycles
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._table = Table(self.seating)
        self._play = self._table.play
        self._no_mask = np.zeros_like(self._table.mask)
        self._is_live = self._renderer.is_live

    @property
    def max_cycles(self) -> int | None:
        """Decisions after which the episode is truncated, those that fall together counted as one; None: never."""
        return self._max_cycles

    @max_cycles.setter
    def max_cycles(self, cycles: int | None) -> None:
        self._max_cycles = cycles
        self._is_plain = cycles is None and not self._is_in_info

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a match: with a seed the first one of that seed, else the next one. `options` changes nothing."""
        if seed is not None or self._rng is None:
            self._rng = table_rng(secrets.randbits(63) if seed is None else seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._is_over = False
        self._before = 0
        self._cycles = 0
        self._go_on(self._table.begin(self._rng))
        if self._is_live:
            self.render()

    def step(self, action: Any) -> None:
        """Play the action of the agent to choose; None for one whose episode is over."""
        if self._is_over:
            self._leave(action)
            return
        try:
            found = self._play(index(action))
        except TypeError:
            found = ILLEGAL
        if found == ILLEGAL:
            self._lose(action)
        elif found == IS_OVER:
            self._end(self.seating.rewards(self._table.states))
        elif self._is_plain:
            self.agent_selection = self.possible_agents[found >> SEAT_SHIFT]
        else:
            self._go_on(found)
        if self._is_live:
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what an agent knows, in arrays of its own. The mask of an agent that is not to choose is empty."""
        table = self._table
        is_choosing = agent == self.agent_selection and not self._is_over
        features = table.features.copy() if is_choosing else table.known(self._seats[agent])
        if self._is_in_info:
            return features
        mask = table.mask if is_choosing else self._no_mask
        if self._has_rows:
            return {"observation": features, "action_mask": mask.copy(), "action_features": self._rows(is_choosing)}
        return {"observation": features, "action_mask": mask.copy()}

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agent to choose, again and again, until all have left; there must be a `step` in between."""
        for _ in range(max_iter):
            if not self.agents:
                return
            yield self.agent_selection

    def last(self, observe: bool = True) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The observation, the reward since its last action, termination, truncation and info of the agent to choose."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def action_texts(self) -> list[str]:
        """The legal actions of the agent to choose as people write them, in the order of the mask."""
        return [] if self._is_over else self._table.action_texts()

    def render(self) -> str | Picture | None:
        """The table as text or as a picture, by `render_mode`. Raises ConfigError where that is not possible."""
        seat = self._seats[self.agent_selection] if self._settings.render_view == "agent" and self.agents else None
        return self._renderer.render(self._table.states, seat)

    def close(self) -> None:
        """Let go of what pictures needed."""
        self._renderer.close()

    def __getattr__(self, name: str) -> NoReturn:
        """Only what `reset` makes is missing before it."""
        if name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "_is_over"):
            raise AttributeError(f"{name.lstrip('_')}: call reset() first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _rows(self, is_choosing: bool) -> NDArray[np.float32]:
        table = self._table
        return table.action_features(self._seats[self.agent_selection]) if is_choosing else table.no_action_features()

    def _go_on(self, found: int) -> None:
        """Say who chooses next, or that it is enough. `found`: bits of compiled/single.py."""
        if self.max_cycles is not None and self._begins_a_cycle(found):
            self._cycles += 1
            if self._cycles > self.max_cycles:
                self._end([0.0] * self.seating.seats, is_truncated=True)
                return
        if self._is_in_info:
            self.infos[self.agent_selection] = {}
        self.agent_selection = self.possible_agents[found >> SEAT_SHIFT]
        if self._is_in_info:
            info: dict[str, Any] = {"action_mask": self._table.mask.copy()}
            if self._has_rows:
                info["action_features"] = self._rows(True)
            self.infos[self.agent_selection] = info

    def _begins_a_cycle(self, found: int) -> bool:
        """Return whether the decision to come does not fall together with the one before."""
        before, self._before = self._before, found
        goes_on = found & IS_TOGETHER and before & IS_TOGETHER and not found & ENDED_ROUND
        return not (goes_on and found >> SEAT_SHIFT > before >> SEAT_SHIFT)

    def _lose(self, action: Any) -> None:
        """Answer an action that the mask does not allow."""
        agent = self.agent_selection
        if self._settings.illegal == "raise":
            legal = " ".join(str(place) for place in np.flatnonzero(self._table.mask))
            raise ValueError(f"action: {action!r} of {agent} is not legal in {self}; legal: {legal}")
        self._end(self.seating.rewards(self._table.states, [self._seats[agent]]))

    def _end(self, rewards: list[float], is_truncated: bool = False) -> None:
        """End the episode of all agents."""
        self._is_over = True
        self.infos = {agent: {} for agent in self.agents}
        self.rewards = dict(zip(self.agents, rewards))
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, not is_truncated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self._deads_step_first()

    def _leave(self, action: Any) -> None:
        """Take an agent whose episode is over from the list."""
        if not self.agents:
            raise ValueError(f"step: all agents of {self} have left; call reset() first")
        self._was_dead_step(action)


Infos: TypeAlias = dict[str, dict[str, Any]]


class TogetherEnv(_Environment, ParallelEnv):  # type: ignore[misc]
    """A match of one game, decision by decision.

    Where not all seats choose, the agents of the others have `to_choose` False in their info and only action 0 in their mask;
    what they send is not looked at. So games that are played in turn can be played, too.
    """

    is_parallelizable = True

    def __init__(self, **settings: Any) -> None:
        """`settings`: the fields of `Settings`. Raises ConfigError for one that is wrong."""
        super().__init__(**settings)
        self.max_cycles = self._settings.max_cycles
        """Steps after which the episode is truncated; None: never."""
        self._table = Together(self.seating)
        self._cycles = 0

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
        """Return what all agents observe, and what stands beside it."""
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
