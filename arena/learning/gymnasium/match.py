"""One seat of one match as an environment of Gymnasium."""

from pathlib import Path
from typing import Any, SupportsInt, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.errors import ConfigError
from arena.learning.episodes import keep_episode
from arena.learning.gymnasium.shown import Shown, results, warn_without_render_mode
from arena.learning.rendering import RENDER_MODES
from arena.learning.tables import Tables

Observation: TypeAlias = Any
"""An array of features; or a dictionary of `observation`, `action_mask` and, if asked for, `action_features`."""


class OneMatch(gymnasium.Env[Observation, np.int64]):
    """One seat learns, rivals sit at the others; a step goes from its choice to its next choice.

    An action is a place in the list of legal actions, or among the game's action codes where there are few
    (`tables.encoding.codes`). The mask says which are legal; an illegal one loses the episode, unless `illegal="raise"`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium has it

    def __init__(self, game: str, *, render_mode: str | None = None, mask: str = "info", **settings: Any) -> None:
        """`mask`: in the `info`, or in the `observation`. `settings`: of `Tables`: seats, options, rivals, episode, ...

        Raises ConfigError, BotError or StoreError.
        """
        if "autoreset" in settings:
            raise ConfigError("autoreset: only environments of make_vec reset themselves")
        self.tables = Tables(game, 1, autoreset="off", **settings)
        """The table."""
        self.render_mode = render_mode
        self._shown = Shown(self.tables, mask, render_mode, copies=True)
        self._has_begun = False
        self._play = self.tables.step_one
        self._reward, self._terminated = self.tables.rewards, self.tables.terminated
        self._features, self._mask = self.tables.features[0], self._shown.mask[0]
        self._is_plain = mask == "info" and not self.tables.has_action_features and not self._shown.is_live
        self.observation_space = self._shown.observation_space
        self.action_space: spaces.Discrete = spaces.Discrete(self._shown.mask.shape[1])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Deal a match: with a seed the first one of that seed, else the next one. `options` changes nothing."""
        super().reset(seed=seed)
        if seed is None and not self._has_begun:
            seed = int(self.np_random.integers(1 << 62))
        self._has_begun = True
        self.tables.reset(seed)
        return self._seen()

    def step(self, action: SupportsInt) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action. Raises IllegalChoice for an illegal one, if that is asked for, and ConfigError without a `reset`."""
        if not self._has_begun:
            raise ConfigError("step: call reset() first")
        self._play(action)
        if self._is_plain:
            observation, info = self._features.copy(), {"action_mask": self._mask.copy()}
        else:
            observation, info = self._seen()
        if not self._terminated[0]:
            return observation, 0.0, False, False, info
        info.update({name: column[0] for name, column in results(self.tables).items()})
        return observation, float(self._reward[0]), True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal: what sb3-contrib's MaskablePPO asks for."""
        return np.array(self.tables.mask[0], np.bool_)

    def action_texts(self) -> list[str]:
        """The legal actions in the game's notation, in the order of the mask's ones."""
        return self.tables.action_texts(0)

    def render(self) -> Any:
        """The table as the learner's seat sees it, by the `render_mode`: printed, as text, or as a picture."""
        if self.render_mode is None:
            warn_without_render_mode()
            return None
        return self._shown.render(0)

    def close(self) -> None:
        """Let go what draws pictures."""
        self._shown.close()

    def keep_episode(self, results: Path | str, name: str = "learner") -> str:
        """Store the episode that ended last as a match, which `arena replay` shows; gives its id.

        `name`: of the learner. Raises ConfigError for an episode that is no whole match, and without `logs=True`.
        """
        return keep_episode(self.tables, 0, Path(results), name)

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        if self._is_plain:
            return self._features.copy(), {"action_mask": self._mask.copy()}
        observation, info = self._shown.seen()
        if self._shown.is_live:
            self._shown.render(0)
        if isinstance(observation, dict):
            return {name: rows[0] for name, rows in observation.items()}, {}
        return observation[0], {name: rows[0] for name, rows in info.items()}
