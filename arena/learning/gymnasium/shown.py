"""What environments of Gymnasium show of their tables: observations, masks, features of actions, pictures."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.errors import ConfigError, nearest
from arena.learning.rendering import RENDER_MODES, Renderer
from arena.learning.spaces import MASKS, observation_space
from arena.learning.tables import Tables


class Shown:
    """Observations, infos and pictures of some tables, with a first axis for the tables."""

    def __init__(self, tables: Tables, mask: str, render_mode: str | None, *, copies: bool) -> None:
        """`mask`: in the `observation` or in the `info`; `copies`: whether what is shown outlives the next step."""
        _check("mask", mask, MASKS)
        if render_mode is not None:
            _check("render_mode", render_mode, RENDER_MODES)
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


def results(tables: Tables) -> dict[str, NDArray[Any]]:
    """What came of the episodes that ended last, a row for each table."""
    return {
        "own_seat": tables.own_seats(ended=True),
        "places": tables.final_places.copy(),
        "scores": tables.final_scores.copy(),
        "is_illegal": tables.final_illegal.copy(),
    }


def warn_without_render_mode() -> None:
    """Say, as Gymnasium's environments do, that there is nothing to render."""
    gymnasium.logger.warn(f"render: no render_mode was given; one of {', '.join(RENDER_MODES)} shows the table")


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"{name}: no {value!r}; {nearest(str(value), known)}")
