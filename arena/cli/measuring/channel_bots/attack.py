"""What the attacks have in common: a bot that leaves its hand somewhere, and looks for it in the next match."""

import hashlib
import random
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from arena.agent import StartInfo, View

BITS = 30  # of a message; a hand of five cards out of 44 has 20
REPEATS = 5  # of what is timed, as time is noisy

Place = tuple[int, int]
"""The number of a bit and its value: each bit is told by which of its two places was used."""
PLACES: list[Place] = [(number, bit) for number in range(BITS) for bit in range(2)]
LIBRARY = Path(sysconfig.get_path("purelib"))


class Attack:
    """Half a bot: leaves its hand somewhere or, with `reads` in its params, looks for one. The other half is Agent."""

    wants_forced = True
    params: Mapping[str, Any]
    _found: list[int] | None = None

    def start(self, info: StartInfo) -> None:
        """Read before the bot is ready: then it may do more."""
        self.prepare()
        if self.params["reads"]:
            self._found = self.read()

    def act(self, view: View) -> str:
        """Print the hand that was found, or leave the own one."""
        if self.params["reads"]:
            print("".join(map(str, self._found or self.hear())))
            return view.legal[0]
        refused: dict[str, None] = {}
        for place in enumerate(message(view)):
            try:
                self.write(place)
            except OSError as error:
                refused[error.strerror or str(error)] = None
        print(*refused)
        return view.legal[0]

    def prepare(self) -> None:
        """Open what is needed later."""

    def write(self, place: Place) -> None:
        """Leave one bit. Raises OSError where the kernel refuses that."""

    def read(self) -> list[int] | None:
        """The bits that another match left; None: this attack reads later."""
        return None

    def hear(self) -> list[int]:
        """The bits that another seat leaves meanwhile."""
        return []


def message(view: View) -> list[int]:
    """Return what a seat sees, its hand above all, as bits that tell it from all other hands."""
    digest = hashlib.sha256(str(view).encode()).digest()
    return [digest[number // 8] >> number % 8 & 1 for number in range(BITS)]


def faster(times: dict[Place, list[float]]) -> list[int]:
    """The bits whose places took less time; drawn by lot where both took the same."""
    found = []
    for number in range(BITS):
        zero, one = median(times[number, 0]), median(times[number, 1])
        found.append(random.getrandbits(1) if zero == one else int(one < zero))
    return found
