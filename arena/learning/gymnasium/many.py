"""Many matches as one vector environment of Gymnasium: rivals, episodes and features in compiled code."""

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.errors import ConfigError, nearest
from arena.learning.episodes import keep_episode
from arena.learning.gymnasium.match import Observation
from arena.learning.gymnasium.shown import Shown, results, warn_without_render_mode
from arena.learning.rendering import RENDER_MODES
from arena.learning.tables import Tables

_MODES = {
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.DISABLED: "off",
}


class ManyMatches(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """One seat learns at each of many tables. Actions and settings as in `OneMatch`.

    The infos hold the `action_mask`, and of episodes that ended in the step their `places`, `scores`, `own_seat` and
    `is_illegal`, each with `_NAME` for the tables that have it; with autoreset in the same step also `final_obs`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        mask: str = "info",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """`copy`: False gives the tables' own arrays, which the next step overwrites. `mask` and `settings`: as in OneMatch.

        Raises ConfigError, BotError or StoreError.
        """
        known = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in known and not isinstance(autoreset_mode, AutoresetMode):
            raise ConfigError(f"autoreset_mode: no {autoreset_mode!r}; {nearest(str(autoreset_mode), known)}")
        mode = AutoresetMode(autoreset_mode)
        self.tables = Tables(game, num_envs, autoreset=_MODES[mode], **settings)
        """The tables."""
        self.num_envs = num_envs
        self.autoreset_mode = mode
        """When a table begins its next episode."""
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.render_mode = render_mode
        self._mode = mode
        self._copy = copy
        self._shown = Shown(self.tables, mask, render_mode, copies=copy)
        self._has_begun = False
        self._all = np.ones(num_envs, np.bool_)
        self.single_observation_space = self._shown.observation_space
        self.single_action_space: spaces.Discrete = spaces.Discrete(self._shown.mask.shape[1])
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal matches at all tables, or at those of `options["reset_mask"]`.

        `seed`: of table 0, the others count up from it; or one for each table, None for a table that goes on as it was seeded.
        """
        which = self._which(options or {})
        given = [seed + table for table in range(self.num_envs)] if isinstance(seed, int) else seed
        super().reset(seed=seed if isinstance(seed, int) else None)
        if given is not None and len(given) != self.num_envs:
            raise ConfigError(f"seed: {len(given)} seeds for {self.num_envs} environments")
        if given is None and not self._has_begun:
            first = int(self.np_random.integers(1 << 62))
            given = [first + table for table in range(self.num_envs)]
        self._has_begun = True
        seeded = which & np.array([one is not None for one in given or [None] * self.num_envs])
        if seeded.any() and given is not None:
            self.tables.reset([int(one) for one, wanted in zip(given, seeded) if wanted and one is not None], seeded)
        if (which & ~seeded).any():
            self.tables.reset(None, which & ~seeded)
        return self._seen()

    def step(self, actions: NDArray[np.int64]) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action at each table. Raises IllegalChoice, if that is asked for, and ConfigError without a `reset`."""
        if not self._has_begun:
            raise ConfigError("step: call reset() first")
        tables = self.tables
        tables.step(actions)
        observation, infos = self._seen()
        terminated = tables.terminated
        if terminated.any():
            infos.update(self._results(terminated.copy()))
        if not self._copy:
            return observation, tables.rewards, terminated, tables.truncated, infos
        return observation, tables.rewards.copy(), terminated.copy(), tables.truncated.copy(), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """[environments, actions]: which actions are legal."""
        return np.array(self.tables.mask, np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """The tables as the learners' seats see them, by the `render_mode`: printed, as texts, or as pictures."""
        if self.render_mode is None:
            warn_without_render_mode()
            return None
        return tuple(self._shown.render(table) for table in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        """Let go what draws pictures."""
        self._shown.close()

    def keep_episode(self, results: Path | str, table: int, name: str = "learner") -> str:
        """Store the episode that ended last at a table as a match, which `arena replay` shows; gives its id.

        `name`: of the learner. Raises ConfigError for an episode that is no whole match, and without `logs=True`.
        """
        return keep_episode(self.tables, table, Path(results), name)

    def _which(self, options: dict[str, Any]) -> NDArray[np.bool_]:
        """The tables that are to be dealt."""
        given = options.get("reset_mask")
        if given is None:
            return self._all
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ConfigError(f"options.reset_mask: {self.num_envs} truth values are needed, at least one of them True")
        return mask

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        observation, beside = self._shown.seen()
        return observation, {
            key: value for name, rows in beside.items() for key, value in ((name, rows), (f"_{name}", self._all))
        }

    def _results(self, which: NDArray[np.bool_]) -> dict[str, Any]:
        """What came of the episodes that ended in this step."""
        found: dict[str, Any] = results(self.tables)
        if self._mode == AutoresetMode.SAME_STEP:
            final = np.full(self.num_envs, None, object)
            ended = np.flatnonzero(which)
            for features, table in zip(self.tables.final_features[ended], ended.tolist()):
                final[table] = self._shown.last(table, features)
            found["final_obs"] = final
        return _with_marks(found, which)


def _with_marks(columns: dict[str, NDArray[Any]], which: NDArray[np.bool_]) -> dict[str, Any]:
    """Columns of an info, and beside each, as `_NAME`, for which tables it is."""
    return {**columns, **{f"_{name}": which for name in columns}}
