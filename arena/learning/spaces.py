"""What observations of an environment are: the same for Gymnasium and PettingZoo, whose spaces are Gymnasium's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from arena.engine.encoding import Encoding, Plane
from arena.errors import ConfigError

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
    """What is observed: the features; or a dictionary with them, the mask over all `actions`, and their features."""
    features = spaces.Box(*_limits(encoding.planes), dtype=np.float32)
    if mask == "info":
        return features
    parts: dict[str, spaces.Space[Any]] = {"observation": features, "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
    if has_action_features:
        low, high = _limits(encoding.action_planes)
        rows = (actions, 1)
        low, high = np.minimum(low, 0), np.maximum(high, 0)  # where there is no action the row is 0
        parts["action_features"] = spaces.Box(np.tile(low, rows), np.tile(high, rows), dtype=np.float32)
    return spaces.Dict(parts)


def _limits(planes: Sequence[Plane]) -> tuple[Any, Any]:
    low = np.concatenate([np.full(plane.size, plane.low, np.float32) for plane in planes])
    return low, np.concatenate([np.full(plane.size, plane.high, np.float32) for plane in planes])
