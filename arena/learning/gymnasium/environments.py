"""The environments of Gymnasium: one seat of one match, or many matches as one vector environment.

Both show of their tables observations, masks, features of actions and pictures. What observations are is the same for
Gymnasium and PettingZoo, whose spaces are Gymnasium's. The vector environment has its rivals, episodes and features in
compiled code.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsInt, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.engine.encoding import Encoding, limits_of
from arena.errors import ConfigError, nearest
from arena.learning.episodes import keep_episode
from arena.learning.rendering import RENDER_MODES, Renderer
from arena.learning.tables import Tables

MASKS = ("observation", "info")
"""The places where the mask of the legal actions may stand: in the observation, which then is a dictionary, or beside it."""


def index_of(encoding: Encoding, code: int, legal: Sequence[int] = ()) -> int:
    """The index by which learning programs name an action. Raises ConfigError for an action that has none.

    `legal`: the codes of the legal actions in canonical order, which is what an index counts where a game has no small set.
    """
    known = legal if encoding.codes is None else encoding.codes
    if code not in known:
        where = "among the legal actions" if encoding.codes is None else "in this game"
        raise ConfigError(f"action: no code {code} {where}, which has {len(known)}")
    return known.index(code)


def observation_space(encoding: Encoding, actions: int, mask: str, *, has_action_features: bool) -> spaces.Space[Any]:
    """Return what is observed: the features; or a dictionary with them, the mask over all `actions`, and their features."""
    features = spaces.Box(*encoding.limits, dtype=np.float32)
    if mask == "info":
        return features
    parts: dict[str, spaces.Space[Any]] = {"observation": features, "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
    if has_action_features:
        low, high = limits_of(encoding.action_planes)
        rows = (actions, 1)
        low, high = np.minimum(low, 0), np.maximum(high, 0)  # where there is no action the row is 0
        parts["action_features"] = spaces.Box(np.tile(low, rows), np.tile(high, rows), dtype=np.float32)
    return spaces.Dict(parts)


class Shown:
    """Observations, infos and pictures of some tables, with a first axis for the tables."""

    def __init__(self, tables: Tables, mask: str, render_mode: str | None, *, copies: bool) -> None:
        """`mask`: in the `observation` or in the `info`; `copies`: whether what is shown outlives the next step."""
        check_known("mask", mask, MASKS)
        if render_mode is not None:
            check_known("render_mode", render_mode, RENDER_MODES)
        self.mask: NDArray[np.int8] = tables.mask.view(np.int8)
        """[tables, actions]: which actions are legal; the tables' own."""
        self._tables = tables
        self._is_in_info = mask == "info"
        self._copies = copies
        self._has_rows = tables.has_action_features
        self._renderer = Renderer(tables.game, render_mode)

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """What is observed of one table."""
        return observation_space(
            self._tables.encoding,
            self.mask.shape[1],
            "info" if self._is_in_info else "observation",
            has_action_features=self._has_rows,
        )

    def seen(self) -> tuple[Any, dict[str, NDArray[Any]]]:
        """The observation, and what stands beside it in the info."""
        features, mask = self._tables.features, self.mask
        if self._copies:
            features, mask = features.copy(), mask.copy()
        offer: dict[str, NDArray[Any]] = {"action_mask": mask}
        if self._has_rows:
            offer["action_features"] = self._rows()
        return (features, offer) if self._is_in_info else ({"observation": features, **offer}, {})

    def last(self, table: int, features: NDArray[np.float32]) -> Any:
        """The observation at the end of an episode, when no action is legal. `features`: what the learner saw."""
        if self._is_in_info:
            return features
        offer: dict[str, NDArray[Any]] = {"observation": features, "action_mask": np.zeros_like(self.mask[table])}
        if self._has_rows:
            offer["action_features"] = np.zeros((self.mask.shape[1], self._tables.encoding.action_size), np.float32)
        return offer

    def render(self, table: int) -> Any:
        """A table as the learner's seat sees it, by the `render_mode`."""
        return self._renderer.render(self._tables.states[table : table + 1], int(self._tables.seat[table]))

    @property
    def is_live(self) -> bool:
        """Whether each new position is to be shown by itself."""
        return self._renderer.is_live

    def close(self) -> None:
        """Let go what draws pictures."""
        self._renderer.close()

    def _rows(self) -> NDArray[np.float32]:
        """[tables, actions, action features]: a row for each action, 0 for one that is not legal."""
        tables = self._tables
        out = np.zeros((*self.mask.shape, tables.encoding.action_size), np.float32)
        is_legal = np.arange(tables.action_features.shape[1]) < tables.counts[:, None]
        out[tables.mask] = tables.action_features[is_legal]  # both in the order of the codes
        return out


def episode_results(tables: Tables) -> dict[str, NDArray[Any]]:
    """Return what came of the episodes that ended last, a row for each table."""
    return {
        "own_seat": tables.own_seats(ended=True),
        "places": tables.final_places.copy(),
        "scores": tables.final_scores.copy(),
        "is_illegal": tables.final_illegal.copy(),
    }


def warn_without_render_mode() -> None:
    """Say, as Gymnasium's environments do, that there is nothing to render."""
    gymnasium.logger.warn(f"render: no render_mode was given; one of {', '.join(RENDER_MODES)} shows the table")


def _check_device(settings: Mapping[str, Any]) -> None:
    """Raise ConfigError for settings of Tables that ask for a graphics card."""
    if settings.get("device", "cpu") != "cpu":
        raise ConfigError("device: tables on a card are environments of gymnasium.make_vec, or MatchesOnCard")


def check_known(name: str, value: str, known: tuple[str, ...]) -> None:
    """Raise ConfigError for a setting that is none of the known words."""
    if value not in known:
        raise ConfigError(f"{name}: no {value!r}; {nearest(str(value), known)}")


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
        if "threads" in settings:
            raise ConfigError("threads: only environments of make_vec have several tables to share out")
        _check_device(settings)
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
        info.update({name: column[0] for name, column in episode_results(self.tables).items()})
        return observation, float(self._reward[0]), True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal: what sb3-contrib's MaskablePPO asks for."""
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


MODES = {
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.DISABLED: "off",
}
"""What Gymnasium's modes are called by tables."""


def checked_mode(given: AutoresetMode | str) -> AutoresetMode:
    """The mode that is meant. Raises ConfigError."""
    known = [mode.value for mode in AutoresetMode]
    if given not in known and not isinstance(given, AutoresetMode):
        raise ConfigError(f"autoreset_mode: no {given!r}; {nearest(str(given), known)}")
    return AutoresetMode(given)


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
        threads: int = 1,
        **settings: Any,
    ) -> None:
        """`copy`: False gives the tables' own arrays, which the next step overwrites. `mask` and `settings`: as in OneMatch.
        `threads`: in how many the tables are played, from 1 to 64; nothing but the time depends on it.

        Raises ConfigError, BotError or StoreError.
        """
        mode = checked_mode(autoreset_mode)
        _check_device(settings)
        self.tables = Tables(game, num_envs, autoreset=MODES[mode], threads=threads, **settings)
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
        """Return what came of the episodes that ended in this step."""
        found: dict[str, Any] = episode_results(self.tables)
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
