"""Has the processor's caches forget what was played.

A bot's seats in one match after the other share the memory of their template, and all seats the libraries' files. Which lines
of those are in the caches, a bot can choose in one match and time in the next, and hand on in that. Nothing less than several
times the caches' own size of other memory drives them out.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_BYTES = 32 << 20  # of the largest cache, where the kernel does not tell
_TIMES = 3  # its size: after twice as much 5 % of the lines were still there, and with three times 0.03 %
_LINE = 8  # numbers


def forget() -> None:
    """Fill the caches of this core, and those that it shares with others, with memory that no bot has: some milliseconds."""
    _others()[::_LINE].sum()


@cache
def _others() -> NDArray[np.uint64]:
    return np.ones(_TIMES * _largest() // 8, np.uint64)  # written, else all of it would be one page


def _largest() -> int:
    """The bytes of the largest cache of the first core."""
    try:
        sizes = [path.read_text().strip() for path in _CACHES.glob("index*/size")]
        return max(int(size.removesuffix("K")) for size in sizes) << 10
    except (OSError, ValueError):
        return _USUAL_BYTES
