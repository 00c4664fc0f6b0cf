"""Many matches on a graphics card as one environment of Gymnasium: `gymnasium.make_vec(id, n, device="cuda")`."""

from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.errors import ConfigError
from arena.learning.episodes import keep_episode
from arena.learning.gymnasium.environments import MASKS, MODES, ManyMatches, check_known, checked_mode, observation_space
from arena.learning.tables import Tables


def many_matches(game: str, num_envs: int = 1, *, device: Any = "cpu", **settings: Any) -> VectorEnv[Any, Any, Any]:
    """What `make_vec` gives: matches on this processor, or on the card that `device` names (docs/cards.md)."""
    if device == "cpu":
        return ManyMatches(game, num_envs, **settings)
    return MatchesOnCard(game, num_envs, device=device, **settings)


class MatchesOnCard(VectorEnv[Any, Any, Any]):
    """One seat learns at each of many tables on a card. Settings as of ManyMatches, and `stream` and `feature_type` of Tables.

    All that `reset` and `step` give are arrays on the card, which the next step overwrites: `torch.from_dlpack` copies nothing.
    Nothing waits for the card, so the infos have a row for every table: `action_mask`; of the episode that ended last `places`,
    `scores`, `own_seat`, `is_illegal` and `final_obs`, which are those of this step where `terminated` says so. Rows of
    `action_features` are in the order of the legal list.
    """

    metadata: dict[str, Any] = {"render_modes": [], "render_fps": 1}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        device: Any,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        mask: str = "info",
        copy: bool = False,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """Raises ConfigError, BotError or StoreError."""
        if render_mode is not None or copy:
            raise ConfigError(f"{'copy' if render_mode is None else 'render_mode'}: not on a card; leave it out")
        check_known("mask", mask, MASKS)
        self.autoreset_mode = checked_mode(autoreset_mode)
        """When a table begins its next episode."""
        self.tables = Tables(game, num_envs, autoreset=MODES[self.autoreset_mode], device=device, **settings)
        """The tables."""
        self.num_envs = num_envs
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self._is_in_info = mask == "info"
        self._has_begun = False
        actions = self.tables.mask.shape[1]
        self.single_observation_space = self._space(actions)
        self.single_action_space: spaces.Discrete = spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal matches at all tables. `seed`: of table 0, the others count up from it; or one for each table."""
        if options:
            raise ConfigError("options: all tables are dealt on a card; leave them out")
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._has_begun:
            seed = int(self.np_random.integers(1 << 62))
        self._has_begun = True
        self.tables.reset(seed)
        return self._seen()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action at each table: an array of int64 on the card, or here. Raises ConfigError without a `reset`."""
        if not self._has_begun:
            raise ConfigError("step: call reset() first")
        tables = self.tables
        tables.step(actions)
        observation, infos = self._seen()
        infos.update(places=tables.final_places, scores=tables.final_scores)
        infos.update(own_seat=tables.final_own, is_illegal=tables.final_faults)
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos["final_obs"] = tables.final_features
        return observation, tables.rewards, tables.terminated, tables.truncated, infos

    def render(self) -> None:
        """Say that there is nothing to see; `keep_episode` and `arena replay` show a match."""
        gymnasium.logger.warn("render: tables on a card are not drawn; keep_episode stores a match for arena replay")

    def keep_episode(self, results: Path | str, table: int, name: str = "learner") -> str:
        """Store the episode that ended last at a table as a match, which `arena replay` shows; gives its id.

        `name`: of the learner. Raises ConfigError for an episode that is no whole match, and without `logs=True`.
        """
        return keep_episode(self.tables, table, Path(results), name)

    def _space(self, actions: int) -> spaces.Space[Any]:
        kept = self.tables.features.dtype
        whole = observation_space(
            self.tables.encoding, actions, "info" if self._is_in_info else "observation",
            has_action_features=self.tables.has_action_features,
        )  # fmt: skip
        box: Any = whole if self._is_in_info else cast(spaces.Dict, whole)["observation"]
        low, high = (0, 255) if kept == np.uint8 else (box.low.astype(kept), box.high.astype(kept))
        narrow = spaces.Box(low, high, box.shape, kept.type)
        return narrow if self._is_in_info else spaces.Dict({**cast(spaces.Dict, whole).spaces, "observation": narrow})

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        tables = self.tables
        offer: dict[str, Any] = {"action_mask": tables.mask}
        if tables.has_action_features:
            offer["action_features"] = tables.action_features
        return (tables.features, offer) if self._is_in_info else ({"observation": tables.features, **offer}, {})
