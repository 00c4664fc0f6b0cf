"""One policy plays all seats of many tables at once: each step takes the next choice of every table in one batch.

>>> play = SelfPlay("naga", tables=4, seed=1)
>>> choices = play.mask.argmax(axis=1)  # a policy would look at play.features here
>>> play.step(choices)
>>> play.seat.shape, play.seat_rewards.shape, play.finished.tolist()
((4,), (4, 2), [])
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine.contract import Actions, Features, Numbers
from arena.engine.options import OptionValue
from arena.errors import ConfigError
from arena.learning.arrays import Indices
from arena.learning.compiled.layout import Masks
from arena.learning.device import Device
from arena.learning.rivals import Rival
from arena.learning.tables import Tables


class SelfPlay:
    """Many tables whose seats are all played by one policy, but for those with a snapshot of it, or with another rival.

    All arrays are filled in place: copy what is to outlive the next step. The next episode follows a finished one at once.
    """

    def __init__(
        self,
        game: str,
        tables: int = 1024,
        *,
        seats: int | None = None,
        options: Mapping[str, OptionValue] | None = None,
        snapshots: Mapping[int, Rival] = MappingProxyType({}),
        seed: int = 0,
        episode: str = "match",
        illegal: str = "lose",
        reward: str = "places",
        action_features: bool = False,
        threads: int = 1,
        device: str | Device = "cpu",
        stream: Any = None,
        feature_type: str = "float32",
    ) -> None:
        """Deal all tables. `snapshots`: who sits at some of the seats instead; all else, and what is raised, as for Tables."""
        count = games.load(game).seats[0] if seats is None else seats
        for seat in snapshots:
            if not 0 <= seat < count:
                raise ConfigError(f"snapshots: no seat {seat!r}; there are seats 0 to {count - 1}")
        if len(snapshots) >= count:
            raise ConfigError(f"snapshots: one of the {count} seats has to be left for the policy")
        self.tables = Tables(
            game, tables, seats=count, options=options, learners=[seat for seat in range(count) if seat not in snapshots],
            rivals=[snapshots[seat] for seat in sorted(snapshots)], seed=seed, episode=episode, illegal=illegal, reward=reward,
            action_features=action_features, threads=threads, device=device, stream=stream, feature_type=feature_type,
        )  # fmt: skip
        """The tables themselves."""
        self.tables.reset()

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def features(self) -> Features:
        """[tables, features]: what the seat to choose knows."""
        return self.tables.features

    @property
    def action_features(self) -> Features:
        """[tables, MAX_ACTIONS, action features]: a row for each legal action, if they are asked for."""
        return self.tables.action_features

    @property
    def mask(self) -> Masks:
        """[tables, actions]: which actions are legal."""
        return self.tables.mask

    @property
    def actions(self) -> Actions:
        """[tables, MAX_ACTIONS]: the codes of the legal actions."""
        return self.tables.actions

    @property
    def counts(self) -> Indices:
        """[tables]: how many actions are legal."""
        return self.tables.counts

    @property
    def seat(self) -> Indices:
        """[tables]: the seat that is to choose."""
        return self.tables.seat

    @property
    def seat_rewards(self) -> Numbers:
        """[tables, seats]: what each seat gets for the episode that ended in the last step; 0 where none ended."""
        return self.tables.seat_rewards

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """[tables]: whether an episode ended in the last step."""
        return self.tables.terminated

    @property
    def finished(self) -> Indices:
        """The tables where an episode ended in the last step. On a card this waits for it; `terminated` does not."""
        return np.flatnonzero(self.terminated)

    def step(self, indices: object) -> None:
        """Play one choice at each table: a place in its legal list, or in the encoding's `codes`, as in `mask`."""
        self.tables.step(indices)
