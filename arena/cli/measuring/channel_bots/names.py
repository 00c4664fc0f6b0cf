"""Asks for names that do not exist: the kernel keeps that, and finds it faster the next time."""

import contextlib
import os
import random
from functools import partial
from pathlib import Path

from arena.agent import Agent, View
from arena.cli.measuring.channel_bots.attack import LIBRARY, PLACES, REPEATS, Attack, Place, faster
from arena.cli.measuring.channel_bots.processor import seconds

HERE = Path(__file__).parent


class Names(Attack, Agent[View]):
    """Asks for names in its own folder, or in a folder of the libraries."""

    def write(self, place: Place) -> None:
        """Ask for the names of a place."""
        for repeat in range(REPEATS):
            with contextlib.suppress(FileNotFoundError):
                os.stat(self._name(place, repeat))  # noqa: PTH116

    def read(self) -> list[int]:
        """Ask for all names, and see which are known."""
        asked = [(place, repeat) for place in PLACES for repeat in range(REPEATS)]
        random.shuffle(asked)
        seconds(lambda: os.stat(self._name((0, 0), -1)))  # noqa: PTH116
        took: dict[Place, list[float]] = {place: [] for place in PLACES}
        for place, repeat in asked:
            name = self._name(place, repeat)
            took[place].append(seconds(partial(os.stat, name)))
        return faster(took)

    def _name(self, place: Place, repeat: int) -> str:
        folder = HERE if self.params["is_own"] else LIBRARY
        return f"{folder}/{self.params['trial']}-{place[0]}-{place[1]}-{repeat}"
